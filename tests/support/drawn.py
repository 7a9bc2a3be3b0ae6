"""Calls that Hypothesis draws, for a plain model and, alike, in a database."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from support.databases import new_call

from guardd.store.rows import RunRow, Scope
from guardd.store.store import Store
from guardd.vocabulary import CallState


@dataclass(frozen=True)
class DrawnCall:
    """One of a window: its tool, its arguments, its state, and what came of it, in short."""

    tool: str
    variant: int
    state: CallState
    came: str

    @property
    def signature(self) -> bytes:
        """Of tool and arguments."""
        return f"{self.tool}{self.variant}".encode().ljust(16)

    @property
    def is_known(self) -> bool:
        """Whether its outcome is known."""
        return self.state in (CallState.OK, CallState.ERROR)

    @property
    def is_blocked(self) -> bool:
        """Whether it is an attempt that guardd blocked."""
        return self.state in (CallState.BLOCKED, CallState.BLOCKED_REPORTED)


Drawn = TypeVar("Drawn", bound=DrawnCall)


def put(store: Store, window: Sequence[Drawn], kept: Callable[[int, Drawn], dict[str, Any]]) -> RunRow:
    """A run of these calls; `kept` says what is kept of a call, by its number, besides."""
    run = store.enter_run(Scope("default", "run", "r"), None, 1)
    for seq, call in enumerate(window, 1):
        outcome = call.came.encode() if call.is_known else None
        columns = {"signature": call.signature, "state": call.state, "outcome": outcome}
        store.insert_call(new_call(run, seq, call.tool, **columns))
        store.set_further(run, seq, **kept(seq, call))
    found = store.find_run(run.scope)
    assert found is not None
    return found
