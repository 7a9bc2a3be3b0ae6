"""The objects are a contract, ``guardctl --json``: their keys are written out here once more."""

import msgspec
import pytest

from guardd.protocol import operator_results as results

KEYS = {
    "Run": "run source agentId status calls verdict compactions startedAt lastActivityAt endedAt endReason"
    " wouldBe",
    "Runs": "runs nextCursor",
    "Call": "seq toolName toolCallId state action detector count repeat preview at durationMs signature"
    " outcome missingTool isPoll maskedOutcome changes failure unchanged beside wouldBe",
    "Marker": "kind afterSeq armed windowSize reason at",
    "History": "run calls markers nextCursor",
    "Event": "run source agentId seq action detector level count threshold toolName pairedToolName"
    " message at wouldBe",
    "Events": "events nextCursor",
    "Explanation": "run seq action detector counted thresholds text wouldBe",
    "Threshold": "value origin",
    "RunChanged": "run source status mode",
    "Setting": "value origin",
    "Configuration": "agentId path values warnings",
    "ConfigReloaded": "path warnings",
    "ServerStatus": "version pid uptimeSeconds database sqliteVersion connections runs calls mode"
    " time lastActivityAt configPath waitsForRestart socket",
    "DatabaseState": "path bytes walBytes schema journalMode freeBytes diskBytes",
    "DatabaseBackedUp": "path bytes",
    "DatabaseChecked": "ok problems",
    "DatabasePruned": "runs calls kept dryRun",
}


@pytest.mark.parametrize("name", KEYS)
def test_keys(name: str):
    kind = getattr(results, name)
    assert issubclass(kind, msgspec.Struct)
    assert " ".join(kind.__struct_encode_fields__) == KEYS[name]


def test_every_result_is_written_out():
    structs = {name for name, value in vars(results).items() if isinstance(value, type(msgspec.Struct))}
    assert structs == set(KEYS)


def test_there_is_a_cursor_only_where_there_is_more():
    assert msgspec.json.encode(results.Runs(runs=[])) == b'{"runs":[]}'
    assert msgspec.json.encode(results.Runs(runs=[], next_cursor="c")) == b'{"runs":[],"nextCursor":"c"}'
