"""The daemon's log: one event, one line, on standard error.

Modules log as usual, with `extra=fields(run=…)` for what a program may want to read:

    logger.info("the socket is open", extra=fields(path=path))
"""

import json
import logging
import math
import os
import select
import sqlite3
import traceback
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime

LEVELS = ("debug", "info", "warning", "error")
FORMS = ("text", "json")

_STANDARD_ERROR = 2
_PATIENCE_MS = 50  # how long one line may wait for a slow reader
_PIECE = 4096  # PIPE_BUF: what a pipe that has room takes without waiting
_DEPTH = 6  # deeper values are written as text
# The priorities of syslog(3), which the journal reads from the head of a line (sd-daemon(3)).
_PRIORITIES = {logging.CRITICAL: 2, logging.ERROR: 3, logging.WARNING: 4, logging.INFO: 6, logging.DEBUG: 7}


def fields(**values: object) -> dict[str, dict[str, object]]:
    """Make the `extra` argument of a log call: named values that are written beside the message."""
    return {"fields": values}


def setup(
    level: str = "info",
    form: str = "text",
    *,
    environ: Mapping[str, str] = os.environ,
    descriptor: int = _STANDARD_ERROR,
) -> None:
    """Send the log of this process to standard error; a second call replaces the first.

    Call it before anything is opened. Other packages than ours are heard from `warning` up only.

    Args:
        level: one of LEVELS.
        form: one of FORMS.
        environ: where `$JOURNAL_STREAM` is looked up; the journal gets a priority in place of the time.
        descriptor: the file to write to.

    Raises:
        ValueError: no such level or form.
    """
    if level not in LEVELS or form not in FORMS:
        raise ValueError(f"no such level or form of a log: {level!r}, {form!r}")
    _fill_standard_descriptors()
    handler = DescriptorHandler(descriptor)
    handler.setFormatter(
        JsonFormatter() if form == "json" else TextFormatter(journal=_is_journal(descriptor, environ))
    )
    number = logging.getLevelNamesMapping()[level.upper()]
    root = logging.getLogger()
    for old in root.handlers[:]:
        if isinstance(old, DescriptorHandler):
            root.removeHandler(old)
            old.close()
    root.addHandler(handler)
    root.setLevel(max(number, logging.WARNING))
    logging.getLogger("guardd").setLevel(number)
    logging.captureWarnings(capture=True)


def _fill_standard_descriptors() -> None:
    """Open /dev/null where a standard descriptor is closed.

    Otherwise the next file or connection would get its number, and the log would be written there.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one


def _is_journal(descriptor: int, environ: Mapping[str, str]) -> bool:
    """Tell whether a descriptor is the journal's.

    `$JOURNAL_STREAM` has that one's device and inode (systemd.exec(5)); it is inherited by programs whose
    output goes elsewhere.
    """
    try:
        status = os.fstat(descriptor)
    except OSError:
        return False
    return environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


class DescriptorHandler(logging.Handler):
    """Writes lines to a descriptor, and loses some rather than fail or wait for long.

    The reader of the log may be gone, or alive and not reading: neither may stop the daemon. Once lines can
    be written again, one says how many were lost.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._lost = 0
        self._torn = False  # the last line was written in part

    def emit(self, record: logging.LogRecord) -> None:
        """Write one event, or count it as lost."""
        try:
            if self._lost and self._write(self.format(_lost_lines(self._lost))):
                self._lost = 0
            written = not self._lost and self._write(self.format(record))
        except Exception:  # noqa: BLE001 - a field that cannot be read, for one
            written = False
        if not written:
            self._lost += 1

    def _write(self, line: str) -> bool:
        data = line.encode("utf-8", "backslashreplace") + b"\n"
        if self._torn:
            data = b"\n" + data
        left = memoryview(data)
        room = select.poll()
        room.register(self._descriptor, select.POLLOUT)
        try:
            while left:
                if not room.poll(0 if self._lost else _PATIENCE_MS):
                    break
                left = left[os.write(self._descriptor, left[:_PIECE]) :]
        except OSError:  # nobody reads it any more, the disk is full, …
            pass
        if len(left) < len(data):
            self._torn = bool(left)
        return not left


