"""Every labelled event, through the engine alone."""

import json
import sqlite3

import msgspec
import pytest
from sqlalchemy import create_engine
from sqlalchemy.pool import StaticPool
from support import labelled

from guardd.config import parse
from guardd.daemon.changes import GATEWAY_CHANGES
from guardd.fingerprint import VERSION, Arguments, Fingerprinter
from guardd.guard import Guard
from guardd.protocol.methods import METHODS, decode_params
from guardd.store.schema import metadata
from guardd.store.store import Store

CASES = labelled.load("cases")
STREAMS = labelled.load("streams")
PAIRS = labelled.load_pairs("outcomes")
OPENCLAW_CASES = labelled.load("cases", labelled.OPENCLAW)
OPENCLAW_STREAMS = labelled.load("streams", labelled.OPENCLAW)
OPENCLAW_PAIRS = labelled.load_pairs("outcomes", labelled.OPENCLAW)
KEY = b"a secret of this database"


@pytest.fixture
def store():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    metadata.create_all(engine)
    connection.execute("insert into fingerprint_keys values (?, ?, 0)", (VERSION, KEY))
    yield Store(connection)
    engine.dispose()
    connection.close()


def play(store: Store, item: labelled.Labelled) -> None:
    guard = Guard(store, parse(json.dumps(item.config)), KEY)
    for number, event in enumerate(item.events):
        method, params = labelled.request(event, item.agent_id, f"{item.id}/")
        decoded = decode_params(METHODS[method], json.dumps(params).encode())
        store.begin()
        answer = msgspec.to_builtins(GATEWAY_CHANGES[method](guard, decoded, 0))
        store.commit()
        assert labelled.observed(event, answer) == event["expect"], (item.id, number, event)


@pytest.mark.parametrize("case", CASES + OPENCLAW_CASES, ids=lambda case: case.id)
def test_case(store, case):
    play(store, case)


@pytest.mark.parametrize("first", range(0, len(STREAMS), 50))
def test_streams(store, first):
    for stream in STREAMS[first : first + 50]:
        play(store, stream)


@pytest.mark.parametrize("first", range(0, len(OPENCLAW_STREAMS), 31))
def test_openclaw_streams(store, first):
    for stream in OPENCLAW_STREAMS[first : first + 31]:
        play(store, stream)


def test_nothing_is_left_out():
    assert len(CASES) == 39
    assert len(STREAMS) == 400
    assert sum(len(stream.events) for stream in STREAMS) == 23_489
    assert len(PAIRS) == 78
    assert len(OPENCLAW_CASES) == 67
    assert len(OPENCLAW_STREAMS) == 124
    assert sum(len(stream.events) for stream in OPENCLAW_STREAMS) == 8_310
    assert len(OPENCLAW_PAIRS) == 57


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair["name"])
def test_outcomes(pair):
    a, b = outcomes(Fingerprinter(KEY), pair)
    assert ((a and a.fingerprint) == (b and b.fingerprint)) is pair["same"]


@pytest.mark.parametrize("pair", OPENCLAW_PAIRS, ids=lambda pair: pair["name"])
def test_openclaw_outcomes(pair):
    a, b = outcomes(Fingerprinter(KEY, follows_openclaw=True), pair)
    images = pair["name"].startswith("images differ")  # the release ignores them, and guardd does not
    assert (a.fingerprint == b.fingerprint) is (pair["same"] and not images)
    assert (a.failure is not None and a.failure == b.failure) is pair["sameFailure"]
    assert [one.failure is not None for one in (a, b)] == pair["failures"]
    assert [one.failed or one.unchanged for one in (a, b)] == pair["noProgress"]


def outcomes(fingerprinter, pair):
    """What came of either side."""
    arguments = Arguments.parse(json.dumps(pair["args"]).encode())
    for side in (pair["a"], pair["b"]):
        result, error = (
            json.dumps(side[key]).encode() if key in side else None for key in ("result", "error")
        )
        yield fingerprinter.outcome(pair["tool"], arguments, result, error)
