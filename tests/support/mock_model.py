"""An OpenAI-compatible model on loopback that says what a test wants, and remembers what it was shown."""

import contextlib
import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self

_OVERFLOW = {
    "error": {
        "message": "This model's maximum context length is 16000 tokens. However, your messages resulted in "
        "99999 tokens. Please reduce the length of the messages.",
        "type": "invalid_request_error",
        "param": "messages",
        "code": "context_length_exceeded",
    }
}

Json = dict[str, Any]


class ToolCall(NamedTuple):
    """What the model wants to have called.

    Attributes:
        tool: the tool.
        args: its arguments.
        call_id: the call's id; None for one that was never used before.
    """

    tool: str
    args: Json
    call_id: str | None = None


class Overflow:
    """The answer of a provider to a context that is too long."""


OVERFLOW = Overflow()

Turn = str | Overflow | Sequence[ToolCall]
"""What the model says: a text, which ends the run; or an error; or calls."""
Script = Callable[[int], Turn]
"""What the model says at its nth turn, from 0."""


class MockModel:
    """A model; as a context manager it serves while the block runs.

    Attributes:
        results: the texts of the newest results that it was shown, one list a turn.
    """

    def __init__(self) -> None:
        self.results: list[list[str]] = []
        self._script: Script = lambda _turn: "Nothing to do."
        self._lock = threading.Lock()
        self._ids = 0
        model = self

        class Handler(_Handler):
            def answer(self, body: Json) -> Turn:
                return model._answer(body)

            def new_id(self) -> str:
                return model._new_id()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def play(self, script: Script) -> None:
        """Begin a script."""
        with self._lock:
            self._script = script
            self.results = []

    @property
    def turns(self) -> int:
        """How often the model was asked since the script began; summaries are not counted."""
        return len(self.results)

    @property
    def shown(self) -> list[str]:
        """Every result that the script's model was shown, each turn's newest ones."""
        return [text for turn in self.results for text in turn]

    def _answer(self, body: Json) -> Turn:
        if not body.get("tools"):
            return "A summary of what was done: the same call was made again and again."
        with self._lock:
            self.results.append(_newest_results(body.get("messages", [])))
            return self._script(len(self.results) - 1)

    def _new_id(self) -> str:
        with self._lock:
            self._ids += 1
            return f"call_{self._ids:05d}"


def _newest_results(messages: Sequence[Json]) -> list[str]:
    texts: list[str] = []
    for message in reversed(messages):
        if message["role"] == "tool":
            texts.insert(0, _text(message.get("content")))
        elif message["role"] == "assistant":
            break
    return texts


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part.get("text", "") for part in parts)


class _Handler(BaseHTTPRequestHandler, ABC):
    """Chat completions, streamed or not; everything else is the list of models."""

    protocol_version = "HTTP/1.1"

    @abstractmethod
    def answer(self, body: Json) -> Turn:
        """What the model says to a request."""

    @abstractmethod
    def new_id(self) -> str:
        """An id for another answer."""

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._send_json(200, {"object": "list", "data": [{"id": "loop", "object": "model"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"{}")
        turn = self.answer(body)
        if isinstance(turn, Overflow):
            self._send_json(400, _OVERFLOW)
            return
        text = turn if isinstance(turn, str) else None
        calls = [] if isinstance(turn, str) else [self._call(n, call) for n, call in enumerate(turn)]
        if body.get("stream"):
            self._stream(text, calls)
        else:
            self._send_json(200, _completion(text, calls))

    def _call(self, index: int, call: ToolCall) -> Json:
        function = {"name": call.tool, "arguments": json.dumps(call.args)}
        return {"index": index, "id": call.call_id or self.new_id(), "type": "function", "function": function}

    def _stream(self, text: str | None, calls: Sequence[Json]) -> None:
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        deltas = [{"role": "assistant", "content": text or ""}, *({"tool_calls": [call]} for call in calls)]
        chunks = [_chunk({"index": 0, "delta": delta, "finish_reason": None}) for delta in deltas]
        last = _chunk({"index": 0, "delta": {}, "finish_reason": "tool_calls" if calls else "stop"})
        with contextlib.suppress(ConnectionError):  # a gateway may be killed while it listens
            for chunk in [*chunks, {**last, "usage": _USAGE}]:
                self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
            self.wfile.write(b"data: [DONE]\n\n")

    def _send_json(self, status: int, value: Json) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


_USAGE = {"prompt_tokens": 1000, "completion_tokens": 5, "total_tokens": 1005}
_HEAD = {"id": "chatcmpl-1", "created": 0, "model": "loop"}


def _chunk(choice: Json) -> Json:
    return {**_HEAD, "object": "chat.completion.chunk", "choices": [choice]}


def _completion(text: str | None, calls: Sequence[Json]) -> Json:
    message = {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    return {**_HEAD, "object": "chat.completion", "choices": [choice], "usage": _USAGE}
