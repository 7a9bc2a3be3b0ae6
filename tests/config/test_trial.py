import json

import pytest

from guardd.config import ConfigError
from guardd.config.trial import SWITCHED_ON, trial


def write(path, **document):
    path.write_text(json.dumps(document))
    return path


def test_the_defaults_with_detection_on():
    config = trial(None)
    settings = config.loop_settings(None)
    assert (settings.enabled, settings.warning_threshold, config.path) == (True, 10, None)
    assert config.describe()["values"]["tools.loopDetection.enabled"] == {
        "value": True,
        "origin": SWITCHED_ON,
    }


@pytest.mark.parametrize(
    ("key", "attribute", "text", "value"),
    [
        ("warningThreshold", "warning_threshold", "8", 8),
        ("tools.loopDetection.historySize", "history_size", " 40 ", 40),
        ("detectors.pingPong", "ping_pong", "false", False),
        ("postCompactionGuard.windowSize", "compaction_window", "5", 5),
        ("enabled", "enabled", "false", False),
        ("enabled", "enabled", "null", True),
    ],
)
def test_a_change(key, attribute, text, value):
    assert getattr(trial(None, [f"{key}={text}"]).loop_settings("any"), attribute) == value


def test_changes_stand_above_the_file_and_its_agents(tmp_path):
    base = write(
        tmp_path / "base.json", agents={"list": [_agent("Low", warningThreshold=4, criticalThreshold=9)]}
    )
    path = write(
        tmp_path / "own.json",
        guardd={"inherit": str(base)},
        tools={"loopDetection": {"enabled": False, "warningThreshold": 5}},
        agents={"list": [_agent("high", warningThreshold=50)]},
    )
    config = trial(path, ["warningThreshold=6"])
    assert [config.loop_settings(name).warning_threshold for name in (None, "high", "low")] == [6, 6, 6]
    assert config.loop_settings("low").critical_threshold == 9
    assert config.loop_settings(None).enabled is False
    unchanged = trial(path)
    assert [unchanged.loop_settings(name).warning_threshold for name in (None, "high", "low")] == [5, 50, 4]


def _agent(name, **loop):
    return {"id": name, "tools": {"loopDetection": loop}}


def test_a_threshold_is_raised_from_what_the_file_says(tmp_path):
    path = write(
        tmp_path / "own.json", tools={"loopDetection": {"warningThreshold": 10, "criticalThreshold": 5}}
    )
    assert trial(path).loop_settings(None).critical_threshold == 11
    assert trial(path, ["warningThreshold=3"]).loop_settings(None).critical_threshold == 5


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["warningThreshold=x"], "--set: tools.loopDetection.warningThreshold: expected a whole number"),
        (["warningThreshold=0"], "got 0"),
        (["warnigThreshold=3"], "the nearest known one is 'warningThreshold'"),
        (["warningThreshold"], "--set: expected KEY=VALUE, as in warningThreshold=8; got 'warningThreshold'"),
        (["=3"], "expected KEY=VALUE"),
        (["detectors=1", "detectors.pingPong=true"], "detectors is a value"),
        (["detectors=1"], "expected an object"),
    ],
)
def test_a_change_that_cannot_be(changes, message):
    with pytest.raises(ConfigError) as caught:
        trial(None, changes)
    assert message in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ConfigError, match=r"nowhere\.json5"):
        trial(tmp_path / "nowhere.json5")
