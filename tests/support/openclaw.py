"""A real release of OpenClaw: single runs, and a gateway process; all in a directory of its own."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from support.daemon import eventually
from support.node import need_release
from support.openclaw_plugin import PLUGIN

STARTING_SECONDS = 90.0
"""How long a gateway may take to start: on a machine with other work, that is long."""
RUN_SECONDS = 120.0
_TOKEN = "token-for-a-test"  # noqa: S105 - of a gateway that only listens on loopback

Json = dict[str, Any]


class OpenClaw:
    """One release with the plugin, its state in a directory.

    Args:
        version: the release; the test is skipped where it is not installed.
        directory: where its configuration, state and workspace are.
        model_url: of the model.
        plugin_config: the plugin's configuration.
    """

    def __init__(self, version: str, directory: Path, model_url: str, plugin_config: Json) -> None:
        self.version = version
        self.node, self.entry = need_release(version)
        self.home = directory
        self.workspace = directory / "workspace"
        self.workspace.mkdir(parents=True)
        self.port = _free_port()
        self.log_file = directory / "gateway.log"
        self.log_file.touch()
        self._gateway: subprocess.Popen[bytes] | None = None
        configuration = directory / ".openclaw" / "openclaw.json"
        configuration.parent.mkdir()
        configuration.write_text(json.dumps(self._configuration(model_url, plugin_config)), encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.kill_gateway()

    def run(self, message: str = "Go on.", session: str = "session-1") -> str:
        """`openclaw agent --local`: one run in a process of its own; what it said."""
        command = ["agent", "--local", "--agent", "main", "--session-id", session, "--message", message]
        process = subprocess.Popen(
            [self.node, self.entry, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment,
            cwd=self.workspace,
            start_new_session=True,
            text=True,
        )
        try:
            return process.communicate(timeout=RUN_SECONDS)[0]
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def start_gateway(self) -> None:
        """Start a gateway, and wait until it is ready."""
        ready = self.log().count("[gateway] ready")
        with self.log_file.open("ab") as log:
            self._gateway = subprocess.Popen(
                [self.node, self.entry, "gateway", "run"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self._environment,
                cwd=self.workspace,
                start_new_session=True,
            )
        eventually(lambda: self._has_started(ready), STARTING_SECONDS)

    def kill_gateway(self) -> None:
        """End it, and whatever it started, as a crash would."""
        if self._gateway is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._gateway.pid, signal.SIGKILL)
            self._gateway.wait()
            self._gateway = None

    def ask(self, message: str = "Go on.", session: str = "session-1") -> str:
        """Send a message to the gateway, and wait until its run has ended; what it answered, an error perhaps."""
        body = {"model": "openclaw", "user": session, "messages": [{"role": "user", "content": message}]}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=RUN_SECONDS)
        headers = {"Authorization": f"Bearer {_TOKEN}", "Content-Type": "application/json"}
        with contextlib.closing(connection):
            connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
            return connection.getresponse().read().decode()

    def log(self) -> str:
        """All that its gateways have written."""
        return self.log_file.read_text(encoding="utf-8", errors="replace")

    def _has_started(self, ready: int) -> bool:
        assert self._gateway is not None
        assert self._gateway.poll() is None, self.log()
        return self.log().count("[gateway] ready") > ready

    @property
    def _environment(self) -> Mapping[str, str]:
        return {
            "PATH": f"{self.node.parent}:/usr/bin:/bin",
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "OPENCLAW_DISABLE_BONJOUR": "1",
            "NO_COLOR": "1",
        }

    def _configuration(self, model_url: str, plugin_config: Json) -> Json:
        model = {"id": "loop", "name": "loop", "contextWindow": 200_000, "maxTokens": 1000}
        provider = {"baseUrl": model_url, "apiKey": "none", "api": "openai-completions", "models": [model]}
        entry = {
            "enabled": True,
            "hooks": {"allowConversationAccess": True},
            "config": plugin_config,
        }
        return {
            "gateway": {
                "mode": "local",
                "bind": "loopback",
                "port": self.port,
                "auth": {"mode": "token", "token": _TOKEN},
                "http": {"endpoints": {"chatCompletions": {"enabled": True}}},
            },
            "agents": {
                "defaults": {
                    "model": {"primary": "mock/loop"},
                    "workspace": str(self.workspace),
                    "skipBootstrap": True,
                    # A summary of a model that summarises nothing would fail it.
                    "compaction": {"qualityGuard": {"enabled": False}},
                }
            },
            "logging": {"file": str(self.home / "openclaw.log")},
            "models": {"mode": "replace", "providers": {"mock": provider}},
            "plugins": {
                "load": {"paths": [str(PLUGIN)]},
                "allow": ["guardd"],
                "entries": {"guardd": entry},
            },
            "tools": {"exec": {"security": "full", "ask": "off"}, "loopDetection": {"enabled": False}},
        }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
