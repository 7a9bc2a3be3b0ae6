from typing import Any

from guardd.cli.names import SHORTEST, run_column


def named(*runs: str) -> list[dict[str, Any]]:
    return [dict(zip(("source", "run"), run.split("/"), strict=True)) for run in runs]


def test_a_run_goes_by_its_id_and_with_its_source_where_another_has_the_same() -> None:
    names, _column = run_column(named("default/one", "codex/one", "default/two"))
    assert names == ["default/one", "codex/one", "two"]


def test_ids_that_differ_soon_may_be_short() -> None:
    _names, column = run_column(named("default/aaaaaaaaaaaaaaaaaaaa", "default/bbbbbbbbbbbbbbbbbbbb"))
    assert column.least == SHORTEST + 1


def test_what_is_shown_is_enough_to_name_the_run() -> None:
    long = "0123456789abcdef"
    _names, column = run_column(named(f"default/{long}1", f"default/{long}2"))
    assert column.least == len(long) + 2
    # A beginning of `source/id` must tell the ids of that source apart, not only the names that are shown.
    _names, column = run_column(named("default/run-4711", "codex/run-4711", "default/run-4712"))
    assert column.least == len("default/run-4711") + 1


def test_wide_letters_need_their_room() -> None:
    _names, column = run_column(named("default/日本語日本語日本語1", "default/日本語日本語日本語2"))
    assert column.least == 9 * 2 + 1 + 1
