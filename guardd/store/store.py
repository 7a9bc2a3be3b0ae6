"""The state of all runs: named operations on the one read-write connection.

Nothing here commits: whoever calls brackets its work in `begin` and `commit`, so that a whole batch of requests
is one transaction and an answer is given only from what is committed.
"""

import contextlib
import sqlite3

import msgspec

from guardd.detect.detection import Detection, Question
from guardd.detect.figures import Across, Figures, Further
from guardd.detect.glance import Glance
from guardd.store import statements
from guardd.store.replies import Replies
from guardd.store.rows import DetectionRow, NewCall, OpenCall, RunRow, Scope
from guardd.vocabulary import CallEffect, MarkerKind, RunStatus


class Store:
    """What the guard knows and remembers.

    All times are milliseconds since the epoch. Every method may raise `sqlite3.Error`, after which the caller
    rolls back.

    Attributes:
        replies: to requests that may come another time.
    """

    def __init__(self, connection: sqlite3.Connection, daemon_start_id: int | None = None) -> None:
        """Work on an open connection whose schema is current.

        Args:
            connection: in autocommit mode, see `connecting.connect_writer`.
            daemon_start_id: the row of `daemon_starts` for this process; None outside of a daemon.
        """
        self._connection = connection
        self._execute = connection.execute
        self.replies = Replies(connection)
        self._daemon_start_id = daemon_start_id

    def begin(self) -> None:
        """Begin a transaction that nobody else can write in."""
        self._execute("begin immediate")

    def commit(self) -> None:
        """Make everything since `begin` durable; where that fails, it is undone."""
        try:
            self._execute("commit")
        except sqlite3.Error:
            with contextlib.suppress(sqlite3.Error):
                self.rollback()
                self._void()
            raise

    def _void(self) -> None:
        """Overwrite what a commit that failed has left in the log.

        If it was written and only not synced, who recovers the log after a kill would take it for committed. What is
        written instead, to the same place, changes nothing.
        """
        self._execute("pragma user_version = 0")

    def rollback(self) -> None:
        """Undo everything since `begin`; a no-op where SQLite has done so itself."""
        if self._connection.in_transaction:
            self._execute("rollback")

    @property
    def changes(self) -> int:
        """How many rows were written since the connection was opened, those that were undone included."""
        return self._connection.total_changes

    # Runs

    def enter_run(self, scope: Scope, agent_id: str | None, now: int) -> RunRow:
        """The run of a scope, begun if need be; marks activity, and a restart of the daemon since the last."""
        run = self.find_run(scope)
        if run is None:
            return self._insert_run(scope, agent_id, now)
        self._execute(statements.TOUCH_RUN, (now, run.id))
        if agent_id is not None and agent_id != run.agent_id:
            self._execute(statements.SET_AGENT, {"run": run.id, "agent": agent_id})
            run = msgspec.structs.replace(run, agent_id=agent_id)
        if run.status != RunStatus.ACTIVE and run.abort_detection_id is None:
            self._execute(statements.REVIVE_RUN, {"run": run.id})
            run = msgspec.structs.replace(run, status=RunStatus.ACTIVE)
        if run.daemon_start_id != self._daemon_start_id:
            self._mark_daemon_restart(run, now)
        return run

    def find_run(self, scope: Scope) -> RunRow | None:
        """The run of a scope, untouched."""
        names = scope[:3]
        row = self._execute(statements.FIND_RUN, names).fetchone()
        return None if row is None else RunRow(*names, *row)

    def newest_run_of_session(self, source: str, session: str) -> Scope | None:
        """The run that was heard of last of those that a session began; None if it began none."""
        row = self._execute(
            statements.NEWEST_RUN_OF_SESSION, {"in_source": source, "in_session": session}
        ).fetchone()
        return None if row is None else Scope(*row)

    def run_by_id(self, run_id: int) -> RunRow | None:
        """The run of a row's id."""
        row = self._execute(statements.FIND_RUN_BY_ID, {"run": run_id}).fetchone()
        return None if row is None else RunRow(*row)

    def _insert_run(self, scope: Scope, agent_id: str | None, now: int) -> RunRow:
        values = {
            "source": scope.source,
            "kind": scope.kind,
            "name": scope.name,
            "agent_id": agent_id,
            "status": RunStatus.ACTIVE,
            "started_at": now,
            "last_activity_at": now,
            "reset_seq": 0,
            "daemon_start_id": self._daemon_start_id,
            "session_key": scope.session,
        }
        return RunRow(*self._execute(statements.INSERT_RUN, values).fetchone())

    def _mark_daemon_restart(self, run: RunRow, now: int) -> None:
        self._execute(statements.SET_DAEMON_START, {"run": run.id, "daemon_start": self._daemon_start_id})
        if run.newest_seq:
            self.insert_marker(run, MarkerKind.DAEMON_RESTART, now)

    def set_metadata(self, run: RunRow, metadata: str) -> None:
        """Keep what the gateway tells of a run, as JSON."""
        self._execute(statements.SET_METADATA, {"run": run.id, "json": metadata})

    def end_run(self, run: RunRow, status: RunStatus, reason: str | None, now: int) -> None:
        """Mark a run as ended; an abort of guardd's stays one."""
        self._execute(statements.END_RUN, {"run": run.id, "new_status": status, "reason": reason, "now": now})

    def reset_run(self, run: RunRow, reason: str | None, now: int) -> None:
        """Make what came before no longer count: forgive, disarm, lift an abort, forget what was notified."""
        self._execute(statements.RESET_RUN, {"run": run.id, "seq": run.newest_seq})
        self._execute(statements.FORGET_NOTICES, {"run": run.id})
        self.insert_marker(run, MarkerKind.RESET, now, reason=reason)

    # Calls

    def glance(self, run: RunRow, question: Question, history_size: int, *, since: int = 0) -> Glance:
        """Whether there is anything to count; the arguments are those of `figures`."""
        low = _low(run, history_size, since)
        newest = run.newest_seq
        bound = (run.id, low, newest, question.signature, newest, question.tool)
        return Glance(*self._execute(statements.GLANCE, bound).fetchone())

    def figures(
        self, run: RunRow, question: Question, history_size: int, *, masks: bool = False, since: int = 0
    ) -> Figures:
        """What the documented rules count for the call in question.

        Args:
            run: as it stands before the call.
            question: the call.
            history_size: how many of the run's newest calls are looked at.
            masks: outcomes that differ only in what varies by itself are the same.
            since: calls up to this one do not count.
        """
        bound = _window(run, question, history_size, masks=masks, since=since)
        row = self._execute(statements.FIGURES, bound).fetchone()
        return Figures() if row is None else Figures(*row)

    def further_figures(
        self, run: RunRow, question: Question, history_size: int, polls: str, *, masks: bool = False
    ) -> Further:
        """What the rules beyond the documented ones count; `polls` is a JSON list of the tools that are polls."""
        bound = _window(run, question, history_size, masks=masks)
        return Further(*self._execute(statements.FURTHER, {**bound, "polls": polls}).fetchone())

    def across_figures(
        self, run: RunRow, question: Question, history_size: int, *, masks: bool = False, since: int = 0
    ) -> Across:
        """What the rules of OpenClaw 2026.9 count; the arguments are those of `figures`."""
        bound = _window(run, question, history_size, masks=masks, since=since)
        return Across(*self._execute(statements.ACROSS, bound).fetchone())

    def newest_change(
        self, run: RunRow, question: Question, history_size: int, *, masks: bool = False
    ) -> int:
        """The newest call that has changed something and is not the one in question; 0 for none."""
        bound = _window(run, question, history_size, masks=masks)
        return int(self._execute(statements.NEWEST_CHANGE, bound).fetchone()[0])

    def set_further(
        self,
        run: RunRow,
        seq: int,
        *,
        masked: bytes | None = None,
        effect: CallEffect | None = None,
        beside: int | None = None,
        failure: bytes | None = None,
    ) -> None:
        """Keep of a call what only the rules beyond the documented ones look at; None leaves what is there."""
        kept = {"new_masked": masked, "new_effect": effect, "new_beside": beside, "new_failure": failure}
        if any(value is not None for value in kept.values()):
            self._execute(statements.SET_FURTHER, {"run": run.id, "in_seq": seq, **kept})

    def newest_under_way(self, run: RunRow) -> int | None:
        """The first of the calls that are under way with the run's newest one; None if that has ended."""
        row = self._execute(statements.NEWEST_UNDER_WAY, {"run": run.id, "in_seq": run.newest_seq}).fetchone()
        return None if row is None else int(row[0])

    def insert_call(self, call: NewCall) -> None:
        """Record a call."""
        self._execute(statements.INSERT_CALL, call)

    def find_open_call(self, run: RunRow, question: Question, call_id: str | None) -> OpenCall | None:
        """The call that an outcome belongs to, one with the same arguments first (detection.md, "After a call")."""
        any_arguments = (run.id, question.tool)
        these_arguments = (*any_arguments, question.signature)
        if call_id is None:
            row = (
                self._execute(statements.FIND_OPEN_CALL, these_arguments).fetchone()
                or self._execute(statements.FIND_OTHER_OPEN_CALL, any_arguments).fetchone()
            )
        else:
            row = (
                self._execute(statements.FIND_OPEN_CALL_BY_ID, (*these_arguments, call_id)).fetchone()
                or self._execute(statements.FIND_OTHER_OPEN_CALL_BY_ID, (*any_arguments, call_id)).fetchone()
            )
        return None if row is None else OpenCall(*row)

    def find_reported_call(
        self, run: RunRow, tool: str, call_id: str, outcome: bytes, within: int
    ) -> OpenCall | None:
        """The call that this outcome was reported of already, among the newest so many."""
        row = self._execute(
            statements.FIND_REPORTED_CALL,
            {
                "run": run.id,
                "low": run.newest_seq - within,
                "tool": tool,
                "in_call_id": call_id,
                "in_outcome": outcome,
            },
        ).fetchone()
        return None if row is None else OpenCall(*row)

    def attach_outcome(
        self,
        run: RunRow,
        seq: int,
        *,
        state: int,
        outcome: bytes | None,
        missing_tool: str | None,
        guard_marker_id: int | None,
        duration_ms: int | None,
    ) -> None:
        """Give a call its outcome."""
        self._execute(
            statements.ATTACH_OUTCOME,
            (state, outcome, missing_tool, guard_marker_id, duration_ms, run.id, seq),
        )

    # Detections and what was notified

    def insert_detection(
        self,
        run: RunRow,
        seq: int | None,
        detection: Detection,
        *,
        notify: bool,
        observed: bool,
        now: int,
    ) -> int:
        """Record what a detector found; returns its id."""
        values = {
            "run_id": run.id,
            "seq": seq,
            "action": int(detection.action),
            "detector": detection.detector,
            "level": detection.level,
            "count": detection.count,
            "threshold": detection.threshold,
            "tool": detection.tool,
            "paired_tool": detection.paired_tool,
            "notify": int(notify),
            "warning_key": detection.warning_key,
            "observed": int(observed),
            "reason": detection.reason,
            "at": now,
        }
        return int(self._execute(statements.INSERT_DETECTION, values).fetchone()[0])

    def detection(self, detection_id: int) -> tuple[Detection, bool, bool]:
        """A recorded detection, whether it was to be shown, and whether it was only observed."""
        row = self._execute(statements.DETECTION, {"detection": detection_id}).fetchone()
        *columns, notify, observed = row
        return DetectionRow(*columns).detection, bool(notify), bool(observed)

    def newest_detection(self) -> int:
        """The id of the newest recorded detection, 0 for none."""
        return int(self._execute(statements.NEWEST_DETECTION).fetchone()[0])

    def set_aborted(self, run: RunRow, detection_id: int, now: int, reason: str | None = None) -> None:
        """Answer every later call of the run with this detection."""
        self._execute(
            statements.SET_ABORTED,
            {"run": run.id, "detection": detection_id, "reason": reason, "now": now},
        )

    def notified_count(self, run: RunRow, warning_key: str) -> int | None:
        """The count at which a warning was last shown, None if never."""
        row = self._execute(statements.NOTICE, {"run": run.id, "in_key": warning_key}).fetchone()
        return None if row is None else int(row[0])

    def set_notified(self, run: RunRow, warning_key: str, count: int) -> None:
        """Remember that a warning was shown."""
        self._execute(statements.SET_NOTICE, {"run_id": run.id, "warning_key": warning_key, "count": count})

    # Markers and the post-compaction guard

    def insert_marker(
        self,
        run: RunRow,
        kind: MarkerKind,
        now: int,
        *,
        window_size: int | None = None,
        reason: str | None = None,
        tokens_before: int | None = None,
        tokens_after: int | None = None,
    ) -> int:
        """Record what happened after the run's newest call; returns the marker's id."""
        values = {
            "run_id": run.id,
            "kind": kind,
            "after_seq": run.newest_seq,
            "window_size": window_size,
            "reason": reason,
            "tokens_before": tokens_before,
            "tokens_after": tokens_after,
            "at": now,
        }
        return int(self._execute(statements.INSERT_MARKER, values).fetchone()[0])

    def newest_marker(self, run: RunRow) -> tuple[str, int] | None:
        """The kind of the newest compaction or reset, and the call that it followed."""
        row: tuple[str, int] | None = self._execute(statements.NEWEST_MARKER, {"run": run.id}).fetchone()
        return row

    def set_armed(self, run: RunRow, marker_id: int | None) -> None:
        """Arm the guard by a compaction's marker, or disarm it."""
        self._execute(statements.SET_ARMED, {"run": run.id, "marker": marker_id})

    def armed_window(self, marker_id: int) -> int:
        """For how many outcomes a compaction armed the guard."""
        return int(self._execute(statements.ARMED_WINDOW, {"marker": marker_id}).fetchone()[0])

    def count_guarded(
        self, marker_id: int, signature: bytes, outcome: bytes, *, masks: bool = False
    ) -> tuple[int, int]:
        """Outcomes since that arming: all, and those of this very call and outcome; `masks` as in `figures`."""
        used, seen = self._execute(
            statements.COUNT_GUARDED,
            {"marker": marker_id, "signature": signature, "outcome": outcome, "masks": masks},
        ).fetchone()
        return used, seen


def _low(run: RunRow, history_size: int, since: int) -> int:
    """The seq before that of the oldest call that counts."""
    return max(run.newest_seq - history_size, run.reset_seq, since)


def _window(
    run: RunRow, question: Question, history_size: int, *, masks: bool = False, since: int = 0
) -> dict[str, object]:
    """What binds a statement to the calls that count for the one in question."""
    return {
        "run": run.id,
        "newest": run.newest_seq,
        "low": _low(run, history_size, since),
        "tool": question.tool,
        "signature": question.signature,
        "masks": masks,
    }
