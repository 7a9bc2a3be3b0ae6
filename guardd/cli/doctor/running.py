"""Checks of the daemon itself: whether it answers, its clock, and who makes use of it."""

from datetime import datetime, timedelta

from guardd.cli.doctor.facts import Facts
from guardd.cli.doctor.finding import NEEDS_DAEMON, NOT_TOLD, Finding, failed, ok, warning
from guardd.cli.text import plural
from guardd.cli.times import length

TOLERATED = timedelta(seconds=2)
"""How far clocks may be apart; those of one machine are the same one."""
LONG_SILENT = timedelta(days=7)


def answers(facts: Facts) -> Finding:
    """Whether a daemon answers, and is of this program's version."""
    if facts.status is None:
        silence = facts.silence
        assert silence is not None
        return failed(silence.reason, silence.advice)
    where = f" at {facts.socket.path}"
    version = facts.status.get("version")
    if version != facts.version:
        return warning(
            f"guardd {version} answers{where}, and this is guardctl {facts.version}",
            "Restart the daemon, so that it runs the version that is installed; "
            "if it is the newer one, use the guardctl installed with it",
        )
    return ok(f"guardd {version}{where}, pid {facts.status.get('pid')}")


def clock(facts: Facts) -> Finding:
    """Whether the daemon has our time, and nothing happened in its future."""
    if facts.status is None:
        return NEEDS_DAEMON
    if not facts.status.get("time"):
        return NOT_TOLD
    theirs = datetime.fromisoformat(facts.status["time"])
    apart = max(facts.asked - theirs, theirs - facts.answered)
    if apart > TOLERATED:
        return warning(
            f"the daemon's clock is {length(apart.total_seconds())} away from this program's",
            "Look at both with date; a container or a faked time can be the reason",
        )
    newest = facts.status.get("lastActivityAt")
    ahead = datetime.fromisoformat(newest) - theirs if newest else timedelta()
    if ahead > TOLERATED:
        return warning(
            f"the newest activity is {length(ahead.total_seconds())} in the future: the clock was set back",
            "Set the clock if it is wrong now (timedatectl says); "
            "otherwise ages and retention are right again when that time has come",
        )
    return ok("the daemon's is this program's")


def gateway(facts: Facts) -> Finding:
    """When a gateway last asked."""
    if facts.status is None:
        return NEEDS_DAEMON
    if "lastActivityAt" not in facts.status:
        return NOT_TOLD
    newest = facts.status["lastActivityAt"]
    if newest is None:
        return warning(
            "none has asked yet",
            "Connect one: guardctl install openclaw, or guardctl install AGENT (claude-code, codex …); "
            "guardctl demo shows what to expect",
        )
    silent = max(facts.answered - datetime.fromisoformat(newest), timedelta())
    seen = f"last seen {length(silent.total_seconds())} ago, {plural(facts.status.get('runs', 0), 'run')} recorded"
    if silent > LONG_SILENT:
        return warning(
            seen,
            "If agents have worked since, they do not ask guardd: guardctl install TARGET --dry-run shows "
            "whether one is still connected",
        )
    return ok(seen)
