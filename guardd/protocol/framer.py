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

    __slots__ = ("_buffer", "_overflowed", "_searched", "limit")

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self.limit = limit
        self._buffer = bytearray()
        self._searched = 0
        self._overflowed = False

    @property
    def buffered(self) -> int:
        """The bytes held: those of frames not yet taken, and of the one still arriving."""
        return len(self._buffer)

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        """Take what the stream brought. After a frame that was too large, everything is dropped."""
        if not self._overflowed:
            self._buffer += data

    def next_frame(self) -> bytes | None:
        """The next complete frame, or None when more bytes are needed.

        Frames that came before one that is too large are handed out first.

        Raises:
            FrameTooLarge: The next frame is above the limit, even if its end has not been seen yet; raised
                again at every further call, since nothing after such a frame is a message.
        """
        while True:
            if self._overflowed:
                raise FrameTooLarge(self.limit)
            end = self._buffer.find(b"\n", self._searched)
            if end < 0:
                self._searched = len(self._buffer)
                if self._unfinished_length() > self.limit:
                    self._overflow()
                    continue
                return None
            frame = self._take(end)
            if len(frame) > self.limit:
                self._overflow()
            elif frame:
                return frame

    def _unfinished_length(self) -> int:
        r"""The least length that the frame still arriving can have: a last ``\r`` may be of its ending."""
        return len(self._buffer) - self._buffer.endswith(b"\r")

    def _take(self, end: int) -> bytes:
        with memoryview(self._buffer) as view:
            frame = bytes(view[: end - (end > 0 and view[end - 1] == ord("\r"))])
        del self._buffer[: end + 1]
        self._searched = 0
        return frame

    def _overflow(self) -> None:
        self._overflowed = True
        self._buffer.clear()
