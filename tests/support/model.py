"""detection.md once more, in plain Python over lists: what the guard, which counts in SQL, is compared with.

Of the protocol's own it has what `once` promises: a call, an outcome or a compaction may be reported again.

Nothing here is shared with guardd but the settings. Signatures and outcomes are whatever compares equal.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import cycle
from typing import NamedTuple

from guardd.config import LoopSettings


class Asked(NamedTuple):
    """A call as it is asked for."""

    tool: str
    signature: Hashable
    is_poll: bool = False
    call_id: str | None = None


class Came(NamedTuple):
    """An outcome."""

    outcome: Hashable
    missing: str | None = None
    failed: bool = False


class Found(NamedTuple):
    """What a rule says. The key is what makes two warnings the same one."""

    detector: str
    level: str
    action: str
    count: int
    threshold: int
    key: tuple[Hashable, ...]
    paired: str | None = None


class Answer(NamedTuple):
    """What is answered."""

    action: str
    seq: int | None
    found: Found | None = None
    notify: bool = False
    would_be: str | None = None


class Guarded(NamedTuple):
    """The state of the post-compaction guard."""

    armed: bool
    remaining: int


@dataclass
class Call:
    """A recorded call. A blocked attempt never has an outcome, but may be reported."""

    seq: int
    asked: Asked
    blocked: bool = False
    came: Came | None = None
    reported: bool = False
    missing: str | None = None
    said: Found | None = None
    notify: bool = False
    observed: bool = False

    @property
    def signature(self) -> Hashable:
        return self.asked.signature

    @property
    def outcome(self) -> Hashable:
        return self.came and self.came.outcome


def misses(window: list[Call], tool: str) -> list[Call]:
    """Newest backwards, calls with this tool name that all miss the same tool; rule 1."""
    found: list[Call] = []
    for call in reversed(window):
        if call.asked.tool != tool or call.missing is None or call.missing != window[-1].missing:
            break
        found.append(call)
    return found


def streak(window: list[Call], signature: Hashable) -> list[Call]:
    """The no-progress streak, newest first; rule 2."""
    found: list[Call] = []
    newest: Hashable = None
    for call in reversed(window):
        if call.signature != signature:
            continue
        if call.blocked:
            found.append(call)
        elif call.outcome is not None:
            newest = call.outcome if newest is None else newest
            if call.outcome != newest:
                break
            found.append(call)
    return found


def alternation(window: list[Call], signature: Hashable) -> list[Call]:
    """The tail in which A and B alternate, if the call in question is B; rule 4."""
    if not window:
        return []
    a = window[-1].signature
    b = next((call.signature for call in reversed(window) if call.signature != a), None)
    tail: list[Call] = []
    for call, expected in zip(reversed(window), cycle((a, b)), strict=False):
        if call.signature != expected:
            break
        tail.append(call)
    return tail if len(tail) >= 2 and signature == b else []


def is_proven(tail: list[Call]) -> bool:
    """Whether every call has an outcome and each side's are all equal; blocked attempts are proven members."""
    sides = ({call.outcome for call in side if not call.blocked} for side in (tail[::2], tail[1::2]))
    return all(None not in outcomes and len(outcomes) <= 1 for outcomes in sides)


def judge(window: list[Call], asked: Asked, settings: LoopSettings) -> Found | None:
    """The first rule that matches; a straight retry before all."""
    if not settings.enabled:
        return None
    return (
        _retry(window, asked, settings)
        or _unknown_tool_repeat(window, asked, settings)
        or _global_circuit_breaker(window, asked, settings)
        or _known_poll_no_progress(window, asked, settings)
        or _ping_pong(window, asked, settings)
        or _generic_repeat(window, asked, settings)
    )


def _critical(
    detector: str,
    counted: list[Call],
    count: int,
    threshold: int,
    key: tuple[Hashable, ...],
    settings: LoopSettings,
    paired: str | None = None,
) -> Found:
    breaker = settings.global_circuit_breaker_threshold
    if any(call.blocked for call in counted) and count >= breaker:
        return Found(detector, "critical", "abort", count, breaker, key, paired)
    return Found(detector, "critical", "block", count, threshold, key, paired)


def _retry(window: list[Call], asked: Asked, settings: LoopSettings) -> Found | None:
    newest = window[-1] if window else None
    if newest is None or not newest.blocked or newest.signature != asked.signature or newest.said is None:
        return None
    said = newest.said
    threshold, is_on = {
        "unknown_tool_repeat": (settings.unknown_tool_threshold, True),
        "known_poll_no_progress": (settings.critical_threshold, settings.known_poll_no_progress),
        "ping_pong": (settings.critical_threshold, settings.ping_pong),
        "generic_repeat": (settings.critical_threshold, settings.generic_repeat),
    }[said.detector]
    if not is_on or said.count + 1 < threshold:
        return None
    return _critical(said.detector, [newest], said.count + 1, threshold, said.key, settings, said.paired)


