import pytest
from rich.cells import cell_len

from guardd.cli.tables import Column, Styled
from guardd.cli.watch import pieces

COLUMNS = (Column("A"), Column("N", right=True), Column("B", style="dim"))


def text(line: pieces.Line) -> str:
    return "".join(line)


@pytest.mark.parametrize("width", range(20))
def test_a_line_is_never_wider_than_it_may_be(width: int):
    line = pieces.cut_line(["ab", Styled("日本語", "red"), "", "cd"], width)
    assert cell_len(text(line)) <= width
    assert "".join(line).rstrip("…") in "ab日本語cd"


def test_a_line_has_two_ends_where_there_is_room():
    assert text(pieces.apart(["ab"], ["cd"], 8)) == "ab    cd"
    assert text(pieces.apart(["ab"], ["cd"], 5)) == "ab"
    assert text(pieces.apart(["abc"], [], 2)) == "a…"


def test_cells_stand_in_their_columns():
    row = pieces.row(("日本語", "7", "xyz"), COLUMNS, {0: 5, 1: 3, 2: 4})
    assert text(row) == "日本…    7  xyz "
    assert text(pieces.heading(COLUMNS, {0: 3, 2: 2}, "bold")) == "A    B "


def test_words_and_columns_and_pieces_have_their_styles():
    row = pieces.row((Styled("x", "bold"), "WARN", "y"), COLUMNS, {0: 1, 1: 4, 2: 1})
    painted = pieces.painted(row, colored=True)
    assert painted == "\x1b[1mx\x1b[0m  \x1b[33mWARN\x1b[0m  \x1b[2my\x1b[0m"
    assert pieces.painted(["x", Styled("y", "bold"), "  "], colored=False) == "xy"
