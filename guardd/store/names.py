"""Names as they are stored: tools, runs and calls may be called anything, of any length."""

import hashlib

LONGEST_NAME = 512
_KEPT = 400


def stored_name(name: str) -> str:
    """The name itself, or of a very long one its beginning and a digest of the whole.

    Equal names stay equal and different ones different, so a name of any length is judged like any other and
    costs no more.
    """
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name[:_KEPT]}…{digest}"
