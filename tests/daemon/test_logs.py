import json
import logging
import os
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Never

import pytest

from guardd.daemon.logs import DescriptorHandler, JsonFormatter, TextFormatter, fields, setup

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678_000, tzinfo=UTC)
SET_UP = "import logging; from guardd.daemon.logs import fields, setup\n"


def event(
    message: object,
    *arguments: object,
    level: int = logging.INFO,
    name: str = "guardd.daemon.server",
    **values: object,
) -> logging.LogRecord:
    record = logging.LogRecord(name, level, __file__, 1, message, arguments, None)
    record.created = MOMENT.timestamp()
    record.fields = values
    return record


def text(record: logging.LogRecord) -> str:
    return TextFormatter().format(record)


def data(record: logging.LogRecord) -> dict[str, Any]:
    line = JsonFormatter().format(record)
    assert line.isascii()
    assert "\n" not in line
    found: dict[str, Any] = json.loads(line)
    return found


class Unspeakable:
    def __str__(self) -> str:
        raise RuntimeError

    __repr__ = __str__


def test_a_line_of_text():
    assert text(event("reply to %s", "ann", run="r-1", calls=3, looping=False, agent=None)) == (
        "2026-01-02T03:04:05.678Z INFO server: reply to ann run=r-1 calls=3 looping=false agent=null"
    )


def test_loggers_of_others_keep_their_whole_name():
    assert text(event("slow", name="asyncio.slow", level=logging.WARNING)).endswith(
        "WARNING asyncio.slow: slow"
    )


def test_the_journal_gets_a_priority_and_no_time():
    formatter = TextFormatter(journal=True)
    assert formatter.format(event("ready")) == "<6>INFO server: ready"
    assert formatter.format(event("hot", level=logging.ERROR)) == "<3>ERROR server: hot"


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("two words", '"two words"'),
        ("", '""'),
        ('say "no"', '"say \\"no\\""'),
        ("a=b", '"a=b"'),
        ("back\\slash", '"back\\\\slash"'),
        ("line\nbreak", '"line\\nbreak"'),
        ("/run/guardd.sock", "/run/guardd.sock"),
        (Path("/a b"), '"/a b"'),
        ([1, "ä"], '[1, "ä"]'),
        (1.5, "1.5"),
    ],
)
def test_values_in_text_are_quoted_where_they_are_not_one_word(value: object, written: str):
    assert text(event("m", v=value)).endswith(f"m v={written}")


@pytest.mark.parametrize(
    "hostile", ["a\nb", "a\r\x1b[2J", "a\u2028b", "a\x85b", "a\u202eb", "a\ud800b", "a\0b"]
)
def test_text_is_one_line_of_printable_characters(hostile: str):
    line = text(event(hostile, **{hostile: hostile}))
    assert line.isprintable()
    assert len(line.splitlines()) == 1


def test_a_line_of_json():
    assert data(event("reply to %s", "ann", level=logging.WARNING, run="r-1", calls=3)) == {
        "ts": "2026-01-02T03:04:05.678Z",
        "level": "warning",
        "logger": "guardd.daemon.server",
        "message": "reply to ann",
        "fields": {"run": "r-1", "calls": 3},
    }
    assert "fields" not in data(event("ready"))


def deep(levels: int) -> list[Any]:
    return [deep(levels - 1)] if levels else []


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (2**63, 2**63),
        (2**70, str(2**70)),
        pytest.param(10**5000, "<int>", id="an integer too long to be written"),
        (b"raw\xff", "raw\\xff"),
        ("lone \ud800", "lone \\ud800"),
        ({1: {2}}, {"1": [2]}),
        ((Path("/x"), None, True), ["/x", None, True]),
        (logging.INFO, 20),
        (Unspeakable(), "<Unspeakable>"),
        ({Unspeakable(): 1}, {"<Unspeakable>": 1}),
        (deep(8), [[[[["[[[[]]]]"]]]]]),
    ],
)
def test_any_value_can_be_json(value: object, written: object):
    assert data(event("m", v=value))["fields"] == {"v": written}


