"""Right and wrong values for a method's parameters, by the schemas of the OpenRPC document."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from guardd.protocol.methods import METHODS
from guardd.protocol.openrpc import document

VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 1.5, -(2**63), 2**63 - 1, 2**63, 2**70, 1e308),
    *("", "t", "latest", "\N{SNOWMAN}", "\ud800", "\0", "a" * 600, "a" * 4097, "%s", "../../etc/passwd", "' or 1=1 --"),
    *([], {}, [1], {"a": [None]}, [[]] * 3, {"": ""}),
    *("2026-01-01T00:00:00Z", "2026-01-01T00:00:00+14:00", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z"),
    *("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "active", "completed", "warning", "ping_pong", "operator"),
]  # fmt: skip
_REQUIRED = {"toolName": "t", "status": "completed", "run": "r", "reason": "r", "path": "relative"}
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def cases() -> Iterator[tuple[str, str, dict[str, Any], bool]]:
    """Each method, a parameter, parameters with one value for it, and whether the schema takes that."""
    schemas = document()["components"]["schemas"]
    for method in document()["methods"]:
        params = method["params"]
        base = {param["name"]: _REQUIRED[param["name"]] for param in params if param["required"]}
        for param in params:
            for value in VALUES:
                optional_null = value is None and not param["required"]
                taken = optional_null or _accepts(param["schema"], value, schemas)
                yield method["name"], param["name"], base | {param["name"]: value}, taken


def not_named() -> Iterator[tuple[str, Any]]:
    """Each method, and parameters that are not given by name."""
    for name in METHODS:
        for value in VALUES:
            if not isinstance(value, dict) and value is not None:
                yield name, value


def _accepts(schema: dict[str, Any], value: Any, schemas: dict[str, Any]) -> bool:
    if "$ref" in schema:
        return _accepts(schemas[schema["$ref"].rpartition("/")[2]], value, schemas)
    for part in schema.get("allOf", ()):
        return _accepts(part, value, schemas)  # of one, which has a description beside it
    if "anyOf" in schema:
        return any(_accepts(part, value, schemas) for part in schema["anyOf"])
    if "enum" in schema:
        return value in schema["enum"] and not isinstance(value, bool)
    kind = schema.get("type")
    return kind is None or (_is_of(kind, value) and _is_within(schema, value))


def _is_of(kind: str, value: Any) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _is_within(schema: dict[str, Any], value: Any) -> bool:
    if isinstance(value, str):
        longest = schema.get("maxLength", len(value))
        is_moment = schema.get("format") != "date-time" or _is_moment(value)
        return schema.get("minLength", 0) <= len(value) <= longest and is_moment
    if isinstance(value, int | float):
        return schema.get("minimum", value) <= value <= schema.get("maximum", value)
    return True


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
