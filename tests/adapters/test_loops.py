"""A model that loops, in every agent, against a real daemon: warned once, blocked, stopped, and what forgives it.

The thresholds are 3, 6 and 9: the fourth of the same calls is warned of, the seventh blocked, the tenth stopped.
"""

import json

import pytest
from support.agents import ClaudeCode, Codex, Copilot, Cursor, GeminiCli, PascalCopilot


def said(answer):
    """What an answer comes to: deny, halt, stop, tell, or nothing; and that it has a reason to show."""
    if answer is None:
        return "nothing"
    inner = answer.get("hookSpecificOutput", {})
    denied = "deny" in (
        answer.get("permission"),
        answer.get("permissionDecision"),
        answer.get("decision"),
        inner.get("permissionDecision"),
    )
    stopped = answer.get("continue") is False
    told = answer.get("additional_context", answer.get("additionalContext", inner.get("additionalContext")))
    assert "times" in json.dumps(answer)
    if told:
        assert (denied, stopped) == (False, False)
        return "tell"
    return {(True, True): "halt", (True, False): "deny", (False, True): "stop"}[denied, stopped]


def loop(agent, answer, calls, output="ok"):
    """The same call again and again, an event before and one after those that were not denied."""
    found = []
    for _ in range(calls):
        call_id = agent.new_call()
        found.append(said(answer(agent, agent.before(call_id))))
        if found[-1] not in ("deny", "halt"):
            found.append(said(answer(agent, agent.after(call_id, output))))
    return found


HALTS = {"codex": "deny", "cursor": "deny", "copilot": "deny"}
"""Where no hook can end the turn before a call, the abort denies."""


def expected(agent):
    silent = ["nothing", "nothing"]
    halt = HALTS.get(agent.name, "halt")
    return [*silent * 3, "nothing", "tell", *silent * 2, "deny", "deny", "deny", halt, halt]


def test_a_loop_is_warned_of_once_blocked_and_stopped(agent, answer, daemon):
    assert loop(agent, answer, 11) == expected(agent)
    run = daemon.ask("run.get", run=agent.run)
    assert (run["status"], run["calls"], run["agentId"]) == ("aborted", 11, agent.name)
    assert run["source"] == agent.name


def test_the_batch_after_a_denied_call_ends_the_turn(answer, daemon):
    agent = ClaudeCode()
    found = []
    for number in range(10):
        loop(agent, answer, 1)
        found.append(said(answer(agent, agent.event("PostToolBatch", tool_calls=[]))))
        assert daemon.ask("run.get", run=agent.run)["calls"] == number + 1
    assert found == ["nothing"] * 9 + ["stop"]


def test_a_loop_of_failures_too(agent, answer):
    found = []
    for _ in range(7):
        call_id = agent.new_call()
        event = agent.failure(call_id, "Exit code 2\nno rule") or agent.after(call_id, "Exit code: 2\n")
        found += [said(answer(agent, agent.before(call_id))), said(answer(agent, event))]
    assert found[:-2] == ["nothing"] * 7 + ["tell"] + ["nothing"] * 4
    assert found[-2] == "deny"


def test_progress_is_only_warned_of(agent, answer):
    found = []
    for number in range(20):
        found += loop(agent, answer, 1, output=f"{number} left")
    assert set(found) == {"nothing", "tell"}
    assert found.count("tell") == 2  # at 3 and at 13


def test_a_new_prompt_gives_a_fresh_allowance(agent, answer):
    assert loop(agent, answer, 11) == expected(agent)
    assert answer(agent, agent.prompt()) is None
    assert loop(agent, answer, 11) == expected(agent)


@pytest.mark.parametrize("kind", [ClaudeCode, Codex])
def test_a_sub_agent_has_its_own_run(kind, answer):
    main, sub = kind(), kind(agent_id="a4d2c8f1")
    sub.session = main.session
    for _ in range(3):
        assert loop(main, answer, 1) == loop(sub, answer, 1) == ["nothing", "nothing"]
    assert loop(main, answer, 1) == loop(sub, answer, 1) == ["nothing", "tell"]
    assert answer(main, main.prompt()) is None
    assert loop(sub, answer, 3)[-1] == "deny"


@pytest.mark.parametrize("kind", [ClaudeCode, Codex])
def test_the_kind_of_a_sub_agent_is_the_agent_whose_thresholds_apply(kind, answer, daemon):
    sub = kind(agent_id="a4d2c8f1")
    answer(sub, sub.before(sub.new_call()))
    assert daemon.ask("run.get", run=sub.run)["agentId"] == sub.before("")["agent_type"]


def test_a_call_that_is_only_reported_afterwards_is_judged_afterwards(agent, answer):
    found = []
    for _ in range(10):
        call_id = agent.new_call()
        error = "Error: No such tool available: maketest"
        event = agent.failure(call_id, error) or agent.after(call_id, error)
        found.append(said(answer(agent, event)))
    stop = "tell" if agent.name in ("cursor", "copilot") else "stop"
    assert found == ["nothing"] * 3 + ["tell"] + ["nothing"] * 2 + ["tell"] * 3 + [stop]


# Compaction


def markers(daemon, agent):
    history = daemon.ask("run.history", run=agent.run)
    return [(marker["kind"], marker.get("reason")) for marker in history["markers"]]


