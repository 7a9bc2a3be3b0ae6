"""`guardctl tune`, with a real daemon that holds a known history; the figures are worked out by hand."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.daemon import Daemon

from guardd.cli.guardctl import program
from guardd.config.trial import trial

TRACES = Path(__file__).parent.parent / "data" / "traces"
HEALTHY = 44


def play(daemon: Daemon, run: str, calls: list[tuple[str, Any]], agent: str = "main") -> None:
    """A run of calls without arguments, each a tool and its result; what is blocked is not made."""
    for tool, result in calls:
        asked = {"runId": run, "agentId": agent, "toolName": tool}
        if daemon.ask("tool.before", **asked)["action"] in ("allow", "warn"):
            daemon.ask("tool.after", **asked, result=result)


def tell(daemon: Daemon) -> None:
    """Four runs that got stuck and failed, one that waited long, one that guardd blocked, and healthy ones."""
    for number in range(HEALTHY):
        play(daemon, f"healthy-{number}", [("read", 1), ("edit", 2), ("test", 3)])
    for number in range(4):
        play(daemon, f"stuck-{number}", [("make", "the same")] * 18)
        daemon.ask("run.end", runId=f"stuck-{number}", status="failed")
    play(daemon, "waited", [*[("wait", "not yet")] * 12, ("wait", "ready"), ("read", 1), ("edit", 2)])
    daemon.ask("run.end", runId="waited", status="completed")
    play(daemon, "cut", [("make", "the same")] * 25)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    config = {"tools": {"loopDetection": {"enabled": True}}}
    with Daemon(tmp_path_factory.mktemp("daemon"), config).start() as daemon:
        tell(daemon)
        yield daemon


@pytest.fixture
def tune(real: Daemon, guardctl: Any) -> Any:
    return lambda *arguments, **environment: guardctl(
        "tune", "--socket", str(real.socket), *arguments, **environment
    )


SCREEN = """\
50 runs · 244 calls · 44 runs without repeats that matter
W/C/B     VERDICT  RUNS  PROGRESS  STUCK  CUT SHORT  CALLS
3/6/9     WARN        6         1      4          1     18
          BLOCK       6         1      4          1     18
          ABORT       6         1      4          1     58
4/8/12    WARN        6         1      4          1     24
          BLOCK       6         1      4          1     24
          ABORT       6         1      4          1     40
5/10/15   WARN        6         1      4          1     30
          BLOCK       6         1      4          1     28
          ABORT       5         0      4          1     22
8/16/24   WARN        6         1      4          1     45
          BLOCK       5         0      4          1     16
          ABORT       1         0      0          1      1
10/20/30  WARN        6         1      4          1     45
now       BLOCK       1         0      0          1      5

8/16/24 is the lowest that fits: of 4 runs that it would have blocked, none made progress later,
  and of 5 runs that it would have warned, 1 did. Not counted, since guardd itself cut them short: 1
  of those blocked, 1 of those warned.
{
  tools: { loopDetection: {
    enabled: true,
    warningThreshold: 8,
    criticalThreshold: 16,
    globalCircuitBreakerThreshold: 24,
  } },
}
"""

NARROW = """\
50 runs · 244 calls
  44 runs without repeats that matter
W/C/B     VERDICT  RUNS  PROGRESS  STUCK
5/10/15   WARN        6         1      4
          BLOCK       6         1      4
          ABORT       5         0      4
10/20/30  WARN        6         1      4
now       BLOCK       1         0      0

Nothing to propose: of 1 run that
  10/20/30 would have blocked, guardd
  itself cut 1 short: what would have
  come of that is not known. Observe for
  a while, until 50 runs went their way:
  guardd.mode: 'observe'. 10/20/30
  stands.

