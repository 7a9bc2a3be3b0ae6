"""Checks of the daemon itself."""

from typing import Any

import pytest

from guardd.cli.doctor import running
from guardd.cli.doctor.finding import State


def test_where_the_daemon_answers(facts: Any) -> None:
    assert running.answers(facts()) == (State.OK, "guardd 1.0 at /s/guardd.sock, pid 4711", None)


def test_a_daemon_of_another_version_is_to_be_restarted(facts: Any, status: Any) -> None:
    finding = running.answers(facts(status=status(version="0.9")))
    assert finding.state is State.WARNING
    assert finding.detail == "guardd 0.9 answers at /s/guardd.sock, and this is guardctl 1.0"
    assert "Restart the daemon" in finding.fix


@pytest.mark.parametrize(
    ("time", "newest", "state", "detail"),
    [
        ("12:00:00", "11:59:00", State.OK, "the daemon's is this program's"),
        ("12:00:01.5", "12:00:02", State.OK, "the daemon's is this program's"),
        ("12:05:00", None, State.WARNING, "the daemon's clock is 5 min away from this program's"),
        ("11:55:00", None, State.WARNING, "the daemon's clock is 5 min away from this program's"),
        (
            "12:00:00",
            "14:00:00",
            State.WARNING,
            "the newest activity is 2 h in the future: the clock was set back",
        ),
    ],
)
def test_clock(facts: Any, status: Any, time: str, newest: str | None, state: State, detail: str) -> None:
    told = status(
        time=f"2026-03-01T{time}Z", lastActivityAt=None if newest is None else f"2026-03-01T{newest}Z"
    )
    finding = running.clock(facts(status=told))
    assert (finding.state, finding.detail) == (state, detail)
    assert bool(finding.fix) == (state is not State.OK)


@pytest.mark.parametrize(
    ("newest", "state", "detail"),
    [
        ("2026-03-01T11:59:00Z", State.OK, "last seen 1 min ago, 4 runs recorded"),
        ("2026-02-24T12:00:00Z", State.OK, "last seen 5 d ago, 4 runs recorded"),
        ("2026-02-20T12:00:00Z", State.WARNING, "last seen 9 d ago, 4 runs recorded"),
        ("2026-03-01T13:00:00Z", State.OK, "last seen 0 ms ago, 4 runs recorded"),
        (None, State.WARNING, "none has asked yet"),
    ],
)
def test_gateway(facts: Any, status: Any, newest: str | None, state: State, detail: str) -> None:
    finding = running.gateway(facts(status=status(lastActivityAt=newest)))
    assert (finding.state, finding.detail) == (state, detail)
    assert ("guardctl install" in (finding.fix or "")) == (state is not State.OK)
