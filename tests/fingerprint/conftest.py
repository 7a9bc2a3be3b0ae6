import json
from pathlib import Path

import pytest

from guardd.fingerprint import Fingerprinter


@pytest.fixture
def fingerprinter():
    return Fingerprinter(b"a secret of the database")


@pytest.fixture(scope="session")
def conformance(pytestconfig: pytest.Config):
    folder = pytestconfig.rootpath.parent / "shared" / "conformance"
    if not folder.is_dir():
        pytest.skip("the conformance data is not here")
    return folder


@pytest.fixture(scope="session")
def outcome_pairs(conformance: Path):
    lines = (conformance / "outcomes.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]
