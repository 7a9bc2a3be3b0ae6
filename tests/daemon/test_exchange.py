import itertools
import json

import pytest

from guardd.daemon.exchange import Exchange
from guardd.protocol.errors import InternalError


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_replies_stand_in_the_order_of_the_calls_whatever_order_they_come_in(order: tuple[int, ...]):
    sent: list[bytes] = []
    exchange = Exchange(3, batch=True, send=sent.append)
    for index in order:
        assert not sent
        exchange.answer(index, b"%d" % index, b'"%d"' % index)
    (frame,) = sent
    assert [(reply["id"], reply["result"]) for reply in json.loads(frame)] == [(0, "0"), (1, "1"), (2, "2")]


def test_one_call_is_answered_without_an_array():
    sent: list[bytes] = []
    Exchange(1, batch=False, send=sent.append).answer(0, b"1", InternalError())
    assert json.loads(sent[0])["error"]["code"] == -32603
    assert sent[0].endswith(b"\n")


def test_notifications_have_no_reply_among_others():
    sent: list[bytes] = []
    exchange = Exchange(2, batch=True, send=sent.append)
    exchange.answer(0, None, InternalError())
    exchange.answer(1, b"1", b"{}")
    assert json.loads(sent[0]) == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


@pytest.mark.parametrize("batch", [True, False])
def test_notifications_alone_send_nothing_and_are_done_all_the_same(*, batch: bool):
    sent: list[bytes] = []
    Exchange(1, batch=batch, send=sent.append).answer(0, None, b"{}")
    assert sent == [b""]
