"""Formats found by content, and an honest count of what cannot be read."""

import gzip
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from guardd.replay.reading import FORMATS, LOOKED_AT, read
from guardd.replay.turns import Call, Failed, OpenCalls, Result, Skip

TRACES = Path(__file__).parent.parent / "data" / "traces"

PI = {"type": "message", "message": {"role": "user", "content": [{"type": "text", "text": "hi"}]}}
INTERCODE = {"calls": [{"tool": "bash", "args": {"command": "ls"}, "result": "a"}]}


def transcript(*entries: Any, separator: str = "\n"):
    text = separator.join(entry if isinstance(entry, str) else json.dumps(entry) for entry in entries)
    return read(io.BufferedReader(io.BytesIO(text.encode())))


def whole(*entries: Any):
    """Name of the format, turns and skips of a transcript that is read to its end."""
    found = transcript(*entries)
    turns = list(found.turns)
    return found.format.NAME if found.format else None, turns, dict(found.skipped)


@pytest.mark.parametrize(
    ("file", "name", "turns", "calls"),
    [
        ("pi-session.jsonl.gz", "pi or OpenClaw session", 73, 391),
        ("claude-code-subagent.jsonl.gz", "Claude Code session", 1, 33),
        ("intercode-episodes.jsonl.gz", "InterCode episodes", 34, 334),
        ("openai-chat-episodes.json.gz", "OpenAI chat messages", 16, 93),
        ("swe-agent.traj.gz", "SWE-agent trajectory", 1, 13),
    ],
)
@pytest.mark.parametrize("packed", [True, False])
def test_recorded_transcripts(file, name, turns, calls, packed):
    data = (TRACES / file).read_bytes()
    found = read(io.BufferedReader(io.BytesIO(data if packed else gzip.decompress(data))))
    loaded = list(found.turns)
    assert name == found.format.NAME
    assert (len(loaded), sum(len(turn.calls) for turn in loaded)) == (turns, calls)
    assert not found.skipped
    assert len({turn.id for turn in loaded}) == turns


def test_every_format_has_a_name_of_its_own():
    assert len({known.NAME for known in FORMATS}) == len(FORMATS) == 7


@pytest.mark.parametrize(
    ("entries", "skipped"),
    [
        ([], {}),
        ([""], {}),
        (["# A title", "some text"], {Skip.NOT_JSON: 2}),
        ([{"a": 1}, [1, "x"], "null", "NaN", '{"a": Infinity}'], {Skip.NOT_AN_OBJECT: 3, Skip.NOT_JSON: 2}),
        (["[" * 200_000], {Skip.TOO_DEEP: 1}),
    ],
)
def test_what_nothing_knows(entries, skipped):
    assert whole(*entries) == (None, [], skipped)


def test_an_unknown_file_is_not_read_to_its_end():
    lines = iter([json.dumps({"line": number}).encode() for number in range(LOOKED_AT * 2)])
    stream = io.BufferedReader(io.BytesIO(b"\n".join(lines)))
    assert read(stream).format is None


def test_junk_between_lines_is_counted_and_the_rest_read():
    name, turns, skipped = whole({"x": 1}, INTERCODE, "{cut off", "[1]", INTERCODE, {"calls": 3})
    assert name == "InterCode episodes"
    assert len(turns) == 2
    assert skipped == {Skip.NOT_JSON: 1, Skip.NOT_AN_OBJECT: 1, Skip.MALFORMED: 2}


def test_junk_in_the_first_line():
    name, turns, skipped = whole("{cut off", INTERCODE)
    assert (name, len(turns), skipped) == ("InterCode episodes", 1, {Skip.NOT_JSON: 1})


@pytest.mark.parametrize("first", ["{cut off", "[" * 200_000, "# Log"])
def test_junk_in_the_first_line_does_not_hold_up_the_others(first):
    """Or a long file would be read into memory as a whole, to see whether it is one document."""
    read_so_far = []

    class Stream(io.RawIOBase):
        def readable(self):
            return True

        def readinto(self, buffer):
            line = (first if not read_so_far else json.dumps(INTERCODE)).encode() + b"\n"
            read_so_far.append(line)
            assert len(read_so_far) < 10
            buffer[: len(line)] = line
            return len(line)

    found = read(io.BufferedReader(Stream(), 1_000_000))
    assert found.format.NAME == "InterCode episodes"
    assert len(next(found.turns).calls) == 1


@pytest.mark.parametrize(
    "text",
    [
        "{\n}",
        '[\n{"calls": []}\n]',
        '{"a":\n{"b": 1}\n,\n"calls": []}',
        '[{"calls": []},\n\n{"calls": []}\n]',
    ],
)
def test_a_document_over_some_lines(text):
    assert not whole(text)[2]


def test_a_document_over_many_lines_and_a_byte_order_mark():
    text = "\ufeff" + json.dumps([INTERCODE, INTERCODE], indent=2)
    name, turns, skipped = whole(text)
    assert (name, len(turns), skipped) == ("InterCode episodes", 2, {})


