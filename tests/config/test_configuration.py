import json

import pytest

from guardd.config import Config, parse
from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.loop_fields import LOOP_FIELDS

FILE = "/etc/guardd/guardd.json5"


def config(text: str) -> Config:
    return parse(text, FILE)


AGENTS = """{
    tools: {loopDetection: {enabled: true, warningThreshold: 5, detectors: {pingPong: false}}},
    agents: {
        list: [
            {id: "Safe-Runner", tools: {loopDetection: {warningThreshold: 8, criticalThreshold: 16}}},
            {id: "plain"},
        ],
        entries: {quiet: {tools: {loopDetection: {enabled: false, postCompactionGuard: {windowSize: 6}}}}},
    },
}"""


@pytest.mark.parametrize(
    ("agent_id", "expected"),
    [
        (None, (True, 5, 20, False, 3)),
        ("nobody", (True, 5, 20, False, 3)),
        ("", (True, 5, 20, False, 3)),
        ("plain", (True, 5, 20, False, 3)),
        ("Safe-Runner", (True, 8, 16, False, 3)),
        ("safe-runner", (True, 8, 16, False, 3)),
        (" SAFE-RUNNER", (True, 8, 16, False, 3)),
        ("quiet", (False, 5, 20, False, 6)),
    ],
)
def test_what_holds_for_an_agent(agent_id: str | None, expected: tuple[object, ...]):
    loop = config(AGENTS).loop_settings(agent_id)
    assert (
        loop.enabled,
        loop.warning_threshold,
        loop.critical_threshold,
        loop.ping_pong,
        loop.compaction_window,
    ) == expected


def test_looking_up_makes_nothing_new():
    loaded = config(AGENTS)
    assert loaded.loop_settings("quiet") is loaded.loop_settings("quiet")
    assert loaded.loop_settings("nobody") is loaded.loop_settings(None)


def test_agents_are_listed_as_they_are_written():
    assert config(AGENTS).agents == ("Safe-Runner", "plain", "quiet")


def test_an_agent_with_null_takes_what_holds_for_everybody():
    text = """{
        tools: {loopDetection: {enabled: true}},
        agents: {entries: {a: {tools: {loopDetection: {enabled: null}}}}},
    }"""
    assert config(text).loop_settings("a").enabled is True


def test_describing_everybody():
    described = config("{tools: {loopDetection: {enabled: true, criticalThreshold: 5}}}").describe()
    assert (described["agentId"], described["path"], described["warnings"]) == (None, FILE, [])
    values = described["values"]
    assert values["tools.loopDetection.enabled"] == {
        "value": True,
        "origin": f"{FILE}: tools.loopDetection.enabled",
    }
    assert values["tools.loopDetection.criticalThreshold"] == {
        "value": 11,
        "origin": (
            f"{FILE}: tools.loopDetection.criticalThreshold (raised from 5 to 11, above warningThreshold)"
        ),
    }
    assert values["tools.loopDetection.postCompactionGuard.windowSize"] == {"value": 3, "origin": "default"}
    assert values["guardd.limits.frameMB"] == {"value": 16, "origin": "default"}
    assert len(values) == len(LOOP_FIELDS) + len(GUARDD_FIELDS)


def test_describing_an_agent():
    described = config(AGENTS).describe("safe-runner")
    assert described["agentId"] == "safe-runner"
    values = described["values"]
    assert values["tools.loopDetection.warningThreshold"] == {
        "value": 8,
        "origin": f"{FILE}: agents.list[id=Safe-Runner].tools.loopDetection.warningThreshold",
    }
    assert values["tools.loopDetection.detectors.pingPong"] == {
        "value": False,
        "origin": f"{FILE}: tools.loopDetection.detectors.pingPong",
    }


def test_a_description_is_json():
    text = "{guardd: {socket: {path: 's', gateways: ['u']}, inherit: null}}"
    values = json.loads(json.dumps(config(text).describe()))["values"]
    assert values["guardd.socket.path"]["value"] == "/etc/guardd/s"
    assert values["guardd.socket.gateways"]["value"] == ["u"]
    assert values["guardd.inherit"] == {"value": None, "origin": "default"}


