import pytest
from support.labelled import load_pairs

from guardd.fingerprint import Fingerprinter


@pytest.fixture
def fingerprinter():
    return Fingerprinter(b"a secret of the database")


@pytest.fixture(scope="session")
def outcome_pairs():
    return load_pairs("outcomes")
