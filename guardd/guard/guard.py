"""What all decisions share: the store, the settings, and how a detection becomes a verdict."""

import json
from collections.abc import Callable

from guardd.config import Config, LoopSettings
from guardd.detect.detection import Detection, Question
from guardd.fingerprint import Arguments, Fingerprinter
from guardd.fingerprint.editing import is_editing
from guardd.fingerprint.tools import Tools
from guardd.guard.answers import Event, Verdict
from guardd.store.rows import RunRow
from guardd.store.store import Store
from guardd.vocabulary import Action, Detector, Level

NOTIFY_EVERY = 10
"""A warning is shown again when its count has grown by this (detection.md, "Warnings that reach somebody")."""


class Guard:
    """Judges calls by what the store knows; `calls`, `compaction` and `lifecycle` do it by request.

    Attributes:
        store: the state of all runs.
        config: the settings; a change applies to the next verdict.
        fingerprinter: makes signatures and outcomes comparable.
        is_observing: say what would have been said, and let everything through.
        keeps_previews: store a short preview of the arguments, secrets masked.
        polls: the tools that are polls, as a JSON list.
        follows_openclaw: the rules of OpenClaw 2026.9 hold where they are others than the documented ones.
    """

    def __init__(
        self,
        store: Store,
        config: Config,
        key: bytes,
        publish: Callable[[Event], None] | None = None,
        fingerprinter: type[Fingerprinter] = Fingerprinter,
    ) -> None:
        """Judge by a store.

        Args:
            store: the state of all runs.
            config: settings, global and for each agent.
            key: the secret of the database, for fingerprints.
            publish: called with each new detection, before the commit.
            fingerprinter: what makes the fingerprints.
        """
        self.store = store
        self._key = key
        self._publish = publish
        self._make_fingerprinter = fingerprinter
        self.configure(config)

    def configure(self, config: Config) -> None:
        """Take other settings."""
        self.config = config
        self.is_observing = config.settings.mode == "observe"
        self.keeps_previews = config.settings.privacy.previews == "redacted"
        self.polls = json.dumps(sorted(Tools(polls=config.settings.poll_tools).polls))
        self.follows_openclaw = config.settings.follows_openclaw
        beyond = config.settings.profile == "extended"
        agents = [config.loop_settings(agent_id) for agent_id in (None, *config.agents)]
        self._looks_at_edits = any(settings.identical_mutation for settings in agents)
        self.fingerprinter = self._make_fingerprinter(
            self._key,
            sending_tools=config.settings.sending_tools,
            poll_tools=config.settings.poll_tools,
            masks_volatile=any(settings.keeps_masked for settings in agents),
            ignores_waiting=beyond,
            reads_missing_calls=beyond,
            follows_openclaw=self.follows_openclaw,
        )

    def settings(self, run: RunRow) -> LoopSettings:
        """The thresholds and switches of a run: those of its last known agent."""
        return self.config.loop_settings(run.agent_id)

    def looks_beyond(self, settings: LoopSettings) -> bool:
        """Whether more of an outcome is to be kept than the documented rules look at."""
        return settings.looks_beyond or self.follows_openclaw

    def question(self, run: RunRow, tool: str, arguments: Arguments) -> Question:
        """A run's call in question, as the detectors see it."""
        return Question(
            tool,
            self.fingerprinter.signature(tool, arguments),
            self.fingerprinter.is_poll(tool, arguments),
            self._looks_at_edits and is_editing(tool, arguments, self.settings(run).mutation_tools),
        )

    def answer(self, run: RunRow, seq: int | None, detection: Detection, now: int) -> tuple[int, Verdict]:
        """Record a detection, make an abort sticky; returns the detection's id and the verdict."""
        notify = self._is_to_be_shown(run, detection)
        detection_id = self.store.insert_detection(
            run, seq, detection, notify=notify, observed=self.is_observing, now=now
        )
        by_hand = detection.detector is Detector.OPERATOR
        if detection.action is Action.ABORT and (by_hand or not self.is_observing):
            self.store.set_aborted(run, detection_id, now, detection.reason)
        verdict = _verdict(seq, detection, notify=notify, observed=self.is_observing)
        if self._publish is not None:
            self._publish(Event(run, verdict, now))
        return detection_id, verdict

    def repeated_abort(self, seq: int | None, detection_id: int) -> Verdict:
        """The abort that a run was ended with, its first detection whole, in the mode of the day."""
        detection, notify, _observed = self.store.detection(detection_id)
        return _verdict(seq, detection, notify=notify, observed=self.is_observing)

    def repeated(self, seq: int | None, detection_id: int) -> Verdict:
        """The answer that was given before, its detection whole; what was only observed stays so."""
        detection, notify, observed = self.store.detection(detection_id)
        return _verdict(seq, detection, notify=notify, observed=observed or self.is_observing)

    def _is_to_be_shown(self, run: RunRow, detection: Detection) -> bool:
        """Whether to notify: always of a critical finding, of a warning at first and then every ten counts."""
        if detection.level is Level.CRITICAL:
            return True
        last = self.store.notified_count(run, detection.warning_key)
        if last is not None and detection.count < last + NOTIFY_EVERY:
            return False
        self.store.set_notified(run, detection.warning_key, detection.count)
        return True


def _verdict(seq: int | None, detection: Detection, *, notify: bool, observed: bool) -> Verdict:
    if observed:
        return Verdict(Action.ALLOW, seq, detection, notify, would_be=detection.action)
    return Verdict(detection.action, seq, detection, notify)
