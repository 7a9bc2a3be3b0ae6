import msgspec
import pytest

from guardd.protocol import operator_results as results
from guardd.protocol.errors import InvalidParams
from guardd.store.reading import describe_run, list_runs
from guardd.store.reading.cursors import encode_cursor
from guardd.store.reading.runs import RunFilter
from guardd.vocabulary import Action, MarkerKind, RunStatus

NO_FILTER = RunFilter()


def names(past, limit=100, cursor=None, **wanted):
    return [run["run"] for run in list_runs(past.core, RunFilter(**wanted), limit, cursor)["runs"]]


def pages(past, limit, wanted=NO_FILTER):
    cursor, found = None, []
    while True:
        page = list_runs(past.core, wanted, limit, cursor)
        found.append([run["run"] for run in page["runs"]])
        cursor = page.get("nextCursor")
        if cursor is None:
            return found


# One run


def test_a_run_as_it_stands_on_the_wire(past):
    run = past.run(at=1_000, agent="alice")
    past.call(run)
    past.call(run)
    past.marker(run)
    past.marker(run, window_size=3)
    past.marker(run, MarkerKind.RESET)
    past.store.enter_run(run.scope, None, 2_500)
    past.store.end_run(run, RunStatus.FAILED, "no more tokens", 3_000)
    described = describe_run(past.core, run.id)
    assert described == {
        "run": "r1",
        "source": "default",
        "agentId": "alice",
        "status": "failed",
        "calls": 2,
        "verdict": "allow",
        "compactions": 2,
        "startedAt": "1970-01-01T00:00:01.000Z",
        "lastActivityAt": "1970-01-01T00:00:03.000Z",
        "endedAt": "1970-01-01T00:00:03.000Z",
        "endReason": "no more tokens",
    }
    msgspec.convert(described, results.Run, strict=True)


def test_a_run_that_has_done_nothing(past):
    described = describe_run(past.core, past.run(kind="session", name="main").id)
    assert described["run"] == "session:main"
    assert [described[key] for key in ("agentId", "calls", "verdict", "compactions", "endedAt", "endReason")] == [
        None, 0, "allow", 0, None, None,
    ]  # fmt: skip


def test_counts_are_of_the_run_alone(past):
    run, other = past.run(), past.run("r2")
    past.call(other)
    past.marker(other)
    past.detection(other, action=Action.ABORT)
    described = describe_run(past.core, run.id)
    assert [described[key] for key in ("calls", "verdict", "compactions")] == [0, "allow", 0]


# The verdict


@pytest.mark.parametrize(
    ("actions", "verdict"),
    [
        ([Action.WARN], "warn"),
        ([Action.WARN, Action.BLOCK, Action.WARN], "block"),
        ([Action.ABORT, Action.BLOCK], "abort"),
    ],
)
def test_the_verdict_is_the_strongest(past, actions, verdict):
    run = past.run()
    for seq, action in enumerate(actions, 1):
        past.call(run)
        past.detection(run, seq, action)
    assert describe_run(past.core, run.id)["verdict"] == verdict


def test_the_verdict_is_since_the_last_reset(past):
    run = past.run()
    past.call(run)
    past.detection(run, 1, Action.BLOCK)
    past.store.set_aborted(run, past.detection(run, None, Action.ABORT), 1)
    assert describe_run(past.core, run.id)["verdict"] == "abort"
    past.reset(run)
    assert describe_run(past.core, run.id)["verdict"] == "allow"
    past.call(run)
    past.detection(run, 2, Action.WARN)
    assert describe_run(past.core, run.id)["verdict"] == "warn"


def test_an_operators_abort_before_any_call_counts(past):
    run = past.run()
    past.store.set_aborted(run, past.detection(run, None, Action.ABORT), 1)
    assert describe_run(past.core, run.id)["verdict"] == "abort"


def test_what_was_only_observed_is_no_verdict_and_yet_looping(past):
    run = past.run()
    past.call(run)
    past.detection(run, 1, Action.BLOCK, observed=True)
    assert describe_run(past.core, run.id)["verdict"] == "allow"
    assert names(past, looping=True) == ["r1"]


# Lists


def test_no_runs_is_an_empty_list(past):
    assert list_runs(past.core, NO_FILTER, 10, None) == {"runs": []}


def test_newest_activity_comes_first(past):
    for name, at in (("a", 1), ("b", 3), ("c", 2)):
        past.run(name, at)
    assert names(past) == ["b", "c", "a"]
    past.run("a", 4)
    assert names(past) == ["a", "b", "c"]


def test_of_the_same_moment_the_later_run_comes_first(past):
    for name in "abc":
        past.run(name, 1)
    assert names(past) == ["c", "b", "a"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"status": "active"}, ["d", "c", "b"]),
        ({"status": "completed"}, ["a"]),
        ({"status": "failed"}, []),
        ({"agent_id": "alice"}, ["b", "a"]),
        ({"agent_id": "nobody"}, []),
        ({"source": "other"}, ["c"]),
        ({"since": 3}, ["d", "c"]),
        ({"since": 5}, []),
        ({"looping": True}, ["d", "b"]),
        ({"looping": False}, ["c", "a"]),
        ({"looping": True, "agent_id": "alice"}, ["b"]),
        ({"status": "active", "source": "default", "since": 2, "looping": True, "agent_id": "bob"}, ["d"]),
    ],
)
def test_filters(past, wanted, found):
    a = past.run("a", 1, "alice")
    b = past.run("b", 2, "alice")
    past.run("c", 3, source="other")
    d = past.run("d", 4, "bob")
    past.store.end_run(a, RunStatus.COMPLETED, None, 1)
    for run in (a, b, d):
        past.call(run)
        past.detection(run)
    past.reset(a)
    past.store.end_run(a, RunStatus.COMPLETED, None, 1)
    assert names(past, **wanted) == found


@pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 8])
def test_pages_hold_every_run_once(past, limit):
    for number in range(7):
        past.run(f"r{number}", number // 3)
    found = pages(past, limit)
    assert [len(page) for page in found[:-1]] == [limit] * (len(found) - 1)
    assert [run for page in found for run in page] == [f"r{number}" for number in reversed(range(7))]
    assert found[-1]


def test_pages_of_a_filter(past):
    for number in range(9):
        past.run(f"r{number}", number, source="odd" if number % 2 else "even")
    assert pages(past, 2, RunFilter(source="even")) == [["r8", "r6"], ["r4", "r2"], ["r0"]]


def test_paging_is_stable_while_runs_move_and_are_added(past):
    for number in range(6):
        past.run(f"r{number}", number)
    first = list_runs(past.core, NO_FILTER, 3, None)
    past.run("r4", 10)
    past.run("new", 11)
    second = list_runs(past.core, NO_FILTER, 3, first["nextCursor"])
    assert [run["run"] for run in first["runs"]] == ["r5", "r4", "r3"]
    assert [run["run"] for run in second["runs"]] == ["r2", "r1", "r0"]


@pytest.mark.parametrize(
    "cursor", ["nonsense", encode_cursor(1), encode_cursor("after", 1), encode_cursor(1, 2, 3)]
)
def test_a_cursor_of_something_else_is_refused(past, cursor):
    with pytest.raises(InvalidParams, match="cursor"):
        list_runs(past.core, NO_FILTER, 3, cursor)
