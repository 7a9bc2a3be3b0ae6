"""Bytes to frames: one message a line.

Knows nothing of JSON. Used by the daemon and by both clients, so it needs the standard library only.
"""

from guardd.protocol.errors import FrameTooLarge

DEFAULT_LIMIT = 16 * 1024 * 1024


class Framer:
    r"""Cuts a stream of bytes at its newlines.

    A frame ends with ``\n`` or ``\r\n``; empty lines are skipped. The cost is linear in the bytes fed,
    in whatever pieces they come. The use is::

        framer.feed(data)
        for frame in iter(framer.next_frame, None):
            ...

    Args:
        limit: The greatest length of a frame in bytes, its line ending not counted.
    """

    __slots__ = ("_buffer", "_overflowed", "_searched", "_whole", "limit")

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self.limit = limit
        self._whole = b""  # one frame and its ending: what nearly always comes, and needs no buffer
        self._buffer = bytearray()
        self._searched = 0
        self._overflowed = False

    @property
    def buffered(self) -> int:
        """The bytes held: those of frames not yet taken, and of the one still arriving."""
        return len(self._whole) or len(self._buffer)

    def feed(self, data: bytes) -> None:
        """Take what the stream brought. After a frame that was too large, everything is dropped."""
        if self._overflowed:
            return
        if not self.buffered and data.find(b"\n") == len(data) - 1:
            self._whole = data
            return
        self._buffer += self._whole
        self._whole = b""
        self._buffer += data

    def next_frame(self) -> bytes | None:
        """The next complete frame, or None when more bytes are needed.

        Frames that came before one that is too large are handed out first.

        Raises:
            FrameTooLarge: The next frame is above the limit, even if its end has not been seen yet; raised
                again at every further call, since nothing after such a frame is a message.
        """
        while not self._overflowed:
            line = self._next_line()
            if line is None:
                if self._unfinished_length() <= self.limit:
                    return None
                self._overflow()
            elif len(line) > self.limit:
                self._overflow()
            elif line:
                return line
        raise FrameTooLarge(self.limit)

    def _next_line(self) -> bytes | None:
        """The next line without its ending, which may be empty; None where its end has not come."""
        if self._whole:
            line, self._whole = self._whole, b""
            return line[: -2 if line.endswith(b"\r\n") else -1]
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            return None
        with memoryview(self._buffer) as view:
            line = bytes(view[: end - (end > 0 and view[end - 1] == ord("\r"))])
        del self._buffer[: end + 1]
        self._searched = 0
        return line

    def _unfinished_length(self) -> int:
        r"""The least length that the frame still arriving can have: a last ``\r`` may be of its ending."""
        return len(self._buffer) - self._buffer.endswith(b"\r")

    def _overflow(self) -> None:
        self._overflowed = True
        self._buffer.clear()
