"""What is wrong with a configuration, said so that a person finds the place.

The configuration needs json5 and the standard library only, but for this: a value that is shown has its secrets
masked, and what a secret is, `guardd.fingerprint.redaction` knows. It is imported, and msgspec with it, when a
value is shown.
"""

import json
import math
import re
from collections.abc import Sequence

LONGEST_SHOWN = 60
PLAIN_KEY = re.compile(r"[A-Za-z0-9_$-]+")


class ConfigError(Exception):
    """A configuration that cannot be used.

    Attributes:
        file: the file at fault; for an inherited one, that one.
        key: the key in it, as `guardd.limits.frameMB`; None where the file as a whole is at fault.
        value: the value at fault as it would be written; None where no value is.
        reason: what is wrong, without the three above.
    """

    def __init__(self, file: str, reason: str, *, key: str | None = None, value: str | None = None) -> None:
        super().__init__(file, reason, key, value)
        self.file = file
        self.reason = reason
        self.key = key
        self.value = value

    def __str__(self) -> str:
        place = self.file if self.key is None else f"{self.file}: {self.key}"
        got = "" if self.value is None else f"; got {self.value}"
        return f"{place}: {self.reason}{got}"

    @property
    def errors(self) -> "tuple[ConfigError, ...]":
        """All that is wrong, each by itself."""
        return (self,)


class NoSuchConfigFile(ConfigError):  # noqa: N818 - a kind of ConfigError
    """A configuration file that is named and does not exist."""


class CombinedConfigError(ConfigError):
    """A configuration that cannot be used for several reasons; the first one's attributes stand for all."""

    def __init__(self, errors: Sequence[ConfigError]) -> None:
        first = errors[0]
        super().__init__(first.file, first.reason, key=first.key, value=first.value)
        self._errors = tuple(errors)

    def __str__(self) -> str:
        return "; ".join(map(str, self._errors))

    @property
    def errors(self) -> tuple[ConfigError, ...]:
        """All that is wrong, each by itself."""
        return self._errors


def raise_any(errors: Sequence[ConfigError]) -> None:
    """Raise what is wrong, if anything is.

    Raises:
        ConfigError: that.
    """
    if errors:
        raise errors[0] if len(errors) == 1 else CombinedConfigError(errors)


def shown(value: object) -> str:
    """Return a configured value as a person would write it: on one line, printable, not too long, secrets masked."""
    from guardd.fingerprint.redaction import mask_text  # noqa: PLC0415 - most configurations have nothing to show

    text = mask_text(_written(value, levels=2))
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def shown_file(name: str) -> str:
    """Return a file's name so that it can be printed and sent, whatever bytes it is made of."""
    return name.encode("utf-8", "backslashreplace").decode()


def below(path: str, key: str) -> str:
    """Return the key path one step down: `agents.entries`, with keys that are not plain words as `["…"]`."""
    if not PLAIN_KEY.fullmatch(key):
        return f"{path}[{json.dumps(key)}]"
    return f"{path}.{key}" if path else key


def item(path: str, index: int) -> str:
    """Return the key path of one item of a list."""
    return f"{path}[{index}]"


def agent_item(path: str, agent_id: str) -> str:
    """Return the key path of the item of `agents.list` with this id."""
    return f"{path}[id={agent_id if PLAIN_KEY.fullmatch(agent_id) else json.dumps(agent_id)}]"


def _written(value: object, levels: int) -> str:
    """Return a decoded JSON5 value as text, down to a depth."""
    match value:
        case None | bool():
            return json.dumps(value)
        case float():
            return json.dumps(value) if math.isfinite(value) else _unbounded(value)
        case dict() | list() if value and not levels:
            return "{…}" if isinstance(value, dict) else "[…]"
        case dict():
            return f"{{{', '.join(f'{key!r}: {_written(value[key], levels - 1)}' for key in value)}}}"
        case list():
            return f"[{', '.join(_written(each, levels - 1) for each in value)}]"
        case _:
            return repr(value)


def _unbounded(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
