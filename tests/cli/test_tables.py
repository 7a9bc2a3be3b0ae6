import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from guardd.cli import tables

COLUMNS = (
    tables.Column("RUN", least=5),
    tables.Column("AGENT", least=6, drop=1),
    tables.Column("SOURCE", drop=2),
    tables.Column("CALLS", right=True),
)
ROWS = [("0123456789abcdef", "agent-main", "default", "7"), ("fedcba9876543210", "b", "default", "1234")]


def drawn(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(width))
    tables.show(COLUMNS, ROWS, colored=False)
    return capsys.readouterr().out.splitlines()


def test_a_table_takes_the_width_it_needs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert drawn(capsys, monkeypatch, 100) == [
        "RUN               AGENT       SOURCE   CALLS",
        "0123456789abcdef  agent-main  default      7",
        "fedcba9876543210  b           default   1234",
    ]


def test_columns_shrink_before_they_go(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert drawn(capsys, monkeypatch, 40) == [
        "RUN           AGENT       SOURCE   CALLS",
        "0123456789a…  agent-main  default      7",
        "fedcba98765…  b           default   1234",
    ]


@pytest.mark.parametrize("width", range(40, 130, 7))
def test_nothing_is_ever_wider_than_the_terminal(
    width: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    columns = (*COLUMNS, tables.Column("TOOL", least=10, drop=3), tables.Column("MORE", drop=4))
    rows = [(*row, "mcp__日本語__ツール_" * 4, "x" * 60) for row in ROWS]
    tables.show(columns, [*rows, tables.Marker("something happened, " * 5)], colored=False)
    assert max(cell_len(line) for line in capsys.readouterr().out.splitlines()) <= width


def test_an_id_that_must_not_be_cut_goes_on_in_the_next_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    name = "session:" + "x" * 60
    tables.show((tables.Column("RUN", least=69), tables.Column("N")), [(name, "1")], colored=False)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2
    assert all(cell_len(line) <= 40 for line in lines)


def test_empty_columns_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    tables.show((tables.Column("A"), tables.Column("B"), tables.Column("C")), [("1", "", "3")], colored=False)
    assert capsys.readouterr().out == "A  C\n1  3\n"


def test_markers_stand_between_rows_and_keep_the_columns(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [("1", "long cell"), tables.Marker("reset"), ("22", "b")]
    tables.show((tables.Column("N", right=True), tables.Column("CELL")), lines, colored=False)
    assert capsys.readouterr().out.splitlines() == [
        " N  CELL",
        " 1  long cell",
        "── reset ──",
        "22  b",
    ]


def test_words_are_coloured_and_cells_are_never_read_as_markup(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("[red]x[/red] :smile:", "BLOCK"), ("y", "allow")]
    tables.show((tables.Column("A"), tables.Column("B")), rows, colored=True)
    out = capsys.readouterr().out
    assert "[red]x[/red] :smile:" in out
    assert "\x1b[31mBLOCK\x1b[0m" in out
    assert "\x1b[2mallow\x1b[0m" in out


def test_without_a_terminal_or_columns_there_is_room(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS")
    tables.show((tables.Column("A", least=3),), [("x" * 150,)], colored=False)
    assert "x" * 150 in capsys.readouterr().out


@pytest.mark.parametrize(
    ("named", "width"), [("", 200), ("0", 200), ("many", 200), ("9" * 5000, 200), ("7", 40), ("60", 60)]
)
def test_columns_say_how_wide_a_table_may_be(monkeypatch: pytest.MonkeyPatch, named: str, width: int) -> None:
    monkeypatch.setattr("sys.stdout", io.StringIO())
    monkeypatch.setenv("COLUMNS", named)
    assert tables.room() == width


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20), st.integers(0, 3)), min_size=1, max_size=8),
    st.integers(40, 200),
)
def test_widths_fit_and_only_what_may_go_goes(shapes: list[tuple[int, int, int]], room: int) -> None:
    columns = [tables.Column("C", least=least, drop=drop) for _, least, drop in shapes]
    widths = tables.fit(columns, [natural for natural, _, _ in shapes], room)
    assert sum(widths.values()) + tables.GAP * (len(widths) - 1) <= room
    assert all(width >= 1 for width in widths.values())
    gone = [column for index, column in enumerate(columns) if index not in widths and shapes[index][0]]
    assert all(column.drop for column in gone)


def test_a_cell_may_have_a_style_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    tables.show([tables.Column("A")], [(tables.Styled("x", "black on cyan"),)], colored=True)
    tables.strips([["1 ", tables.Styled("B", "bold magenta")], [""]], colored=True)
    assert capsys.readouterr().out.splitlines()[1:] == ["\x1b[30;46mx\x1b[0m", "1 \x1b[1;35mB\x1b[0m", ""]


def test_paragraphs_are_wrapped_and_indented(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    tables.paragraphs(["日本 " * 10, "short"])
    out = capsys.readouterr().out
    assert out == "日本 日本 日本 日本 日本 日本 日本\n  日本 日本 日本\nshort\n"


def test_a_column_may_leave_the_table_for_lines_of_its_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    columns = (
        tables.Column("NAME", least=60, alone=True),
        tables.Column("N", right=True),
        tables.Column("WHERE", fold=True, alone=True),
    )
    tables.show(columns, [("x" * 60, "12", "in the file " * 4), ("y", "3", "")], colored=False)
    assert capsys.readouterr().out.splitlines() == [
        "NAME",
        "   N",
        "  WHERE",
        "x" * 40,
        "x" * 20,
        "  12",
        "  in the file in the file in the file in",
        "  the file",
        "y",
        "   3",
    ]


def test_a_headline_breaks_between_its_parts_and_colours_a_word_not_its_reason(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    parts = ("failed", "BLOCK", "failed (it is over)", "agent main", "1,000 calls")
    tables.headline(parts, colored=False)
    tables.headline(parts[:3], colored=True)
    assert capsys.readouterr().out.splitlines() == [
        "failed · BLOCK · failed (it is over)",
        "  agent main · 1,000 calls",
        "\x1b[1mfailed\x1b[0m · \x1b[31mBLOCK\x1b[0m · \x1b[31mfailed\x1b[0m (it is over)",
    ]
