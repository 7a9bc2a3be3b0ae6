"""From layers to effective settings: overlaying, raising thresholds, and seeing what cannot work."""

from collections.abc import Iterable, Mapping
from typing import Any

from guardd.config.fields import Field
from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.layers import Layer, Setting
from guardd.config.loop_fields import LOOP_FIELDS
from guardd.config.settings import (
    DatabaseSettings,
    LimitSettings,
    LoopSettings,
    NotifySettings,
    PrivacySettings,
    RetentionSettings,
    Settings,
    SocketSettings,
)

RAISED = (
    ("criticalThreshold", "warningThreshold"),
    ("globalCircuitBreakerThreshold", "criticalThreshold"),
    ("cycle.critical", "cycle.warning"),
    ("identicalMutation.critical", "identicalMutation.warning"),
    ("sameError.critical", "sameError.warning"),
)
"""The first of each pair is raised to one above the second where it is not above it, in this order."""

WITHIN_HISTORY = (
    "warningThreshold",
    "criticalThreshold",
    "unknownToolThreshold",
    "globalCircuitBreakerThreshold",
)
"""What counts calls of the window, and so never counts more than `historySize`."""


NEVER_REACHED = "it can never be reached"
"""How the warning about a threshold that nothing can count up to ends."""


BEYOND = (
    "detectors.volatileText",
    "detectors.cycle",
    "detectors.identicalMutation",
    "detectors.sameError",
    "detectors.progressReset",
)
"""What `guardd.profile: "extended"` switches on."""

DOCUMENTED = Setting("documented", "default")
"""What `guardd.profile` is where no file says."""

LONGEST_PERIOD = 8
"""Of a cycle, in calls."""


def resolve_loop(layers: Iterable[Layer], profile: Setting = DOCUMENTED) -> Layer:
    """Lay loop detection's layers over its defaults, the last on top, and raise thresholds if needed.

    Args:
        layers: what files set.
        profile: `guardd.profile`, which changes the defaults.
    """
    on: Layer = {}
    if profile.value == "extended":
        on = {key: Setting(True, f"guardd.profile ({profile.origin})") for key in BEYOND}
    resolved = _overlaid(LOOP_FIELDS, [on, *layers])
    for key, lower in RAISED:
        value, origin = resolved[key]
        least = resolved[lower].value + 1
        if value < least:
            resolved[key] = Setting(least, f"{origin} (raised from {value} to {least}, above {lower})")
    return resolved


def resolve_guardd(layer: Layer) -> Layer:
    """Lay guardd's own settings over their defaults."""
    return _overlaid(GUARDD_FIELDS, [layer])


def loop_settings(resolved: Layer) -> LoopSettings:
    """Return resolved loop detection as the detectors take it."""
    return LoopSettings(**{field.attribute: resolved[field.key].value for field in LOOP_FIELDS.values()})


def guardd_settings(resolved: Layer) -> Settings:
    """Return guardd's own settings as the rest of it takes them."""
    top: dict[str, Any] = {}
    sections: dict[str, dict[str, Any]] = {}
    for field in GUARDD_FIELDS.values():
        section, _, attribute = field.attribute.rpartition(".")
        (sections.setdefault(section, {}) if section else top)[attribute] = resolved[field.key].value
    return Settings(
        socket=SocketSettings(**sections["socket"]),
        database=DatabaseSettings(**sections["database"]),
        privacy=PrivacySettings(**sections["privacy"]),
        retention=RetentionSettings(**sections["retention"]),
        limits=LimitSettings(**sections["limits"]),
        notify=NotifySettings(**sections["notify"]),
        **top,
    )


def loop_warnings(resolved: Layer) -> list[str]:
    """Say what in resolved loop detection cannot do what it looks like."""
    history = resolved["historySize"]
    warnings = [
        f"{key} is {resolved[key].value} ({resolved[key].origin}), above historySize, "
        f"{history.value} ({history.origin}): {NEVER_REACHED}"
        for key in WITHIN_HISTORY
        if resolved[key].value > history.value
    ]
    warnings += _further_warnings(resolved, history)
    window = resolved["postCompactionGuard.windowSize"]
    if window.value == 1:
        warnings.append(
            f"postCompactionGuard.windowSize is 1 ({window.origin}): "
            "the first outcome after a compaction aborts the run, whatever it is"
        )
    return warnings


def _further_warnings(resolved: Layer, history: Setting) -> list[str]:
    """Say what of the detectors beyond the documented ones can never be reached."""
    needed = {
        "identicalMutation.critical": resolved["identicalMutation.critical"].value - 1,
        "sameError.critical": resolved["sameError.critical"].value,
        "errorCascade.warning": resolved["errorCascade.warning"].value,
    }
    switches = {
        "identicalMutation.critical": "identicalMutation",
        "sameError.critical": "sameError",
        "errorCascade.warning": "sameError",
    }
    warnings = [
        f"{key} is {resolved[key].value} ({resolved[key].origin}), for which historySize, {history.value} "
        f"({history.origin}), would have to be {least}: {NEVER_REACHED}"
        for key, least in needed.items()
        if resolved[f"detectors.{switches[key]}"].value and least > history.value
    ]
    rounds = resolved["cycle.critical"]
    least = rounds.value * LONGEST_PERIOD - 1
    if resolved["detectors.cycle"].value and least > history.value:
        longest = (history.value + 1) // rounds.value
        warnings.append(
            f"cycle.critical is {rounds.value} ({rounds.origin}), which cycles of more than {longest} calls do not "
            f"reach: for those of {LONGEST_PERIOD}, historySize would have to be {least}, not {history.value} "
            f"({history.origin})"
        )
    return warnings


def guardd_warnings(resolved: Layer) -> list[str]:
    """Say what in guardd's own settings cannot do what it looks like."""
    frame, buffer = resolved["limits.frameMB"], resolved["limits.bufferMB"]
    if frame.value <= buffer.value:
        return []
    warning = (
        f"limits.frameMB is {frame.value} ({frame.origin}), above limits.bufferMB, "
        f"{buffer.value} ({buffer.origin}): the largest frames are never read"
    )
    return [warning]


def _overlaid(table: Mapping[str, Field], layers: Iterable[Layer]) -> Layer:
    overlaid = {field.key: Setting(field.default, "default") for field in table.values()}
    for layer in layers:
        overlaid |= layer
    return overlaid
