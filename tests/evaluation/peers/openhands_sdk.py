"""OpenHands' stuck detector, of openhands-sdk: looks at the events of a conversation.

The SDK needs Python 3.12 and over twenty packages, its detector nothing but types of events that it compares. So the
detector's own file is run, with types of the same fields in place of the SDK's:
`pip install --no-deps --ignore-requires-python openhands-sdk` is enough. The agent's thoughts, which it compares too,
are not known from transcripts, and so are all the same.
"""

import importlib.util
import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import distribution
from types import ModuleType
from typing import Any
from unittest.mock import patch

from evaluation.judging import Word, arguments_of, output_of

from guardd.replay.turns import Turn


@dataclass(frozen=True)
class _Thresholds:
    """The defaults of `openhands.sdk.conversation.types`."""

    action_observation: int = 4
    action_error: int = 3
    monologue: int = 3
    alternating_pattern: int = 6


class _Event:
    id = ""


@dataclass
class _Action(_Event):
    tool_name: str
    action: dict[str, Any]
    source: str = "agent"
    thought: str = ""


class _Outcome(_Event):
    source = "environment"


@dataclass
class _Observation(_Outcome):
    tool_name: str
    observation: str | None


@dataclass
class _Error(_Outcome):
    error: str | None
    id: str


@dataclass
class _State:
    events: list[_Event] = field(default_factory=list)

    def active_branch(self, limit: int) -> list[_Event]:
        return self.events[-limit:]


def _load_detector() -> Any:
    """The detector's class; raises `PackageNotFoundError`, a `ModuleNotFoundError`, without the package."""
    path = distribution("openhands-sdk").locate_file("openhands/sdk/conversation/stuck_detector.py")
    stand_ins: dict[str, dict[str, Any]] = {
        "openhands": {},
        "openhands.sdk": {},
        "openhands.sdk.conversation": {},
        "openhands.sdk.conversation.state": {"ConversationState": _State},
        "openhands.sdk.conversation.types": {"StuckDetectionThresholds": _Thresholds},
        "openhands.sdk.event": {
            "Event": _Event,
            "ActionEvent": _Action,
            "ObservationBaseEvent": _Outcome,
            "ObservationEvent": _Observation,
            "AgentErrorEvent": _Error,
            "MessageEvent": type("MessageEvent", (_Event,), {}),
            "CondensationSummaryEvent": type("CondensationSummaryEvent", (_Event,), {}),
        },
        "openhands.sdk.logger": {"get_logger": logging.getLogger},
    }
    spec = importlib.util.spec_from_file_location("stuck_detector", str(path))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with patch.dict(sys.modules, {name: _module(name, names) for name, names in stand_ins.items()}):
        spec.loader.exec_module(module)
    return module.StuckDetector


def _module(name: str, names: dict[str, Any]) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(names)
    return module


_StuckDetector = _load_detector()


def judge(turn: Turn) -> Iterator[Word]:
    """It is asked before each step; its nudge is a warning, being stuck ends the run."""
    state = _State()
    detector = _StuckDetector(state)
    for at, call in enumerate(turn.calls, 1):
        text = output_of(call)
        outcome = _Error(text, str(at)) if call.failed else _Observation(call.tool, text)
        state.events += [_Action(call.tool, arguments_of(call)), outcome]
        if detector.is_stuck():
            yield Word(at, "abort", "stuck")
            return
        if detector.get_action_error_nudge():
            yield Word(at, "warn", "action_error")
