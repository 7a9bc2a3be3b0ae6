"""A report costs the same however much there is: by the instructions that SQLite carries out."""

import pytest
from support.guarding import run_scope

HISTORY = 30


def steps_of(guard, work):
    count = 0

    def tick():
        nonlocal count
        count += 1

    connection = guard.database.connection
    connection.set_progress_handler(tick, 1)
    try:
        work()
    finally:
        connection.set_progress_handler(None, 1)
    return count


def fill(guard, name, calls):
    """A run of many different calls, the last few of them like those of any other run here."""
    scope = run_scope(name)
    for number in range(calls):
        guard.call("read", {"n": number % 50}, number % 3, call_id="call_1", scope=scope)


def costs(guard, name):
    """What one report of each kind costs in a run."""
    scope = run_scope(name)
    reports = {
        "before": lambda: guard.before("read", {"n": "new"}, "call_1", scope=scope),
        "after": lambda: guard.after("read", {"n": "new"}, "call_1", result="new", scope=scope),
        "unreported": lambda: guard.after("other", {}, result="new", scope=scope),
        "compaction": lambda: guard.compaction(scope),
        "guarded": lambda: guard.after("other", {}, result="new", scope=scope),
        "start": lambda: guard.start(scope),
        "reset": lambda: guard.reset(scope=scope),
        "abort": lambda: guard.abort(scope=scope),
        "aborted": lambda: guard.before("read", scope=scope),
        "end": lambda: guard.end(scope=scope),
    }
    return {name: steps_of(guard, report) for name, report in reports.items()}


@pytest.fixture
def small(guard_with):
    guard = guard_with({"enabled": True, "historySize": HISTORY})
    fill(guard, "r1", 60)
    fill(guard, "another", 1)  # to find that a run's calls end before those of another takes a step
    return guard


def test_among_many_other_runs(guard_with, small):
    large = guard_with({"enabled": True, "historySize": HISTORY})
    for number in range(12):
        fill(large, f"other {number}", 40)
    fill(large, "r1", 60)
    for number in range(12):
        fill(large, f"later {number}", 40)
    assert costs(large, "r1") == costs(small, "r1")


def test_in_a_very_long_run(guard_with, small):
    large = guard_with({"enabled": True, "historySize": HISTORY})
    fill(large, "r1", 660)
    fill(large, "another", 1)
    assert costs(large, "r1") == costs(small, "r1")
