import pytest

from guardd.cli.painting import cut, folded, hanging, paint, prose, width_of


def test_a_style_is_written_as_escapes() -> None:
    assert paint("x", "bold red", colored=True) == "\x1b[1;31mx\x1b[0m"
    assert paint("x", "bold red", colored=False) == "x"
    assert paint("x", "", colored=True) == "x"
    assert paint("", "red", colored=True) == ""


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("日本", 4, "日本"),
        ("日本語", 4, "日…"),
        ("ab cd", 4, "ab…"),
        ("ab", 1, "…"),
    ],
)
def test_what_is_cut_ends_in_an_ellipsis_and_never_in_a_blank(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown
    assert width_of(shown) <= width


@pytest.mark.parametrize("width", [0, -1])
def test_where_there_is_no_room_there_is_nothing(width: int) -> None:
    assert cut("abc", width) == ""


def test_a_name_is_folded_into_lines_that_are_full() -> None:
    assert folded("0123456789", 4) == ["0123", "4567", "89"]
    assert folded("日本語", 5) == ["日本", "語"]
    assert folded("e\u0301" * 3, 2) == ["e\u0301e\u0301", "e\u0301"]


def test_what_is_to_be_done_is_indented_behind_its_arrow() -> None:
    assert prose("→ do this and that", 11) == ["→ do this", "  and that"]
    assert prose("this and that", 11) == ["this and", "that"]
    assert hanging("this and that", 10) == ["this and", "  that"]
