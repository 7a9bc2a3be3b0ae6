import json
from typing import Any

import pytest

EXPLAINED = {
    "run": "3f2a9c71",
    "seq": 7,
    "action": "block",
    "detector": "generic_repeat",
    "counted": [1, 2, 3, 4, 5, 6],
    "thresholds": {
        "criticalThreshold": {
            "value": 6,
            "origin": "/etc/guardd/guardd.json5: tools.loopDetection.criticalThreshold",
        },
        "historySize": {"value": 30, "origin": "default"},
    },
    "text": "Call 7, `🔧\x1b`, was blocked.\n"
    "generic_repeat counted 6 calls with the same arguments and the same outcome each time: 1-6.\n"
    "With criticalThreshold at 7 or more it would have been let through with a warning by generic_repeat.",
}

WIDE = """\
3f2a9c71 · call 7 · BLOCK · generic_repeat
Call 7, `🔧\\e`, was blocked.
generic_repeat counted 6 calls with the same arguments and the same outcome each time: 1-6.
With criticalThreshold at 7 or more it would have been let through with a warning by
  generic_repeat.

SETTING            NOW  SET BY
criticalThreshold    6  /etc/guardd/guardd.json5: tools.loopDetection
historySize         30  default
"""

NARROW = """\
3f2a9c71 · call 7 · BLOCK
  generic_repeat
Call 7, `🔧\\e`, was blocked.
generic_repeat counted 6 calls with
  the same arguments and the same
  outcome each time: 1-6.
With criticalThreshold at 7 or more it
  would have been let through with a
  warning by generic_repeat.

SETTING            NOW
  SET BY
criticalThreshold    6
  /etc/guardd/guardd.json5:
  tools.loopDetection
historySize         30
  default
"""


@pytest.mark.parametrize(("columns", "screen"), [("120", WIDE), ("40", NARROW)])
def test_for_people(daemon: Any, guardctl: Any, columns: str, screen: str) -> None:
    daemon.answers["run.explain"] = EXPLAINED
    result = guardctl("explain", "latest", COLUMNS=columns)
    assert (result.stdout, result.stderr) == (screen, "")
    assert daemon.params("run.explain") == [{"run": "latest"}]


def test_the_verdict_is_coloured(daemon: Any, guardctl: Any) -> None:
    daemon.answers["run.explain"] = EXPLAINED
    assert "\x1b[31mBLOCK" in guardctl("explain", "latest", "--color", "always").stdout


def test_json_is_the_answer(daemon: Any, guardctl: Any) -> None:
    daemon.answers["run.explain"] = EXPLAINED
    assert json.loads(guardctl("explain", "3f2a", "7", "--json").stdout) == EXPLAINED
    assert daemon.params("run.explain") == [{"run": "3f2a", "seq": 7}]


def test_an_operators_abort_has_no_call_and_no_settings(daemon: Any, guardctl: Any) -> None:
    stopped = {
        "seq": None,
        "action": "abort",
        "detector": "operator",
        "thresholds": {},
        "text": "An operator.",
    }
    daemon.answers["run.explain"] = EXPLAINED | stopped
    assert guardctl("explain", "latest").stdout == "3f2a9c71 · ABORT · operator\nAn operator.\n"


def test_what_was_only_observed_stands_in_brackets(daemon: Any, guardctl: Any) -> None:
    daemon.answers["run.explain"] = EXPLAINED | {"action": "allow", "wouldBe": "block"}
    assert guardctl("explain", "latest").stdout.startswith("3f2a9c71 · call 7 · (BLOCK) · generic_repeat\n")


def test_a_call_that_is_not_there(daemon: Any, guardctl: Any, refuse: Any) -> None:
    daemon.answers["run.explain"] = refuse(-32602, "the run has no call 99", field="seq")
    result = guardctl("explain", "latest", "99")
    assert (result.stdout, result.exit_code) == ("", 5)
    assert "the run has no call 99" in result.stderr


@pytest.mark.parametrize("seq", ["0", "x", "9" * 20, "9" * 5000])
def test_a_call_is_a_number_above_0(guardctl: Any, seq: str) -> None:
    result = guardctl("explain", "latest", seq)
    assert result.exit_code == 2
    assert f"'{seq}' is no number of a call: those are whole numbers from 1." in result.stderr


def test_another_parameter_that_is_refused_is_not_a_call_that_is_not_there(
    daemon: Any, guardctl: Any, refuse: Any
) -> None:
    daemon.answers["run.explain"] = refuse(-32602, "the run has no calls yet", field="run")
    assert guardctl("explain", "latest").exit_code == 1


def test_a_long_setting_is_broken_between_its_words(daemon: Any, guardctl: Any) -> None:
    thresholds = {"globalCircuitBreakerThreshold": {"value": 30, "origin": "default"}}
    daemon.answers["run.explain"] = EXPLAINED | {"thresholds": thresholds}
    lines = guardctl("explain", "latest", COLUMNS="40").stdout.splitlines()[-2:]
    assert lines == ["globalCircuitBreaker         30  default", "Threshold"]


def test_it_asks_a_daemon(guardctl: Any) -> None:
    assert guardctl("--db", "x.db", "explain", "latest").exit_code == 2
