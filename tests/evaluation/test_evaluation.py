"""Whom guardd and its peers would have warned and stopped, of the runs of a corpus: prints figures, asserts none."""

from functools import cache
from importlib import import_module
from importlib.metadata import version

import pytest
from evaluation import corpus, tables
from evaluation.judging import PROFILES, THRESHOLDS, Judge, Judgement, guardd, judge_all

pytestmark = [
    pytest.mark.evaluation,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not corpus.FOLDER.is_dir(), reason=f"no corpus in {corpus.FOLDER}"),
]

PEERS = ("aura-guard", "agent-loop-guard", "agent-watchdog", "agent-budget-guard-py", "openhands-sdk")
"""By their names on PyPI; the module of the same name in `peers` feeds a run to each."""
OURS = {
    f"guardd {profile} {'/'.join(map(str, thresholds))}": guardd(profile, thresholds)
    for profile in PROFILES
    for thresholds in THRESHOLDS
}


def judge_of(name: str) -> Judge:
    """Our own of that name, or the peer's; raises ModuleNotFoundError where it is not installed."""
    return OURS[name] if name in OURS else import_module(f"evaluation.peers.{name.replace('-', '_')}").judge


@cache
def judged(name: str) -> list[Judgement]:
    """What it says of the corpus."""
    return judge_all(corpus.load(), judge_of(name))


@pytest.fixture
def tell(capsys):
    def say(*words: str) -> None:
        with capsys.disabled():
            print("", *words, sep="\n")  # noqa: T201

    return say


def installed(name: str) -> bool:
    try:
        judge_of(name)
    except ModuleNotFoundError:
        return False
    return True


@pytest.mark.parametrize("name", [*OURS, *PEERS])
def test_by_label(name, tell):
    if not installed(name):
        pytest.skip(f"{name} is not installed")
    title = name if name in OURS else f"{name} {version(name)}"
    tell(title, tables.by_label(judged(name)))


@pytest.mark.parametrize("name", list(OURS)[1::3])
def test_what_is_missed_and_what_is_said_by_mistake(name, tell):
    tell(f"{name}, where kind and word do not agree", tables.mistakes(judged(name)))


def test_summary(tell):
    tell(tables.summary({name: judged(name) for name in [*OURS, *PEERS] if installed(name)}))
