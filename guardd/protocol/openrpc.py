"""The document that ``rpc.discover`` answers: OpenRPC 1.3, made from the definitions that validate."""

from functools import cache
from typing import Any

import msgspec

from guardd import __version__
from guardd.protocol import errors, gateway_methods, operator_results
from guardd.protocol.descriptions import meanings, summary
from guardd.protocol.methods import METHODS, Method
from guardd.protocol.operator_results import Event

OPENRPC_VERSION = "1.3.2"
_SCHEMA = "#/components/schemas/{name}"
_ERROR = "#/components/errors/{name}"
_OF_ANY = (errors.InvalidParams, errors.Denied, errors.Overloaded, errors.ShuttingDown, errors.InternalError)
_OF_CHANGES = (errors.StorageUnavailable,)
_OF_RUNS = (errors.RunNotFound, errors.RunAmbiguous)

_RESULTS: dict[str, type[msgspec.Struct]] = {
    name: kind
    for module in (gateway_methods, operator_results)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct)
}

Document = dict[str, Any]


@cache
def document() -> Document:
    """The OpenRPC document, the same at every call; not to be changed."""
    methods = list(METHODS.values())
    parameters = {method.name: _parameters(method) for method in methods}
    results, schemas = msgspec.json.schema_components(
        [*(method.result for method in methods), Event, *(method.params for method in methods)],
        ref_template=_SCHEMA,
    )
    for method in methods:
        schemas.pop(method.params.__name__, None)  # these stand with their methods, one by one
    for name, schema in schemas.items():
        if name in _RESULTS:
            _describe(_RESULTS[name], schema)
    return {
        "openrpc": OPENRPC_VERSION,
        "info": {
            "title": "guardd",
            "version": __version__,
            "description": "JSON-RPC 2.0 over a Unix stream socket, one message a line. After event.watch "
            "come notifications named event, each with an Event as its params.",
            "license": {"name": "MIT"},
        },
        "methods": [
            _method(method, parameters[method.name], result)
            for method, result in zip(methods, results, strict=False)
        ],
        "components": {
            "schemas": schemas,
            "errors": {error.__name__: _error(error) for error in errors.ERRORS},
        },
    }


def _parameters(method: Method) -> list[Document]:
    """The content descriptors of a method's parameters, the required ones first."""
    _, components = msgspec.json.schema_components([method.params], ref_template=_SCHEMA)
    schema = components[method.params.__name__]
    _describe(method.params, schema)
    required = schema.get("required", [])
    descriptors = [
        {"name": name, "required": name in required, "schema": described}
        for name, described in schema["properties"].items()
    ]
    return sorted(descriptors, key=lambda descriptor: not descriptor["required"])


def _describe(kind: type[msgspec.Struct], schema: Document) -> None:
    """Say in the schema of a struct what it and each of its fields means."""
    schema["description"] = summary(kind)
    said = meanings(kind)
    for field in msgspec.structs.fields(kind):
        described = schema["properties"][field.encode_name]
        if "$ref" in described:  # what stands beside a reference is ignored
            described = schema["properties"][field.encode_name] = {"allOf": [described]}
        if field.name in said:
            described["description"] = said[field.name]


def _method(method: Method, parameters: list[Document], result: Document) -> Document:
    return {
        "name": method.name,
        "summary": method.summary,
        "description": f"For: {', '.join(sorted(method.roles))}.",
        "paramStructure": "by-name",
        "params": parameters,
        "result": {"name": "result", "schema": result},
        "errors": [{"$ref": _ERROR.format(name=error.__name__)} for error in _errors(method)],
    }


def _errors(method: Method) -> list[type[errors.RpcError]]:
    return [
        *_OF_ANY,
        *(_OF_CHANGES if method.changes else ()),
        *(_OF_RUNS if "run" in method.known_fields else ()),
    ]


def _error(error: type[errors.RpcError]) -> Document:
    described: Document = {"code": error.code, "message": error.summary}
    if error.kind is not None:
        described["data"] = {"kind": error.kind.value}
    return described
