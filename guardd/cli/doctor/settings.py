"""Checks of the configuration: whether it can be used, is in force, and does what it looks like."""

from guardd.cli.doctor.facts import Facts
from guardd.cli.doctor.finding import NEEDS_DAEMON, NOT_TOLD, Finding, failed, ok, skipped, warning
from guardd.cli.text import plural
from guardd.config.resolve import NEVER_REACHED

INIT = "guardd init writes a commented file that switches it on; then guardctl config reload"
ENABLED = "tools.loopDetection.enabled"


def configuration(facts: Facts) -> Finding:
    """Whether the file can be used, and is what the daemon works with."""
    loaded = facts.loaded
    if loaded.path is None:
        return ok("no file: all defaults")
    if loaded.error is not None:
        meanwhile = (
            "no daemon starts with it"
            if facts.status is None
            else "the daemon goes on with what it has read before, and would not start again"
        )
        return failed(
            f"{loaded.error}; {meanwhile}", f"Mend it until this agrees: guardctl config check {loaded.path}"
        )
    if _has_changed(facts):
        return warning(f"{loaded.path} has changed since the daemon read it", "guardctl config reload")
    others = [line for line in _warnings(facts) if NEVER_REACHED not in line]
    if others:
        return warning("; ".join(others), f"Change {loaded.path}, then guardctl config reload")
    return ok(loaded.path if loaded.readable else f"{loaded.path}, which this user may not read")


def thresholds(facts: Facts) -> Finding:
    """Whether every threshold can be reached within the history that is looked at."""
    if facts.described is None and facts.loaded.described is None:
        return skipped("needs a configuration that can be used")
    never = [line for line in _warnings(facts) if NEVER_REACHED in line]
    if never:
        return warning(
            "; ".join(never),
            "Raise tools.loopDetection.historySize to the highest threshold, or lower that; "
            "then guardctl config reload",
        )
    history = facts.setting("tools.loopDetection.historySize")
    return ok(f"all within the newest {history} calls")


def restart(facts: Facts) -> Finding:
    """Whether settings wait for the daemon's next start."""
    if facts.status is None:
        return NEEDS_DAEMON
    waiting = facts.status.get("waitsForRestart")
    if waiting is None:
        return NOT_TOLD
    if waiting:
        return warning("; ".join(waiting), "Restart the daemon; what it knows of runs survives that")
    return ok("no setting waits for one")


def detection(facts: Facts) -> Finding:
    """Whether loop detection is switched on."""
    if facts.described is None and facts.loaded.described is None:
        return skipped("needs a configuration that can be used")
    enabled = facts.setting(ENABLED)
    if enabled is True:
        return ok("on")
    watched = facts.loaded.agents_watched
    but = f", but on for {plural(watched, 'agent')}" if watched else ""
    fix = (
        INIT
        if facts.loaded.path is None
        else f"Set {ENABLED}: true in {facts.loaded.path}, then guardctl config reload"
    )
    if enabled is False:
        return warning(f"off{but}: agents that do not set it are not watched", fix)
    return warning(f"unset{but}: only the post-compaction guard watches", fix)


def mode(facts: Facts) -> Finding:
    """Whether verdicts are enforced."""
    found = (facts.status or {}).get("mode") or facts.setting("guardd.mode")
    if found is None:
        return skipped("needs a configuration that can be used")
    if found == "observe":
        return warning(
            "observe: every call is let through, and what would have been said is recorded",
            'When guardctl events shows what you want, set guardd.mode: "enforce", then guardctl config reload',
        )
    return ok(str(found))


def _warnings(facts: Facts) -> tuple[str, ...]:
    """Of all agents where this user may read the file, else of what holds for everybody."""
    if facts.loaded.described is not None:
        return facts.loaded.warnings
    return tuple((facts.described or {}).get("warnings", ()))


def _has_changed(facts: Facts) -> bool:
    if facts.described is None or facts.loaded.described is None:
        return False
    in_force, in_file = facts.described.get("values", {}), facts.loaded.described["values"]
    # What only one of two versions knows is no change.
    return any(in_force[key]["value"] != in_file[key]["value"] for key in in_force.keys() & in_file.keys())
