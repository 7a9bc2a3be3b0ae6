"""From layers to effective settings: overlaying, raising thresholds, and seeing what cannot work."""

from collections.abc import Iterable, Mapping
from typing import Any

from guardd.config.fields import GUARDD_FIELDS, LOOP_FIELDS, Field
from guardd.config.layers import Layer, Setting
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


def resolve_loop(layers: Iterable[Layer]) -> Layer:
    """Lay loop detection's layers over its defaults, the last on top, and raise thresholds if needed."""
    resolved = _overlaid(LOOP_FIELDS, layers)
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
    window = resolved["postCompactionGuard.windowSize"]
    if window.value == 1:
        warnings.append(
            f"postCompactionGuard.windowSize is 1 ({window.origin}): "
            "the first outcome after a compaction aborts the run, whatever it is"
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
