"""The JSON that is documented: the types of the protocol and of the commands' contract, field by field."""

import types
from collections.abc import Iterator
from datetime import datetime
from enum import Enum
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)
from typing import is_typeddict as is_typed_dict

import msgspec
from msgspec import UNSET, Meta, Raw, UnsetType

from guardd.protocol.descriptions import meanings

FEW = 4


class Member(NamedTuple):
    """A field of an object: its name in JSON, its type, whether it may be absent, what it then is, its meaning."""

    name: str
    kind: Any
    optional: bool
    default: Any
    meaning: str


def is_object(kind: Any) -> bool:
    """Whether a type is written out field by field."""
    return isinstance(kind, type) and (issubclass(kind, msgspec.Struct) or is_typed_dict(kind))


def members(kind: Any) -> list[Member]:
    """The fields of an object."""
    said = meanings(kind)
    if is_typed_dict(kind):
        hints = get_type_hints(kind, include_extras=True)
        return [
            Member(name, _there(hint), name in kind.__optional_keys__, None, said.get(name, ""))
            for name, hint in hints.items()
        ]
    return [
        Member(
            field.encode_name,
            field.type,
            not field.required,
            None if field.default in (UNSET, msgspec.NODEFAULT) else field.default,
            said.get(field.name, ""),
        )
        for field in msgspec.structs.fields(kind)
    ]


def alternatives(kind: Any) -> list[Any]:
    """The types that a value may be of; absence is none."""
    if get_origin(kind) in (Union, types.UnionType):
        return [one for part in get_args(kind) for one in alternatives(part)]
    return [] if kind is UnsetType else [kind]


def words_of(kind: Any) -> tuple[str, ...]:
    """The strings that a value can be, where they are a few."""
    if get_origin(kind) is Literal:
        return get_args(kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(member.value for member in kind)
    return tuple(_extra(kind).get("enum", ()))


def is_vocabulary(kind: Any) -> bool:
    """Whether a type is of so many words that they are told in one place."""
    return isinstance(kind, type) and issubclass(kind, Enum) and len(kind) > FEW


def is_time(kind: Any) -> bool:
    return _bare(kind) is datetime or _extra(kind).get("format") == "date-time"


def told(kind: Any) -> str:
    """A type in words."""
    plain = [one for one in alternatives(kind) if one is not types.NoneType]
    names = list(dict.fromkeys(_told(one) for one in plain))
    if len(plain) < len(alternatives(kind)):
        names.append("null")
    return " or ".join(names)


def _told(kind: Any) -> str:
    bare = _bare(kind)
    if is_vocabulary(kind):
        return f"`{kind.__name__}`"
    if words := words_of(kind):
        return " or ".join(filter(None, (", ".join(f"`{word}`" for word in words[:-1]), f"`{words[-1]}`")))
    if is_object(bare):
        return f"`{bare.__name__}`" if members(bare) else "`{}`"
    if get_origin(bare) in (list, dict):
        return _told_of_many(bare)
    return "time" if is_time(kind) else _NAMES[bare]


def _told_of_many(kind: Any) -> str:
    item = told(get_args(kind)[-1])
    item = f"({item})" if " or " in item else item
    if get_origin(kind) is list:
        return f"list of {item}"
    key = get_args(kind)[0]
    return f"object of {item} by {'name' if key is str else told(key)}"


_NAMES = {
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    Any: "anything",
    Raw: "anything",
}


def objects(kinds: list[Any]) -> list[Any]:
    """The objects and vocabularies that types are made of, each once, before those that it is made of."""
    found: dict[Any, None] = {}
    for kind in kinds:
        for one in _objects(kind):
            found.setdefault(one)
    return list(found)


def _objects(kind: Any) -> Iterator[Any]:
    bare = _bare(kind)
    if is_vocabulary(bare):
        yield bare
    elif is_object(bare):
        yield bare
        for member in members(bare):
            yield from _objects(member.kind)
    else:
        for part in get_args(bare):
            yield from _objects(part)


class Held:
    """Holds values against types, and remembers which fields were seen.

    Attributes:
        seen: The fields that were there, as (object, name).
    """

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()

    def problems(self, kind: Any, value: Any, place: str = "$") -> list[str]:
        """What is wrong with a value; nothing, if it is as documented."""
        tried = [self._problems(one, value, place) for one in alternatives(kind)]
        wrong, seen = min(tried, key=lambda attempt: len(attempt[0]))
        if not wrong:
            self.seen |= seen
        return wrong

    def _problems(self, kind: Any, value: Any, place: str) -> tuple[list[str], set[tuple[str, str]]]:
        inner, bare = Held(), _bare(kind)
        if is_object(bare) and isinstance(value, dict):
            wrong = inner._of_object(bare, value, place)
        elif get_origin(bare) is list and isinstance(value, list):
            wrong = [
                line
                for index, item in enumerate(value)
                for line in inner.problems(get_args(bare)[0], item, f"{place}[{index}]")
            ]
        elif get_origin(bare) is dict and isinstance(value, dict):
            of_name, of_item = get_args(bare)
            wrong = [
                line
                for name, item in value.items()
                for line in (
                    *inner.problems(of_name, name, f"{place}.{name}"),
                    *inner.problems(of_item, item, f"{place}.{name}"),
                )
            ]
        else:
            wrong = [] if _fits(kind, bare, value) else [f"{place}: {value!r} is not {_told_or_null(kind)}"]
        return wrong, inner.seen

    def _of_object(self, kind: Any, value: dict[str, Any], place: str) -> list[str]:
        known = {member.name: member for member in members(kind)}
        wrong = [f"{place}: {kind.__name__}.{name} is not documented" for name in value.keys() - known.keys()]
        for name, member in known.items():
            if name in value:
                self.seen.add((kind.__name__, name))
                wrong += self.problems(member.kind, value[name], f"{place}.{name}")
            elif not member.optional:
                wrong.append(f"{place}: {kind.__name__}.{name} is missing")
        return wrong


def _fits(kind: Any, bare: Any, value: Any) -> bool:
    if words := words_of(kind):
        return value in words
    if is_time(kind):
        return isinstance(value, str) and value.endswith("Z")
    if bare is Any:
        return True
    if bare is types.NoneType:
        return value is None
    if bare is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return bare in (str, int, bool) and type(value) is bare


def _told_or_null(kind: Any) -> str:
    return "null" if kind is types.NoneType else _told(kind)


def _bare(kind: Any) -> Any:
    """A type without what is said about it."""
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _there(hint: Any) -> Any:
    """The type of a key of a typed dictionary, if it is there."""
    return get_args(hint)[0] if get_origin(hint) is NotRequired else hint


def _extra(kind: Any) -> dict[str, Any]:
    if get_origin(kind) is not Annotated:
        return {}
    said = [meta.extra_json_schema for meta in get_args(kind)[1:] if isinstance(meta, Meta)]
    return next((dict(extra) for extra in said if extra), {})
