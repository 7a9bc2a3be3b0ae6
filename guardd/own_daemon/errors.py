"""What goes wrong with servers of one's own."""


class Breakdown(Exception):  # noqa: N818 - of a server, not of a function
    """A server, or what is run against it, does not start or breaks down.

    Args:
        message: What happened, without a full stop.
        details: What it said, or what to do about it, one line each; may be none.
    """

    def __init__(self, message: str, *details: str) -> None:
        super().__init__(message)
        self.message = message
        self.details = details
