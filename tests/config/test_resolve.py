import pytest

from guardd.config.layers import Layer, Setting
from guardd.config.resolve import (
    WITHIN_HISTORY,
    guardd_settings,
    guardd_warnings,
    loop_settings,
    loop_warnings,
    resolve_guardd,
    resolve_loop,
)


def layer(origin: str = "f", /, **values: object) -> Layer:
    return {key.replace("__", "."): Setting(value, origin) for key, value in values.items()}


def test_defaults():
    resolved = resolve_loop([])
    assert {setting.origin for setting in resolved.values()} == {"default"}
    assert (resolved["historySize"].value, resolved["enabled"].value) == (30, None)


def test_later_layers_come_over_earlier_ones_field_by_field():
    resolved = resolve_loop(
        [
            layer(
                "global",
                enabled=True,
                historySize=50,
                detectors__pingPong=False,
                detectors__genericRepeat=False,
            ),
            layer("agent", historySize=60, detectors__genericRepeat=True, postCompactionGuard__windowSize=5),
        ]
    )
    assert {key: setting for key, setting in resolved.items() if setting.origin != "default"} == {
        "enabled": (True, "global"),
        "historySize": (60, "agent"),
        "detectors.pingPong": (False, "global"),
        "detectors.genericRepeat": (True, "agent"),
        "postCompactionGuard.windowSize": (5, "agent"),
    }


@pytest.mark.parametrize(
    ("configured", "critical", "breaker"),
    [
        pytest.param({}, (20, "default"), (30, "default"), id="defaults"),
        pytest.param({"warningThreshold": 19}, (20, "default"), (30, "default"), id="critical is just above"),
        pytest.param(
            {"warningThreshold": 20},
            (21, "default (raised from 20 to 21, above warningThreshold)"),
            (30, "default"),
            id="critical is equal",
        ),
        pytest.param(
            {"criticalThreshold": 5},
            (11, "f (raised from 5 to 11, above warningThreshold)"),
            (30, "default"),
            id="critical is below",
        ),
        pytest.param(
            {"criticalThreshold": 30},
            (30, "f"),
            (31, "default (raised from 30 to 31, above criticalThreshold)"),
            id="breaker is equal",
        ),
        pytest.param(
            {"criticalThreshold": 7, "warningThreshold": 5, "globalCircuitBreakerThreshold": 6},
            (7, "f"),
            (8, "f (raised from 6 to 8, above criticalThreshold)"),
            id="breaker is below",
        ),
        pytest.param(
            {"warningThreshold": 5, "criticalThreshold": 5, "globalCircuitBreakerThreshold": 5},
            (6, "f (raised from 5 to 6, above warningThreshold)"),
            (7, "f (raised from 5 to 7, above criticalThreshold)"),
            id="one pushes the other",
        ),
    ],
)
def test_thresholds_are_raised_above_the_lower_ones(
    configured: dict[str, object], critical: tuple[int, str], breaker: tuple[int, str]
):
    resolved = resolve_loop([layer(**configured)])
    assert (resolved["criticalThreshold"], resolved["globalCircuitBreakerThreshold"]) == (critical, breaker)
    settings = loop_settings(resolved)
    assert (settings.critical_threshold, settings.global_circuit_breaker_threshold) == (
        critical[0],
        breaker[0],
    )


def test_thresholds_are_raised_after_overlaying():
    resolved = resolve_loop([layer("global", criticalThreshold=5), layer("agent", warningThreshold=3)])
    assert resolved["criticalThreshold"] == (5, "global")


@pytest.mark.parametrize("key", WITHIN_HISTORY)
def test_a_threshold_above_the_history_is_warned_of(key: str):
    roomy = layer(historySize=100, warningThreshold=1, criticalThreshold=2)
    warnings = loop_warnings(resolve_loop([roomy, layer("here", **{key: 101})]))
    assert f"{key} is 101 (here), above historySize, 100 (f): it can never be reached" in warnings
    at_most = loop_warnings(resolve_loop([roomy, layer("here", **{key: 100})]))
    assert not [line for line in at_most if line.startswith(key)]


def test_a_raised_threshold_can_be_out_of_reach():
    (warning,) = loop_warnings(resolve_loop([layer(historySize=30, criticalThreshold=30)]))
    assert warning == (
        "globalCircuitBreakerThreshold is 31 (default (raised from 30 to 31, above criticalThreshold)), "
        "above historySize, 30 (f): it can never be reached"
    )


def test_defaults_can_be_out_of_reach():
    warnings = loop_warnings(resolve_loop([layer(historySize=15)]))
    assert warnings == [
        "criticalThreshold is 20 (default), above historySize, 15 (f): it can never be reached",
        "globalCircuitBreakerThreshold is 30 (default), above historySize, 15 (f): it can never be reached",
    ]


def test_a_window_of_one_is_warned_of():
    (warning,) = loop_warnings(resolve_loop([layer(postCompactionGuard__windowSize=1)]))
    assert warning == (
        "postCompactionGuard.windowSize is 1 (f): "
        "the first outcome after a compaction aborts the run, whatever it is"
    )
    assert loop_warnings(resolve_loop([layer(postCompactionGuard__windowSize=2)])) == []


def test_frames_that_the_buffer_never_holds_are_warned_of():
    assert guardd_warnings(resolve_guardd({})) == []
    assert guardd_warnings(resolve_guardd(layer(limits__frameMB=256))) == []
    assert guardd_warnings(resolve_guardd(layer(limits__frameMB=257))) == [
        "limits.frameMB is 257 (f), above limits.bufferMB, 256 (default): the largest frames are never read"
    ]


def test_settings_of_guardds_own():
    settings = guardd_settings(resolve_guardd(layer(mode="observe", limits__frameMB=1, sendingTools=("a",))))
    assert (settings.mode, settings.limits.frame_mb, settings.sending_tools) == ("observe", 1, ("a",))
    assert (settings.database.durability, settings.retention.days) == ("normal", 14)