def _unknown_tool_repeat(window: list[Call], asked: Asked, settings: LoopSettings) -> Found | None:
    counted = misses(window, asked.tool)
    if len(counted) < settings.unknown_tool_threshold:
        return None
    key = ("unknown_tool_repeat", asked.tool, counted[0].missing)
    threshold = settings.unknown_tool_threshold
    return _critical("unknown_tool_repeat", counted, len(counted), threshold, key, settings)


def _global_circuit_breaker(window: list[Call], asked: Asked, settings: LoopSettings) -> Found | None:
    count, threshold = len(streak(window, asked.signature)), settings.global_circuit_breaker_threshold
    if count < threshold:
        return None
    key = ("global_circuit_breaker", asked.signature)
    return Found("global_circuit_breaker", "critical", "abort", count, threshold, key)


def _known_poll_no_progress(window: list[Call], asked: Asked, settings: LoopSettings) -> Found | None:
    if not asked.is_poll or not settings.known_poll_no_progress:
        return None
    counted, key = streak(window, asked.signature), ("known_poll_no_progress", asked.signature)
    if len(counted) >= settings.critical_threshold:
        threshold = settings.critical_threshold
        return _critical("known_poll_no_progress", counted, len(counted), threshold, key, settings)
    if len(counted) >= settings.warning_threshold:
        threshold = settings.warning_threshold
        return Found("known_poll_no_progress", "warning", "warn", len(counted), threshold, key)
    return None


def _ping_pong(window: list[Call], asked: Asked, settings: LoopSettings) -> Found | None:
    tail = alternation(window, asked.signature)
    if not tail or not settings.ping_pong:
        return None
    count, paired = len(tail) + 1, tail[0].asked.tool
    key = ("ping_pong", frozenset((asked.signature, tail[0].signature)))
    if count >= settings.critical_threshold and is_proven(tail):
        return _critical("ping_pong", tail, count, settings.critical_threshold, key, settings, paired)
    if count < settings.warning_threshold or _generic_repeat_of_blocked(window, asked, settings):
        return None
    return Found("ping_pong", "warning", "warn", count, settings.warning_threshold, key, paired)


def _generic_repeat_of_blocked(window: list[Call], asked: Asked, settings: LoopSettings) -> bool:
    found = _generic_repeat(window, asked, settings)
    holds_blocked = any(call.blocked for call in streak(window, asked.signature))
    return found is not None and found.level == "critical" and holds_blocked


def _generic_repeat(window: list[Call], asked: Asked, settings: LoopSettings) -> Found | None:
    if asked.is_poll or not settings.generic_repeat:
        return None
    counted, key = streak(window, asked.signature), ("generic_repeat", asked.signature)
    if len(counted) >= settings.critical_threshold:
        threshold = settings.critical_threshold
        return _critical("generic_repeat", counted, len(counted), threshold, key, settings)
    repeats = sum(call.signature == asked.signature for call in window)
    if repeats >= settings.warning_threshold:
        return Found("generic_repeat", "warning", "warn", repeats, settings.warning_threshold, key)
    return None


