"""The methods of the protocol: one table of names, parameters, results and who may call them.

Parameters are given by name. Unknown ones are ignored; a parameter that may be left out may also be ``null``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import msgspec
from msgspec import Raw

from guardd.protocol import gateway_methods as gateway
from guardd.protocol import operator_methods as operator
from guardd.protocol import operator_results as results
from guardd.protocol import splitter
from guardd.protocol.complaints import translate
from guardd.protocol.errors import InvalidParams, ParseError
from guardd.vocabulary import Role

GATEWAY = frozenset({Role.GATEWAY, Role.ADMIN})
READER = frozenset({Role.READER, Role.ADMIN})
ADMIN = frozenset({Role.ADMIN})
EVERYBODY = frozenset(Role)


@dataclass(frozen=True)
class Method:
    """One method.

    Attributes:
        name: Its name on the wire.
        params: The struct that its parameters are decoded into.
        result: The type of its result.
        roles: Who may call it: a peer with one of these.
        changes: It changes what the database holds: done in the writer's transaction, committed before the
            reply; its ``requestId`` is remembered.
        summary: One line for people.
    """

    name: str
    params: type[msgspec.Struct]
    result: object
    roles: frozenset[Role]
    changes: bool
    summary: str

    @cached_property
    def decoder(self) -> msgspec.json.Decoder[msgspec.Struct]:
        """Decodes the parameters."""
        return msgspec.json.Decoder(self.params)

    @cached_property
    def fields(self) -> tuple[msgspec.inspect.Field, ...]:
        """What is known of each parameter."""
        return cast("msgspec.inspect.StructType", msgspec.inspect.type_info(self.params)).fields

    @cached_property
    def known_fields(self) -> frozenset[str]:
        """The wire names of the parameters."""
        return frozenset(field.encode_name for field in self.fields)

    @cached_property
    def raw_fields(self) -> dict[str, str]:
        """The parameters that stay raw JSON text: wire name to attribute."""
        return {field.encode_name: field.name for field in self.fields if _is_raw(field.type)}

    @cached_property
    def allowed(self) -> dict[str, tuple[str, ...]]:
        """The strings that a parameter may be, of those that take one of a few."""
        return {field.encode_name: words for field in self.fields if (words := _words(field.type))}


_OF_GATEWAYS = (
    Method(
        "tool.before",
        gateway.ToolBefore,
        gateway.Verdict,
        GATEWAY,
        changes=True,
        summary="Ask before a tool is called.",
    ),
    Method(
        "tool.after",
        gateway.ToolAfter,
        gateway.AfterVerdict,
        GATEWAY,
        changes=True,
        summary="Report what a tool call came to.",
    ),
    Method(
        "compaction.record",
        gateway.CompactionRecord,
        gateway.GuardState,
        GATEWAY,
        changes=True,
        summary="Report that a run's context was compacted.",
    ),
    Method(
        "run.start",
        gateway.RunStart,
        gateway.RunStarted,
        GATEWAY,
        changes=True,
        summary="Report that a run begins, begins anew, or goes on after a restart.",
    ),
    Method(
        "run.end",
        gateway.RunEnd,
        gateway.Nothing,
        GATEWAY,
        changes=True,
        summary="Report that a run has ended.",
    ),
)

_OF_READERS = (
    Method(
        "run.list", operator.RunList, results.Runs, READER, changes=False, summary="The runs, newest first."
    ),
    Method("run.get", operator.RunGet, results.Run, READER, changes=False, summary="One run."),
    Method(
        "run.history",
        operator.RunHistory,
        results.History,
        READER,
        changes=False,
        summary="A run's calls in order, and what happened between them.",
    ),
    Method(
        "run.explain",
        operator.RunExplain,
        results.Explanation,
        READER,
        changes=False,
        summary="Why a call was answered as it was: what was counted, and against which thresholds.",
    ),
    Method(
        "event.list",
        operator.EventList,
        results.Events,
        READER,
        changes=False,
        summary="Warnings, blocks and aborts, newest first.",
    ),
    Method(
        "event.watch",
        operator.EventWatch,
        gateway.Nothing,
        READER,
        changes=False,
        summary="Have events sent as notifications named event on this connection.",
    ),
    Method(
        "config.get",
        operator.ConfigGet,
        results.Configuration,
        READER,
        changes=False,
        summary="The values in effect, each with where it came from.",
    ),
    Method(
        "server.status",
        gateway.NoParams,
        results.ServerStatus,
        READER,
        changes=False,
        summary="How the daemon is.",
    ),
    Method("server.metrics", gateway.NoParams, str, READER, changes=False, summary="Prometheus text."),
)

_OF_ADMINS = (
    Method(
        "run.reset",
        operator.RunReset,
        results.RunChanged,
        ADMIN,
        changes=True,
        summary="Forgive: what came before in a run no longer counts; its history stays.",
    ),
    Method(
        "run.abort",
        operator.RunAbort,
        results.RunChanged,
        ADMIN,
        changes=True,
        summary="Stop a run: each further call is answered abort, until a reset.",
    ),
    Method(
        "config.reload",
        operator.ConfigReload,
        results.ConfigReloaded,
        ADMIN,
        changes=False,
        summary="Read the configuration again; a bad one changes nothing.",
    ),
    Method(
        "db.backup",
        operator.DatabaseBackup,
        results.DatabaseBackedUp,
        ADMIN,
        changes=False,
        summary="Write a copy of the database to a new file.",
    ),
    Method(
        "db.check",
        gateway.NoParams,
        results.DatabaseChecked,
        ADMIN,
        changes=False,
        summary="Check the database's integrity.",
    ),
    Method(
        "db.prune",
        operator.DatabasePrune,
        results.DatabasePruned,
        ADMIN,
        changes=True,
        summary="Delete old runs.",
    ),
)

_OF_EVERYBODY = (
    Method(
        "rpc.discover",
        gateway.NoParams,
        dict[str, Any],
        EVERYBODY,
        changes=False,
        summary="The OpenRPC document of this interface.",
    ),
)

METHODS: dict[str, Method] = {
    method.name: method for method in (*_OF_GATEWAYS, *_OF_READERS, *_OF_ADMINS, *_OF_EVERYBODY)
}


def decode_params(method: Method, raw: bytes | None) -> msgspec.Struct:
    """The parameters of a request to `method`, an instance of its ``params``.

    Args:
        method: The method.
        raw: The JSON text of the request's params; None where absent.

    Raises:
        InvalidParams: Names the field and says why.
    """
    try:
        return method.decoder.decode(b"{}" if raw is None else raw)
    except (msgspec.DecodeError, RecursionError):
        return _decode_slowly(method, b"{}" if raw is None else raw)


def raw_bytes(value: Raw | msgspec.UnsetType) -> bytes | None:
    """The JSON text of a raw parameter; None where it was absent."""
    return None if value is msgspec.UNSET else bytes(value)


def _decode_slowly(method: Method, raw: bytes) -> msgspec.Struct:
    """Decode what the decoder refused: wrong, or ``null`` for absent, or with a value only the splitter cuts.

    All other parameters are decoded without the raw ones, whose slices are then put in.
    """
    if not raw.startswith(b"{"):
        raise InvalidParams("the parameters must be given by name, in an object")
    try:
        members = splitter.members(raw)
    except ParseError:
        raise InvalidParams("the parameters are not valid JSON") from None
    raw_values = {
        attribute: Raw(members.pop(name)) for name, attribute in method.raw_fields.items() if name in members
    }
    plain = {
        name: Raw(_plain(value))
        for name, value in members.items()
        if name in method.known_fields and value != b"null"
    }
    try:
        params = method.decoder.decode(msgspec.json.encode(plain))
    except msgspec.DecodeError as error:
        raise translate(str(error), method.allowed) from None
    return msgspec.structs.replace(params, **raw_values) if raw_values else params


def _plain(value: bytes) -> bytes:
    """The value as the decoder can read it: without lone surrogates, and without depth (wrong here)."""
    if value.startswith(b'"'):
        return msgspec.json.encode(splitter.text(value))
    return value[:1] + value[-1:] if value[0] in b"[{" else value


def _alternatives(kind: msgspec.inspect.Type) -> Iterator[msgspec.inspect.Type]:
    """The types that a type is one of, without what is only for the schema."""
    if isinstance(kind, msgspec.inspect.Metadata):
        yield from _alternatives(kind.type)
    elif isinstance(kind, msgspec.inspect.UnionType):
        for part in kind.types:
            yield from _alternatives(part)
    else:
        yield kind


def _is_raw(kind: msgspec.inspect.Type) -> bool:
    return any(isinstance(part, msgspec.inspect.RawType) for part in _alternatives(kind))


def _words(kind: msgspec.inspect.Type) -> tuple[str, ...]:
    """The strings that are allowed, where not all are."""
    words: list[str] = []
    for part in _alternatives(kind):
        if isinstance(part, msgspec.inspect.EnumType):
            words += (str(member.value) for member in part.cls)
        elif isinstance(part, msgspec.inspect.LiteralType):
            words += map(str, part.values)
    return tuple(words)
