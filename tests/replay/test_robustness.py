"""Whatever stands in a transcript, reading and playing it ends with counts, never with an exception."""

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardd.config.trial import trial
from guardd.replay.engine import Engine
from guardd.replay.findings import Findings
from guardd.replay.reading import read

_WORDS = """
    message user assistant toolCall toolResult tool_use tool_result response_item function_call tool
    function_call_output event_msg user_message guardd-export compaction reset exec c1 {}
"""
_KEYS = """
    type message role content id name arguments input toolCallId tool_use_id isError is_error sessionId agentId
    payload call_id output metadata success tool_calls function tool_call_id messages traj trajectory action
    observation calls tool args result error format marker armed seq toolName signature outcome state
"""
WORDS = st.sampled_from(_WORDS.split())
SCALARS = st.one_of(WORDS, st.none(), st.booleans(), st.integers(), st.just("a" * 32), st.text(max_size=3))
KEYS = st.sampled_from(_KEYS.split())
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner)), max_leaves=8
)
BEGINNINGS = st.sampled_from(
    [
        {"type": "message", "message": {"role": "user"}},
        {"type": "user", "sessionId": "s", "message": {"role": "user", "content": "hi"}},
        {"type": "session_meta", "payload": {}},
        {"role": "user", "content": "hi"},
        {"trajectory": []},
        {"calls": []},
        {"format": "guardd-export", "run": "r"},
    ]
)


@pytest.fixture(scope="module")
def engine():
    with Engine(trial(None)) as engine:
        yield engine


@given(
    first=BEGINNINGS, rest=st.lists(st.one_of(VALUES, st.dictionaries(KEYS, VALUES, min_size=1)), max_size=6)
)
@settings(max_examples=150, deadline=None)
def test_anything(engine, first, rest):
    text = "\n".join(json.dumps(entry) for entry in [first, *rest])
    transcript = read(io.BufferedReader(io.BytesIO(text.encode())))
    findings = Findings("-", format=transcript.format.NAME)
    for turn in transcript.turns:
        engine.play(turn, findings)
    assert findings.calls == findings.actions.total()
