"""The real engine over recorded turns."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from click.testing import CliRunner
from support import transcripts
from support.daemon import Daemon

from guardd.cli.guardctl import program
from guardd.config.trial import trial
from guardd.replay.engine import Engine
from guardd.replay.findings import Findings
from guardd.replay.reading import read
from guardd.replay.turns import Call, Compaction, Failed, Reset, Result, Turn

LOW = ["warningThreshold=3", "criticalThreshold=5", "globalCircuitBreakerThreshold=8"]
INTERCODE = transcripts.DATA / "intercode-episodes.jsonl.gz"


def played(*turns, changes=LOW, path=None, agent=None):
    findings = Findings("-")
    with Engine(trial(path, changes), agent) as engine:
        for turn in turns:
            engine.play(turn, findings)
    return findings


def loop(times, tool="read", outcome=None):
    return [Call(tool, {"a": 1}, None, outcome or Result("same")) for _ in range(times)]


def test_a_loop_is_warned_of_blocked_and_aborted():
    findings = played(Turn("t", loop(10)))
    assert findings.actions == {"allow": 3, "warn": 2, "block": 3, "abort": 2}
    assert (findings.turns, findings.calls) == (1, 10)
    assert [(found.seq, found.action, found.counted) for found in findings.detections] == [
        (4, "warn", 3), (5, "warn", 4), (6, "block", 5), (7, "block", 6), (8, "block", 7), (9, "abort", 8),
    ]  # fmt: skip
    first = findings.detections[0]
    assert (first.turn, first.detector, first.threshold, first.tool) == ("t", "generic_repeat", 3, "read")
    assert "`read`" in first.message


def test_each_turn_is_judged_by_itself_even_with_the_same_name():
    assert set(played(Turn("t", loop(3)), Turn("t", loop(3))).actions) == {"allow"}


def test_a_call_without_an_outcome_is_no_progress_and_no_repeat():
    turn = Turn("t", [Call("read", {"n": 1}) for _ in range(6)])
    assert played(turn).actions == {"allow": 3, "warn": 3}


def test_calls_that_ran_beside_each_other_are_all_asked_for_before_the_first_has_its_outcome():
    turn = Turn("t", [replace(call, beside=number % 3 > 0) for number, call in enumerate(loop(9))])
    findings = played(turn)
    # Rounds of three: before the third of the second round there are five, of which three have an outcome.
    assert [(found.seq, found.action, found.counted) for found in findings.detections] == [
        (4, "warn", 3), (5, "warn", 4), (6, "warn", 5), (7, "block", 6), (8, "block", 7), (9, "abort", 8),
    ]  # fmt: skip
    # That the run was ended is what the last round is told with its outcomes.
    assert findings.actions == {"allow": 3, "warn": 3, "abort": 3}


def test_a_reset_comes_after_the_calls_that_were_under_way():
    calls = loop(3)
    findings = played(Turn("t", [*calls[:2], replace(calls[2], beside=True), Reset(), *loop(3)]))
    assert set(findings.actions) == {"allow"}


def test_a_missing_tool():
    turn = Turn("t", loop(4, "nope", Failed("Tool nope not found")))
    findings = played(turn, changes=["unknownToolThreshold=3"])
    assert [found.detector for found in findings.detections] == ["unknown_tool_repeat"]


def test_an_error_that_is_null_is_an_error():
    assert played(Turn("t", loop(6, outcome=Failed(None)))).actions["block"] == 1


def test_resets_forgive():
    steps = [Reset(), *loop(3), Reset(), *loop(3)]
    assert set(played(Turn("t", steps)).actions) == {"allow"}


@pytest.mark.parametrize(("armed", "actions"), [(True, {"allow": 4, "abort": 1}), (False, {"allow": 5})])
def test_the_guard_after_a_compaction(armed, actions):
    steps = [*loop(2), Compaction(armed=armed), *loop(3)]
    assert played(Turn("t", steps), changes=[]).actions == actions


def test_settings_by_agent_and_observing(tmp_path):
    path = tmp_path / "guardd.json5"
    own = {"id": "strict", "tools": {"loopDetection": {"warningThreshold": 2}}}
    path.write_text(json.dumps({"guardd": {"mode": "observe"}, "agents": {"list": [own]}}))
    turn = Turn("t", loop(4), agent_id="strict")
    assert played(turn, path=path, changes=[]).actions["warn"] == 2
    assert played(Turn("t", loop(4)), path=path, changes=[]).actions["warn"] == 0
    assert played(Turn("t", loop(4)), path=path, changes=[], agent="strict").actions["warn"] == 2


def test_strange_values_go_through():
    args = {"deep": "\ud800", "large": 10**60, "float": 1e300}
    turn = Turn("t", [Call("read", args, "c", Result([args])) for _ in range(6)])
    assert played(turn).actions["block"] == 1


# InterCode


def by_category():
    """The actions in each category's episodes."""
    found = {}
    categories = [turn.category for turn in transcripts.load("intercode-episodes.jsonl.gz")]
    with INTERCODE.open("rb") as stream:
        for category, turn in zip(categories, read(stream).turns, strict=True):
            found.setdefault(category, []).append((turn, played(turn)))
    return found


