"""Recorded transcripts of real agents, as runs of calls: a run is one turn, from a user message to its end."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data" / "traces"

Json = dict[str, Any]


@dataclass
class Call:
    """One call, with what is known of its outcome: `result` or `error`, or neither."""

    tool: str
    args: Any
    call_id: str | None = None
    outcome: Json = field(default_factory=dict)


@dataclass
class Turn:
    """A run."""

    id: str
    calls: list[Call]
    category: str = "healthy"


def load(file: str) -> list[Turn]:
    """The turns of a file that hold calls."""
    with gzip.open(DATA / file, "rt") as stream:
        return [turn for turn in READERS[file](stream) if turn.calls]


def _pi_session(stream: Any) -> Iterator[Turn]:
    turn, calls = Turn("turn-0", []), {}
    for number, line in enumerate(stream):
        message = json.loads(line).get("message", {})
        match message.get("role"):
            case "user":
                yield turn
                turn, calls = Turn(f"turn-{number}", []), {}
            case "assistant":
                for part in message["content"]:
                    if part["type"] == "toolCall":
                        call = Call(part["name"], part["arguments"], part["id"])
                        calls[part["id"]] = call
                        turn.calls.append(call)
            case "toolResult":
                result = {key: message[key] for key in ("content", "details") if key in message}
                calls[message["toolCallId"]].outcome = {"result": result}
    yield turn


def _claude_code(stream: Any) -> Iterator[Turn]:
    turn, calls = Turn("turn-0", []), {}
    for number, line in enumerate(stream):
        content = json.loads(line).get("message", {}).get("content")
        if isinstance(content, str):
            yield turn
            turn = Turn(f"turn-{number}", [])
        for part in content if isinstance(content, list) else ():
            if part["type"] == "tool_use":
                calls[part["id"]] = Call(part["name"], part["input"], part["id"])
                turn.calls.append(calls[part["id"]])
            elif part["type"] == "tool_result":
                key = "error" if part.get("is_error") else "result"
                calls[part["tool_use_id"]].outcome = {key: part["content"]}
    yield turn


def _intercode(stream: Any) -> Iterator[Turn]:
    for number, line in enumerate(stream):
        episode = json.loads(line)
        calls = [
            Call(call["tool"], call["args"], None, {"result": call["result"]}) for call in episode["calls"]
        ]
        yield Turn(f"episode-{number}", calls, episode["category"])


def _openai_chat(stream: Any) -> Iterator[Turn]:
    for number, episode in enumerate(json.load(stream)):
        turn, calls = Turn(f"{number}/turn-0", []), {}
        for position, message in enumerate(episode["traj"]):
            if message["role"] == "user":
                yield turn
                turn = Turn(f"{number}/turn-{position}", [])
            for asked in message.get("tool_calls") or ():
                function = asked["function"]
                call = Call(function["name"], json.loads(function["arguments"]), asked["id"])
                calls[asked["id"]] = call
                turn.calls.append(call)
            if message["role"] == "tool":
                calls[message["tool_call_id"]].outcome = {"result": message["content"]}
        yield turn


def _swe_agent(stream: Any) -> Iterator[Turn]:
    steps = json.load(stream)["trajectory"]
    yield Turn(
        "trajectory",
        [
            Call(
                step["action"].split()[0], {"command": step["action"]}, None, {"result": step["observation"]}
            )
            for step in steps
        ],
    )


READERS: dict[str, Callable[[Any], Iterator[Turn]]] = {
    "pi-session.jsonl.gz": _pi_session,
    "claude-code-subagent.jsonl.gz": _claude_code,
    "intercode-episodes.jsonl.gz": _intercode,
    "openai-chat-episodes.json.gz": _openai_chat,
    "swe-agent.traj.gz": _swe_agent,
}