def test_bytes_that_are_no_text():
    stream = io.BufferedReader(io.BytesIO(b"\xff\xfe\n" + json.dumps(INTERCODE).encode()))
    found = read(stream)
    assert len(list(found.turns)) == 1
    assert found.skipped == {Skip.NOT_JSON: 1}


@pytest.mark.parametrize("damage", ["short", "flipped"])
def test_a_damaged_packed_file_is_read_as_far_as_it_goes(damage):
    lines = "\n".join(json.dumps(INTERCODE | {"n": number}) for number in range(20_000))
    data = bytearray(gzip.compress(lines.encode()))
    if damage == "short":
        del data[len(data) // 2 :]
    else:
        data[-6] ^= 0xFF
    found = read(io.BufferedReader(io.BytesIO(data)))
    assert list(found.turns)
    assert found.skipped[Skip.CUT_OFF] == 1


def test_half_a_character_in_a_name_can_be_stored():
    (turn,) = whole({"calls": [{"tool": "a\ud800", "result": 1}]})[1]
    assert turn.calls[0].tool == "a?"


def test_calls_that_are_settled_are_forgotten():
    waiting, skipped = OpenCalls(), Counter()
    waiting.add(Call("a", call_id="c"))
    waiting.settle("c", Result(1), skipped)
    assert not waiting._waiting  # noqa: SLF001 - memory has no other face
    waiting.settle("c", Result(1), skipped)
    assert skipped == {Skip.NO_SUCH_CALL: 1}


# pi and OpenClaw


def _pi(role: str, **fields: Any):
    return {"type": "message", "message": {"role": role, **fields}}


def test_a_pi_session():
    call = {"type": "toolCall", "id": "c1", "name": "read", "arguments": {"path": "a"}}
    name, (turn,), skipped = whole(
        {"type": "session", "id": "x"},
        PI,
        _pi("assistant", content=[call, call | {"id": "c2"}, call | {"name": None}]),
        _pi(
            "toolResult",
            toolCallId="c2",
            isError=True,
            content=[{"type": "text", "text": "Tool x not found"}],
        ),
        _pi("toolResult", toolCallId="c1", isError=False, content=[], details={"a": 1}),
        _pi("toolResult", toolCallId="c9", content=[]),
        {"type": "message"},
        {"type": "model_change"},
    )
    assert name == "pi or OpenClaw session"
    assert turn.id == "turn-2"
    assert turn.calls == [
        Call("read", {"path": "a"}, "c1", Result({"content": [], "details": {"a": 1}})),
        Call("read", {"path": "a"}, "c2", Failed("Tool x not found"), beside=True),
    ]
    assert skipped == {Skip.NO_SUCH_CALL: 1, Skip.MALFORMED: 2}


# Claude Code


def _claude(role: str, content: Any, **fields: Any):
    return {"type": role, "sessionId": "s", "message": {"role": role, "content": content}, **fields}


def test_a_claude_code_session_with_a_sub_agent_among_it():
    def use(number: int):
        return {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"n": number}}

    def result(number: int, **fields: Any):
        return {"type": "tool_result", "tool_use_id": f"t{number}", "content": "out", **fields}

    aside = {"isSidechain": True, "agentId": "a"}
    name, turns, skipped = whole(
        {"type": "summary", "summary": "a title"},
        _claude("user", "do it"),
        _claude("assistant", [use(1)]),
        _claude("user", "a part of it", **aside),
        _claude("assistant", [use(2), {"type": "tool_use"}], **aside),
        _claude("user", [result(1, is_error=True)]),
        _claude("user", [result(2)], **aside),
        _claude("user", [{"type": "text", "text": "a reminder"}], isMeta=True),
        _claude("assistant", [use(3)]),
        _claude("user", [{"type": "text", "text": "and now this"}]),
        _claude("assistant", [use(4)]),
        {"type": "user", "sessionId": "s"},
    )
    assert name == "Claude Code session"
    assert [[call.args["n"] for call in turn.calls] for turn in turns] == [[1, 3], [4], [2]]
    assert [call.outcome for turn in turns for call in turn.calls] == [
        Failed("out"),
        None,
        None,
        Result("out"),
    ]
    assert skipped == {Skip.MALFORMED: 2}


# Codex


def _item(kind: str, **fields: Any):
    return {"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": {"type": kind, **fields}}


