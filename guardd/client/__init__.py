"""Clients of guardd, for authors of agent gateways: a blocking one and one for asyncio.

Both have the same methods, and need only the standard library. `AsyncGuardClient` is imported when it is
first asked for, and asyncio with it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from guardd.client.blocking import GuardClient
from guardd.client.blocking_run import Call, Run
from guardd.client.blocking_watch import Watch
from guardd.client.exceptions import CallBlocked, GuardDenied, GuardError, GuardUnavailable, RunAborted
from guardd.client.operations import UNSET, Scope
from guardd.client.verdict import ActionWord, CompactionGuard, Detection, RunStart, Verdict

if TYPE_CHECKING:
    from guardd.client.aio import AsyncGuardClient
    from guardd.client.aio_run import AsyncCall, AsyncRun

__all__ = [
    "UNSET",
    "ActionWord",
    "AsyncCall",
    "AsyncGuardClient",
    "AsyncRun",
    "Call",
    "CallBlocked",
    "CompactionGuard",
    "Detection",
    "GuardClient",
    "GuardDenied",
    "GuardError",
    "GuardUnavailable",
    "Run",
    "RunAborted",
    "RunStart",
    "Scope",
    "Verdict",
    "Watch",
]

_LAZY = {
    "AsyncGuardClient": "guardd.client.aio",
    "AsyncRun": "guardd.client.aio_run",
    "AsyncCall": "guardd.client.aio_run",
}


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value
