import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from guardd.cli import text


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("exec", "exec"),
        ("", ""),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x1b[31mred", "\\e[31mred"),
        ("\x9b31m\x00\x7f", "\\x9b31m\\0\\x7f"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("👩\u200d💻", "👩\\u200d💻"),
        ("🛠\ufe0f tool", "🛠 tool"),
        ("👍🏽 tool", "👍 tool"),
        ("🇩🇪 tool", "DE tool"),
        ("日本", "日本"),
        ("\ud800", "\\ud800"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_only_what_shows_as_itself_is_shown(raw: str, shown: str) -> None:
    assert text.safe(raw) == shown


@given(st.text(st.characters()))
def test_safe_text_is_printable_whatever_it_was(raw: str) -> None:
    shown = text.safe(raw)
    assert shown.isprintable()
    shown.encode()
    assert cell_len(shown) >= 0


@pytest.mark.parametrize(
    ("ids", "length"),
    [
        ([], 1),
        (["abc"], 1),
        (["abc", "abd"], 3),
        (["abc", "abc"], 1),
        (["run-1", "run-10"], 6),
        (["xyz", "abcdef", "abcdeg"], 6),
    ],
)
def test_the_needed_prefix_tells_ids_apart(ids: list[str], length: int) -> None:
    assert text.needed_prefix(ids) == length


@given(st.lists(st.text("ab/", max_size=6), unique=True))
def test_ids_cut_to_the_needed_prefix_stay_different(ids: list[str]) -> None:
    length = text.needed_prefix(ids)
    assert len({one[:length] for one in ids}) == len(ids)


def test_sizes_and_counts_read_well() -> None:
    assert [text.size(count) for count in (0, 312, 4152, 12_345_678, 5 * 10**12)] == [
        "0 B",
        "312 B",
        "4.15 kB",
        "12.3 MB",
        "5,000 GB",
    ]
    assert [text.plural(count, "call") for count in (0, 1, 2, 12_345)] == [
        "0 calls",
        "1 call",
        "2 calls",
        "12,345 calls",
    ]


@pytest.mark.parametrize(
    ("given", "count"),
    [
        ("1", 1),
        ("020", 20),
        ("0", None),
        ("", None),
        ("-1", None),
        ("+1", None),
        ("1.5", None),
        ("9" * 5000, None),
    ],
)
def test_counts_are_read(given: str, count: int | None) -> None:
    assert text.count_above_0(given) == count
