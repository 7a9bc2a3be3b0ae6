import json
import math
import os
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardd.config import document
from guardd.config.document import Section, decode_document, read_document
from guardd.config.errors import ConfigError

FILE = "/etc/guardd/guardd.json5"


def error_of(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        decode_document(text, FILE)
    assert caught.value.file == FILE
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        ('{"a": [1, 2.5, "x", null, true]}', {"a": [1, 2.5, "x", None, True]}),
        ("// note\n{a: 1, /* b */ 'c': 0x10, d: +2, e: .5,}", {"a": 1, "c": 16, "d": 2, "e": 0.5}),
        ("\ufeff{a: 1}", {"a": 1}),
        ('{"a": Infinity}', {"a": math.inf}),
        ("{a: -Infinity}", {"a": -math.inf}),
        ('{"a": 1e999}', {"a": math.inf}),
        ("{a: 1e999}", {"a": math.inf}),
        ('{"__proto__": {"a": 1}}', {"__proto__": {"a": 1}}),
    ],
)
def test_what_is_read(text: str, value: dict[str, object]):
    assert decode_document(text, FILE) == value


@pytest.mark.parametrize("text", ['{"a": NaN}', "{a: NaN}"])
def test_nan_is_read(text: str):
    assert math.isnan(decode_document(text, FILE)["a"])


@pytest.mark.parametrize("digits", ["9" * 400, "9" * 10_000])
@pytest.mark.parametrize("form", ['{{"a": {}}}', "{{a: {}}}"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_integers_beyond_any_double_are_infinite(digits: str, form: str, sign: str):
    assert decode_document(form.format(sign + digits), FILE)["a"] == float(f"{sign}inf")


def test_huge_hexadecimal_integers_are_infinite():
    assert decode_document(f"{{a: 0x{'f' * 10_000}}}", FILE)["a"] == math.inf


def test_integers_stay_exact():
    assert decode_document('{"a": 9007199254740993}', FILE)["a"] == 2**53 + 1


@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "a": 3}', "{a: 1, b: 2, a: 3}"])
def test_repeated_keys_are_remembered_and_the_last_counts(text: str):
    section = decode_document(text, FILE)
    assert section == {"a": 3, "b": 2}
    assert section.repeated == ["a"]


def test_nested_objects_remember_too():
    section = decode_document('{"a": {"b": 1, "b": 2}}', FILE)
    assert isinstance(section["a"], Section)
    assert (section.repeated, section["a"].repeated) == ([], ["b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{a:\n  foo}", 'line 2, column 4: not valid JSON5: Unexpected "o"'),
        ('{"a": 1}\n x', 'line 2, column 2: not valid JSON5: Unexpected "x"'),
        ("// c\n{a: 1,\n b 3}", 'line 3, column 4: not valid JSON5: Unexpected "3"'),
        ('{"a": "x\ny"}', r'line 1, column 9: not valid JSON5: Unexpected "\n"'),
        ("{a: \x1b}", r'line 1, column 5: not valid JSON5: Unexpected "\x1b"'),
        ("{a: \ud800}", r'line 1, column 5: not valid JSON5: Unexpected "\ud800"'),
        ('{"a": 1', "line 1, column 8: not valid JSON5: Unexpected end of input"),
        ("// only a comment", "line 1, column 18: not valid JSON5: Unexpected end of input"),
        ("[1, 2]", "expected an object at the top; got [1, 2]"),
        ("null", "expected an object at the top; got null"),
        ("'text'", "expected an object at the top; got 'text'"),
        ("", "the file is empty; the least that it can hold is {}"),
        (" \n\t", "the file is empty; the least that it can hold is {}"),
        ("[" * 100_000, "values are nested too deeply"),
        ("{a:" * 10_000, "values are nested too deeply"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "values are nested too deeply"),
    ],
)
def test_what_is_refused(text: str, message: str):
    assert error_of(text) == f"{FILE}: {message}"


def test_a_message_without_a_place_is_passed_on():
    with mock.patch.object(document.json5, "loads", side_effect=ValueError("something new")):
        assert error_of("{a: 1}") == f"{FILE}: not valid JSON5: something new"


def test_strict_json_does_not_wait_for_the_slow_reader():
    with mock.patch.object(document.json5, "loads", side_effect=AssertionError):
        decode_document(json.dumps({"a": [{"b": 1}] * 1000}), FILE)


@settings(deadline=None)
@given(st.text() | st.text("{}[]\"':,\\/*\n -+.0123456789eExXuabNIl", max_size=40))
def test_any_text_is_read_or_refused(text: str):
    try:
        assert isinstance(decode_document(text, FILE), Section)
    except ConfigError as error:
        str(error).encode()


@settings(deadline=None)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists))
def test_values_survive(value: object):
    assert decode_document(json.dumps({"a": value}), FILE) == {"a": value}


def test_reading_a_file(tmp_path: Path):
    path = tmp_path / "g.json5"
    path.write_text("{a: 'ä'}", encoding="utf-8-sig")
    assert read_document(path) == {"a": "ä"}


def read_error(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        read_document(path)
    return str(caught.value)


def test_a_missing_file(tmp_path: Path):
    assert read_error(tmp_path / "none") == f"{tmp_path}/none: the file does not exist"


def test_a_file_below_a_file(tmp_path: Path):
    (tmp_path / "file").touch()
    assert read_error(tmp_path / "file" / "g") == f"{tmp_path}/file/g: the file does not exist"


def test_a_directory(tmp_path: Path):
    assert read_error(tmp_path) == f"{tmp_path}: the file cannot be read: Is a directory"


def test_a_loop_of_links(tmp_path: Path):
    (tmp_path / "g").symlink_to("g")
    assert read_error(tmp_path / "g").startswith(f"{tmp_path}/g: the file cannot be read: Too many levels")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_forbidden_file(tmp_path: Path):
    path = tmp_path / "g"
    path.touch(0o000)
    assert read_error(path) == f"{path}: the file cannot be read: Permission denied"


def test_a_refused_file(tmp_path: Path):
    with mock.patch.object(document.os, "open", side_effect=PermissionError(13, "Permission denied")):
        assert read_error(tmp_path / "g") == f"{tmp_path}/g: the file cannot be read: Permission denied"


@pytest.mark.timeout(30)
def test_a_named_pipe_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    assert read_error(tmp_path / "pipe") == f"{tmp_path}/pipe: this is not a regular file"


def test_a_device(tmp_path: Path):
    (tmp_path / "zero").symlink_to("/dev/zero")
    assert read_error(tmp_path / "zero") == f"{tmp_path}/zero: this is not a regular file"


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_an_impossible_name(tmp_path: Path, name: str):
    message = read_error(tmp_path / name)
    assert message.endswith("no file can have this name")
    message.encode()


def test_a_file_that_is_not_utf_8(tmp_path: Path):
    path = tmp_path / "g"
    path.write_bytes(b"{\n  a: '\xff'}")
    assert read_error(path) == f"{path}: line 2: not UTF-8 (byte 0xff)"


def test_a_file_that_is_too_large(tmp_path: Path):
    path = tmp_path / "g"
    path.write_bytes(b" " * (document.LARGEST_FILE + 1))
    assert read_error(path) == f"{path}: the file is larger than 1 MiB"
    path.write_bytes(b"{}" + b" " * (document.LARGEST_FILE - 2))
    assert read_document(path) == {}
