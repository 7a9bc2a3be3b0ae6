import json
import random

import pytest

from guardd.client import session as module
from guardd.client.exceptions import GuardDenied, GuardUnavailable
from guardd.client.session import Exchange, Fault, Session
from guardd.protocol.errors import Denied, FrameTooLarge, InvalidParams, ShuttingDown

BREAK = Fault("it broke", passing=True)


def make() -> Session:
    return Session(10_000, chance=lambda: 1.0)


def ask(session: Session, deadline: float = 100.0) -> Exchange:
    return session.begin("tool.before", b'{"a":1}', deadline)


def reply(exchange: Exchange, result: object = "done") -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": exchange.number, "result": result}).encode() + b"\n"


def refusal(number: int | None, code: int) -> bytes:
    error = {
        "code": code,
        "message": "no",
        "data": {"kind": {-32002: "denied", -32005: "shutting_down"}.get(code)},
    }
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": error}).encode() + b"\n"


def sent(data: bytes) -> list[int]:
    return [json.loads(line)["id"] for line in data.splitlines()]


def test_a_request_is_one_line_of_json():
    session = make()
    exchange = ask(session)
    assert exchange.frame.endswith(b"\n")
    assert json.loads(exchange.frame) == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tool.before",
        "params": {"a": 1},
    }


def test_replies_find_their_requests_in_any_order_and_in_pieces():
    session = make()
    first, second = ask(session), ask(session)
    assert sent(session.connected(0)) == [1, 2]
    data = reply(second, "b") + reply(first, "a")
    for byte in data:
        session.received(bytes([byte]), 1)
    assert (first.outcome(), second.outcome()) == ("a", "b")
    assert not session.is_waiting


def test_an_error_is_raised():
    session = make()
    exchange = ask(session)
    session.connected(0)
    session.received(refusal(exchange.number, -32602), 1)
    with pytest.raises(InvalidParams, match="no"):
        exchange.outcome()


def test_late_and_unknown_replies_are_ignored():
    session = make()
    first = ask(session)
    session.connected(0)
    session.abandon(first)
    second = ask(session)
    session.outgoing(second, 0)
    session.received(
        reply(first, "late") + b'{"id":99,"result":1}\n{"id":"1","result":1}\n{"id":[],"result":1}\n', 1
    )
    assert not second.done
    session.received(reply(second), 1)
    assert second.outcome() == "done"


def test_after_a_break_everything_unanswered_is_sent_again_in_order():
    session = make()
    first, second, third = ask(session), ask(session), ask(session)
    before = session.connected(0)
    session.received(reply(second), 1)
    session.lost(BREAK, 2)
    assert session.is_waiting
    assert session.retry_at == 2
    fourth = ask(session)
    again = session.connected(2)
    assert sent(again) == [first.number, third.number, fourth.number]
    assert again.splitlines()[0] == before.splitlines()[0]


def test_half_a_reply_is_forgotten_with_its_connection():
    session = make()
    exchange = ask(session)
    session.connected(0)
    session.received(b'{"id": 1, "res', 1)
    session.lost(BREAK, 2)
    session.connected(2)
    session.received(reply(exchange), 3)
    assert exchange.outcome() == "done"


def test_it_is_patient_after_a_break_and_then_gives_up():
    session = make()
    exchange = ask(session)
    session.connected(0)
    session.lost(BREAK, 10)
    session.connect_failed(GuardUnavailable("nobody"), 10)
    assert session.retry_at == pytest.approx(10 + module.GRACE_PAUSE)
    session.check(10.01)
    late = ask(session)
    session.connect_failed(GuardUnavailable("nobody"), 10 + module.GRACE)
    assert exchange.done
    for waiting in (exchange, late):
        with pytest.raises(GuardUnavailable, match="nobody"):
            waiting.outcome()
    with pytest.raises(GuardUnavailable, match="nobody"):
        session.check(10 + module.GRACE)


def test_a_first_connection_that_fails_is_not_waited_for():
    session = make()
    exchange = ask(session)
    session.connect_failed(GuardDenied("keep out"), 10)
    assert isinstance(exchange.error, GuardDenied)
    with pytest.raises(GuardDenied, match="keep out"):
        session.check(10.1)
    session.check(session.retry_at)


def test_one_request_at_a_time_tries_a_daemon_that_was_down():
    session = make()
    session.connect_failed(GuardUnavailable("nobody"), 0)
    now = session.retry_at
    session.check(now)
    probe = ask(session)
    session.connected(now)
    with pytest.raises(GuardUnavailable, match="nobody"):
        session.check(now)
    session.received(reply(probe), now)
    session.check(now)


def test_attempts_become_rarer_until_an_answer_comes():
    session = make()
    pauses = []
    now = 0.0
    for _ in range(8):
        session.connect_failed(GuardUnavailable("nobody"), now)
        pauses.append(session.retry_at - now)
        now = session.retry_at
    assert pauses == [0.25, 0.5, 1, 2, 4, 8, 10, 10]
    exchange = ask(session)
    session.connected(now)
    session.received(reply(exchange), now)
    session.lost(Fault("garbage"), now)
    assert session.retry_at - now == 0.25


def test_a_mere_connection_does_not_make_attempts_more_frequent():
    session = make()
    session.connect_failed(GuardUnavailable("nobody"), 0)
    for now in (1.0, 2.0):
        ask(session)
        session.connected(now)
        session.lost(Fault("garbage"), now)
    assert session.retry_at == 2.0 + 1.0


