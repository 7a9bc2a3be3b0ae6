from operator import eq, ge

from guardd.store.reading.conditions import conditions
from guardd.store.schema import runs


def test_what_is_not_given_does_not_restrict():
    wanted = conditions(((runs.c.status, eq, None), (runs.c.agent_id, eq, ""), (runs.c.reset_seq, ge, 0)))
    assert [str(condition) for condition in wanted] == [
        "runs.agent_id = :agent_id_1",
        "runs.reset_seq >= :reset_seq_1",
    ]