def test_exact_episodes_are_blocked_and_healthy_ones_are_not():
    found = by_category()
    assert all(findings.actions["block"] for _, findings in found["exact"])
    assert not any(findings.actions["block"] + findings.actions["abort"] for _, findings in found["healthy"])


def test_a_replay_says_what_a_daemon_says(tmp_path):
    """Exact episodes at 3/5/8: call by call the same action as a live daemon's."""
    config = {
        "enabled": True,
        "warningThreshold": 3,
        "criticalThreshold": 5,
        "globalCircuitBreakerThreshold": 8,
    }
    with Daemon(tmp_path, {"tools": {"loopDetection": config}}).start() as daemon:
        for number, (turn, findings) in enumerate(by_category()["exact"]):
            actions = Counter()
            for call in turn.calls:
                asked = {"runId": f"r{number}", "toolName": call.tool, "args": call.args}
                actions[daemon.ask("tool.before", **asked)["action"]] += 1
                daemon.ask("tool.after", **asked, result=call.outcome.value)
            assert findings.actions == actions
            events = daemon.ask("event.list", run=f"r{number}")["events"][::-1]
            fields = ("seq", "action", "detector", "level", "count", "threshold", "message")
            assert [[event[name] for name in fields] for event in events] == [
                [found.document()[name] for name in fields] for found in findings.detections
            ]


# Exports


def calls_of_everything():
    """What the detectors know: a loop, polls, an alternation, a missing tool."""
    for number in range(9):
        yield "exec", {"command": "ls"}, {"result": "same" if number else "first"}
    for number in range(6):
        yield "process", {"action": "poll", "id": 7}, {"result": {"details": {"status": "running"}}}
        yield "read", {"n": number}, {"result": number}
    for number in range(6):
        yield ("write", "edit")[number % 2], {}, {"result": number % 2}
    for _ in range(5):
        yield "nope", {}, {"error": "Tool nope not found"}


@pytest.mark.parametrize("with_reset", [True, False])
def test_an_export_of_a_daemons_run_has_its_verdicts(tmp_path, with_reset):
    config = {
        "enabled": True,
        "warningThreshold": 3,
        "criticalThreshold": 5,
        "unknownToolThreshold": 4,
        "globalCircuitBreakerThreshold": 8 if not with_reset else 25,
    }
    path = tmp_path / "guardd.json5"
    with Daemon(tmp_path, {"tools": {"loopDetection": config}}).start() as daemon:
        daemon.ask("run.start", runId="r")
        for number, (tool, args, outcome) in enumerate(calls_of_everything()):
            if number == 4:
                daemon.restart()
                if with_reset:
                    daemon.ask("run.reset", run="r")
            if number == 20:
                daemon.ask("compaction.record", runId="r")
            asked = {"runId": "r", "toolName": tool, "args": args}
            if daemon.ask("tool.before", **asked)["action"] in ("allow", "warn"):
                daemon.ask("tool.after", **asked, **outcome)
        history = daemon.ask("run.history", run="r", limit=1000)
        events = daemon.ask("event.list", run="r", limit=1000)["events"][::-1]
        exported = CliRunner().invoke(program, ["--socket", str(daemon.socket), "export", "r"])
    assert {call["action"] for call in history["calls"]} >= {"allow", "warn", "block"}
    replayed = CliRunner().invoke(
        program, ["replay", "--json", "--config", str(path), "-"], input=exported.stdout
    )
    (found,) = json.loads(replayed.stdout)["files"]
    assert (found["format"], found["turns"], found["skipped"]) == ("guardd export", 1, 0)
    assert Counter(found["actions"]) == Counter(call["action"] for call in history["calls"])
    fields = (
        "seq",
        "action",
        "detector",
        "level",
        "count",
        "threshold",
        "toolName",
        "pairedToolName",
        "message",
    )
    assert [[detection[name] for name in fields] for detection in found["detections"]] == [
        [event[name] for name in fields] for event in events
    ]