def test_patience_is_not_renewed_without_an_answer():
    session = make()
    ask(session)
    session.connected(0)
    session.lost(BREAK, 0)
    session.connected(0.5)
    session.lost(BREAK, 0.5)
    assert session.is_waiting
    session.connected(1.5)
    session.lost(BREAK, 1.5)
    assert not session.is_waiting


def test_jitter_takes_up_to_half_off():
    for chance, pause in ((0.0, 0.125), (1.0, 0.25)):
        session = Session(1000, chance=lambda chance=chance: chance)  # type: ignore[misc]
        session.connect_failed(GuardUnavailable("nobody"), 0)
        assert session.retry_at == pause
    assert 0 <= module._chance() <= 1  # noqa: SLF001 - its range is the point


def test_a_request_that_breaks_every_connection_is_given_up():
    session = make()
    poison = ask(session)
    for _ in range(module.MAX_SENDS):
        assert not poison.done
        session.connected(0)
        session.lost(BREAK, 0)
    with pytest.raises(GuardUnavailable, match="it broke"):
        poison.outcome()


def test_a_daemon_that_is_shutting_down_is_waited_for():
    session = make()
    exchange = ask(session)
    for _ in range(module.MAX_SENDS - 1):
        session.connected(0)
        with pytest.raises(Fault) as caught:
            session.received(refusal(exchange.number, -32005), 0)
        session.lost(caught.value, 0)
        assert session.is_waiting
    assert session.retry_at == module.GRACE_PAUSE
    session.connected(0)
    session.received(refusal(exchange.number, -32005), 0)
    with pytest.raises(ShuttingDown):
        exchange.outcome()


@pytest.mark.parametrize("garbage", [b"hello\n", b"[1]\n", b"\xff\n", b"[" * 100_000 + b"\n", b"1\n"])
def test_garbage_ends_the_connection(garbage: bytes):
    session = make()
    exchange = ask(session)
    session.connected(0)
    with pytest.raises(Fault) as caught:
        session.received(garbage, 1)
    session.lost(caught.value, 1)
    with pytest.raises(GuardUnavailable, match="not understood"):
        exchange.outcome()
    assert not session.is_connected


def test_an_endless_reply_ends_the_connection(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "REPLY_LIMIT", 1000)
    session = make()
    ask(session)
    session.connected(0)
    with pytest.raises(Fault, match="larger than 1000 bytes"):
        session.received(b"x" * 2000, 1)


def test_a_connection_that_is_refused_says_why():
    session = make()
    exchange = ask(session)
    session.connected(0)
    with pytest.raises(Fault) as caught:
        session.received(refusal(None, -32002), 1)
    session.lost(caught.value, 1)
    with pytest.raises(Denied):
        exchange.outcome()
    with pytest.raises(GuardUnavailable, match="no"):
        session.check(1)


def test_an_error_for_the_connection_of_a_daemon_that_answers_is_no_outage():
    session = make()
    first = ask(session)
    session.connected(0)
    session.received(reply(first), 1)
    second = ask(session)
    session.outgoing(second, 1)
    with pytest.raises(Fault) as caught:
        session.received(refusal(None, -32001), 2)
    session.lost(caught.value, 2)
    assert second.done
    session.check(2)


def test_silence_until_the_deadline_gives_the_connection_up():
    session = make()
    exchange = ask(session, deadline=1)
    session.connected(0)
    session.expired(exchange, 1)
    with pytest.raises(GuardUnavailable, match="in time"):
        exchange.outcome()
    assert not session.is_connected
    with pytest.raises(GuardUnavailable, match="in time"):
        session.check(1)


def test_a_daemon_that_is_only_slow_keeps_its_connection():
    session = make()
    slow = ask(session, deadline=1)
    quick = ask(session)
    session.connected(0)
    session.received(reply(quick), 0.5)
    session.expired(slow, 1)
    assert slow.error
    assert session.is_connected
    session.check(1)
    session.received(reply(slow), 2)


def test_a_request_above_the_limit_is_not_sent():
    session = make()
    with pytest.raises(FrameTooLarge):
        session.begin("m", b'"' + b"x" * 10_000 + b'"', 1)
    assert not session.is_waiting


def test_notifications_are_kept_for_who_asks():
    session = make()
    session.connected(0)
    session.received(b'{"jsonrpc":"2.0","method":"event","params":{"seq":1}}\n', 0)
    assert list(session.notifications) == [("event", {"seq": 1})]


def test_what_it_is_told_in_any_order_never_loses_a_request():  # noqa: C901 - one step for each thing it can be told
    for seed in range(200):
        dice = random.Random(seed)  # noqa: S311 - not for secrets
        session = Session(10_000, chance=dice.random)
        now = 0.0
        exchanges: list[Exchange] = []
        for _ in range(60):
            now += dice.random() / 5
            step = dice.randrange(6)
            if step == 0:
                exchanges.append(ask(session, deadline=now + 1))
                if session.is_connected:
                    session.outgoing(exchanges[-1], now)
            elif step == 1 and not session.is_connected:
                session.connected(now)
            elif step == 2 and not session.is_connected:
                session.connect_failed(GuardUnavailable("nobody"), now)
            elif step == 3 and session.is_connected:
                session.lost(BREAK, now)
            elif step == 4 and session.is_connected and exchanges:
                session.received(reply(dice.choice(exchanges)), now)
            for exchange in exchanges:
                if not exchange.done and now >= exchange.deadline:
                    session.expired(exchange, now)
        waiting = [exchange for exchange in exchanges if not exchange.done]
        assert session.is_waiting == bool(waiting)
        assert sent(session.connected(now)) == [exchange.number for exchange in waiting]