def test_a_codex_rollout():
    name, turns, skipped = whole(
        {"type": "session_meta", "payload": {"id": "x"}},
        _item("message", role="user", content=[{"type": "input_text", "text": "hi"}]),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "hi"}},
        _item("function_call", name="shell", arguments='{"command": ["ls"]}', call_id="c1"),
        _item(
            "function_call_output",
            call_id="c1",
            output=json.dumps({"output": "a", "metadata": {"exit_code": 0, "duration_seconds": 0.1}}),
        ),
        _item("custom_tool_call", name="apply_patch", input="*** Begin", call_id="c2"),
        _item("custom_tool_call_output", call_id="c2", output={"content": "no", "success": False}),
        _item("function_call", name="exec_command", arguments="{broken", call_id="c3"),
        _item(
            "function_call_output", call_id="c3", output="Chunk ID: a1\nWall time: 0.05 seconds\nOutput:\nx"
        ),
        _item("local_shell_call", call_id="c4", action={"command": ["ls"]}),
        _item("function_call", arguments="{}", call_id="c5"),
        {"type": "event_msg", "payload": {"type": "user_message", "message": "more"}},
        _item("function_call", name="shell", arguments="{}", call_id="c6"),
        {"type": "event_msg", "payload": None},
    )
    assert name == "Codex rollout"
    assert turns[0].calls == [
        Call("shell", {"command": ["ls"]}, "c1", Result({"output": "a", "exit_code": 0})),
        Call("apply_patch", "*** Begin", "c2", Failed("no")),
        Call("exec_command", "{broken", "c3", Result("\nOutput:\nx")),
        Call("local_shell", {"command": ["ls"]}, "c4"),
    ]
    assert [call.call_id for call in turns[1].calls] == ["c6"]
    assert skipped == {Skip.MALFORMED: 2}


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        (
            "Exit code: 0\nWall time: 0.1 seconds\nOutput:\nWall time: 3\n",
            "Exit code: 0\n\nOutput:\nWall time: 3\n",
        ),
        ("Wall time: 3", "Wall time: 3"),
        ([{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}], "a\nb"),
        ([{"type": "input_image", "image_url": "x"}], [{"type": "input_image", "image_url": "x"}]),
        ('{"output": 1}', '{"output": 1}'),
        (None, None),
    ],
)
def test_what_of_a_codex_output_is_kept(output, kept):
    _, (turn,), _ = whole(
        _item("function_call", name="shell", arguments="{}", call_id="c"),
        _item("function_call_output", call_id="c", output=output),
    )
    assert turn.calls[0].outcome == Result(kept)


def test_an_old_codex_rollout_without_envelopes():
    name, (turn,), skipped = whole(
        {"id": "x", "timestamp": "2025-06-01T00:00:00Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "done"},
    )
    assert name == "Codex rollout"
    assert turn.calls == [Call("shell", {}, "c1", Result("done"))]
    assert skipped == {}


# OpenAI


MESSAGES = [
    {"role": "system", "content": "be good"},
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "tool_calls": [
            {"id": "call_1", "function": {"name": "f", "arguments": '{"a": 1}'}},
            {"id": "call_1", "custom": {"name": "g", "input": "text"}},
            {"id": "call_1", "function": {}},
        ],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "one"},
    {"role": "tool", "tool_call_id": "call_1", "content": "two"},
    {"role": "assistant", "function_call": {"name": "h", "arguments": "{broken"}},
    {"role": "function", "name": "h", "content": "three"},
]


@pytest.mark.parametrize(
    "entries",
    [
        MESSAGES,
        [MESSAGES],
        [{"messages": MESSAGES}],
        [[{"traj": MESSAGES}]],
        [json.dumps(MESSAGES, indent=1)],
    ],
    ids=["lines", "list", "conversation", "list of conversations", "indented"],
)
def test_openai_chat_messages(entries):
    name, (turn,), skipped = whole(*entries)
    assert name == "OpenAI chat messages"
    assert turn.calls == [
        Call("f", {"a": 1}, "call_1", Result("one")),
        Call("g", "text", "call_1", Result("two"), beside=True),
        Call("h", "{broken", None, Result("three")),
    ]
    assert skipped == {Skip.MALFORMED: 1}


def test_conversations_are_turns_of_their_own():
    _, turns, skipped = whole({"messages": [*MESSAGES, 7]}, {"messages": MESSAGES})
    assert [turn.id for turn in turns] == ["0/turn-1", "1/turn-1"]
    assert skipped == {Skip.MALFORMED: 2, Skip.NOT_AN_OBJECT: 1}


# SWE-agent and InterCode


def test_a_swe_agent_trajectory():
    steps = [
        {"action": "ls -F\n", "observation": "a"},
        {"action": " \n", "observation": ""},
        {"action": "submit"},
        {"thought": "hm"},
    ]
    name, (turn,), skipped = whole({"trajectory": steps}, {"other": 1})
    assert name == "SWE-agent trajectory"
    assert turn.calls == [
        Call("ls", {"command": "ls -F\n"}, None, Result("a")),
        Call("submit", {"command": "submit"}),
    ]
    assert skipped == {Skip.MALFORMED: 2}


def test_intercode_episodes():
    calls = [*INTERCODE["calls"], {"tool": "sql", "error": "no"}, {"tool": "sql"}, {"args": 1}, 3]
    _, (turn,), skipped = whole({"calls": calls})
    assert [call.outcome for call in turn.calls] == [Result("a"), Failed("no"), None]
    assert skipped == {Skip.MALFORMED: 2}
