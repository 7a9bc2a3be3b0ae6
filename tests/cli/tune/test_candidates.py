"""The thresholds that are tried, with the settings that hold besides."""

from pathlib import Path
from typing import Any

import click
import pytest

from guardd.cli.tune.candidates import LADDER, Present, block, parsed
from guardd.config import parse
from guardd.config.trial import trial
from guardd.replay.trying import Candidate, effective


def present(path: Path | None = None, **changes: Any) -> Present:
    described = trial(path, [f"{key}={value}" for key, value in changes.items()]).describe()
    return Present.of(described, known=True)


def test_a_candidate_as_it_is_named() -> None:
    assert parsed("5/10/15") == Candidate(5, 10, 15)
    assert parsed(str(Candidate(5, 10, 15))) == Candidate(5, 10, 15)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "5",
        "5/10",
        "5/10/15/20",
        "a/b/c",
        "5/10/-1",
        "0/1/2",
        "5/10/",
        "1.5/2/3",
        "5/10/15/",
        f"5/10/{'9' * 5000}",
    ],
)
def test_what_is_none(text: str) -> None:
    with pytest.raises(click.BadParameter):
        parsed(text)


def test_the_ladder_is_one_and_its_steps_need_no_raising() -> None:
    assert list(LADDER) == sorted(LADDER)
    assert all(one.warning < one.critical < one.breaker for one in LADDER)


def test_the_present_ones_and_what_the_window_lets_be_counted() -> None:
    tried = present(warningThreshold=7, historySize=15).tried([])
    assert tried == [Candidate(7, 20, 30), *LADDER[:3]]
    own = Candidate(90, 91, 92)
    assert present().tried([own]) == [Candidate(10, 20, 30), own]


def test_only_the_thresholds_are_changed(tmp_path: Path) -> None:
    text = """{
        tools: {loopDetection: {enabled: false, historySize: 40, detectors: {pingPong: false}}},
        agents: {list: [{id: "own", tools: {loopDetection: {warningThreshold: 2}}}]},
        guardd: {mode: "observe", pollTools: ["look"], sendingTools: ["say"]},
    }"""
    file = tmp_path / "guardd.json5"
    file.write_text(text)
    settings = Present.of(parse(text, str(file)).describe(), known=True)
    assert not settings.is_on
    config = settings.with_thresholds(Candidate(3, 6, 9))
    assert effective(config) == Candidate(3, 6, 9)
    loop = config.loop_settings("own")
    assert loop == config.loop_settings(None)
    assert (loop.enabled, loop.history_size, loop.ping_pong, loop.generic_repeat) == (True, 40, False, True)
    assert (config.settings.poll_tools, config.settings.sending_tools) == (("look",), ("say",))


def test_whether_detection_is_on() -> None:
    assert not present().is_on  # nobody said so
    assert present(enabled="true").is_on


@pytest.mark.parametrize("agent", [None, 'an "agent"'])
def test_a_block_can_be_pasted(agent: str | None) -> None:
    loop = parse(block(Candidate(5, 10, 15), agent), "guardd.json5").loop_settings(agent)
    assert loop.enabled
    assert (loop.warning_threshold, loop.critical_threshold, loop.global_circuit_breaker_threshold) == (
        5,
        10,
        15,
    )


@pytest.mark.parametrize(
    ("asked", "used", "words"),
    [
        ((5, 10, 15), (5, 10, 15), None),
        ((5, 5, 5), (5, 6, 7), "5/5/5 is tried as 5/6/7"),
        (
            (20, 31, 32),
            (20, 31, 32),
            "criticalThreshold, globalCircuitBreakerThreshold above historySize, 30",
        ),
    ],
)
def test_remarks(asked: tuple[int, ...], used: tuple[int, ...], words: str | None) -> None:
    remark = present().remark(Candidate(*asked), Candidate(*used))
    assert remark == words or (remark and words and words in remark)