5/10/15 · 6 runs concerned
RUN      WARN  BLOCK  ABORT  AFTERWARDS
cut        #6    #11    #16  cut short
waited     #6    #11         progress
stuck-3    #6    #11    #16  stuck
stuck-2    #6    #11    #16  stuck
stuck-1    #6    #11    #16  stuck
stuck-0    #6    #11    #16  stuck
"""


def test_the_screen(tune: Any) -> None:
    result = tune(COLUMNS="120")
    assert result.stdout == SCREEN
    assert result.stderr == ""
    assert result.exit_code == 0


def test_on_a_narrow_terminal_with_the_runs(tune: Any) -> None:
    result = tune("--candidate", "5/10/15", "--verbose", COLUMNS="40")
    assert result.stdout == NARROW
    assert max(map(len, result.stdout.splitlines())) <= 40


def test_the_runs_of_a_candidate_that_was_raised_are_listed_too(tune: Any) -> None:
    result = tune("--candidate", "3/2/2", "--candidate", "5/10/15", "--verbose")
    assert "3/2/2 is tried as 3/4/5" in result.stderr
    listed = [line for line in result.stdout.splitlines() if line.endswith("runs concerned")]
    assert listed == ["3/4/5 · 6 runs concerned", "5/10/15 · 6 runs concerned"]


def test_verdicts_are_coloured(tune: Any) -> None:
    assert "\x1b[31mBLOCK" in tune("--color", "always").stdout


def test_the_json_form(tune: Any) -> None:
    document = json.loads(tune("--json").stdout)
    candidates = document.pop("candidates")
    assert document == {
        "runs": 50,
        "calls": 244,
        "quietRuns": 44,
        "unread": {
            "olderRuns": False,
            "runsWithoutCalls": 0,
            "deletedRuns": 0,
            "incompleteRuns": 0,
            "runsOfOtherAgents": 0,
            "skipped": 0,
            "skippedBecause": {},
            "unknownFiles": [],
        },
        "present": {
            "warningThreshold": 10,
            "criticalThreshold": 20,
            "globalCircuitBreakerThreshold": 30,
            "historySize": 30,
            "known": True,
        },
        "proposal": {"warningThreshold": 8, "criticalThreshold": 16, "globalCircuitBreakerThreshold": 24},
        "why": document["why"],
    }
    assert [one["warningThreshold"] for one in candidates] == [3, 4, 5, 8, 10]
    assert [one["isPresent"] for one in candidates] == [False, False, False, False, True]
    concerned = candidates[3].pop("concerned")
    assert candidates[3] == {
        "warningThreshold": 8,
        "criticalThreshold": 16,
        "globalCircuitBreakerThreshold": 24,
        "warned": {"runs": 6, "calls": 45, "progress": 1, "stuck": 4, "cutShort": 1},
        "blocked": {"runs": 5, "calls": 16, "progress": 0, "stuck": 4, "cutShort": 1},
        "aborted": {"runs": 1, "calls": 1, "progress": 0, "stuck": 0, "cutShort": 1},
        "isPresent": False,
    }
    found = {"detector": "generic_repeat", "toolName": "make", "afterwards": "cutShort"}
    assert concerned[0] == {
        "run": "cut",
        "source": "default",
        "warned": {"seq": 9, "count": 8} | found,
        "blocked": {"seq": 17, "count": 16} | found,
        "aborted": {"seq": 25, "count": 24} | found,
    }
    assert [one["run"] for one in concerned[1:]] == ["waited", "stuck-3", "stuck-2", "stuck-1", "stuck-0"]


def test_nothing_is_changed(real: Daemon, tune: Any) -> None:
    before = real.ask("run.list", limit=100), real.ask("event.list", limit=100), real.ask("config.get")
    tune()
    assert before == (
        real.ask("run.list", limit=100),
        real.ask("event.list", limit=100),
        real.ask("config.get"),
    )


def test_a_backup_and_the_exports_say_the_same(
    real: Daemon, tune: Any, guardctl: Any, tmp_path: Path
) -> None:
    of_daemon = json.loads(tune("--json").stdout)
    real.ask("db.backup", path=str(tmp_path / "backup.db"))
    of_backup = json.loads(guardctl("tune", "--db", str(tmp_path / "backup.db"), "--json").stdout)
    assert of_backup == of_daemon | {"present": of_daemon["present"] | {"known": False}}
    names = [run["run"] for run in real.ask("run.list", limit=100)["runs"]]
    exported = "".join(guardctl("export", name, "--socket", str(real.socket)).stdout for name in names)
    of_export = json.loads(CliRunner().invoke(program, ["tune", "-", "--json"], input=exported).stdout)
    for one, other in zip(of_daemon["candidates"], of_export["candidates"], strict=True):
        runs = [run.pop("run") for run in one["concerned"] if run.pop("source")]
        assert [run.pop("turn") for run in other["concerned"] if run.pop("file")] == runs
    for key in ("runs", "calls", "quietRuns", "candidates", "proposal"):
        assert of_export[key] == of_daemon[key]


def test_some_of_the_runs(tune: Any) -> None:
    result = tune("--limit", "6")
    assert "Only the newest 6 runs were looked at: --limit all takes every one.\n" in result.stderr
    assert "Too little history to propose anything: 6 runs, and it takes 50" in " ".join(
        result.stdout.split()
    )
    assert "globalCircuitBreakerThreshold" not in result.stdout
    document = json.loads(tune("--limit", "6", "--json").stdout)
    assert (document["runs"], document["unread"]["olderRuns"], document["proposal"]) == (6, True, None)


def test_an_agents_runs_and_settings(tmp_path: Path, guardctl: Any) -> None:
    own = {"id": "strict", "tools": {"loopDetection": {"warningThreshold": 4, "criticalThreshold": 6}}}
    with Daemon(tmp_path, {"agents": {"list": [own]}}).start() as daemon:
        play(daemon, "mains", [("make", 1)] * 6)
        play(daemon, "stricts", [("make", 1)] * 6, agent="strict")
        daemon.ask("run.start", runId="empty", agentId="strict")
        socket = ("--socket", str(daemon.socket))
        document = json.loads(guardctl("tune", *socket, "--agent", "strict", "--json").stdout)
        everybody = guardctl("tune", *socket)
    assert (document["runs"], document["unread"]["runsWithoutCalls"]) == (1, 1)
    assert document["present"]["warningThreshold"] == 4
    (present,) = [one for one in document["candidates"] if one["isPresent"]]
    assert present["criticalThreshold"] == 6
    assert present["globalCircuitBreakerThreshold"] == 30
    assert present["warned"] == {"runs": 1, "calls": 2, "progress": 0, "stuck": 1, "cutShort": 0}
    assert "Thresholds of their own hold for strict: tune those with --agent." in everybody.stderr
    assert "Loop detection is off now: runs are judged as if it were on." in everybody.stderr
    assert "1 run without a call left out." in everybody.stderr


def test_a_daemon_without_runs(tmp_path: Path, guardctl: Any) -> None:
    with Daemon(tmp_path).start() as daemon:
        result = guardctl("tune", "--socket", str(daemon.socket))
        document = json.loads(guardctl("tune", "--socket", str(daemon.socket), "--json").stdout)
    assert (result.exit_code, result.stdout) == (0, "")
    assert "No calls to judge yet: nothing to propose." in result.stderr
    assert (document["runs"], document["proposal"]) == (0, None)


def test_no_daemon(guardctl: Any) -> None:
    assert guardctl("tune").exit_code == 3


def test_a_run_that_is_deleted_meanwhile(
    daemon: Any, make_run: Any, make_call: Any, refuse: Any, guardctl: Any
) -> None:
    prints = {"signature": "a" * 32, "outcome": "b" * 32, "missingTool": None, "isPoll": False}

    def history(params: dict[str, Any]) -> Any:
        if params["run"] == "default/gone":
            return refuse(-32003, "no run", kind="run_not_found")
        return {"run": "kept", "calls": [make_call(seq, **prints) for seq in range(7, 12)], "markers": []}

    daemon.answers |= {
        "run.list": {"runs": [make_run("gone"), make_run("kept")]},
        "run.history": history,
        "config.get": trial(None).describe(),
    }
    result = guardctl("tune")
    assert "1 run deleted meanwhile.\n" in result.stderr
    assert "Of 1 run only the newest calls are still kept.\n" in result.stderr
    assert "1 run · 5 calls" in result.stdout
    (run,) = json.loads(guardctl("tune", "--json").stdout)["candidates"][0]["concerned"]
    assert run["warned"]["seq"] == 10


def test_recorded_transcripts(guardctl: Any) -> None:
    result = guardctl("tune", *(str(file) for file in sorted(TRACES.iterdir())), "--json")
    document = json.loads(result.stdout)
    assert document["runs"] == 125
    assert document["proposal"] == {
        "warningThreshold": 4,
        "criticalThreshold": 8,
        "globalCircuitBreakerThreshold": 12,
    }


def episodes(directory: Path, *runs: int) -> str:
    """A file of loops, each so many calls long."""
    call = {"tool": "bash", "args": {"command": "ls"}, "result": "a"}
    file = directory / "episodes.jsonl"
    file.write_text("\n".join([*(json.dumps({"calls": [call] * times}) for times in runs), "{cut off"]))
    return str(file)


def test_files_that_cannot_be_read_whole(guardctl: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n")
    result = guardctl("tune", episodes(tmp_path, 5, 1), str(tmp_path / "notes.md"))
    assert result.exit_code == 1
    assert "2 runs · 6 calls · 1 run without repeats that matter" in result.stdout
    assert "2 skipped (not JSON 2).\n" in result.stderr
    words = "guardctl: no transcript that guardd knows: "
    assert words in result.stderr
    assert "guardctl replay --help lists the formats" in result.stderr
    assert "10/20/30, the default, stands." in " ".join(result.stdout.split())


def test_present_settings_from_a_file_and_a_longer_history(guardctl: Any, tmp_path: Path) -> None:
    config = tmp_path / "guardd.json5"
    config.write_text("{tools: {loopDetection: {enabled: true, historySize: 60, warningThreshold: 7}}}")
    result = guardctl("tune", episodes(tmp_path, 50), "--config", str(config), "--json")
    document = json.loads(result.stdout)
    tried = [one["globalCircuitBreakerThreshold"] for one in document["candidates"]]
    assert tried == [9, 12, 15, 30, 24, 30, 45, 60]
    assert document["present"]["known"]


def test_an_agents_block_to_paste(guardctl: Any, tmp_path: Path) -> None:
    result = guardctl("tune", episodes(tmp_path, *[5] * 50), "--agent", 'a "b"')
    assert '  agents: { list: [{ id: "a \\"b\\"", tools: { loopDetection: {\n' in result.stdout
    assert 'agent a "b"' in result.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--candidate", "5/10"], 2, "'5/10' is not of three whole numbers above 0, such as 5/10/15."),
        (["--candidate", "0/10/20"], 2, "above 0"),
        (["--candidate", f"5/10/{'9' * 5000}"], 2, "above 0"),
        (["--limit", "9" * 5000], 2, "neither a whole number above 0 nor 'all'"),
        (["--candidate", "5/10/99999999999999999999"], 1, "globalCircuitBreakerThreshold"),
        (["-", "-"], 2, "only once"),
        (["x", "--since", "2h"], 2, "do not go with files"),
        (["x", "--limit", "2"], 2, "do not go with files"),
        (["x", "--db", "y"], 2, "do not go with files"),
        (["nowhere.jsonl"], 5, "there is no file nowhere.jsonl"),
        (["--db", "nowhere.db"], 5, "there is no database"),
        ([str(TRACES / "swe-agent.traj.gz"), "--config", "nowhere.json5"], 5, "nowhere.json5"),
        ([str(TRACES)], 1, "directory"),
    ],
)
def test_mistakes(guardctl: Any, real: Daemon, arguments: list[str], status: int, message: str) -> None:
    result = guardctl("tune", *arguments, GUARDD_SOCKET=str(real.socket))
    assert result.exit_code == status
    assert message in " ".join(result.stderr.split())
    assert "internal error" not in result.stderr


def test_candidates_that_cannot_work_as_they_look(tune: Any) -> None:
    words = " ".join(tune("--candidate", "5/2/1", "--candidate", "20/40/60").stderr.split())
    assert "5/2/1 is tried as 5/6/7: each threshold is raised above the one before it." in words
    assert "20/40/60: criticalThreshold, globalCircuitBreakerThreshold above historySize, 30:" in words


def test_a_long_history_has_a_progress_bar_on_a_terminal(real: Daemon) -> None:
    ours, theirs = pty.openpty()
    code = "from guardd.cli.guardctl import main; main()"
    command = [sys.executable, "-c", code, "tune", "--json", "--socket", str(real.socket)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    with open(ours, "rb", buffering=0) as terminal:  # noqa: PTH123 - a descriptor
        drawn = terminal.read(100_000)
    assert b"judging" in drawn
    assert json.loads(done.stdout)["runs"] == 50
