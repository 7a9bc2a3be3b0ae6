"""What a turn shows of itself without being judged: how often calls repeat, and whether progress came later."""

from collections import Counter
from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property

from guardd.fingerprint import Arguments
from guardd.replay.findings import Finding
from guardd.replay.recorded import RecordedFingerprinter, request_of
from guardd.replay.turns import Turn
from guardd.vocabulary import Detector, RunStatus

_ENDED_BADLY = (RunStatus.FAILED, RunStatus.ABORTED)


class Afterwards(StrEnum):
    """What came after a place where a repetition is warned of or stopped, as far as history shows it."""

    PROGRESS = "progress"
    """The repetition was no loop: stopping it would have been wrong."""
    STUCK = "stuck"
    CUT_SHORT = "cutShort"
    """guardd itself blocked a call of the run or ended it: what would have come is not known."""


class Past:
    """A turn as fingerprints of its calls.

    Args:
        turn: The turn; it holds calls.
        fingerprinter: What makes those that were not recorded.
        history_size: How many calls are counted over.
    """

    def __init__(self, turn: Turn, fingerprinter: RecordedFingerprinter, history_size: int) -> None:
        self._turn = turn
        self._history_size = history_size
        self._calls = turn.calls
        self._fingerprinter = fingerprinter
        self._signatures = [
            fingerprinter.signature(call.tool, Arguments.parse(request_of(call)[0])) for call in self._calls
        ]

    @cached_property
    def most(self) -> int:
        """A count that no rule which goes by the three thresholds exceeds, before the first that speaks.

        The repeats, and the streak that is a part of them, are of one signature in the window before the call
        in question; an alternation is as long as its count, and that call is its end (detection.md, rules 2 to
        5). A blocked attempt counts as the call that it was.
        """
        window: Counter[bytes] = Counter()
        repeats = 0
        for place, signature in enumerate(self._signatures):
            if place > self._history_size:
                window[self._signatures[place - self._history_size - 1]] -= 1
            repeats = max(repeats, window[signature])
            window[signature] += 1
        return max(repeats, self._longest_alternation())

    def _longest_alternation(self) -> int:
        """The most calls in a row that alternate between two signatures."""
        longest, length = 0, 1
        signatures = self._signatures
        for place in range(1, len(signatures)):
            if signatures[place] == signatures[place - 1]:
                length = 1
            else:
                goes_on = length > 1 and signatures[place] == signatures[place - 2]
                length = length + 1 if goes_on else 2
            longest = max(longest, length)
        return longest

    @cached_property
    def _places(self) -> dict[int, int]:
        """Where the call of each seq is."""
        return {place + 1 if call.seq is None else call.seq: place for place, call in enumerate(self._calls)}

    def calls_from(self, finding: Finding) -> int:
        """How many calls there are from the one that was found to the turn's end."""
        return len(self._calls) - self._places[finding.seq]

    def afterwards(self, finding: Finding) -> Afterwards:
        """Say what came after a finding of this turn.

        Progress is a later outcome of a call that it is about, that call's own among them, unlike the one that
        was repeated; or that the turn went on to other calls and is not known to have failed or been aborted.
        """
        place = self._places[finding.seq]
        concerned = {self._signatures[place]}
        if finding.detector == Detector.PING_PONG and place:
            concerned.add(self._signatures[place - 1])
        if any(len(set(self._outcomes_around(place, signature))) > 1 for signature in concerned):
            return Afterwards.PROGRESS
        if self._signatures[-1] not in concerned and self._turn.status not in _ENDED_BADLY:
            return Afterwards.PROGRESS
        if any(call.stopped for call in self._calls):
            return Afterwards.CUT_SHORT
        return Afterwards.STUCK

    def _outcomes_around(self, place: int, signature: bytes) -> Iterator[bytes]:
        """The newest known outcome of a call before a place, and all from there on."""
        places = [index for index, one in enumerate(self._signatures) if one == signature]
        before = (self._outcome(index) for index in reversed(places) if index < place)
        repeated = next((outcome for outcome in before if outcome is not None), None)
        if repeated is not None:
            yield repeated
        for index in places:
            if index >= place and (outcome := self._outcome(index)) is not None:
                yield outcome

    def _outcome(self, place: int) -> bytes | None:
        call = self._calls[place]
        if call.outcome is None and (call.fingerprints is None or call.fingerprints.outcome is None):
            return None
        args, result, error = request_of(call)
        found = self._fingerprinter.outcome(call.tool, Arguments.parse(args), result, error)
        return None if found is None else found.fingerprint
