import math

import pytest

from guardd.config import load, parse
from guardd.config.errors import (
    ConfigError,
    NoSuchConfigFile,
    agent_item,
    below,
    item,
    raise_any,
    shown,
    shown_file,
)


def test_an_error_names_file_key_and_value():
    error = ConfigError("/etc/g.json5", "expected an object", key="tools", value="5")
    assert str(error) == "/etc/g.json5: tools: expected an object; got 5"
    assert (error.file, error.key, error.value, error.reason) == (
        "/etc/g.json5",
        "tools",
        "5",
        "expected an object",
    )


def test_an_error_of_the_whole_file():
    assert (
        str(ConfigError("/etc/g.json5", "the file does not exist")) == "/etc/g.json5: the file does not exist"
    )


def test_nothing_wrong_raises_nothing():
    raise_any([])


def test_one_error_is_raised_as_it_is():
    error = ConfigError("/etc/g.json5", "expected an object")
    with pytest.raises(ConfigError) as caught:
        raise_any([error])
    assert caught.value is error
    assert error.errors == (error,)


def test_several_errors_are_one_that_names_all():
    errors = [ConfigError("/a", "expected an object", key="tools", value="5"), ConfigError("/b", "too large")]
    with pytest.raises(ConfigError) as caught:
        raise_any(errors)
    together = caught.value
    assert together.errors == tuple(errors)
    assert str(together) == "/a: tools: expected an object; got 5; /b: too large"
    assert (together.file, together.key, together.value) == ("/a", "tools", "5")
    assert together.reason == "expected an object"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-3, "-3"),
        (2.5, "2.5"),
        (10.0, "10.0"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
        ("observ", "'observ'"),
        ("a\nb\x1b[31m", r"'a\nb\x1b[31m'"),
        ("\ud800", r"'\ud800'"),
        ([], "[]"),
        ([1, "a", None], "[1, 'a', null]"),
        ({}, "{}"),
        ({"a": {"b": {"c": 1}}, "d": [[1]]}, "{'a': {'b': {…}}, 'd': [[…]]}"),
        ({"a": {"b": {}}, "d": [[]]}, "{'a': {'b': {}}, 'd': [[]]}"),
        ("x" * 100, "'" + "x" * 58 + "…"),
    ],
)
def test_values_are_shown_as_they_would_be_written(value: object, text: str):
    assert shown(value) == text


def test_deep_values_are_shown():
    value: object = 1
    for _ in range(10_000):
        value = [value]
    assert shown(value) == "[[[…]]]"


@pytest.mark.parametrize(
    ("path", "key", "text"),
    [
        ("", "tools", "tools"),
        ("tools", "loopDetection", "tools.loopDetection"),
        ("tools", "$include", "tools.$include"),
        ("agents.entries", "safe-runner", "agents.entries.safe-runner"),
        ("agents.entries", "a.b", 'agents.entries["a.b"]'),
        ("agents.entries", "", 'agents.entries[""]'),
        ("", "\ud800\n", r'["\ud800\n"]'),
    ],
)
def test_key_paths(path: str, key: str, text: str):
    assert below(path, key) == text


def test_items_of_lists():
    assert item("agents.list", 2) == "agents.list[2]"
    assert agent_item("agents.list", "safe-runner") == "agents.list[id=safe-runner]"
    assert agent_item("agents.list", "a b]") == 'agents.list[id="a b]"]'


def test_any_file_name_can_be_printed():
    assert shown_file("/etc/ä.json5") == "/etc/ä.json5"
    shown_file("/etc/\udcff").encode()


def test_a_file_that_is_not_there_is_told_apart(tmp_path):
    with pytest.raises(NoSuchConfigFile, match="the file does not exist"):
        load(tmp_path / "none.json5")
    with pytest.raises(ConfigError, match="the file does not exist") as caught:
        parse(f"{{guardd: {{inherit: '{tmp_path}/none.json5'}}}}")
    assert not isinstance(caught.value, NoSuchConfigFile), "the file that was named is there"
