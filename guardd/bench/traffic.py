"""What is sent to the floor and to guardd alike: frames of calls, prepared so that sending them costs little.

The daily bread: runs of 100 calls, seven different ones in turn, each with a result of 200 characters that stays
the same. So each rule has something to count, and nothing is blocked. A stuck agent makes one call only; it is
warned before its eleventh, and blocked from its twenty-first on.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

CALLS_OF_A_RUN = 100
DIFFERENT_CALLS = 7
CALLS_OF_A_STUCK_RUN = 29
"""Ten are blocked then, and the next would end the run."""
RESULT_CHARACTERS = 200

_RUN = "@run@"
_MARK = _RUN.encode()


class Pair(NamedTuple):
    """The two requests of a call, in bytes, a line each.

    Attributes:
        before: `tool.before`.
        after: `tool.after`.
    """

    before: bytes
    after: bytes


class Traffic:
    """The frames of runs that are all alike but for their names.

    Args:
        different: How many different calls there are in turn; 1 is a stuck agent.
        calls: How many calls a run has.
        result: What each call returns.
    """

    def __init__(
        self,
        different: int = DIFFERENT_CALLS,
        calls: int = CALLS_OF_A_RUN,
        result: str = "x" * RESULT_CHARACTERS,
    ) -> None:
        self.calls = calls
        self._parts = [_parts(number, different, result) for number in range(calls)]

    def run(self, name: str) -> list[Pair]:
        """The calls of a run."""
        run = name.encode()
        return [Pair(before.replace(_MARK, run), after.replace(_MARK, run)) for before, after in self._parts]

    def pairs(self, name: str) -> Iterator[Pair]:
        """Calls without end, in runs whose names begin so."""
        number = 0
        while True:
            run = f"{name}-{number}".encode()
            for before, after in self._parts:
                yield Pair(before.replace(_MARK, run), after.replace(_MARK, run))
            number += 1


def stuck() -> Traffic:
    """The frames of an agent that makes the same call again and again."""
    return Traffic(different=1, calls=CALLS_OF_A_STUCK_RUN)


def _parts(number: int, different: int, result: str) -> Pair:
    call = {
        "runId": _RUN,
        "agentId": "main",
        "toolName": "exec",
        "toolCallId": f"call_{number}",
        "args": {"command": f"make target-{number % different}", "timeout": 60},
    }
    outcome = {"result": {"content": [{"type": "text", "text": result}]}, "durationMs": 12}
    return Pair(frame("tool.before", call), frame("tool.after", call | outcome))


def frame(method: str, params: object, number: int = 1) -> bytes:
    """A request as it is sent."""
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
