"""The check of the command that the daemon runs on events."""

from guardd.cli.doctor.facts import Facts, Kind, Place, Program
from guardd.cli.doctor.finding import Finding, failed, ok, skipped, warning

ROOT = 0
NAME_IT = "Name it by its whole path in guardd.notify.command, then guardctl config reload"
NAME_ANOTHER = "Name another by guardd.notify.command, then guardctl config reload"


def command(facts: Facts) -> Finding:
    """Whether the command of `guardd.notify` can be run, and nobody else decides what it is."""
    program = facts.notified
    if program is None:
        is_known = facts.described is not None or facts.loaded.described is not None
        return ok("no command is set") if is_known else skipped("needs a configuration that can be used")
    place = program.place
    if place is None:
        return warning(f"{program.name} is not in this program's PATH; the daemon's may be another", NAME_IT)
    if place.kind is Kind.HIDDEN:
        return skipped(f"{place.path} is {place.kind}")
    actions = facts.setting("guardd.notify.on") or ()
    sound = ok(f"{place.path}, on {', '.join(actions) or 'no action'}")
    return _unusable(program, place) or _changeable(program, place) or sound


def _unusable(program: Program, place: Place) -> Finding | None:
    if place.kind is not Kind.FILE:
        return failed(f"{place.path} is {place.kind}: nobody is told of events", NAME_ANOTHER)
    if not program.may_run:
        return failed(
            f"{_shown(place)}: the daemon's user may not run it, so nobody is told of events",
            f"chmod +x {place.path}, as far as its directories let that user through",
        )
    return None


def _changeable(program: Program, place: Place) -> Finding | None:
    if place.writers:
        return failed(
            f"{_shown(place)}: {place.writers} may change what the daemon runs", f"chmod go-w {place.path}"
        )
    if place.uid not in {ROOT, program.uid}:
        return failed(
            f"{_shown(place)}: {place.owner} may change what the daemon runs", f"chown root {place.path}"
        )
    return None


def _shown(place: Place) -> str:
    return f"{place.path}, {place.mode:04o}, {place.owner}:{place.group}"
