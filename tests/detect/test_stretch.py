"""The newest calls, as long as they are of the tool in question."""

import pytest
from sqlalchemy import select
from support.windows import signature, write

from guardd.detect.stretch import stretch
from guardd.store.compiling import compiled

ROWS = compiled(select(stretch.c.seq).order_by(stretch.c.seq))


@pytest.mark.parametrize(
    ("tokens", "low", "expected"),
    [
        ("", 0, []),
        ("a=1 a2? a!", 0, [1, 2, 3]),
        ("a=1 b=1 a=1 a2=1", 0, [3, 4]),
        ("a=1 b?", 0, []),
        ("b=1 a=1 a=1 a=1", 2, [3, 4]),
    ],
)
def test_rows(store, tokens, low, expected):
    run = write(store, tokens)
    bound = {
        "run": run.id,
        "newest": run.newest_seq,
        "low": low,
        "tool": "a",
        "signature": signature("a"),
        "masks": False,
    }
    found = store._execute(ROWS, bound).fetchall()  # noqa: SLF001 - there is no operation for it
    assert [seq for (seq,) in found] == expected
