from support.openclaw_plugin import Turn, text_result, texts

TRUE = {"command": "true"}


def states(calls):
    return [(call["toolName"], call["state"], call["action"]) for call in calls]


def test_every_call_is_asked_about_and_reported_once(plugin, history):
    turn = Turn(plugin).start()
    for number in range(2):
        turn.call({"command": f"echo {number}"}, f"c{number}", str(number))
    assert states(history()) == [("exec", "ok", "allow")] * 2
    assert [call["toolCallId"] for call in history()] == ["c0", "c1"]


def test_a_warning_is_shown_to_the_model_once_and_a_block_stands_in_the_result(plugin, history):
    turn = Turn(plugin).start()
    seen = [texts(turn.call(TRUE, f"c{number}")) for number in range(6)]
    assert seen[:3] == [["same"]] * 3
    assert seen[3][0] == "same"
    assert "3 times" in seen[3][1]
    assert seen[4] == ["same"]
    assert len(seen[5]) == 1
    assert seen[5][0].startswith("Blocked:")
    assert [call["state"] for call in history()] == ["ok"] * 5 + ["blocked"]


def test_an_abort_blocks_the_call_and_ends_the_run(plugin, daemon):
    turn = Turn(plugin).start()
    for number in range(8):
        turn.call(TRUE, f"c{number}")
    assert set(plugin.aborted) == {"session-1"}
    assert plugin.logs("warn") == ["guardd ended run run-1 (generic_repeat, 7 times)"]
    turn.end("error", aborted=True)
    assert daemon.ask("run.get", run="run-1")["status"] == "aborted"


def test_the_note_is_never_reported_back(plugin):
    turn = Turn(plugin).start()
    for number in range(5):
        turn.call(TRUE, f"c{number}")
    # With the note in it, the fourth outcome would be another one, and this call would not be blocked.
    assert turn.before(TRUE, "c5")["block"]


def test_an_outcome_that_the_middleware_did_not_see_is_reported_after(plugin, history):
    turn = Turn(plugin).start()
    turn.before(TRUE, "c1")
    turn.after(TRUE, "c1", result=text_result("ok"), error="a failed command sets this in some releases")
    assert states(history()) == [("exec", "ok", "allow")]


def test_a_result_is_raw_with_what_json_cannot_say(plugin, history):
    turn = Turn(plugin).start()
    turn.before(TRUE, "c1")
    event = {"toolCallId": "c1", "toolName": "exec", "args": TRUE, "result": text_result("ok")}
    plugin.do("circular", event=event, ctx={})
    assert states(history()) == [("exec", "ok", "allow")]


class TestIdsThatRepeat:
    def test_one_after_the_other(self, plugin, history):
        turn = Turn(plugin).start()
        for number in range(2):
            turn.call({"command": f"echo {number}"}, "call_auto_1", str(number))
        assert states(history()) == [("exec", "ok", "allow")] * 2

    def test_parallel_calls_of_one_run(self, plugin, history):
        turn = Turn(plugin).start()
        commands = [{"command": f"echo {number}"} for number in range(3)]
        asked = [turn.begin_before(args, "call_fixed") for args in commands]
        assert [answer.result(10) for answer in asked] == [None] * 3
        for args in reversed(commands):
            turn.middleware(args, "call_fixed", text_result(args["command"]))
        for args in commands[1:] + commands[:1]:
            turn.after(args, "call_fixed", result=text_result(args["command"]))
        assert states(history()) == [("exec", "ok", "allow")] * 3

    def test_two_runs_at_once_of_which_the_middleware_says_nothing(self, plugin, history):
        first = Turn(plugin, "run-1").start()
        second = Turn(plugin, "run-2", "session-2").start()
        first.before({"command": "one"}, "call_auto_1")
        second.before({"command": "two"}, "call_auto_1")
        second.middleware({"command": "two"}, "call_auto_1", text_result("two"))
        second.after({"command": "two"}, "call_auto_1", result=text_result("two"))
        assert [call["state"] for call in history("run-1")] == ["pending"]
        assert [call["state"] for call in history("run-2")] == ["ok"]
        first.middleware({"command": "one"}, "call_auto_1", text_result("one"))
        assert [call["state"] for call in history("run-1")] == ["ok"]

    def test_one_that_failed_its_schema_beside_one_that_did_not(self, plugin, history):
        turn = Turn(plugin).start()
        turn.before(TRUE, "call_fixed")
        turn.middleware(TRUE, "call_fixed", text_result("ok"))
        error = 'Validation failed for tool "exec":'
        turn.after({"wrong": 1}, "call_fixed", error=error, result={"content": [], "details": {}})
        turn.after(TRUE, "call_fixed", result=text_result("ok"))
        assert states(history()) == [("exec", "ok", "allow"), ("exec", "error", "allow")]


class TestCallsThatWereNeverAskedAbout:
    def test_a_tool_that_does_not_exist_is_reported_and_at_last_ends_the_run(self, plugin, daemon, history):
        daemon.configure(
            {
                "tools": {
                    "loopDetection": {
                        "enabled": True,
                        "unknownToolThreshold": 2,
                        "warningThreshold": 2,
                        "criticalThreshold": 3,
                        "globalCircuitBreakerThreshold": 4,
                    }
                }
            }
        )
        daemon.ask("config.reload")
        turn = Turn(plugin).start()
        missing = {"content": [{"type": "text", "text": "Tool nope not found"}], "details": {}}
        for number in range(5):
            turn.after({}, f"c{number}", "nope", error="Tool nope not found", result=missing)
        assert {call["state"] for call in history()} == {"error"}
        assert "unknown_tool_repeat" in {call["detector"] for call in history()}
        assert set(plugin.aborted) == {"session-1"}

    def test_its_warning_is_shown_with_the_next_result(self, plugin):
        turn = Turn(plugin).start()
        for number in range(4):
            turn.after(
                {}, f"c{number}", "exec", error='Validation failed for tool "exec":', result={"details": {}}
            )
        seen = texts(turn.call({"command": "other"}, "c9", "ok"))
        assert seen[0] == "ok"
        assert "3 times" in seen[1]

    def test_another_guards_veto_is_an_outcome_like_any_other(self, plugin, history):
        turn = Turn(plugin).start()
        veto = {
            "content": [{"type": "text", "text": "no"}],
            "details": {"status": "blocked", "deniedReason": "tool-loop"},
        }
        assert turn.middleware(TRUE, "c1", veto) == veto
        turn.after(TRUE, "c1", result=veto, error="no")
        assert states(history()) == [("exec", "ok", "allow")]


def test_state_is_shared_by_all_registrations(plugin, daemon, history):
    plugin.register(socketPath=str(daemon.socket))
    turn = Turn(plugin).start()
    turn.before(TRUE, "c1")
    plugin.register(socketPath=str(daemon.socket))
    turn.middleware(TRUE, "c1", text_result("ok"))
    turn.after(TRUE, "c1", result=text_result("ok"))
    assert states(history()) == [("exec", "ok", "allow")]
    assert daemon.ask("server.status")["connections"] == 2  # the plugin's, and this one
