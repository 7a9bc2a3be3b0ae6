"""`run.explain`: why a call was answered as it was, from what is stored.

The rules' own expressions count once more, over the window as it stood before the call. Outcomes are those that
are known now: of a call that was still running then, the outcome may have come since.
"""

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, func, not_, select

from guardd.config import Config
from guardd.detect import failures
from guardd.detect.detection import Detection, Question
from guardd.detect.figures import Across, Figures, Further
from guardd.detect.progress import newest_change_statement
from guardd.detect.reasons import THRESHOLDS, Configured, Evidence, explain
from guardd.detect.rules import RULE_OF
from guardd.detect.statement import (
    across_statement,
    counted_statement,
    figures_statement,
    further_statement,
)
from guardd.detect.window import compared
from guardd.fingerprint import Arguments
from guardd.fingerprint.editing import TOOLS_WITH_COMMANDS, is_editor, short_name
from guardd.fingerprint.tools import Tools
from guardd.protocol.errors import InvalidParams
from guardd.store.rows import DetectionRow, Scope
from guardd.store.schema import calls, detections, markers, runs
from guardd.times import format_rfc3339
from guardd.vocabulary import Action, CallState, Detector, Level, MarkerKind

_SECTION = "tools.loopDetection."

COUNTS_ITSELF = (Detector.PING_PONG, Detector.CYCLE, Detector.IDENTICAL_MUTATION)
"""The rules that count the call in question too."""
COUNTS_CALLS = (*RULE_OF.keys() - {Detector.CYCLE, Detector.SAME_ERROR, Detector.ERROR_CASCADE},)
"""Those whose count is one of calls, not of rounds or of calls side by side."""


def explain_call(connection: Connection, run_id: int, seq: int | None, config: Config) -> dict[str, object]:
    """Why a call was answered as it was.

    Args:
        connection: to read from.
        run_id: the run's row.
        seq: the call; None for the newest verdict that is not allow, else the newest that was only observed,
            else the newest call.
        config: the settings of today.

    Raises:
        InvalidParams: the run has no such call.
    """
    return _Explaining(connection, run_id, config).answer(seq)


