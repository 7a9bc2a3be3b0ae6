"""The settings: what each may be is asked of what takes it, and when it takes effect of the daemon."""

import json
from dataclasses import is_dataclass, replace
from typing import Any

from support.markdown import code, table

from guardd.config import parse
from guardd.config.fields import Field
from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.kinds import Kind, Mismatch
from guardd.config.loop_fields import LOOP_FIELDS
from guardd.daemon.server import _READ_AT_START

NOTABLE = 10**6
"""A limit below this is worth telling: one may come near it."""


def table_of_settings() -> str:
    rows = [("**`tools.loopDetection`**", "", "", "Of everybody; in an agent's block, of that agent.")]
    rows += [_row(field) for field in LOOP_FIELDS.values()]
    rows.append(
        ("**`guardd`**", "", "", "What is marked * takes effect at the next start, the rest when reloaded.")
    )
    rows += [_row(field, star="*" if waits_for_start(field) else "") for field in GUARDD_FIELDS.values()]
    return table(("setting", "values", "default", "meaning"), rows)


def _row(field: Field, star: str = "") -> tuple[str, str, str, str]:
    default = "" if field.default is None else code(json.dumps(field.default))
    return f"{code(field.key)}{star}", expected(field.kind), default, field.meaning


def expected(kind: Kind) -> str:
    """What a setting may be, in the words of its own complaint."""
    said = _complaint(kind, object())
    if said == "a list":
        return f"a list, each {_complaint(kind, [object()])}"
    largest = _complaint(kind, NOTABLE).partition("a whole number of ")[2]
    return f"{said}, {largest}" if largest.startswith("at most") else said


def _complaint(kind: Kind, value: object) -> str:
    try:
        kind(value)
    except Mismatch as mismatch:
        return str(mismatch).rpartition("expected ")[2].replace("'", "`")
    return ""


def waits_for_start(field: Field) -> bool:
    """Whether the daemon reads a setting of the `guardd` section only when it starts."""
    settings = parse("{}").settings
    changed = _changed(settings, field.attribute.split("."))
    return any(read(settings) != read(changed) for read in _READ_AT_START.values())


def _changed(settings: Any, steps: list[str]) -> Any:
    assert is_dataclass(settings)
    first, *rest = steps
    return replace(settings, **{first: _changed(getattr(settings, first), rest) if rest else object()})
