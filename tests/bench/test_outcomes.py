"""Great outcomes: their fingerprints, and whom they keep waiting."""

import pytest

from guardd.bench.outcomes import delay, fingerprints, nested_outcome

pytestmark = [pytest.mark.bench, pytest.mark.timeout(900)]


def test_fingerprints_against_decoding_and_hashing(tell):
    tell("in this process", *fingerprints(rounds=200))


def test_a_frame_of_1_mb_and_another_connection(servers, tell):
    _, daemon = servers
    great = b"[%s]" % b",".join([nested_outcome()] * 10)
    tell("1 MB of text", delay(daemon.socket, 50))
    tell(f"{len(great):,} bytes of nested values", delay(daemon.socket, 50, "nested", great))
