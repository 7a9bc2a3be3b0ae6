"""Windows of calls in a short notation, written to a database and, alike, to the plain model.

A call is a letter for its tool with a digit for its arguments (`a`, `a2`, `b`), and what is known of it:

    a=1     it had the outcome 1
    a?      nothing yet
    a!      guardd blocked the attempt; `a!gone` for the missing tool `gone`
    a~      the same, and the gateway has reported it; `a~gone` likewise
    a-gone  its outcome said that there is no tool `gone`
"""

import itertools
import json
import re
from typing import Any

from support import model
from support.databases import new_call
from support.detections import any_detection

from guardd.config import LoopSettings, parse
from guardd.detect.detection import Detection, Question
from guardd.detect.figures import Figures
from guardd.store.rows import RunRow, Scope
from guardd.store.store import Store
from guardd.vocabulary import CallState, Detector

_numbers = itertools.count(1)
_TOKEN = re.compile(r"(?P<name>[a-z]\d?)(?P<sign>[=?!~-])(?P<word>\w*)")


def settings(**loop: Any) -> LoopSettings:
    """The settings of a `loopDetection` block, switched on."""
    document = {"tools": {"loopDetection": {"enabled": True} | loop}}
    return parse(json.dumps(document)).loop_settings(None)


def signature(name: str) -> bytes:
    """The signature of a call by its name."""
    return f"call {name}".encode().ljust(16)


def question(name: str, *, is_poll: bool = False) -> Question:
    """The call in question by its name."""
    return Question(name[0], signature(name), is_poll)


def asked(name: str, *, is_poll: bool = False) -> model.Asked:
    """The same for the model."""
    return model.Asked(name[0], signature(name), is_poll)


def blocked_as(name: str, missing: str, count: int = 7) -> Detection:
    """What a blocked attempt is said to have been answered with."""
    detector = Detector.UNKNOWN_TOOL_REPEAT if missing else Detector.GENERIC_REPEAT
    return any_detection(
        detector=detector, count=count, threshold=1, tool=name[0], warning_key=f"key of {name}"
    )


def write(store: Store, tokens: str | list[str], run_name: str = "r1") -> RunRow:
    """Add the calls of a window to a run."""
    run = store.enter_run(Scope("default", "run", run_name), None, 1)
    for seq, token in enumerate(tokens.split() if isinstance(tokens, str) else tokens, run.newest_seq + 1):
        name, sign, word = _parts(token)
        columns: dict[str, Any] = {"tool": name[0], "signature": signature(name)}
        if sign == "=":
            columns |= {"state": CallState.OK, "outcome": f"outcome {word}".encode()}
        elif sign == "-":
            columns |= {"state": CallState.ERROR, "outcome": f"miss {word}".encode(), "missing_tool": word}
        elif sign != "?":
            detection = store.insert_detection(
                run, seq, blocked_as(name, word), notify=True, observed=False, now=1
            )
            state = CallState.BLOCKED if sign == "!" else CallState.BLOCKED_REPORTED
            columns |= {"state": state, "detection_id": detection, "missing_tool": word or None}
        store.insert_call(new_call(run, seq, **columns))
    found = store.find_run(run.scope)
    assert found is not None
    return found


def calls(tokens: str | list[str]) -> list[model.Call]:
    """The same calls for the model."""
    found = []
    for seq, token in enumerate(tokens.split() if isinstance(tokens, str) else tokens, 1):
        name, sign, word = _parts(token)
        call = model.Call(seq, asked(name), reported=sign not in "?!")
        if sign in "=-":
            call.came = model.Came(f"outcome {word}" if sign == "=" else f"miss {word}")
        if sign in "!~":
            call.blocked = True
            said = blocked_as(name, word)
            key = (said.detector, said.tool, word) if word else (said.detector, signature(name))
            call.said = model.Found(said.detector, "critical", "block", said.count, said.threshold, key)
        call.missing = word if sign in "!~-" and word else None
        found.append(call)
    return found


def figures(store: Store, tokens: str | list[str], name: str, history: int = 30) -> Figures:
    """What SQL counts over a window of its own, for the call of that name."""
    run = write(store, tokens, run_name=f"window {next(_numbers)}")
    return store.figures(run, question(name), history)


def _parts(token: str) -> tuple[str, str, str]:
    match = _TOKEN.fullmatch(token)
    assert match is not None, token
    return match["name"], match["sign"], match["word"]
