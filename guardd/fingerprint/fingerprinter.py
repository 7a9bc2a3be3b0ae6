"""Fingerprints of calls and outcomes, keyed with a secret of the database.

A plain digest of short arguments could be guessed by trying; without the key these cannot.
"""

from collections.abc import Collection
from hashlib import blake2b
from typing import Final

import msgspec

from guardd.fingerprint.arguments import Arguments
from guardd.fingerprint.canonical import RawJson, encode, from_bytes, read
from guardd.fingerprint.changing import changes_something
from guardd.fingerprint.openclaw import (
    SENDING_TOOLS,
    UNCHANGED,
    failure_form,
    is_unchanged_write,
    without_nonces,
)
from guardd.fingerprint.outcomes import missing_tool, normal_form
from guardd.fingerprint.reading import TooDeepError
from guardd.fingerprint.tools import TOOLS_WITH_ACTIONS, Tools
from guardd.fingerprint.volatile import mask_value, mask_volatile
from guardd.fingerprint.waiting import without_waiting

VERSION: Final = 1
"""Stored with the fingerprints; raised whenever equal calls would get other ones."""

SIZE: Final = 16
"""Bytes of a fingerprint."""

_UTF_8: Final = ("utf-8", "surrogatepass")
_ERROR: Final = b"error:"
_RESULT: Final = b"result:"
_DEEP_RESULT: Final = b"deep-result:"
_FAILURE: Final = b"failure:"


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What came of a call.

    Attributes:
        fingerprint: `SIZE` bytes; equal ones are no progress.
        failed: Whether it is an error.
        missing_tool: The name, in lower case, of the tool that the error says does not exist.
        masked: The fingerprint without what differs by itself; None where there is no such thing in it, and where
            the maker does not mask. Where there is none, `fingerprint` stands for it.
        failure: By the rules of OpenClaw 2026.9, of a command that failed: equal for those that failed alike.
        unchanged: By the same, whether it is a write that changed nothing.
    """

    fingerprint: bytes
    failed: bool
    missing_tool: str | None
    masked: bytes | None = None
    failure: bytes | None = None
    unchanged: bool = False


class Fingerprinter:
    """Makes the fingerprints of one database.

    Args:
        key: The database's secret, of 1 to 64 bytes (BLAKE2b takes no longer one).
        sending_tools: Names of further tools that only send, from the configuration.
        poll_tools: Names of further tools that are polls, from the configuration.
        masks_volatile: Whether outcomes get a second fingerprint without what differs by itself.
        ignores_waiting: Whether how long a poll waits is no part of its signature.
        reads_missing_calls: Whether an error names a missing tool also where it repeats its arguments, or is in
            the words of a coding agent.
        follows_openclaw: Whether outcomes are the same that OpenClaw 2026.9 takes for the same.

    Raises:
        ValueError: The key is empty or too long.
    """

    def __init__(
        self,
        key: bytes,
        sending_tools: Collection[str] = (),
        poll_tools: Collection[str] = (),
        *,
        masks_volatile: bool = False,
        ignores_waiting: bool = False,
        reads_missing_calls: bool = False,
        follows_openclaw: bool = False,
    ) -> None:
        if not 1 <= len(key) <= blake2b.MAX_KEY_SIZE:
            raise ValueError(f"the key must be of 1 to {blake2b.MAX_KEY_SIZE} bytes, not {len(key)}")
        known = SENDING_TOOLS if follows_openclaw else ()
        self._tools = Tools((*known, *sending_tools), poll_tools)
        self._masks_volatile = masks_volatile
        self._ignores_waiting = ignores_waiting
        self._reads_missing_calls = reads_missing_calls
        self._follows_openclaw = follows_openclaw
        # Copies of a prepared state are cheaper than keying each one anew.
        self._signatures = blake2b(key=key, digest_size=SIZE, person=b"guardd-call-%d" % VERSION)
        self._outcomes = blake2b(key=key, digest_size=SIZE, person=b"guardd-result-%d" % VERSION)

    def signature(self, tool: str, arguments: Arguments) -> bytes:
        """Give the fingerprint of a call, `SIZE` bytes: equal for calls that repeat each other."""
        if self._ignores_waiting and self.is_poll(tool, arguments):
            arguments = without_waiting(arguments)
        state = self._signatures.copy()
        state.update(tool.encode(*_UTF_8) + b"\0")
        state.update(arguments.canonical)
        return state.digest()

    def asked_action(self, tool: str, arguments: Arguments) -> str | None:
        """Give what of a call's arguments its outcome's fingerprint depends on; None where on nothing.

        A call keeps the arguments that it was asked with, while its outcome may be reported with others, or none.
        """
        action = arguments.get("action") if tool in TOOLS_WITH_ACTIONS else None
        return action if isinstance(action, str) else None

    def outcome(
        self, tool: str, arguments: Arguments, result: RawJson | None, error: RawJson | None
    ) -> Outcome | None:
        """Judge what came of a call.

        Args:
            tool: The tool's name.
            arguments: The arguments that the outcome was reported with.
            result: The result as it stood in the frame; None where it is missing (``null`` is a result).
            error: The error likewise; ``null`` is no error. Given both, the error counts.

        Returns:
            The outcome; None when there is neither result nor error.

        Raises:
            InvalidJsonError: The result or the error is not JSON.
        """
        text = _error_text(error)
        if text is not None:
            fingerprint = self._outcome(_ERROR, text)
            missing = missing_tool(text, with_arguments=self._reads_missing_calls)
            return Outcome(fingerprint, failed=True, missing_tool=missing, masked=self._masked_error(text))
        if result is None:
            return None
        try:
            value = read(result)
        except TooDeepError:
            return Outcome(self._outcome(_DEEP_RESULT, from_bytes(result)), failed=False, missing_tool=None)
        unchanged = self._follows_openclaw and is_unchanged_write(tool, value)
        form: object = UNCHANGED
        if not unchanged:
            form = normal_form(tool, arguments, value, sending=self._tools.is_sending(tool, arguments))
        return Outcome(
            self._outcome(_RESULT, encode(form)),
            failed=False,
            missing_tool=None,
            masked=self._masked_result(form),
            failure=self._failure(form),
            unchanged=unchanged,
        )

    def is_poll(self, tool: str, arguments: Arguments) -> bool:
        """Say whether a call asks how something is getting on, so that repeating it is its nature."""
        return self._tools.is_poll(tool, arguments)

    def changes(
        self, tool: str, arguments: Arguments, result: object | None, editing: Collection[str] = ()
    ) -> bool:
        """Say whether a call changes something, see `changes_something`."""
        return changes_something(tool, arguments, result, editing)

    def _masked_error(self, text: bytes) -> bytes | None:
        if not self._masks_volatile:
            return None
        written = text.decode(*_UTF_8)
        masked = mask_volatile(written)
        return None if masked is written else self._outcome(_ERROR, masked.encode(*_UTF_8))

    def _masked_result(self, form: object) -> bytes | None:
        if not self._masks_volatile:
            return None
        masked = mask_value(form)
        return None if masked is form else self._outcome(_RESULT, encode(masked))

    def _failure(self, form: object) -> bytes | None:
        failure = failure_form(form) if self._follows_openclaw else None
        return None if failure is None else self._outcome(_FAILURE, encode(failure))

    def _outcome(self, kind: bytes, data: bytes) -> bytes:
        if self._follows_openclaw:
            data = without_nonces(data)
        state = self._outcomes.copy()
        state.update(kind)
        state.update(data)
        return state.digest()


def _error_text(error: RawJson | None) -> bytes | None:
    """Give an error's text, in UTF-8: of anything but a string its canonical form; ``5`` and ``"5"`` are alike."""
    if error is None:
        return None
    try:
        value = read(error)
    except TooDeepError:
        return from_bytes(error)
    if value is None:
        return None
    return value.encode(*_UTF_8) if isinstance(value, str) else encode(value)
