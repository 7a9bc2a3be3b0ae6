"""What the window statement returns: the figures from which every rule decides."""

from typing import NamedTuple


class Further(NamedTuple):
    """What is counted for the rules beyond the documented ones.

    Attributes:
        cycle_period: calls of a round of the cycle that the call in question goes on with; None without one.
        cycle_rounds: whole rounds of it, the call in question included.
        cycle_blocked: how many of its calls guardd blocked.
        cycle_members: the signatures of the newest round, in hex, with commas.
        mutations: the newest calls, as many as are all the one in question.
        mutations_blocked: how many of them guardd blocked.
        same_errors: the newest calls, as many as failed alike and are of the tool in question.
        same_errors_blocked: how many of them guardd blocked.
        error_variants: different arguments among them and the call in question.
        errors: errors since the last success.
    """

    cycle_period: int | None = None
    cycle_rounds: int | None = None
    cycle_blocked: int | None = None
    cycle_members: str | None = None
    mutations: int = 0
    mutations_blocked: int = 0
    same_errors: int = 0
    same_errors_blocked: int = 0
    error_variants: int = 0
    errors: int = 0


class Across(NamedTuple):
    """What is counted across calls with different arguments, by the rules of OpenClaw 2026.9.

    Attributes:
        failures: commands in a row that failed alike, up to the call in question.
        failures_blocked: how many of them guardd blocked.
        churned: calls in a row of a few kinds, the one in question among them, all with the same outcome.
    """

    failures: int = 0
    failures_blocked: int = 0
    churned: int = 0


class Figures(NamedTuple):
    """One row about a run's window, as seen by the call in question; all zero and None for an empty one.

    Attributes:
        newest_tool: the tool of the run's newest recorded call.
        newest_signature: its signature.
        newest_missing_tool: the tool that its outcome said does not exist.
        newest_state: its `CallState`.
        newest_detector: what it was answered with, if anything; for a blocked attempt, the rule that blocked it.
        newest_count: the count of that answer.
        newest_paired_tool: the paired tool of that answer.
        newest_warning_key: the warning key of that answer.
        unknown_streak: misses of one tool that does not exist, newest backwards.
        unknown_blocked: how many of them guardd blocked.
        streak: calls without progress of this signature.
        streak_blocked: how many of them guardd blocked.
        repeats: calls of this signature, whatever their outcome.
        tail: length of the alternation that the call in question would continue; 0 if there is none.
        tail_doubts: how many of its calls have no outcome yet, or another than the rest of their side.
        tail_blocked: how many of them guardd blocked.
        further: what is counted for the rules beyond the documented ones, once it is.
        across: what is counted by the rules of OpenClaw 2026.9, once it is.
    """

    newest_tool: str | None = None
    newest_signature: bytes | None = None
    newest_missing_tool: str | None = None
    newest_state: int | None = None
    newest_detector: str | None = None
    newest_count: int | None = None
    newest_paired_tool: str | None = None
    newest_warning_key: str | None = None
    unknown_streak: int = 0
    unknown_blocked: int = 0
    streak: int = 0
    streak_blocked: int = 0
    repeats: int = 0
    tail: int = 0
    tail_doubts: int = 0
    tail_blocked: int = 0
    further: Further = Further()
    across: Across = Across()

    @property
    def fails_across(self) -> bool:
        """Whether commands that failed alike are more than the streak, and count in its place."""
        return self.across.failures > self.streak

    @property
    def no_progress(self) -> int:
        """Calls without progress, by whichever count is larger."""
        return self.across.failures if self.fails_across else self.streak

    @property
    def no_progress_blocked(self) -> int:
        """How many of them guardd blocked."""
        return self.across.failures_blocked if self.fails_across else self.streak_blocked
