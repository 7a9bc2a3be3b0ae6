import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardd.fingerprint.shell import LOOKED_AT, commands


def read(line: str) -> list[tuple[list[str], list[str]]]:
    return [
        (command.words, command.written) for command in commands(line) if command.words or command.written
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", []),
        ("a 'b c' \"d $e\" f\\ g", [(["a", "b c", "d $e", "f g"], [])]),
        ("a'b'\"c\"d", [(["abcd"], [])]),
        ('a "b\\"c" "\\n"', [(["a", 'b"c', "\\n"], [])]),
        ("a;b&&c||d|e&f\ng", [([letter], []) for letter in "abcdefg"]),
        ("a >b 2>c >>d &>e >|f 3<g <h", [(["a"], ["b", "c", "d", "e", "f"])]),
        ("a 2>&1 >&2 2>&-", [(["a"], [])]),
        ("a >& b", [(["a"], ["b"])]),
        ("a <<< '> b'", [(["a"], [])]),
        ("a <<E >b\nc > d\nE\nf", [(["a"], ["b"]), (["f"], [])]),
        ("(a; b) > c", [(["a"], []), (["b"], []), ([], ["c"])]),
        ("A=b C=d e f=g", [(["e", "f=g"], [])]),
        ("a # b > c", [(["a"], [])]),
        ("a#b", [(["a#b"], [])]),
        ("a {b,c} {} d.{e,f}", [(["a", "{b,c}", "{}", "d.{e,f}"], [])]),
        ("{ a; }", [(["a"], [])]),
        ("a $(b c) `d`", [(["a"], []), (["b", "c"], []), (["d"], [])]),
        ("a $((1 > 2)) ${b} $c", [(["a", "$((1 > 2))", "${b}", "$c"], [])]),
        ("[[ a > b ]]", [(["[[", "a", "b", "]]"], [])]),
        ("sudo -u root env A=b nice -n 5 timeout 10s a b", [(["a", "b"], [])]),
        ("xargs -0 -n 1 a", [(["a", "{}"], [])]),
        ("find . -exec a {} + ", [(["a", "{}", "+"], [])]),
        ("command -v a", [(["command", "-v", "a"], [])]),
        ("bash -lc 'a > b; c' > d", [([], ["d"]), (["a"], ["b"]), (["c"], [])]),
        ("bash -c \"bash -c 'a'\"", [(["bash", "-c", "a"], [])]),
        ("bash a -c b", [(["bash", "a", "-c", "b"], [])]),
        ("/usr/bin/env bash --norc -c a", [(["a"], [])]),
        ("a 'b", [(["a", "'b"], [])]),
        ("a >", [(["a"], [])]),
    ],
)
def test_command_lines(line: str, expected: list[tuple[list[str], list[str]]]):
    assert read(line) == expected


def test_the_program_is_named_without_its_folder():
    assert [command.program for command in commands("/usr/bin/a b; ; c/d")] == ["a", "", "d"]


def test_only_the_beginning_is_looked_at():
    assert read("a" + " " * LOOKED_AT + "b") == [(["a"], [])]


@given(st.text(alphabet="ab '\"\\$(){}`<>|&;#\n-=/E", max_size=40))
def test_any_text_is_read(line: str):
    for command in commands(line):
        assert all(isinstance(word, str) for word in command.words + command.written)
