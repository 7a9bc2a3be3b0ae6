"""Checks of who may reach the socket and the database, and who could replace them."""

import stat

from guardd.cli.doctor.facts import Facts, Kind, Place
from guardd.cli.doctor.finding import Finding, State, failed, ok, skipped, warning

ROOT = 0
ANYONE = stat.S_IRWXO
GROUP = stat.S_IRWXG


def socket(facts: Facts) -> Finding:
    """Whether the socket is one, and whom its permissions let in."""
    place = facts.socket
    if place.kind in (Kind.MISSING, Kind.HIDDEN):
        return _unseen(place)
    if place.kind is not Kind.SOCKET:
        return failed(
            f"{place.path} is {place.kind}, not a socket",
            "Remove it if it is not needed, or name another place: --socket, $GUARDD_SOCKET, guardd.socket.path",
        )
    if place.mode & stat.S_IWOTH:
        return warning(
            f"{_shown(place)}: anyone may connect, though guardd refuses whom it does not know",
            f"chmod o-rwx {place.path} (SocketMode=0660 in a socket unit); "
            "guardd.socket.group lets a group in, guardd.socket.gateways and .readers say who may do what",
        )
    return ok(_shown(place))


def socket_directory(facts: Facts) -> Finding:
    """Whether nobody else can put another socket in place of the daemon's."""
    return _directory(facts.socket_directory, facts.socket, facts.uid, "guardd.socket.path")


def database(facts: Facts) -> Finding:
    """Whether nobody else can read the database, or write it."""
    place = facts.database
    if place.kind in (Kind.MISSING, Kind.HIDDEN):
        return _unseen(place)
    if place.kind is not Kind.FILE:
        return failed(
            f"{place.path} is {place.kind}, not a file", "Name a file: --db or guardd.database.path"
        )
    above = facts.database_directory
    files = [place, *facts.beside_database]  # a log holds what is not in the database yet
    found = [_file(one, above) for one in files]
    return next((finding for finding in found if finding.state is not State.OK), found[0])


def _file(place: Place, above: Place) -> Finding:
    """Whether others can get at a file, in a directory."""
    fix = f"chmod 600 {place.path}"
    is_shut = above.kind is Kind.DIRECTORY and not above.mode & (ANYONE | GROUP)
    if is_shut and place.mode & (ANYONE | GROUP):
        return warning(f"{_shown(place)}: only its directory keeps others from it", fix)
    if place.mode & ANYONE:
        return failed(f"{_shown(place)}: anyone can get at it, and it holds previews of what agents did", fix)
    if place.mode & GROUP:
        return warning(f"{_shown(place)}: the group {place.group} can get at it; guardd lets no group", fix)
    return ok(_shown(place))


def database_directory(facts: Facts) -> Finding:
    """Whether nobody else can put another database in place of the daemon's."""
    return _directory(facts.database_directory, facts.database, facts.uid, "guardd.database.path")


def _directory(place: Place, content: Place, uid: int, setting: str) -> Finding:
    if place.kind in (Kind.MISSING, Kind.HIDDEN):
        return _unseen(place)
    if place.kind is not Kind.DIRECTORY:
        return failed(f"{place.path} is {place.kind}, not a directory", f"Name another place by {setting}")
    if place.writers and not place.mode & stat.S_ISVTX:
        return failed(
            f"{_shown(place)}: {place.writers} may replace what is in it", f"chmod go-w {place.path}"
        )
    is_empty = content.kind in (Kind.MISSING, Kind.HIDDEN)  # whose directory it should be is not known
    if not is_empty and place.uid not in {ROOT, uid, content.uid}:
        return failed(
            f"{_shown(place)}: {place.owner} may replace what is in it",
            f"chown {content.owner} {place.path}, or name another place by {setting}",
        )
    return ok(_shown(place))


def _unseen(place: Place) -> Finding:
    return skipped(f"{place.path} is {place.kind}")


def _shown(place: Place) -> str:
    return f"{place.path}, {place.mode:04o}, {place.owner}:{place.group}"
