"""Where guardd's socket, database and configuration are, by the rules of its configuration page.

Every function takes the environment and the user id instead of looking them up, so that it can be asked about
any user. The hook imports this module once for each tool call: it needs nothing but `os`, and paths are plain
strings.
"""

import os
from collections.abc import Mapping

SYSTEM_SOCKET = "/run/guardd/guardd.sock"
SYSTEM_DATABASE = "/var/lib/guardd/guardd.db"
SYSTEM_CONFIG = "/etc/guardd/guardd.json5"
ROOT = 0


def home_directory(environ: Mapping[str, str], uid: int) -> str:
    """Return `$HOME`, else the user's directory by the password database, else `/`."""
    named = environ.get("HOME")
    if named:
        return named
    import pwd  # noqa: PLC0415 - rarely needed, and the hook pays for every import

    try:
        return pwd.getpwuid(uid).pw_dir
    except KeyError:
        return "/"


def expand_home(path: str, environ: Mapping[str, str], uid: int) -> str:
    """Replace a leading `~` by the home directory; `~user` stays as it is."""
    if path == "~" or path.startswith("~/"):
        return home_directory(environ, uid) + path[1:]
    return path


def named_socket(environ: Mapping[str, str], uid: int) -> str | None:
    """Return the socket that `$GUARDD_SOCKET` names, if it names one."""
    named = environ.get("GUARDD_SOCKET")
    return expand_home(named, environ, uid) if named else None


def default_socket_path(environ: Mapping[str, str], uid: int) -> str:
    """Return where the daemon listens when nothing names a socket."""
    places = _environment_sockets(environ)
    if places:
        return places[0]
    return SYSTEM_SOCKET if uid == ROOT else _temporary_socket(uid)


def server_socket_path(configured: str | None, environ: Mapping[str, str], uid: int) -> str:
    """Return where the daemon listens: by `$GUARDD_SOCKET`, the configuration, else the default."""
    return named_socket(environ, uid) or configured or default_socket_path(environ, uid)


def client_socket_candidates(environ: Mapping[str, str], uid: int) -> list[tuple[str, bool]]:
    """Return the sockets that a client tries, in order, each with whether it was named explicitly.

    A named socket is the only one: whoever names a daemon does not want another's answer. The others are to
    be checked with `untrusted_reason` before they are used.
    """
    named = named_socket(environ, uid)
    if named is not None:
        return [(named, True)]
    places = [*_environment_sockets(environ), SYSTEM_SOCKET, _temporary_socket(uid)]
    return [(place, False) for place in dict.fromkeys(places)]


def default_database_path(environ: Mapping[str, str], uid: int) -> str:
    """Return where the daemon keeps its database when nothing names one."""
    given = _first_directory(environ, "STATE_DIRECTORY")
    if given:
        return f"{given}/guardd.db"
    own = _xdg_directory(environ, "XDG_STATE_HOME")
    if own:
        return f"{own}/guardd/guardd.db"
    if uid == ROOT:
        return SYSTEM_DATABASE
    return f"{home_directory(environ, uid)}/.local/state/guardd/guardd.db"


def named_config(environ: Mapping[str, str], uid: int) -> str | None:
    """Return the configuration file that `$GUARDD_CONFIG` names, if it names one."""
    named = environ.get("GUARDD_CONFIG")
    return expand_home(named, environ, uid) if named else None


def config_candidates(environ: Mapping[str, str], uid: int) -> list[str]:
    """Return the places where a configuration file may be if none is named; the first that exists counts."""
    own = _xdg_directory(environ, "XDG_CONFIG_HOME") or f"{home_directory(environ, uid)}/.config"
    return [f"{own}/guardd/guardd.json5", SYSTEM_CONFIG]


def untrusted_reason(path: str, uid: int) -> str | None:
    """Say why a socket that was not named explicitly must not be used, or None if nothing speaks against it.

    The socket, and each of its directories under `/tmp` (where anybody can make one under any name), has to
    belong to root or to the user. What does not exist is not distrusted: connecting fails by itself.

    Args:
        path: an absolute path, as `client_socket_candidates` gives it.
        uid: the user that wants to connect.
    """
    for place in (*_directories_under_tmp(path), path):
        for look in (os.lstat, os.stat):
            try:
                owner = look(place).st_uid
            except OSError:
                continue
            if owner not in (ROOT, uid):
                return f"{place} belongs to user {owner}, neither to root nor to user {uid}"
    return None


def _environment_sockets(environ: Mapping[str, str]) -> list[str]:
    """Return the sockets in the directories for such things that the environment names, in order."""
    places = []
    given = _first_directory(environ, "RUNTIME_DIRECTORY")
    if given:
        places.append(f"{given}/guardd.sock")
    own = _xdg_directory(environ, "XDG_RUNTIME_DIR")
    if own:
        places.append(f"{own}/guardd/guardd.sock")
    return places


def _temporary_socket(uid: int) -> str:
    return f"/tmp/guardd-{uid}/guardd.sock"  # noqa: S108 - hence untrusted_reason


def _directories_under_tmp(path: str) -> list[str]:
    """Return the directories between `/tmp` and the file, the innermost first."""
    directories = []
    directory = path.rpartition("/")[0]
    while directory.startswith("/tmp/"):  # noqa: S108 - the rule is about this directory
        directories.append(directory)
        directory = directory.rpartition("/")[0]
    return directories


def _first_directory(environ: Mapping[str, str], name: str) -> str:
    """Return the first directory that systemd put into the variable, where colons separate several."""
    return environ.get(name, "").split(":")[0]


def _xdg_directory(environ: Mapping[str, str], name: str) -> str | None:
    """Return an XDG base directory; the XDG specification says that a relative one is to be ignored."""
    value = environ.get(name, "")
    return value if value.startswith("/") else None
