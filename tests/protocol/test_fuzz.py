"""Whatever bytes come, everything from the framer to the preview answers or refuses, and raises nothing else."""

import itertools
import json
from typing import Any

import pytest
from support.fuzzing import check_stream, corpus, mutations
from support.schemas import cases, not_named

from guardd.protocol.errors import InvalidParams
from guardd.protocol.methods import METHODS, decode_params

ORDINARY = 3_000


def refused(method: str, params: Any) -> str | None:
    try:
        decode_params(METHODS[method], json.dumps(params).encode())
    except InvalidParams as error:
        return str(error)
    return None


def test_the_kept_corpus():
    assert len(corpus()) > 200
    assert sum(map(check_stream, corpus())) > len(corpus())


@pytest.mark.parametrize("seed", range(2))
def test_changed_streams(seed: int):
    for stream in itertools.islice(mutations(seed), ORDINARY):
        check_stream(stream)


def test_each_parameter_takes_what_the_document_says_and_nothing_else():
    wrong = []
    for method, field, params, taken in cases():
        why = refused(method, params)
        if taken != (why is None) or (why is not None and field not in why):
            wrong.append((method, field, params[field], taken, why))
    assert wrong == []


def test_parameters_are_given_by_name():
    assert [case for case in not_named() if refused(*case) is None] == []
