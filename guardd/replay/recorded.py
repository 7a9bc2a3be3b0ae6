"""Fingerprints taken as they were recorded, where arguments and outcomes are not known any more."""

import json
from collections.abc import Collection
from typing import Any, Final

from guardd.fingerprint import Arguments, Fingerprinter, Outcome
from guardd.fingerprint.canonical import RawJson
from guardd.replay.turns import Call, Fingerprints

_MARK: Final = "guardd replay: fingerprints"


class RecordedFingerprinter(Fingerprinter):
    """Makes fingerprints, and recognises calls that bring their own (`request_of`)."""

    def signature(self, tool: str, arguments: Arguments) -> bytes:
        """Give the recorded fingerprint of a call, or make one."""
        recorded = _of_arguments(arguments)
        return super().signature(tool, arguments) if recorded is None else bytes.fromhex(recorded.signature)

    def is_poll(self, tool: str, arguments: Arguments) -> bool:
        """Say whether a call is a poll: it was recorded as one, or its tool is one."""
        recorded = _of_arguments(arguments)
        return (recorded is not None and recorded.is_poll) or super().is_poll(tool, arguments)

    def outcome(
        self, tool: str, arguments: Arguments, result: RawJson | None, error: RawJson | None
    ) -> Outcome | None:
        """Give the recorded outcome of a call, or make one."""
        recorded = None if result is None or error is not None else _of_arguments(Arguments.parse(result))
        if recorded is None or recorded.outcome is None:
            return super().outcome(tool, arguments, result, error)
        return Outcome(
            bytes.fromhex(recorded.outcome),
            recorded.failed,
            recorded.missing_tool,
            masked=_bytes(recorded.masked),
            failure=_bytes(recorded.failure),
            unchanged=recorded.unchanged,
        )

    def changes(
        self, tool: str, arguments: Arguments, result: object | None, editing: Collection[str] = ()
    ) -> bool:
        """Say whether a call changes something, as it was recorded, or by its arguments."""
        recorded = _of_arguments(arguments)
        if recorded is not None:
            return recorded.changes
        return super().changes(tool, arguments, result, editing)


def request_of(call: Call) -> tuple[bytes, bytes | None, bytes | None]:
    """Give the arguments, result and error that a call is reported with, as JSON."""
    recorded = call.fingerprints
    if recorded is not None:
        stand_in = _json({_MARK: recorded})
        return stand_in, None if recorded.outcome is None else stand_in, None
    if call.outcome is None:
        return _json(call.args), None, None
    value = _json(call.outcome.value)
    if call.failed:
        return _json(call.args), None, b'""' if value == b"null" else value
    return _json(call.args), value, None


def _json(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    return json.dumps(value, separators=(",", ":")).encode()


def _bytes(digits: str | None) -> bytes | None:
    return None if digits is None else bytes.fromhex(digits)


def _of_arguments(arguments: Arguments) -> Fingerprints | None:
    fields = arguments.get(_MARK)
    return Fingerprints(*fields) if isinstance(fields, list) else None