class _Explaining:
    """One question about one run."""

    def __init__(self, connection: Connection, run_id: int, config: Config) -> None:
        self._connection = connection
        self._run = connection.execute(select(runs).where(runs.c.id == run_id)).mappings().one()
        agent = self._run["agent_id"]
        values = config.describe(agent)["values"]
        self._configured = Configured(
            config.loop_settings(agent),
            {key.removeprefix(_SECTION): value for key, value in values.items() if key.startswith(_SECTION)},
        )
        self._follows_openclaw = config.settings.follows_openclaw
        self._tools = Tools(config.settings.sending_tools, config.settings.poll_tools)

    def answer(self, seq: int | None) -> dict[str, object]:
        """The result of the method."""
        if seq is None:
            newest = self._newest_detection()
            if newest is not None and newest["seq"] is None:
                return self._wire(None, newest, (), _by_hand(newest))
            seq = self._newest_call() if newest is None else newest["seq"]
        call = self._call(seq)
        row = self._detection_of(call)
        if row is None:
            evidence = self._evidence(call, None)
            return self._wire(seq, None, (), explain(evidence, self._configured))
        if row["seq"] is None:
            return self._wire(seq, row, (), f"{_stopped(row, seq)}\n{_by_hand(row)}")
        found = self._evidence(call if row["seq"] == seq else self._call(row["seq"]), row)
        text = explain(found, self._configured)
        if row["seq"] != seq:
            text = f"{_stopped(row, seq)} That was decided at call {row['seq']}.\n{text}"
        return self._wire(seq, row, found.counted, text)

    # What is asked about

    def _newest_detection(self) -> RowMapping | None:
        """What was answered comes before what was only observed."""
        return self._first_detection(detections.c.observed, detections.c.id.desc())

    def _first_detection(self, *order: Any, seq: int | None = None) -> RowMapping | None:  # noqa: ANN401
        statement = select(detections).where(detections.c.run_id == self._run["id"])
        if seq is not None:
            statement = statement.where(detections.c.seq == seq)
        return self._connection.execute(statement.order_by(*order).limit(1)).mappings().one_or_none()

    def _detection_of(self, call: RowMapping) -> RowMapping | None:
        """The newest about the call itself, which came with its outcome if two did; else an abort's before it."""
        own = self._first_detection(detections.c.id.desc(), seq=call["seq"])
        if own is not None or call["detection_id"] is None:
            return own
        statement = select(detections).where(detections.c.id == call["detection_id"])
        return self._connection.execute(statement).mappings().one()

    def _newest_call(self) -> int:
        _first, last = self._stored()
        if last is None:
            raise InvalidParams("the run has no calls yet", field="run")
        return last

    def _stored(self) -> tuple[int | None, int | None]:
        statement = select(func.min(calls.c.seq), func.max(calls.c.seq))
        row = self._connection.execute(statement.where(calls.c.run_id == self._run["id"])).one()
        return row[0], row[1]

    def _call(self, seq: int) -> RowMapping:
        statement = select(calls).where(calls.c.run_id == self._run["id"], calls.c.seq == seq)
        call = self._connection.execute(statement).mappings().one_or_none()
        if call is None:
            first, last = self._stored()
            stored = "none are stored" if last is None else f"those stored are {first} to {last}"
            raise InvalidParams(f"the run has no call {seq}: {stored}", field="seq")
        return call

    # What was counted

    def _evidence(self, call: RowMapping, row: RowMapping | None) -> Evidence:
        seq = call["seq"]
        low = max(seq - 1 - self._configured.settings.history_size, self._reset_before(seq))
        figures = self._figures(call, seq - 1, low)
        found = None if row is None else DetectionRow(*(row[name] for name in DetectionRow._fields)).detection
        guarded = self._guarded(call)
        retried = self._first_blocked(call, found) if found is not None else seq
        return Evidence(
            seq=seq,
            question=self._question(call),
            figures=figures,
            detection=found,
            observed=row is not None and bool(row["observed"]),
            has_run=found is not None and _has_run(call, found, observed=bool(row and row["observed"])),
            counted=() if found is None else self._counted(call, found, retried, guarded),
            retried=None if retried == seq else retried,
            guarded=self._guard(call, guarded),
        )

    def _figures(self, call: RowMapping, newest: int, low: int) -> Figures:
        bound = self._bound(call, newest, low)
        since = 0
        if self._configured.settings.progress_reset:
            since = int(self._connection.execute(newest_change_statement(), bound).scalar_one())
        row = self._connection.execute(figures_statement(), bound | {"low": max(low, since)}).one_or_none()
        figures = Figures() if row is None else Figures._make((*row, Further(), Across()))
        if self._configured.settings.looks_further:
            counted = self._connection.execute(further_statement(), bound).one()
            figures = figures._replace(further=Further._make(counted))
        if self._follows_openclaw:
            across = self._connection.execute(across_statement(), bound | {"low": max(low, since)}).one()
            figures = figures._replace(across=Across._make(across))
        return figures

    def _question(self, call: RowMapping) -> Question:
        """A call as it was asked for; of a tool that also views, it is not known whether it edited."""
        asked = Arguments.of_action(call["asked_action"])
        return Question(
            call["tool"],
            call["signature"],
            self._tools.is_poll(call["tool"], asked),
            is_editor(call["tool"], self._configured.settings.mutation_tools)
            and short_name(call["tool"]) not in TOOLS_WITH_COMMANDS,
        )

    def _reset_before(self, seq: int) -> int:
        """The newest call that no longer counted for this one; 0 for none."""
        statement = select(func.coalesce(func.max(markers.c.after_seq), 0)).where(
            markers.c.run_id == self._run["id"],
            markers.c.kind == MarkerKind.RESET.value,
            markers.c.after_seq < seq,
        )
        return int(self._connection.execute(statement).scalar_one())

    def _bound(self, call: RowMapping, newest: int, low: int) -> dict[str, object]:
        return {
            "run": self._run["id"],
            "newest": newest,
            "low": low,
            "tool": call["tool"],
            "signature": call["signature"],
            "masks": self._configured.settings.volatile_text,
            "polls": json.dumps(sorted(self._tools.polls)),
        }

    def _first_blocked(self, call: RowMapping, found: Detection) -> int:
        """The attempt from which this one is a straight retry, each with a count one higher; itself if it is none."""
        if found.level is not Level.CRITICAL:
            return int(call["seq"])
        is_attempt = and_(
            calls.c.signature == call["signature"],
            calls.c.state.in_((CallState.BLOCKED.value, CallState.BLOCKED_REPORTED.value)),
            detections.c.detector == found.detector.value,
            detections.c.count - calls.c.seq == found.count - call["seq"],
        )
        before = self._reset_before(call["seq"])
        statement = (
            select(func.coalesce(func.max(calls.c.seq), before))
            .select_from(calls.outerjoin(detections, detections.c.id == calls.c.detection_id))
            .where(
                calls.c.run_id == self._run["id"],
                calls.c.seq > before,
                calls.c.seq < call["seq"],
                not_(func.coalesce(is_attempt, 0)),
            )
        )
        return int(self._connection.execute(statement).scalar_one()) + 1

    def _counted(
        self, call: RowMapping, found: Detection, start: int, guarded: tuple[int, ...]
    ) -> tuple[int, ...]:
        """The calls that the rule counted, in order: before the first block, and the attempts since."""
        if found.detector is Detector.COMPACTION_LOOP_PERSISTED:
            return guarded
        across = failures.is_warning_key(found.warning_key)
        rule = failures if across else RULE_OF[found.detector]
        counts_itself = found.detector in COUNTS_ITSELF
        most = found.count - (call["seq"] - start) - counts_itself
        history = max(self._configured.settings.history_size, most)
        if found.detector not in COUNTS_CALLS:
            most = history
        low = max(start - 1 - history, self._reset_before(start))
        rows = self._connection.execute(
            counted_statement(rule, found.level), {**self._bound(call, start - 1, low), "most": most}
        )
        return (*sorted(rows.scalars()), *range(start, call["seq"] + counts_itself))

    def _guarded(self, call: RowMapping) -> tuple[int, ...]:
        """The calls up to this one that the post-compaction guard found the same, outcome and all."""
        if call["guard_marker_id"] is None:
            return ()
        masks = self._configured.settings.compaction_volatile_text
        statement = select(calls.c.seq).where(
            calls.c.guard_marker_id == call["guard_marker_id"],
            calls.c.signature == call["signature"],
            compared == (call["masked"] if masks and call["masked"] is not None else call["outcome"]),
        )
        return tuple(self._connection.execute(statement.order_by(calls.c.seq), {"masks": masks}).scalars())

    def _guard(self, call: RowMapping, guarded: tuple[int, ...]) -> tuple[int, int] | None:
        if call["guard_marker_id"] is None:
            return None
        statement = select(markers.c.window_size).where(markers.c.id == call["guard_marker_id"])
        window = self._connection.execute(statement).scalar_one()
        return sum(seq <= call["seq"] for seq in guarded), int(window)

    # The answer

    def _wire(
        self,
        seq: int | None,
        row: RowMapping | None,
        counted: Sequence[int],
        text: str,
    ) -> dict[str, object]:
        detector = None if row is None else Detector(row["detector"])
        observed = row is not None and bool(row["observed"])
        meant = Action.ALLOW if row is None else Action(row["action"])
        wire: dict[str, object] = {
            "run": Scope(self._run["source"], self._run["kind"], self._run["name"]).run,
            "seq": seq,
            "action": (Action.ALLOW if observed else meant).word,
            "detector": detector,
            "counted": list(counted),
            "thresholds": {name: dict(self._configured.values[name]) for name in THRESHOLDS[detector]},
            "text": text,
        }
        if observed:
            wire["wouldBe"] = meant.word
        return wire


def _has_run(call: RowMapping, found: Detection, *, observed: bool) -> bool:
    """Whether it was judged when it was reported afterwards: one that was stopped before has no outcome."""
    if found.level is not Level.CRITICAL or found.detector is Detector.COMPACTION_LOOP_PERSISTED:
        return False
    return found.action is Action.WARN or (
        not observed and call["state"] in (CallState.OK.value, CallState.ERROR.value)
    )


def _stopped(row: RowMapping, seq: int) -> str:
    answered = (
        "let through because guardd only observed, though"
        if row["observed"]
        else "answered with abort, since"
    )
    return f"Call {seq} was {answered} the run was aborted before it; no count was taken."


def _by_hand(row: RowMapping) -> str:
    reason = f": {row['reason']}" if row["reason"] else ""
    follows = (
        "while guardd observes, its calls are let through all the same"
        if row["observed"]
        else "each further call is answered with abort until the run is reset"
    )
    return (
        f"An operator stopped the run at {format_rfc3339(row['at'])}{reason}. Nothing was counted and no threshold "
        f"was involved; {follows}."
    )
