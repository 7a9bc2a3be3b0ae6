from collections.abc import Callable, Sequence
from typing import Any

import pytest

from guardd.cli.paging import History
from guardd.cli.report.loops import episodes, with_calls
from guardd.cli.report.model import Report
from guardd.cli.report.telling import story
from guardd.cli.timeline import timeline

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def told(make_run: Make, make_call: Make, make_event: Make) -> Callable[..., list[str]]:
    """The story of a run of calls with signatures, and events: what was answered to which."""

    def tell(
        signatures: str, *answers: dict[str, Any], markers: Sequence[str] = (), refused: int = 0
    ) -> list[str]:
        calls = [make_call(seq, signature=one) for seq, one in enumerate(signatures, start=1)]
        for call in calls[len(calls) - refused :]:
            call["action"] = "abort"
        among = [
            {"kind": kind, "afterSeq": 1, "armed": False, "at": "2026-03-01T11:00:00Z"} for kind in markers
        ]
        run = make_run("r", calls=len(calls), endedAt=None)
        past = History(run, calls, among, more=False)
        events = [make_event(**answer) for answer in answers]
        loops = [with_calls(loop, past) for loop in episodes(past, events)]
        made = Report(
            past=past, drawn=timeline(past), loops=loops, settings=None, notices=(), version="1", made_at=""
        )
        return story(made)

    return tell


def test_a_loop_from_warning_to_end(told: Any) -> None:
    answers = [
        *({"seq": seq, "count": seq - 1} for seq in (4, 5)),
        *({"seq": seq, "action": "block", "count": seq - 1} for seq in (6, 7, 8)),
        {"seq": 9, "action": "abort", "count": 8},
    ]
    assert told("aaaaaaaaaaa", *answers, refused=2) == [
        (
            "The agent called exec with the same arguments 9 times. guardd warned at calls 4 and 5, "
            "blocked calls 6 to 8 and ended the run at call 9."
        ),
        "2 further calls of the agent were refused, because the run had been ended.",
    ]


def test_several_loops_are_summed_up_first(told: Any) -> None:
    answers = [{"seq": seq} for seq in (1, 2, 3, 4, 5)]
    assert told("abcde", *answers) == [
        "guardd found 5 loops in 5 calls, and warned of them.",
        *(
            f"The agent called exec with the same arguments 1 time. guardd warned at call {seq}."
            for seq in (1, 2, 3)
        ),
        "2 more loops came after these; all are below.",
    ]


def test_verdicts_with_other_calls_between_them(told: Any) -> None:
    (sentence,) = told("aabaab", {"seq": 2}, {"seq": 4}, {"seq": 5})
    assert sentence.endswith("guardd warned at 3 calls between 2 and 5.")


def test_what_was_only_observed(told: Any) -> None:
    observed = {"action": "allow", "wouldBe": "abort"}
    (sentence,) = told("aaa", {"seq": 2} | observed, {"seq": 3} | observed)
    assert sentence.endswith("guardd would have ended the run at call 2.")
    several = told("ab", {"seq": 1} | observed, {"seq": 2} | observed)
    assert several[0] == "guardd found 2 loops in 2 calls, and only looked on."


@pytest.mark.parametrize(
    ("detector", "words"),
    [
        ("unknown_tool_repeat", "called exec, a tool that does not exist, 2 calls in all"),
        ("known_poll_no_progress", "polled with exec and saw no change, 1 call in all"),
        ("ping_pong", "went back and forth between exec and read, 2 calls in all"),
        (
            "compaction_loop_persisted",
            "went on calling exec with the same arguments after its context was compacted, 1 call in all",
        ),
    ],
)
def test_each_detector_in_plain_words(told: Any, detector: str, words: str) -> None:
    answers = [{"seq": 2, "detector": detector, "pairedToolName": "read"}]
    if detector == "unknown_tool_repeat":
        answers.insert(0, {"seq": 1, "detector": detector, "pairedToolName": "read"})
    assert told("ab", *answers)[0].startswith(f"The agent {words}. guardd warned at call")


def test_one_tool_that_takes_turns_with_itself(told: Any) -> None:
    (sentence,) = told("abab", {"seq": 4, "detector": "ping_pong", "pairedToolName": "exec", "count": 4})
    assert sentence.startswith("The agent went back and forth between two calls of exec, 4 calls in all.")


def test_what_an_operator_did_and_what_happened_in_between(told: Any) -> None:
    stopped = {
        "seq": None,
        "detector": "operator",
        "action": "abort",
        "message": "This run was stopped: enough",
    }
    assert told("a", stopped, markers=["compaction", "compaction", "daemon_restart"])[-2:] == [
        "This run was stopped: enough.",
        "In between, the context was compacted 2 times and guardd restarted.",
    ]
