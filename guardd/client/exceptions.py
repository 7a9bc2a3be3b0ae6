"""What the clients raise.

::

    GuardError
    ├── GuardUnavailable   no answer: no daemon, no connection, or not in time
    │   └── GuardDenied    the operating system does not let this user connect
    ├── CallBlocked        the verdict was ``block``
    └── RunAborted         the verdict was ``abort``

An error that the daemon answered with is a `guardd.protocol.errors.RpcError`; only ``request()`` and, with
``fail_closed``, ``before_call()`` raise one.
"""

# ruff: noqa: N818 - the names say what happened to the call

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guardd.client.verdict import Verdict


class GuardError(Exception):
    """Base of all that the clients raise themselves."""


class GuardUnavailable(GuardError):
    """There was no answer from guardd. The text says where it was looked for and what to do."""


class GuardDenied(GuardUnavailable):
    """There is a socket, but its permissions keep this user out."""


class CallBlocked(GuardError):
    """guardd blocked a call: do not make it. The text is written for the model: hand it on as the result.

    Args:
        verdict: What was answered.
    """

    def __init__(self, verdict: "Verdict") -> None:
        super().__init__(
            verdict.message or "guardd blocked this call: it repeats earlier ones without progress."
        )
        self.verdict = verdict


class RunAborted(GuardError):
    """guardd or an operator stopped the run: end the turn. Every later call of the run is answered the same.

    Args:
        verdict: What was answered.
    """

    def __init__(self, verdict: "Verdict") -> None:
        super().__init__(verdict.message or "guardd stopped this run: it repeats itself without progress.")
        self.verdict = verdict


def raise_if_stopped(verdict: "Verdict") -> None:
    """Turn a block or an abort into its exception.

    Raises:
        CallBlocked: the verdict is ``block``.
        RunAborted: the verdict is ``abort``.
    """
    if verdict.action == "block":
        raise CallBlocked(verdict)
    if verdict.action == "abort":
        raise RunAborted(verdict)
