"""The one statement counts what the plain model counts, on any window."""

import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import model
from support.detections import in_plain_words
from support.windows import asked, calls, question, signature, write
from support.windows import settings as loop_settings

from guardd.detect import (
    generic_repeat,
    global_circuit_breaker,
    known_poll_no_progress,
    ping_pong,
    unknown_tool_repeat,
)
from guardd.detect.figures import Figures
from guardd.detect.glance import may_match
from guardd.detect.rules import RULES, judge
from guardd.detect.statement import FIELDS, counted_statement, figures_statement
from guardd.store.compiling import compiled
from guardd.vocabulary import Level

NAMES = st.sampled_from(["a", "a2", "b"])
KNOWN = st.sampled_from(["=1", "=1", "=1", "=2", "?", "!", "~", "-gone", "-gone", "-lost", "!gone", "~gone"])
TOKENS = st.builds(str.__add__, NAMES, KNOWN)
ALTERNATING = st.builds(
    lambda ends, length: [("a", "b")[n % 2] + ends[n % len(ends)] for n in range(length)],
    st.lists(st.sampled_from(["=1", "=1", "?", "!", "=2"]), min_size=1, max_size=4),
    st.integers(0, 8),
)
WINDOWS = st.builds(
    list.__add__, st.lists(TOKENS, max_size=9), st.one_of(st.lists(TOKENS, max_size=5), ALTERNATING)
)
COUNTED = {(rule, level): compiled(counted_statement(rule, level)) for rule in RULES for level in Level}
PATIENT = settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def put(store, tokens, reset_after):
    """The run of a window, of whose first calls a reset has made that they no longer count."""
    run = write(store, tokens[:reset_after])
    if reset_after:
        store.reset_run(run, None, 1)
    return write(store, tokens[reset_after:])


def compared(figures: Figures, name: str) -> dict[str, object]:
    """What must be equal. The tail is of no meaning where the call in question cannot be its other side."""
    found = figures._asdict()
    del found["further"], found["across"]
    may_alternate = figures.newest_signature != signature(name) and figures.tail >= 2
    for key in ("tail", "tail_doubts", "tail_blocked"):
        found[key] = found[key] if may_alternate else 0
    found["tail_doubts"] = bool(found["tail_doubts"])
    return found


def counted(window: list[model.Call], name: str) -> dict[str, object]:
    """The same by the model."""
    missed = model.misses(window, name[0])
    streak = model.streak(window, signature(name))
    tail = model.alternation(window, signature(name))
    newest = window[-1] if window else None
    said = newest and newest.said
    state = newest and (
        {True: 4, False: 1}[newest.reported] if newest.blocked else 0 if newest.came is None else None
    )
    return {
        "newest_tool": newest and newest.asked.tool,
        "newest_signature": newest and newest.signature,
        "newest_missing_tool": newest and newest.missing,
        "newest_state": state,
        "newest_detector": said and said.detector,
        "newest_count": said and said.count,
        "newest_paired_tool": None,
        "newest_warning_key": said and f"key of {newest.signature.decode()[5:].strip()}",
        "unknown_streak": len(missed),
        "unknown_blocked": sum(call.blocked for call in missed),
        "streak": len(streak),
        "streak_blocked": sum(call.blocked for call in streak),
        "repeats": sum(call.signature == signature(name) for call in window),
        "tail": len(tail),
        "tail_doubts": not model.is_proven(tail),
        "tail_blocked": sum(call.blocked for call in tail),
    }


@PATIENT
@given(tokens=WINDOWS, name=NAMES, history=st.integers(1, 16), reset_after=st.integers(0, 5))
def test_any_window(store, tokens, name, history, reset_after):
    store.rollback()
    store.begin()
    run = put(store, tokens, min(reset_after, len(tokens)))
    expected = counted(calls(tokens)[reset_after:][-history:], name)
    found = compared(store.figures(run, question(name), history), name)
    if expected["newest_state"] is None:  # a result or an error, which is nothing to the rules
        assert found["newest_state"] in (None, 2, 3)
        found["newest_state"] = None
    assert found == expected


@PATIENT
@given(tokens=WINDOWS, name=NAMES, history=st.integers(1, 16))
def test_the_calls_that_a_rule_counts_are_as_many_as_it_says(store, tokens, name, history):
    store.rollback()
    store.begin()
    run = write(store, tokens)
    asking = question(name)
    found = store.figures(run, asking, history)
    bound = {
        "run": run.id,
        "newest": run.newest_seq,
        "low": max(run.newest_seq - history, 0),
        "tool": asking.tool,
        "signature": asking.signature,
        "masks": False,
        "most": 100,
    }

    def count(rule, level=Level.CRITICAL):
        return len(store._execute(COUNTED[rule, level], bound).fetchall())  # noqa: SLF001 - there is no operation for it

    assert count(unknown_tool_repeat) == found.unknown_streak
    assert count(ping_pong) == found.tail
    assert count(global_circuit_breaker) == count(known_poll_no_progress) == found.streak
    assert count(generic_repeat) == found.streak
    assert count(generic_repeat, Level.WARNING) == found.repeats


SETTINGS = st.builds(
    loop_settings,
    historySize=st.integers(1, 16),
    warningThreshold=st.integers(1, 4),
    criticalThreshold=st.integers(2, 6),
    unknownToolThreshold=st.integers(1, 4),
    globalCircuitBreakerThreshold=st.integers(3, 9),
    detectors=st.fixed_dictionaries(
        {
            key: st.sampled_from([True, True, False])
            for key in ("genericRepeat", "knownPollNoProgress", "pingPong")
        }
    ),
    enabled=st.sampled_from([True, True, True, True, False, None]),
)


@PATIENT
@given(tokens=WINDOWS, name=NAMES, is_poll=st.booleans(), loop=SETTINGS)
def test_any_verdict(store, tokens, name, is_poll, loop):
    store.rollback()
    store.begin()
    run = write(store, tokens)
    window = calls(tokens)[-loop.history_size :]
    expected = model.judge(window, asked(name, is_poll=is_poll), loop)
    call = question(name, is_poll=is_poll)
    found = judge(call, store.figures(run, call, loop.history_size), loop)
    assert (found and in_plain_words(found)) == (
        expected
        and (
            expected.detector,
            expected.level,
            expected.action,
            expected.count,
            expected.threshold,
            expected.paired,
        )
    )


@PATIENT
@given(tokens=WINDOWS, name=NAMES, is_poll=st.booleans(), loop=SETTINGS, since=st.integers(0, 5))
def test_nothing_is_found_where_no_rule_may_match(store, tokens, name, is_poll, loop, since):
    store.rollback()
    store.begin()
    run = write(store, tokens)
    call = question(name, is_poll=is_poll)
    if not may_match(store.glance(run, call, loop.history_size, since=since), run.newest_seq, loop):
        assert judge(call, store.figures(run, call, loop.history_size, since=since), loop) is None


def test_one_row_in_the_order_of_the_figures():
    statement = figures_statement()
    assert tuple(statement.selected_columns.keys()) == FIELDS


def test_it_binds_what_the_store_gives():
    text = compiled(figures_statement())
    assert set(re.findall(r":\w+", text)) == {
        ":run",
        ":newest",
        ":low",
        ":tool",
        ":signature",
        ":masks",
    }