def _lost_lines(count: int) -> logging.LogRecord:
    record = logging.LogRecord(__name__, logging.WARNING, __file__, 0, "lines of the log were lost", (), None)
    record.fields = {"lines": count}
    return record


class TextFormatter(logging.Formatter):
    """Lines for people: time, level, where from, the message, and the fields as `name=value`.

    Args:
        journal: begin with the priority that the journal reads, in place of the time, which it has itself.
    """

    def __init__(self, *, journal: bool = False) -> None:
        super().__init__()
        self._journal = journal

    def format(self, record: logging.LogRecord) -> str:
        """Format one event as one line; characters that could move the cursor or end the line are escaped."""
        head = f"<{_PRIORITIES.get(record.levelno, 6)}>" if self._journal else _time(record) + " "
        parts = [f"{head}{record.levelname} {_short(record.name)}: {_printable(_message(record))}"]
        parts += [f"{_printable(name)}={_quoted(value)}" for name, value in _fields(record).items()]
        trace = _trace(record)
        if trace:
            parts.append(f"exception={_quoted(trace)}")
        return " ".join(parts)


class JsonFormatter(logging.Formatter):
    """Lines for programs: an object with `ts`, `level`, `logger`, `message`; `fields`, `exception` if any."""

    def format(self, record: logging.LogRecord) -> str:
        """Format one event as one line of ASCII."""
        event: dict[str, object] = {
            "ts": _time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": _clean(_message(record)),
        }
        values = _fields(record)
        if values:
            event["fields"] = values
        trace = _trace(record)
        if trace:
            event["exception"] = _clean(trace)
        return json.dumps(event, allow_nan=False)


def _time(record: logging.LogRecord) -> str:
    """Give an event's time by RFC 3339, in UTC, to the millisecond."""
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _short(name: str) -> str:
    """Shorten the names of our own loggers to their module."""
    return name.rpartition(".")[2] if name.startswith("guardd.") else name


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # noqa: BLE001 - a log call with the wrong arguments must not break its caller
        return _text(record.msg)


def _trace(record: logging.LogRecord) -> str:
    """Give the way to an exception and to those that led to it, by places and types.

    What an exception says may quote what was worked on, and that is somebody's arguments and results.
    """
    error = record.exc_info[1] if record.exc_info else None
    chain: list[str] = []
    while error is not None and len(chain) < _DEPTH:
        chain.insert(0, "".join(traceback.format_tb(error.__traceback__)) + _title(error))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "Traceback (most recent call last):\n" + "\nwhich led to:\n".join(chain) if chain else ""


def _title(error: BaseException) -> str:
    """Give an exception's type, and of the system's and SQLite's, which quote no values, the text."""
    name = type(error).__qualname__
    return f"{name}: {_text(error)}" if isinstance(error, OSError | sqlite3.Error) else name


def _fields(record: logging.LogRecord) -> Mapping[str, object]:
    """Give an event's fields as JSON values."""
    values = _plain(getattr(record, "fields", {}), _DEPTH)
    return values if isinstance(values, dict) else {"fields": values}


def _plain(value: object, depth: int) -> object:
    """Turn any value into one that JSON has; what it lacks becomes text."""
    if depth and isinstance(value, Mapping):
        return {_text(key): _plain(item, depth - 1) for key, item in value.items()}
    if depth and isinstance(value, list | tuple | AbstractSet):
        return [_plain(item, depth - 1) for item in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) < 2**64:  # many readers have no longer ones
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    return _text(value)


def _text(value: object) -> str:
    """Give the text of any value, even of one that cannot say what it is."""
    try:
        if isinstance(value, bytes | bytearray):
            return value.decode("utf-8", "backslashreplace")
        return _clean(str(value))
    except Exception:  # noqa: BLE001 - whatever a foreign __str__ raises
        return f"<{type(value).__name__}>"


def _clean(text: str) -> str:
    """Escape lone surrogates, which UTF-8 does not have."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _printable(text: str) -> str:
    """Escape every character that does not print: line ends, terminal sequences, direction marks."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def _quoted(value: object) -> str:
    """Write a field's value, in quotes where it would not be one word."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if isinstance(value, str) and (
        not text or any(mark in text for mark in ' "=\\') or not text.isprintable()
    ):
        return '"' + _printable(text.replace("\\", "\\\\").replace('"', '\\"')) + '"'
    return _printable(text)