def test_a_value_that_contains_itself_can_be_json():
    circle: list[object] = []
    circle.append(circle)
    assert "[...]" in JsonFormatter().format(event("m", v=circle))


def test_fields_that_are_no_mapping():
    record = event("m")
    record.fields = "odd"
    assert data(record)["fields"] == {"fields": "odd"}


def failure(error: Exception) -> logging.LogRecord:
    record = event("failed", level=logging.ERROR)
    try:
        try:
            int("an argument")
        except ValueError as cause:
            raise error from cause
    except type(error):
        record.exc_info = sys.exc_info()
    return record


def test_an_exception_is_on_the_same_line():
    record = failure(KeyError("a result"))
    assert len(text(record).splitlines()) == 1
    trace = data(record)["exception"]
    assert trace.startswith("Traceback (most recent call last):\n")
    assert "in failure\n" in trace
    assert trace.index("ValueError\n") < trace.index("which led to:") < trace.index("KeyError")


def test_what_an_exception_says_may_quote_arguments_and_is_left_out():
    secret = "secret" * 2  # not as a word of this line, which is in the trace
    record = failure(KeyError(secret))
    assert "KeyError" in text(record)
    assert secret not in text(record)
    assert secret not in json.dumps(data(record))


@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), sqlite3.OperationalError("disk I/O error")]
)
def test_what_the_system_and_sqlite_say_is_written(error: Exception):
    assert str(error) in text(failure(error))


def test_a_log_call_with_the_wrong_arguments_is_still_written():
    assert text(event("%d and %d", "one")).endswith("server: %d and %d")


def test_fields_is_the_extra_argument():
    assert fields(run="r", calls=1) == {"fields": {"run": "r", "calls": 1}}


@pytest.fixture
def pipe() -> Iterator[tuple[IO[bytes], int]]:
    reading, writing = os.pipe()
    with open(reading, "rb") as lines, open(writing, "wb") as out:  # noqa: PTH123 - descriptors have no path
        yield lines, out.fileno()


@pytest.fixture
def quiet_root() -> Iterator[None]:
    """Put the process's logging back as it was."""
    root, ours = logging.getLogger(), logging.getLogger("guardd")
    levels = root.level, ours.level
    yield
    for handler in root.handlers[:]:
        if isinstance(handler, DescriptorHandler):
            root.removeHandler(handler)
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    logging.captureWarnings(capture=False)


@pytest.mark.usefixtures("quiet_root")
def test_a_set_up_log_is_written_from_its_level_up(pipe: tuple[IO[bytes], int]):
    lines, descriptor = pipe
    setup("error", "json", descriptor=descriptor)
    setup("info", "json", descriptor=descriptor)
    logging.getLogger("guardd.daemon.server").debug("hidden")
    logging.getLogger("guardd.daemon.server").info("shown", extra=fields(run="r"))
    logging.getLogger("asyncio").info("hidden")
    logging.getLogger("asyncio").warning("heard")
    found = [json.loads(lines.readline()) for _ in range(2)]
    assert [line["message"] for line in found] == ["shown", "heard"]
    assert found[0]["fields"] == {"run": "r"}


@pytest.mark.usefixtures("quiet_root")
def test_a_warning_of_python_is_an_event(pipe: tuple[IO[bytes], int]):
    lines, descriptor = pipe
    setup("info", "json", descriptor=descriptor)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("old way", stacklevel=1)
    assert "old way" in json.loads(lines.readline())["message"]


@pytest.mark.usefixtures("quiet_root")
@pytest.mark.parametrize("offset", [0, 1])
def test_only_the_journals_own_stream_gets_no_time(pipe: tuple[IO[bytes], int], offset: int):
    lines, descriptor = pipe
    status = os.fstat(descriptor)
    journal = f"{status.st_dev}:{status.st_ino + offset}"
    setup("info", "text", environ={"JOURNAL_STREAM": journal}, descriptor=descriptor)
    logging.getLogger("guardd.daemon.server").info("ready")
    assert (lines.readline() == b"<6>INFO server: ready\n") == (offset == 0)


