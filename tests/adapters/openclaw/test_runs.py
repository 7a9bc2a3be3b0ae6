import pytest
from support.openclaw_plugin import Turn

TRUE = {"command": "true"}
RESUMPTION = "[System] Your previous turn was interrupted by a gateway restart while OpenClaw was waiting."


def runs(daemon):
    return {run["run"]: run["status"] for run in daemon.ask("run.list")["runs"]}


def markers(daemon, run="run-1"):
    return [marker["kind"] for marker in daemon.ask("run.history", run=run)["markers"]]


def test_a_run_begins_and_ends(plugin, daemon):
    turn = Turn(plugin).start()
    turn.call(TRUE, "c1")
    run = daemon.ask("run.get", run="openclaw/run-1")
    assert (run["status"], run["agentId"]) == ("active", "main")
    turn.end(phase="finishing")
    assert runs(daemon) == {"run-1": "active"}
    turn.end()
    turn.call(TRUE, "c2")  # whatever is recorded after it has come after it
    assert daemon.ask("run.history", run="run-1")["calls"][-1]["seq"] == 2


def test_the_gateways_own_words_say_how_it_ended(plugin, daemon):
    for run_id, phase, data in (
        ("done", "end", {"aborted": False}),
        ("broken", "error", {"error": "no model"}),
        ("stopped", "error", {"aborted": True}),
    ):
        turn = Turn(plugin, run_id).start()
        turn.call(TRUE, "c1")
        turn.end(phase, **data)
    Turn(plugin, "last").call(TRUE, "c1")
    assert runs(daemon) == {"done": "completed", "broken": "failed", "stopped": "aborted", "last": "active"}


def test_an_attempt_that_begins_again_is_no_restart_of_the_gateway(plugin, daemon):
    turn = Turn(plugin).start()
    turn.call(TRUE, "c1")
    turn.start()
    turn.call(TRUE, "c2")
    assert markers(daemon) == []


def test_a_run_that_is_reported_again_by_a_new_process_goes_on(gateway, daemon):
    for restarts in range(2):
        plugin = gateway()
        plugin.register(socketPath=str(daemon.socket))
        turn = Turn(plugin).start()
        turn.call(TRUE, f"c{restarts}")
        plugin.kill()
    assert markers(daemon) == ["gateway_restart"]
    assert daemon.ask("run.get", run="run-1")["calls"] == 2


class TestATurnThatARestartInterrupted:
    def interrupt(self, gateway, daemon):
        plugin = gateway()
        plugin.register(socketPath=str(daemon.socket))
        turn = Turn(plugin, "run-1").start()
        for number in range(4):
            turn.call(TRUE, f"c{number}")
        plugin.kill()
        plugin = gateway()
        plugin.register(socketPath=str(daemon.socket))
        return plugin

    def test_goes_on_as_the_same_run(self, gateway, daemon):
        plugin = self.interrupt(gateway, daemon)
        turn = Turn(plugin, "run-2").start(RESUMPTION)
        turn.call(TRUE, "c4")
        assert turn.before(TRUE, "c5")["block"]
        turn.end()
        assert daemon.ask("run.get", run="run-1")["calls"] == 6
        assert list(runs(daemon)) == ["run-1"]

    def test_goes_on_in_a_gateway_that_restarts_without_a_new_process(self, plugin, daemon):
        turn = Turn(plugin).start()
        turn.call(TRUE, "c1")
        turn.end("error", aborted=True, stopReason="restart")
        Turn(plugin, "run-2").start(RESUMPTION).call(TRUE, "c2")
        assert runs(daemon) == {"run-1": "active"}
        assert markers(daemon) == ["gateway_restart"]

    def test_does_not_if_the_user_begins_something_new(self, gateway, daemon):
        plugin = self.interrupt(gateway, daemon)
        Turn(plugin, "run-2").start("Do something else.").call(TRUE, "c1")
        assert set(runs(daemon)) == {"run-1", "run-2"}

    def test_stays_aborted_if_guardd_had_ended_it(self, gateway, daemon):
        plugin = gateway()
        plugin.register(socketPath=str(daemon.socket))
        turn = Turn(plugin, "run-1").start()
        turn.call(TRUE, "c1")
        daemon.ask("run.abort", run="run-1", reason="by hand")
        turn.call(TRUE, "c2")
        turn.end("error", aborted=True)
        before = len(plugin.aborted)
        assert Turn(plugin, "run-2").start(RESUMPTION).before(TRUE, "c1")["block"]
        assert len(plugin.aborted) == before + 1

    def test_does_not_once_it_has_ended(self, gateway, daemon):
        plugin = gateway()
        plugin.register(socketPath=str(daemon.socket))
        Turn(plugin, "run-1").start().end()
        Turn(plugin, "run-2").start(RESUMPTION).call(TRUE, "c1")
        assert runs(daemon) == {"run-1": "completed", "run-2": "active"}


class TestEndingARun:
    @pytest.fixture
    def stuck(self, plugin, daemon):
        """A turn of which every call is answered with an abort."""
        turn = Turn(plugin)
        plugin.do("list", sessionId="session-1")
        turn.start()
        turn.call(TRUE, "c1")
        daemon.ask("run.abort", run="run-1", reason="by hand")
        return turn

    def test_the_gateway_is_told_and_the_log_says_why(self, plugin, stuck):
        assert stuck.before(TRUE, "c2")["block"]
        assert plugin.aborted == ["session-1"]
        assert plugin.logs("warn") == ["guardd ended run run-1 (operator, 0 times)"]

    def test_a_run_that_the_gateway_has_lost_is_ended_by_its_handle(self, plugin, stuck):
        plugin.do("unlist", sessionId="session-1")
        assert stuck.before(TRUE, "c2")["block"]
        assert plugin.aborted == ["handle of session-1"]

    def test_where_it_cannot_be_ended_its_calls_stay_blocked_and_the_log_says_so(self, plugin, daemon):
        plugin.do("unlist", sessionId="session-1")
        turn = Turn(plugin).start()
        turn.call(TRUE, "c1")
        daemon.ask("run.abort", run="run-1", reason="by hand")
        assert [turn.before(TRUE, f"c{number}")["block"] for number in range(2, 5)] == [True] * 3
        assert len(plugin.logs("error")) == 1
        assert "could not be ended, its calls are blocked" in plugin.logs("error")[0]

    def test_a_late_outcome_ends_neither_it_again_nor_the_sessions_next_run(self, plugin, stuck):
        stuck.before(TRUE, "c2")
        stuck.end("error", aborted=True)
        stuck.after(TRUE, "c2", error="Aborted", result={"content": [], "details": {}})
        Turn(plugin, "run-2").start()
        stuck.after(TRUE, "c3", error="Aborted", result={"content": [], "details": {}})
        assert plugin.aborted == ["session-1"]
        assert plugin.logs("error") == []
