"""Great outcomes: their fingerprints, and whom they keep waiting."""

from pathlib import Path

import pytest

from guardd.bench import outcomes
from guardd.bench.outcomes import delay, fingerprints, nested_outcome


class Nobody:
    """A connection on which all is answered at once."""

    def __init__(self, _path):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def ask(self, _frame):
        return b""


@pytest.mark.parametrize(
    ("waited", "later"), [([[], [0.3, 0.1], [], []], 200), ([[0.2], [0.4]], 200), ([[], []], 0)]
)
def test_rounds_in_which_nobody_waited_say_nothing(monkeypatch, waited, later):
    rounds = iter(waited)
    monkeypatch.setattr(outcomes, "Link", Nobody)
    monkeypatch.setattr(outcomes, "time_pairs", lambda _link, pairs: [0.1] * len(pairs))
    monkeypatch.setattr(outcomes, "_beside", lambda *_: next(rounds))
    figure = delay(Path("socket"), len(waited))
    assert figure.guardd == pytest.approx(later)


@pytest.mark.bench
@pytest.mark.timeout(900)
def test_fingerprints_against_decoding_and_hashing(tell):
    tell("in this process", *fingerprints(rounds=200))


@pytest.mark.bench
@pytest.mark.timeout(900)
def test_a_frame_of_1_mb_and_another_connection(servers, tell):
    _, daemon = servers
    great = b"[%s]" % b",".join([nested_outcome()] * 10)
    tell("1 MB of text", delay(daemon.socket, 50))
    tell(f"{len(great):,} bytes of nested values", delay(daemon.socket, 50, "nested", great))