@pytest.mark.parametrize(("level", "form"), [("loud", "text"), ("info", "xml")])
def test_an_unknown_level_or_form_is_an_error(level: str, form: str):
    with pytest.raises(ValueError, match="no such level or form"):
        setup(level, form)


def run(code: str, errors: int = subprocess.PIPE) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-c", SET_UP + code]
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=errors, check=False, timeout=60)


def test_standard_error_is_where_the_log_goes():
    done = run('setup(); logging.getLogger("guardd").info("hello")')
    assert done.stderr.endswith(b" INFO guardd: hello\n")
    assert done.stdout == b""


def test_a_closed_pipe_does_not_break_the_daemon():
    reading, writing = os.pipe()
    os.close(reading)
    code = 'setup()\nfor _ in range(3): logging.getLogger("guardd").info("x" * 99)\nprint("went on")'
    done = run(code, errors=writing)
    os.close(writing)
    assert (done.returncode, done.stdout) == (0, b"went on\n")


def test_no_file_gets_the_number_of_a_closed_standard_error(tmp_path: Path):
    code = f"""
import os
os.close(0), os.close(2)
setup()
file = os.open({str(tmp_path / "file")!r}, os.O_RDWR | os.O_CREAT)
logging.getLogger("guardd").info("secret")
print(file > 2, os.path.getsize(file))
"""
    assert run(code).stdout == b"True 0\n"


def test_what_a_bad_descriptor_loses_is_counted(pipe: tuple[IO[bytes], int]):
    lines, writing = pipe
    descriptor = os.dup(writing)
    os.close(descriptor)
    handler = DescriptorHandler(descriptor)
    handler.setFormatter(TextFormatter())
    handler.handle(event("lost"))
    handler.handle(event("lost"))
    os.dup2(writing, descriptor)
    handler.handle(event("again"))
    os.close(descriptor)
    assert b"lines of the log were lost lines=2" in lines.readline()
    assert b"again" in lines.readline()


def test_a_record_that_cannot_be_formatted_counts_as_lost(pipe: tuple[IO[bytes], int]):
    class Torn(dict[str, object]):
        def items(self) -> Never:
            raise RuntimeError

    lines, descriptor = pipe
    handler = DescriptorHandler(descriptor)
    handler.setFormatter(TextFormatter())
    handler.handle(event("broken", value=Torn()))
    handler.handle(event("fine"))
    assert b"WARNING logs: lines of the log were lost lines=1" in lines.readline()
    assert b"fine" in lines.readline()


@pytest.mark.timeout(60)  # a blocking write would never end
def test_a_reader_that_does_not_read_is_not_waited_for(pipe: tuple[IO[bytes], int]):
    lines, descriptor = pipe
    handler = DescriptorHandler(descriptor)
    handler.setFormatter(JsonFormatter())
    for number in range(3000):
        handler.handle(event("x" * 100, number=number))
    handler.handle(event("y" * 100_000))
    os.set_blocking(lines.fileno(), False)
    found = [json.loads(line) for line in lines.read().splitlines()]
    assert [line["fields"]["number"] for line in found] == list(range(len(found)))
    assert 0 < len(found) < 3000
    handler.handle(event("again"))
    os.set_blocking(lines.fileno(), True)
    notice, again = json.loads(lines.readline()), json.loads(lines.readline())
    assert notice["fields"] == {"lines": 3001 - len(found)}
    assert again["message"] == "again"


def test_after_a_line_cut_short_a_new_one_begins(pipe: tuple[IO[bytes], int]):
    lines, descriptor = pipe
    handler = DescriptorHandler(descriptor)
    handler.setFormatter(JsonFormatter())
    handler.handle(event("y" * 1_000_000))
    os.set_blocking(lines.fileno(), False)
    assert not lines.read().endswith(b"\n")
    handler.handle(event("again"))
    rest = lines.read().splitlines()
    assert rest[0] == b""
    assert [json.loads(line)["message"] for line in rest[1:]] == ["lines of the log were lost", "again"]