def test_an_automatic_compaction_is_one_marker_and_arms(agent, answer, daemon):
    loop(agent, answer, 1)
    assert [answer(agent, event) for event in agent.compactions()] == [None] * len(agent.compactions())
    assert markers(daemon, agent) == [("compaction", "auto")]
    found = loop(agent, answer, 3)
    stop = "tell" if agent.name in ("cursor", "copilot") else "stop"
    assert (found[:5], found[5]) == (["nothing"] * 5, stop)
    assert daemon.ask("run.get", run=agent.run)["status"] == "aborted"


def test_each_compaction_is_a_marker(agent, answer, daemon):
    for number in range(3):
        loop(agent, answer, 1, output=f"{number}")
        for event in agent.compactions():
            answer(agent, event)
    assert markers(daemon, agent) == [("compaction", "auto")] * 3


def test_a_compaction_by_hand_arms_nothing(agent, answer, daemon):
    loop(agent, answer, 1)
    for event in agent.compactions("manual"):
        answer(agent, event)
    assert markers(daemon, agent) == [("compaction", "manual")]
    assert "stop" not in loop(agent, answer, 4)
    assert daemon.ask("run.get", run=agent.run)["status"] == "active"


@pytest.mark.parametrize("kind", [ClaudeCode, Codex])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_one_event_of_a_compaction_is_enough(kind, which, answer, daemon):
    agent = kind()
    loop(agent, answer, 1, output="other")
    answer(agent, agent.compactions()[which])
    assert [kind for kind, _ in markers(daemon, agent)] == ["compaction"]
    assert loop(agent, answer, 3)[-1] == "stop"


def test_a_compaction_belongs_to_the_newest_turn(answer, daemon):
    agent = ClaudeCode()
    loop(agent, answer, 1)
    answer(agent, agent.prompt())
    loop(agent, answer, 1)
    other = ClaudeCode()
    loop(other, answer, 1)
    for event in agent.compactions():
        answer(agent, event)
    assert markers(daemon, agent) == [("compaction", "auto")]
    assert markers(daemon, other) == []
    agent.turn = 1
    assert markers(daemon, agent) == []


# Events that come twice


@pytest.mark.parametrize("kind", [ClaudeCode, Codex, Cursor])
def test_an_event_that_comes_twice_counts_once(kind, answer, daemon):
    agent = kind()
    found = []
    for _ in range(11):
        call_id = agent.new_call()
        for event in (agent.before(call_id), agent.after(call_id)):
            first, second = answer(agent, event), answer(agent, event)
            assert first == second
            found.append(said(first))
            if found[-1] in ("deny", "halt"):
                break
    assert found == expected(agent)
    assert daemon.ask("run.get", run=agent.run)["calls"] == 11


def test_ids_that_repeat_are_other_calls(answer):
    for kind in (ClaudeCode, Codex, Cursor):
        agent = kind()
        agent.new_call = lambda: "call_1"
        assert loop(agent, answer, 7) == expected(agent)[:13]


def test_special_hooks_beside_the_generic_ones_do_not_count(answer, daemon):
    agent = Cursor()
    for _ in range(2):
        call_id = agent.new_call()
        special_before, special_after = agent.special()
        for event in (agent.before(call_id), special_before, special_after, agent.after(call_id)):
            assert answer(agent, event) is None
    assert daemon.ask("run.get", run=agent.run)["calls"] == 2


def test_a_denied_call_that_is_reported_as_a_failure_counts_once(answer, daemon):
    agent = Cursor()
    loop(agent, answer, 6)
    counts = []
    for _ in range(3):
        call_id = agent.new_call()
        assert said(answer(agent, agent.before(call_id))) == "deny"
        blocked = "Command execution was blocked by a hook"
        assert answer(agent, agent.failure(call_id, blocked)) is None
        counts.append(daemon.ask("run.get", run=agent.run)["calls"])
    assert counts == [7, 8, 9]
    assert said(answer(agent, agent.before(agent.new_call()))) == "deny"
    assert daemon.ask("run.get", run=agent.run)["status"] == "aborted"


# Polls


@pytest.mark.parametrize(
    ("kind", "tool"),
    [
        (ClaudeCode, "BashOutput"),
        (ClaudeCode, "TaskOutput"),
        (GeminiCli, "read_background_output"),
        (Copilot, "read_bash"),
        (PascalCopilot, "read_agent"),
    ],
)
def test_polls_are_known_as_polls(kind, tool, answer, daemon):
    agent = kind()

    def poll(output):
        events = (agent.before("call_1"), agent.after("call_1", output))
        renamed = [
            event | {key: tool for key in ("tool_name", "toolName") if key in event} for event in events
        ]
        return [said(answer(agent, event)) for event in renamed]

    for number in range(5):
        assert poll(f"{number} %") == ["nothing", "nothing"]
    assert "tell" in [word for _ in range(5) for word in poll("stuck")]
    (event, *_) = daemon.ask("event.list", run=agent.run)["events"]
    assert event["detector"] == "known_poll_no_progress"


# What happens to the daemon


def test_a_loop_goes_on_after_a_restart_of_the_daemon(agent, answer, daemon):
    assert loop(agent, answer, 5) == expected(agent)[:10]
    daemon.restart()
    assert loop(agent, answer, 6) == expected(agent)[10:]
