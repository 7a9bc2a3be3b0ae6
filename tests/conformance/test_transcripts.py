"""Recorded transcripts of real agents through a live daemon that is killed on the way."""

from collections import Counter

import pytest
from support import transcripts
from support.daemon import Daemon

DEFAULTS = {"tools": {"loopDetection": {"enabled": True}}}
LOW = {
    "tools": {
        "loopDetection": {
            "enabled": True,
            "warningThreshold": 3,
            "criticalThreshold": 5,
            "globalCircuitBreakerThreshold": 8,
        }
    }
}
EPISODES = transcripts.load("intercode-episodes.jsonl.gz")


def play(daemon: Daemon, turn: transcripts.Turn, *, kill_before: int | None = None) -> list[str]:
    """Report a turn's calls as a gateway does; returns the action before and after each."""
    actions = []
    for number, call in enumerate(turn.calls):
        if number == kill_before:
            daemon.restart()
        asked = {"runId": turn.id, "toolName": call.tool, "args": call.args}
        if call.call_id is not None:
            asked["toolCallId"] = call.call_id
        before = daemon.ask("tool.before", **asked)
        after = daemon.ask("tool.after", **asked, **call.outcome)
        assert before["seq"] == number + 1
        actions += [before["action"], after["action"]]
    return actions


@pytest.mark.parametrize(
    ("file", "turns", "calls"),
    [
        ("pi-session.jsonl.gz", 73, 391),
        ("claude-code-subagent.jsonl.gz", 1, 33),
        ("openai-chat-episodes.json.gz", None, None),
        ("swe-agent.traj.gz", 1, 13),
    ],
)
def test_healthy_turns_are_let_through(tmp_path, file, turns, calls):
    loaded = transcripts.load(file)
    if turns is not None:
        assert (len(loaded), sum(len(turn.calls) for turn in loaded)) == (turns, calls)
    with Daemon(tmp_path, DEFAULTS).start() as daemon:
        actions = Counter()
        for number, turn in enumerate(loaded):
            half_way = number == len(loaded) // 2
            actions.update(play(daemon, turn, kill_before=len(turn.calls) // 2 if half_way else None))
    assert set(actions) == {"allow"}


def test_a_session_taken_for_one_run_is_warned_of_and_not_blocked(tmp_path):
    turns = transcripts.load("pi-session.jsonl.gz")
    session = transcripts.Turn("session", [call for turn in turns for call in turn.calls])
    with Daemon(tmp_path, DEFAULTS).start() as daemon:
        actions = play(daemon, session, kill_before=len(session.calls) // 2)
    assert set(actions) == {"allow", "warn"}


@pytest.mark.parametrize("category", sorted({turn.category for turn in EPISODES}))
def test_episodes_are_judged_as_if_nothing_had_been_killed(tmp_path, category):
    episodes = [turn for turn in EPISODES if turn.category == category]
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    with Daemon(tmp_path / "a", LOW).start() as killed, Daemon(tmp_path / "b", LOW).start() as undisturbed:
        for episode in episodes:
            actions = play(killed, episode, kill_before=len(episode.calls) // 2)
            assert actions == play(undisturbed, episode)
            if category == "exact":
                assert "block" in actions
            if category == "healthy":
                assert not {"block", "abort"} & set(actions)
