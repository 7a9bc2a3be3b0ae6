"""Whatever dies, nothing acknowledged is lost, and nothing is counted twice."""

import os
import signal
import subprocess
import sys
import threading

import pytest
from support.daemon import Daemon, RawClient, eventually

from guardd.protocol.errors import RpcError

CONFIG = {
    "tools": {
        "loopDetection": {
            "enabled": True,
            "warningThreshold": 5,
            "criticalThreshold": 200,
            "globalCircuitBreakerThreshold": 400,
            "historySize": 500,
        }
    },
    "agents": {
        "list": [
            {
                "id": "stuck",
                "tools": {"loopDetection": {"criticalThreshold": 20, "globalCircuitBreakerThreshold": 40}},
            }
        ]
    },
}
GATEWAYS = 8
CALLS = 150


class Gateway(threading.Thread):
    """Reports the same call again and again, in a run of its own; repeats what was not answered."""

    def __init__(self, daemon: Daemon, number: int) -> None:
        super().__init__()
        self.daemon_under_test = daemon
        self.run_id = f"run-{number}"
        self.agent_id = "stuck" if number % 2 else "busy"
        self.acknowledged = 0
        self.actions: list[str] = []
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            client = self.daemon_under_test.connect()
            for number in range(CALLS):
                for method in ("tool.before", "tool.after"):
                    client = self._report(client, method, number)
                    self.acknowledged += 1
            client.close()
        except (OSError, EOFError, RpcError, AssertionError) as error:
            self.failure = error

    def _report(self, client: RawClient, method: str, number: int) -> RawClient:
        params = {
            "runId": self.run_id,
            "agentId": self.agent_id,
            "toolName": "exec",
            "toolCallId": f"call-{number}",
            "args": {"command": "make"},
            "requestId": f"{self.run_id}-{method}-{number}",
        }
        if method == "tool.after":
            params["result"] = "nothing to be done"
        while True:
            try:
                self.actions.append(client.ask(method, **params)["action"])
            except (OSError, EOFError):
                client.close()
                client = eventually(self._connect)
            else:
                return client

    def _connect(self) -> RawClient | None:
        try:
            return self.daemon_under_test.connect()
        except OSError:
            return None


def test_sigkill_under_load_loses_nothing_and_counts_nothing_twice(tmp_path):
    with Daemon(tmp_path, CONFIG).start() as daemon:
        gateways = [Gateway(daemon, number) for number in range(GATEWAYS)]
        for gateway in gateways:
            gateway.start()
        for share in (4, 2):
            eventually(lambda share=share: min(one.acknowledged for one in gateways) > CALLS // share)
            daemon.kill()
            stored_at_least = {one.run_id: (one.acknowledged + 1) // 2 for one in gateways}
            daemon.start()
            for run_id, calls in stored_at_least.items():
                assert daemon.ask("run.get", run=run_id)["calls"] >= calls
        for gateway in gateways:
            gateway.join()
        assert [gateway.failure for gateway in gateways] == [None] * GATEWAYS
        for gateway in gateways:
            history = daemon.ask("run.history", run=gateway.run_id)["calls"]
            assert [call["seq"] for call in history] == list(range(1, CALLS + 1))
            assert [call["toolCallId"] for call in history] == [f"call-{n}" for n in range(CALLS)]
        assert daemon.ask("db.check") == {"ok": True, "problems": []}
        assert "bug" not in daemon.log()

        twins = [Gateway(daemon, number) for number in (GATEWAYS, GATEWAYS + 1)]
        for twin in twins:
            twin.start()
            twin.join()
        for gateway in gateways:
            assert gateway.actions == twins[gateways.index(gateway) % 2].actions
        assert "abort" in twins[1].actions
        assert "abort" not in twins[0].actions


def test_stored_is_between_acknowledged_and_sent(tmp_path):
    """Without request ids: one call of each connection may be in flight when the daemon dies."""
    with Daemon(tmp_path, CONFIG).start() as daemon:
        acknowledged = [0] * GATEWAYS

        def hammer(number: int) -> None:
            with daemon.connect() as client:
                try:
                    while True:
                        asked = {"runId": f"run-{number}", "toolName": "exec"}
                        client.ask("tool.before", **asked, args={"n": acknowledged[number]})
                        acknowledged[number] += 1
                except (OSError, EOFError):
                    return

        threads = [threading.Thread(target=hammer, args=(number,)) for number in range(GATEWAYS)]
        for thread in threads:
            thread.start()
        eventually(lambda: min(acknowledged) > 50)
        daemon.kill()
        for thread in threads:
            thread.join()
        daemon.start()
        for number in range(GATEWAYS):
            stored = daemon.ask("run.get", run=f"run-{number}")["calls"]
            assert acknowledged[number] <= stored <= acknowledged[number] + 1
        assert daemon.ask("db.check") == {"ok": True, "problems": []}


GATEWAY_PROGRAM = """
import sys, time
from guardd.client import GuardClient

client = GuardClient(sys.argv[1], fail_closed=True)
run = client.run("the-run")
run.start()
for number in range(int(sys.argv[2])):
    with run.call("exec", {"command": "make"}, raising=False) as call:
        call.result = "nothing to be done"
    print(call.verdict.action, flush=True)
run.before_call("exec", {"command": "make"})
print("mid-call", flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize(
    ("calls_before_the_restart", "is_daemon_killed_too"), [(1, False), (2, False), (3, False), (2, True)]
)
def test_a_gateway_that_vanishes_in_the_middle_of_a_call_keeps_its_counts(
    tmp_path, calls_before_the_restart, is_daemon_killed_too
):
    config = {"tools": {"loopDetection": {"enabled": True, "warningThreshold": 4, "criticalThreshold": 6}}}
    with Daemon(tmp_path, config).start() as daemon:
        first = run_gateway(daemon, calls_before_the_restart)
        if is_daemon_killed_too:
            daemon.restart()
        second = run_gateway(daemon, 6 - calls_before_the_restart)
        # The call that was left without an outcome is a repeat all the same, so the fifth call is warned of. It is
        # no call without progress, so the eighth is the first with six of those before it.
        assert first == ["allow"] * calls_before_the_restart
        assert second == [
            "warn" if number > 4 else "allow" for number in range(calls_before_the_restart + 2, 8)
        ]
        history = daemon.ask("run.history", run="the-run")
        states = [call["state"] for call in history["calls"]]
        assert states[calls_before_the_restart] == "pending"
        assert (states.count("ok"), states[-1], len(states)) == (6, "blocked", 8)
        assert {(marker["kind"], marker["afterSeq"]) for marker in history["markers"]} == {
            (kind, calls_before_the_restart + 1)
            for kind in ("gateway_restart", "daemon_restart")[: 1 + is_daemon_killed_too]
        }


def run_gateway(daemon: Daemon, calls: int) -> list[str]:
    """A gateway process that makes some calls, begins one more, and is killed; the actions it was told."""
    process = subprocess.Popen(
        [sys.executable, "-c", GATEWAY_PROGRAM, os.fspath(daemon.socket), str(calls)],
        stdout=subprocess.PIPE,
        text=True,
    )
    actions = []
    with process:
        for line in process.stdout:
            if line.strip() == "mid-call":
                break
            actions.append(line.strip())
        process.send_signal(signal.SIGKILL)
    return actions
