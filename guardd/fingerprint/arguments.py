"""The arguments of a call."""

from typing import Self

import msgspec

from guardd.fingerprint.canonical import RawJson, encode, from_bytes, read
from guardd.fingerprint.reading import TooDeepError


class Arguments(msgspec.Struct, frozen=True, gc=False):
    """The arguments of a call: missing ones, ``null`` and ``{}`` are the same.

    Attributes:
        value: What was decoded; None when it is nested too deeply to be built. It is not to be changed.
        canonical: The canonical form, equal for equal values.
    """

    value: object
    canonical: bytes

    @classmethod
    def parse(cls, raw: RawJson | None) -> Self:
        """Read the arguments as they stood in the frame.

        Raises:
            InvalidJsonError: They are not JSON.
        """
        if raw is None:
            return cls({}, b"{}")
        try:
            value = read(raw)
        except TooDeepError:
            return cls(None, from_bytes(raw))
        if value is None:
            return cls({}, b"{}")
        return cls(value, encode(value))

    @classmethod
    def of_action(cls, action: str | None) -> Self:
        """The part of arguments that outcomes are compared by, see `Fingerprinter.asked_action`."""
        return cls({} if action is None else {"action": action}, b"")

    def get(self, key: str) -> object:
        """Give the member of that name; None when there is none, or the arguments are no object."""
        return self.value.get(key) if isinstance(self.value, dict) else None
