"""How the database is: how much it holds, and whether it is sound."""

from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import DatabaseError

from guardd.store.schema import calls, runs


def totals(connection: Connection) -> tuple[int, int]:
    """How many runs and calls there are, each a walk over an index."""
    run_count = connection.execute(select(func.count()).select_from(runs)).scalar_one()
    call_count = connection.execute(select(func.count()).select_from(calls)).scalar_one()
    return run_count, call_count


def problems(connection: Connection) -> list[str]:
    """What is wrong with the database, in SQLite's words; takes as long as reading the whole file."""
    try:
        found = [row[0] for row in connection.execute(text("pragma integrity_check")) if row[0] != "ok"]
        found += [
            f"row {row[1]} of {row[0]} refers to a row of {row[2]} that does not exist"
            for row in connection.execute(text("pragma foreign_key_check"))
        ]
    except DatabaseError as error:  # it is in such a state that it cannot even be checked
        found = [str(error.orig)]
    return found
