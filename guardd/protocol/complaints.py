"""What the decoder says about bad parameters, in people's words."""

import re
from collections.abc import Mapping, Sequence

from guardd.protocol.errors import InvalidParams

_PATH = re.compile(r"(?P<why>.*) - at `\$\.(?P<field>[^.\[`]+)[^`]*`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<field>[^`]+)`")
_WRONG_TYPE = re.compile(r"Expected `(?P<wanted>[^`]+)`, got `(?P<got>[^`]+)`")
_OUT_OF_BOUNDS = re.compile(r"Expected `(?:int|float)` (?P<relation><=|>=) (?P<bound>\S+)")
_LENGTH = re.compile(r"Expected `str` of length (?P<relation><=|>=) (?P<bound>\d+)")

_KINDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
    "datetime": "an RFC 3339 time such as 2026-07-01T12:00:00Z",
}
_GIVEN = _KINDS | {"int": "a number", "float": "a number with a fraction"}
_TIME = _KINDS["datetime"]


def translate(text: str, allowed: Mapping[str, Sequence[str]]) -> InvalidParams:
    """The error to answer for what the decoder said.

    Args:
        text: The text of its exception.
        allowed: For each field of the params that takes one of a few strings, these.
    """
    missing = _MISSING.fullmatch(text)
    if missing is not None:
        return InvalidParams(f"{missing['field']} is required", missing["field"])
    located = _PATH.fullmatch(text)
    if located is None:
        return InvalidParams("the parameters must be given by name, in an object")
    field = located["field"]
    return InvalidParams(f"{field} {_reason(located['why'], allowed.get(field, ()))}", field)


def _reason(why: str, allowed: Sequence[str]) -> str:
    wrong_type = _WRONG_TYPE.fullmatch(why)
    if wrong_type is not None:
        return (
            f"must be {_kinds(wrong_type['wanted'])}, not {_GIVEN.get(wrong_type['got'], wrong_type['got'])}"
        )
    if why.startswith("Invalid enum value"):
        return f"must be one of: {', '.join(allowed)}"
    if why == "Invalid RFC3339 encoded datetime":
        return f"must be {_TIME}"
    if why == "Expected `datetime` with a timezone component":
        return f"must be {_TIME}, with its offset from UTC"
    return _bounds(why)


def _bounds(why: str) -> str:
    bounds = _OUT_OF_BOUNDS.fullmatch(why)
    if bounds is not None:
        bound = bounds["bound"].removesuffix(".0")
        return f"must be {bound} or {'less' if bounds['relation'] == '<=' else 'more'}"
    length = _LENGTH.fullmatch(why)
    if length is not None and length["relation"] == "<=":
        return f"must be at most {length['bound']} characters long"
    if length is not None:
        return "must not be empty"
    if why.endswith("out of range"):
        return "is out of range"
    return "is not valid"


def _kinds(names: str) -> str:
    kinds = set(names.split(" | ")) - {"null"} or {"null"}
    if {"int", "float"} <= kinds:
        kinds.discard("int")
    return " or ".join(_KINDS.get(kind, kind) for kind in sorted(kinds))
