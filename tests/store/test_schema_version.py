from pathlib import Path

from guardd.store import migrating, schema_version

VERSIONS = Path(__file__).parent.parent.parent / "migrations" / "versions"


def test_it_is_the_newest_of_the_migrations():
    newest = max(path.name[:4] for path in VERSIONS.glob("[0-9]*.py"))
    assert newest == schema_version.NEWEST == migrating.HEAD
