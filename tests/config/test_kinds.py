import math
from pathlib import Path

import pytest

from guardd.config.kinds import (
    LARGEST_WHOLE_NUMBER,
    Kind,
    Mismatch,
    command,
    file_path,
    identity,
    list_of,
    one_of,
    switch,
    text,
    whole_number,
)

ANYTHING = [None, True, 0, 1, -1, 1.5, 10.0, math.inf, math.nan, "", " ", "a", "10", [], [1], {}, "\ud800"]


def taken(kind: Kind, values: list[object]) -> list[tuple[object, object]]:
    """The values that a kind takes, each with what it makes of it."""
    found = []
    for value in values:
        try:
            found.append((value, kind(value)))
        except Mismatch:
            continue
    return found


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param(switch, [(True, True)], id="switch"),
        pytest.param(whole_number(), [(1, 1), (10.0, 10)], id="whole number"),
        pytest.param(whole_number(5), [(1, 1)], id="whole number up to 5"),
        pytest.param(one_of("a", "b"), [("a", "a")], id="one of"),
        pytest.param(text, [("a", "a"), ("10", "10")], id="text"),
        pytest.param(identity, [(0, "0"), (1, "1"), ("a", "a"), ("10", "10")], id="identity"),
        pytest.param(list_of(text), [([], ())], id="list of texts"),
        pytest.param(list_of(whole_number()), [([], ()), ([1], (1,))], id="list of numbers"),
        pytest.param(command, [], id="command"),
        pytest.param(file_path, [("a", Path("a")), ("10", Path("10"))], id="path"),
    ],
)
def test_what_is_taken(kind: Kind, expected: list[tuple[object, object]]):
    found = taken(kind, ANYTHING)
    assert found == expected
    assert [type(made) for _, made in found] == [type(made) for _, made in expected]


@pytest.mark.parametrize(
    ("kind", "value", "message"),
    [
        (switch, 1, "expected true or false"),
        (whole_number(), 0, "expected a whole number of at least 1"),
        (whole_number(5), 6, "expected a whole number of at most 5"),
        (whole_number(), LARGEST_WHOLE_NUMBER + 1, "expected a whole number of at most 9007199254740991"),
        (whole_number(), 1e300, "expected a whole number of at most 9007199254740991"),
        (one_of("enforce", "observe"), "observ", "expected one of 'enforce', 'observe'"),
        (one_of("a"), [], "expected one of 'a'"),
        (text, "", "expected a string that is not empty"),
        (file_path, "a\0", "expected the path of a file"),
        (file_path, "~no-such-user-here/a", "expected the path of a file; this home directory is not known"),
        (identity, -1, "expected a name or an id"),
        (list_of(text), "a", "expected a list"),
        (
            command,
            "notify-send it",
            'expected a list of a program and its arguments; for a shell ["/bin/sh", "-c", "…"]',
        ),
        (command, [], 'expected a program and its arguments, as in ["/bin/sh", "-c", "…"]'),
        (command, [""], "expected the path of a file"),
        (command, ["/bin/a", 5], "item 1 is 5: expected a string"),
        (command, ["/bin/a", "b\0"], "item 1 is 'b\\x00': expected a string"),
        *(
            (
                command,
                [program],
                "expected a program by its whole path, or by a name that is looked up in PATH",
            )
            for program in ("./a", "bin/a", "../a")
        ),
        (list_of(text), ["a", 5], "item 1 is 5: expected a string that is not empty"),
    ],
)
def test_what_is_said(kind: Kind, value: object, message: str):
    with pytest.raises(Mismatch) as caught:
        kind(value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "words", [["notify-send"], ["/bin/sh", "-c", "a | b > ~/c; d $E", ""], ["/x y/z", " ", "~/a", "ä\n"]]
)
def test_a_command_is_taken_as_it_is(words: list[str]):
    assert command(words) == tuple(words)


def test_the_home_directory_is_put_in(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", "/home/u")
    assert file_path("~/g.db") == Path("/home/u/g.db")
    assert command(["~/bin/tell", "~/x"]) == ("/home/u/bin/tell", "~/x")


def test_the_largest_whole_number_is_taken():
    assert whole_number()(LARGEST_WHOLE_NUMBER) == LARGEST_WHOLE_NUMBER
