import json
import re
from collections.abc import Iterator

import pytest

from guardd.protocol.errors import ERRORS
from guardd.protocol.jsonrpc import encode
from guardd.protocol.methods import METHODS
from guardd.protocol.openrpc import document

DOCUMENT = json.loads(encode(document()))


def objects(value: object) -> Iterator[dict[str, object]]:
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from objects(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner)


def test_the_document_is_openrpc():
    assert re.fullmatch(r"1\.3\.\d+", DOCUMENT["openrpc"])
    assert set(DOCUMENT) == {"openrpc", "info", "methods", "components"}
    assert DOCUMENT["info"]["title"] == "guardd"
    assert re.match(r"\d+\.\d+", DOCUMENT["info"]["version"])
    assert set(DOCUMENT["components"]) == {"schemas", "errors"}


def test_every_method_is_in_it():
    assert [method["name"] for method in DOCUMENT["methods"]] == list(METHODS)


@pytest.mark.parametrize("described", DOCUMENT["methods"], ids=lambda described: described["name"])
def test_a_method_is_described_as_it_is_validated(described: dict[str, object]):
    method = METHODS[described["name"]]
    assert set(described) == {
        "name",
        "summary",
        "description",
        "paramStructure",
        "params",
        "result",
        "errors",
    }
    assert described["paramStructure"] == "by-name"
    assert described["summary"] == method.summary
    names = [param["name"] for param in described["params"]]
    assert len(set(names)) == len(names)
    assert set(names) == method.known_fields
    for param in described["params"]:
        assert set(param) == {"name", "required", "schema"}
        assert isinstance(param["schema"], dict)
    required = [param["required"] for param in described["params"]]
    assert required == sorted(required, reverse=True)
    assert set(described["result"]) == {"name", "schema"}
    assert described["errors"]


def test_what_is_required():
    required = {
        method["name"]: {param["name"] for param in method["params"] if param["required"]}
        for method in DOCUMENT["methods"]
    }
    assert {name: fields for name, fields in required.items() if fields} == {
        "tool.before": {"toolName"},
        "tool.after": {"toolName"},
        "run.end": {"status"},
        "run.get": {"run"},
        "run.history": {"run"},
        "run.explain": {"run"},
        "run.reset": {"run"},
        "run.abort": {"run", "reason"},
        "db.backup": {"path"},
    }


def test_every_reference_leads_somewhere():
    references = [str(found["$ref"]) for found in objects(DOCUMENT) if "$ref" in found]
    assert references
    for reference in references:
        target = DOCUMENT
        for step in reference.removeprefix("#/").split("/"):
            target = target[step]
        assert isinstance(target, dict)


def test_schemas_are_of_results_and_words_only():
    schemas = DOCUMENT["components"]["schemas"]
    assert {"Verdict", "AfterVerdict", "DetectionResult", "Run", "Call", "Event", "ServerStatus"} <= set(
        schemas
    )
    assert not {method.params.__name__ for method in METHODS.values()} & set(schemas)
    assert schemas["Verdict"]["properties"]["action"]["enum"] == ["allow", "warn", "block", "abort"]


def test_every_parameter_and_every_field_is_described():
    for method in DOCUMENT["methods"]:
        assert method["summary"]
        for param in method["params"]:
            assert param["schema"]["description"], (method["name"], param["name"])
    for name, schema in DOCUMENT["components"]["schemas"].items():
        assert schema.get("description"), name
        assert "Attributes" not in schema["description"], name
        for field, described in schema.get("properties", {}).items():
            assert described["description"], (name, field)


def test_every_error_is_in_it():
    described = DOCUMENT["components"]["errors"]
    assert set(described) == {error.__name__ for error in ERRORS}
    for error in ERRORS:
        assert described[error.__name__]["code"] == error.code
        assert described[error.__name__]["message"]
    assert described["RunAmbiguous"]["data"] == {"kind": "run_ambiguous"}


def test_params_that_may_be_null_are_said_to_be():
    before = next(method for method in DOCUMENT["methods"] if method["name"] == "tool.before")
    run = next(param for param in before["params"] if param["name"] == "runId")
    assert {"type": "null"} in run["schema"]["anyOf"]