def test_warnings_name_the_agent_that_alone_has_them():
    loaded = config(
        """{
        tools: {loopDetection: {enabled: true, historySize: 25}},
        agents: {entries: {
            same: {},
            Small: {tools: {loopDetection: {historySize: 19}}},
            one: {tools: {loopDetection: {postCompactionGuard: {windowSize: 1}}}},
        }},
        guardd: {limits: {bufferMB: 8}},
        }"""
    )
    shared = "globalCircuitBreakerThreshold is 30 (default), above historySize, 25"
    assert [line.split(f" ({FILE}")[0] for line in loaded.warnings] == [
        "limits.frameMB is 16 (default), above limits.bufferMB, 8",
        shared,
        "agent Small: criticalThreshold is 20 (default), above historySize, 19",
        "agent Small: globalCircuitBreakerThreshold is 30 (default), above historySize, 19",
        "agent one: postCompactionGuard.windowSize is 1",
    ]
    assert loaded.describe()["warnings"] == list(loaded.warnings[:2])
    assert loaded.describe("nobody")["warnings"] == list(loaded.warnings[:2])
    assert loaded.describe("Small")["warnings"] == [loaded.warnings[0], *loaded.warnings[2:4]]


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("{tools: {loopDetection: {enabled: true}}}", None),
        (
            "{}",
            (
                f"{FILE} leaves tools.loopDetection.enabled unset: agents that do not set it "
                "have only the post-compaction guard; true switches the rolling detectors on"
            ),
        ),
        (
            "{tools: {loopDetection: {enabled: false}}}",
            (
                f"tools.loopDetection.enabled is false ({FILE}: tools.loopDetection.enabled): "
                "agents that do not set it are not watched"
            ),
        ),
        (
            "{tools: {loopDetection: {enabled: true}}, guardd: {mode: 'observe'}}",
            f"guardd.mode is 'observe' ({FILE}: guardd.mode): every call is allowed",
        ),
    ],
)
def test_notes(text: str, note: str | None):
    assert config(text).notes == (() if note is None else (note,))


def test_its_text_is_short():
    assert "_loops" not in repr(config(AGENTS))


def test_the_extended_profile_changes_defaults_and_no_more():
    found = config("{guardd: {profile: 'extended'}, tools: {loopDetection: {detectors: {cycle: false}}}}")
    settings = found.loop_settings(None)
    assert (settings.cycle, settings.same_error, settings.volatile_text) == (False, True, True)
    values = found.describe()["values"]
    assert values["tools.loopDetection.detectors.sameError"] == {
        "value": True,
        "origin": f"guardd.profile ({FILE}: guardd.profile)",
    }
    assert not config("{}").loop_settings(None).looks_beyond


def test_a_long_cycle_needs_a_long_history():
    (warning,) = config("{tools: {loopDetection: {detectors: {cycle: true}}}}").warnings
    assert warning == (
        "cycle.critical is 4 (default), which cycles of more than 7 calls do not reach: for those of 8, historySize "
        "would have to be 31, not 30 (default)"
    )
    assert not config("{tools: {loopDetection: {historySize: 31, detectors: {cycle: true}}}}").warnings


def test_thresholds_beyond_the_history_are_warned_of_where_their_rule_is_on():
    block = "historySize: 9, warningThreshold: 1, criticalThreshold: 2, unknownToolThreshold: 1, {}"
    block = block.format(
        "globalCircuitBreakerThreshold: 3, detectors: {sameError: %s, identicalMutation: %s}"
    )
    on, off = (
        config("{tools: {loopDetection: {%s}}}" % (block % (switch, switch))).warnings
        for switch in ("true", "false")
    )
    assert off == ()
    assert [warning.split()[0] for warning in on] == ["sameError.critical", "errorCascade.warning"]