@dataclass
class Run:
    """One run, and everything that is known of it."""

    calls: list[Call] = field(default_factory=list)
    reset_after: int = 0
    aborted: Call | None = None
    shown: dict[tuple[Hashable, ...], int] = field(default_factory=dict)
    watched: list[tuple[Hashable, Hashable]] = field(default_factory=list)
    watch_size: int | None = None
    compacted_after: int | None = None

    def window(self, settings: LoopSettings) -> list[Call]:
        """The calls that count."""
        counting = [call for call in self.calls if call.seq > self.reset_after]
        return counting[-settings.history_size :]

    def before(self, asked: Asked, settings: LoopSettings, *, observing: bool, once: bool = False) -> Answer:
        """`tool.before`."""
        known = self._waiting(asked) if once and asked.call_id is not None else None
        if known is not None and known.signature == asked.signature and known.seq > self.reset_after:
            return self._said_before(known, observing=observing)
        call = Call(len(self.calls) + 1, asked)
        found = None if self.aborted else judge(self.window(settings), asked, settings)
        answer = self._answer(call, found, observing=observing)
        call.blocked = answer.action in ("block", "abort")
        if call.blocked and found is not None and found.detector == "unknown_tool_repeat":
            call.missing = str(found.key[2])
        self.calls.append(call)
        return answer

    def _said_before(self, known: Call, *, observing: bool) -> Answer:
        """What a call was answered that is reported again, or the run's abort since then."""
        if self.aborted:
            return _say(known.seq, self.aborted.said, observing=observing, notify=self.aborted.notify)
        if known.said is None:
            return Answer("allow", known.seq)
        return _say(known.seq, known.said, observing=observing or known.observed, notify=known.notify)

    def after(
        self,
        asked: Asked,
        came: Came | None,
        settings: LoopSettings,
        *,
        observing: bool,
        once: bool = False,
    ) -> tuple[Answer, Guarded]:
        """`tool.after`."""
        call = self._waiting(asked)
        if came is None:
            return self._repeated(call, observing=observing), self.guarded(settings)
        if call is None:
            known = self._reported(asked, came) if once else None
            if known is not None:
                return self._repeated(known, observing=observing), self.guarded(settings)
            return self._unreported(asked, came, settings, observing=observing)
        answer = self._repeated(call, observing=observing)
        call.reported = True
        if call.blocked:
            return answer, self.guarded(settings)
        call.came, call.missing = came, came.missing
        if call.seq <= self.reset_after:
            return answer, self.guarded(settings)
        return self._watch(call, answer, settings, observing=observing)

    def _waiting(self, asked: Asked) -> Call | None:
        waiting = [
            call
            for call in self.calls
            if not call.reported
            and call.asked.tool == asked.tool
            and (asked.call_id is None or call.asked.call_id == asked.call_id)
        ]
        return max(waiting, key=lambda call: (call.signature == asked.signature, call.seq), default=None)

    def _reported(self, asked: Asked, came: Came) -> Call | None:
        """The newest call with this id that has this very outcome already, if it is not long ago."""
        if asked.call_id is None:
            return None
        for call in reversed(self.calls[-64:]):
            is_it = (call.asked.tool, call.asked.call_id) == (asked.tool, asked.call_id)
            if is_it and ((call.blocked and call.reported) or call.outcome == came.outcome):
                return call
        return None

    def _unreported(
        self, asked: Asked, came: Came, settings: LoopSettings, *, observing: bool
    ) -> tuple[Answer, Guarded]:
        found = None if self.aborted else judge(self.window(settings), asked, settings)
        if found is not None and found.action == "block":
            breaker = settings.global_circuit_breaker_threshold
            reaches = found.count >= breaker
            found = (
                found._replace(action="abort", threshold=breaker)
                if reaches
                else found._replace(action="warn")
            )
        call = Call(len(self.calls) + 1, asked, came=came, reported=True, missing=came.missing)
        answer = self._answer(call, found, observing=observing)
        self.calls.append(call)
        return self._watch(call, answer, settings, observing=observing)

    def _answer(self, call: Call, found: Found | None, *, observing: bool) -> Answer:
        """Say what was found of a call, or that the run is aborted; and remember it."""
        if self.aborted:
            call.said, call.notify = self.aborted.said, self.aborted.notify
            return _say(call.seq, call.said, observing=observing, notify=call.notify)
        if found is None:
            return Answer("allow", call.seq)
        last = self.shown.get(found.key)
        call.said, call.observed = found, observing
        call.notify = found.level == "critical" or last is None or found.count >= last + 10
        if found.level == "warning" and call.notify:
            self.shown[found.key] = found.count
        if found.action == "abort" and not observing:
            self.aborted = call
        return _say(call.seq, found, observing=observing, notify=call.notify)

    def _repeated(self, call: Call | None, *, observing: bool) -> Answer:
        """What `tool.after` answers: the run's abort, the warning that the call got, or nothing."""
        seq = call and call.seq
        if self.aborted:
            return _say(seq, self.aborted.said, observing=observing, notify=self.aborted.notify)
        if call is not None and call.said is not None and call.said.action == "warn":
            return _say(seq, call.said, observing=observing or call.observed, notify=call.notify)
        return Answer("allow", seq)

    def _watch(
        self, call: Call, answer: Answer, settings: LoopSettings, *, observing: bool
    ) -> tuple[Answer, Guarded]:
        """The post-compaction guard sees an outcome."""
        if self.watch_size is None or settings.enabled is False:
            return answer, self.guarded(settings)
        size = self.watch_size
        self.watched.append((call.signature, call.outcome))
        count = self.watched.count(self.watched[-1])
        if len(self.watched) >= size:
            self.watch_size = None
        if count >= size and (answer.would_be or answer.action) != "abort":
            key = ("compaction_loop_persisted", call.signature)
            fired = Found("compaction_loop_persisted", "critical", "abort", count, size, key)
            seen = Call(call.seq, call.asked)
            answer = self._answer(seen, fired, observing=observing)
        return answer, self.guarded(settings)

    def guarded(self, settings: LoopSettings) -> Guarded:
        """How the guard stands."""
        if self.watch_size is None or settings.enabled is False:
            return Guarded(armed=False, remaining=0)
        return Guarded(armed=True, remaining=self.watch_size - len(self.watched))

    def compaction(self, settings: LoopSettings, *, will_retry: bool = True, once: bool = False) -> Guarded:
        """`compaction.record`."""
        if once and self.compacted_after == len(self.calls):
            return self.guarded(settings)
        self.compacted_after = len(self.calls)
        if will_retry and settings.enabled is not False:
            self.watch_size, self.watched = settings.compaction_window, []
        return self.guarded(settings)

    def reset(self) -> None:
        """A reset, or a fresh start."""
        self.reset_after = len(self.calls)
        self.aborted = None
        self.shown = {}
        self.watch_size = None
        self.compacted_after = None

    def abort(self) -> None:
        """An operator stops the run."""
        if self.aborted is None:
            found = Found("operator", "critical", "abort", 0, 0, ("operator",))
            self.aborted = Call(0, Asked("", None), said=found, notify=True)


def _say(seq: int | None, found: Found | None, *, observing: bool, notify: bool) -> Answer:
    assert found is not None
    if observing:
        return Answer("allow", seq, found, notify, would_be=found.action)
    return Answer(found.action, seq, found, notify)
