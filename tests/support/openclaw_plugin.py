"""The OpenClaw plugin in a Node process, with a gateway of which only the plugin API is real."""

import json
import shutil
import subprocess
import threading
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Self

from support.daemon import PATIENCE_SECONDS, eventually
from support.node import REPOSITORY

PLUGIN = REPOSITORY / "guardd" / "adapters" / "openclaw"
_HARNESS = REPOSITORY / "tests" / "adapters" / "openclaw" / "harness.mjs"
_HOST_MODULE = """
export const abortAgentHarnessRun = (id) =>
  !globalThis.unknownSessions.has(id) && globalThis.abortedSessions.push(id) > 0;
"""
_HOST_PACKAGE = {
    "name": "openclaw",
    "type": "module",
    "exports": {"./plugin-sdk/agent-harness-runtime": "./runtime.js"},
}

Json = dict[str, Any]


class Plugin:
    """The plugin, registered as often as a test wants.

    Args:
        node: the Node to run it with.
        directory: for a copy of the plugin, beside which the gateway's own package can be found.
        environment: of the process.
    """

    def __init__(self, node: Path, directory: Path, environment: dict[str, str] | None = None) -> None:
        self.state_directory = directory / "state"
        copy = directory / "plugin"
        if not copy.exists():
            shutil.copytree(PLUGIN, copy)
            host = copy / "node_modules" / "openclaw"
            host.mkdir(parents=True)
            (host / "package.json").write_text(json.dumps(_HOST_PACKAGE), encoding="utf-8")
            (host / "runtime.js").write_text(_HOST_MODULE, encoding="utf-8")
        self.process = subprocess.Popen(
            [node, _HARNESS, copy / "index.js"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment or {},
        )
        self._answers: dict[int, Future[Any]] = {}
        self._events = 0
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> int:
        """End the gateway's input, and wait until the process has ended by itself; its exit code."""
        assert self.process.stdin is not None
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE_SECONDS)
        finally:
            self.kill()

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()

    def begin(self, operation: str, **command: Any) -> Future[Any]:
        """Send a command, and do not wait."""
        number = len(self._answers)
        answer: Future[Any] = Future()
        self._answers[number] = answer
        assert self.process.stdin is not None
        line = json.dumps({"id": number, "operation": operation, **command}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        return answer

    def do(self, operation: str, **command: Any) -> Any:
        """Send a command; what it gave."""
        return self.begin(operation, **command).result(PATIENCE_SECONDS)

    def register(self, **config: Any) -> None:
        self.do("register", config=config, stateDirectory=str(self.state_directory))

    def event(self, stream: str, run_id: str, session_id: str = "session-1", **data: Any) -> None:
        """An agent event, to every subscription."""
        self._events += 1
        event = {
            "stream": stream,
            "runId": run_id,
            "sessionKey": "agent:main:main",
            "sessionId": session_id,
            "agentId": "main",
            "seq": self._events,
            "ts": self._events,
            "data": data,
        }
        self.do("event", event=event)

    def logs(self, level: str | None = None) -> list[str]:
        return [line["text"] for line in self.do("logs") if level in (None, line["level"])]

    def wait_for_log(self, text: str) -> None:
        eventually(lambda: any(text in line for line in self.logs()))

    @property
    def aborted(self) -> list[str]:
        """The sessions whose runs were ended."""
        sessions: list[str] = self.do("aborted")
        return sessions

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer = json.loads(line)
            future = self._answers[answer["id"]]
            if "error" in answer:
                future.set_exception(RuntimeError(answer["error"]))
            else:
                future.set_result(answer["value"])
        for future in self._answers.values():
            if not future.done():
                future.set_exception(RuntimeError("the gateway has ended"))


class Turn:
    """A run, and its calls as a gateway makes them.

    Args:
        plugin: the plugin.
        run_id: the gateway's id of the run.
        session_id: the gateway's id of the session.
    """

    def __init__(self, plugin: Plugin, run_id: str = "run-1", session_id: str = "session-1") -> None:
        self.plugin = plugin
        self.run_id = run_id
        self.ctx = {
            "runId": run_id,
            "agentId": "main",
            "sessionKey": "agent:main:main",
            "sessionId": session_id,
        }

    def start(self, prompt: str = "Do it.") -> Self:
        self.plugin.do("hook", name="before_prompt_build", event={"prompt": prompt}, ctx=self.ctx)
        self.plugin.event("lifecycle", self.run_id, self.ctx["sessionId"], phase="start")
        return self

    def end(self, phase: str = "end", **data: Any) -> None:
        self.plugin.event("lifecycle", self.run_id, self.ctx["sessionId"], phase=phase, **data)

    def begin_before(self, args: Json, call_id: str, tool: str = "exec") -> Future[Any]:
        event = {"toolName": tool, "params": args, "runId": self.run_id, "toolCallId": call_id}
        return self.plugin.begin("hook", name="before_tool_call", event=event, ctx=self.ctx)

    def before(self, args: Json, call_id: str, tool: str = "exec") -> Any:
        """What the plugin answers before a call."""
        return self.begin_before(args, call_id, tool).result(PATIENCE_SECONDS)

    def middleware(self, args: Json, call_id: str, result: Json, tool: str = "exec") -> Json:
        """The result after the plugin's middleware; its context is empty, as in the older release."""
        event = {"toolCallId": call_id, "toolName": tool, "args": args, "isError": False, "result": result}
        changed = self.plugin.do("middleware", event=event, ctx={"runtime": "openclaw"})
        return changed["result"] if changed else result

    def after(self, args: Json, call_id: str, tool: str = "exec", **outcome: Any) -> None:
        event = {
            "toolName": tool,
            "params": args,
            "runId": self.run_id,
            "toolCallId": call_id,
            "durationMs": 5,
            **outcome,
        }
        self.plugin.do("hook", name="after_tool_call", event=event, ctx=self.ctx)

    def call(self, args: Json, call_id: str, text: str = "same", tool: str = "exec") -> Json:
        """A whole call, of which the result is what the model sees."""
        decision = self.before(args, call_id, tool)
        result: Json = text_result(text)
        if decision and decision.get("block"):
            details = {"status": "blocked", "deniedReason": "plugin-before-tool-call"}
            result = {"content": [{"type": "text", "text": decision["blockReason"]}], "details": details}
        seen = self.middleware(args, call_id, result, tool)
        self.after(args, call_id, tool, result=seen)
        return seen


def text_result(text: str) -> Json:
    """What `exec` gives back."""
    details = {"status": "completed", "exitCode": 0, "aggregated": text, "durationMs": 7}
    return {"content": [{"type": "text", "text": text}], "details": details}


def texts(result: Json) -> list[str]:
    """The texts of a result's parts."""
    return [part["text"] for part in result["content"]]
