"""Clients of guardd, for authors of agent gateways: a blocking one and one for asyncio.

Both have the same methods, and need only the standard library. What is here is imported when it is first asked
for, so that a hook, which lives for one tool call, pays for nothing that it does not use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guardd.client.aio import AsyncGuardClient
    from guardd.client.aio_run import AsyncCall, AsyncRun
    from guardd.client.blocking import GuardClient
    from guardd.client.blocking_run import Call, Run
    from guardd.client.blocking_watch import Watch
    from guardd.client.exceptions import CallBlocked, GuardDenied, GuardError, GuardUnavailable, RunAborted
    from guardd.client.operations import UNSET, Scope
    from guardd.client.verdict import ActionWord, CompactionGuard, Detection, RunStart, Verdict

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

_HOMES = {
    "aio": ("AsyncGuardClient",),
    "aio_run": ("AsyncCall", "AsyncRun"),
    "blocking": ("GuardClient",),
    "blocking_run": ("Call", "Run"),
    "blocking_watch": ("Watch",),
    "exceptions": ("CallBlocked", "GuardDenied", "GuardError", "GuardUnavailable", "RunAborted"),
    "operations": ("UNSET", "Scope"),
    "verdict": ("ActionWord", "CompactionGuard", "Detection", "RunStart", "Verdict"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
