import pytest

from guardd.store.rows import RunRow, Scope


@pytest.mark.parametrize(
    ("kind", "name", "shown"),
    [
        ("run", "r1", "r1"),
        ("run", "a/b", "a/b"),
        ("run", "sessions", "sessions"),
        ("session", "main", "session:main"),
        ("source", "openclaw", "source:openclaw"),
        ("run", "session:main", "run:session:main"),
        ("run", "source:openclaw", "run:source:openclaw"),
        ("run", "run:r1", "run:run:r1"),
        ("session", "session:main", "session:session:main"),
        ("run", "", ""),
    ],
)
def test_no_two_scopes_of_a_source_look_alike(kind, name, shown):
    assert Scope("s", kind, name).run == shown


def run(**columns):
    plain = {"id": 1, "source": "s", "kind": "session", "name": "main", "status": "active"}
    return RunRow(**(dict.fromkeys(RunRow.__struct_fields__) | plain | columns))


def test_a_run_knows_its_scope():
    assert run().scope == Scope("s", "session", "main")
