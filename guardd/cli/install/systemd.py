"""guardd as a service: the units of `systemd/`, with the path of this installation's program."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import guardd
from guardd import paths
from guardd.cli.errors import Failure
from guardd.cli.install import files, programs
from guardd.cli.install.files import Found, shown
from guardd.cli.install.plan import Change, Plan
from guardd.cli.install.service_view import kept_from
from guardd.cli.text import safe

NAMES: Final = ("guardd.service", "guardd.socket")
SYSTEM: Final = Path("/etc/systemd/system")
MODE: Final = 0o644
EXEC_START: Final = "ExecStart=/usr/bin/env guardd"

_NO_NETWORK: Final = (
    "a command of guardd.notify has no network until `{control} edit guardd` gives it one: "
    "the README says how, under 'Run it as a service'"
)
_ONLY_ROOT: Final = (
    "only root may connect; for a group: `systemctl edit guardd.socket`, "
    "with [Socket], SocketGroup=NAME and SocketMode=0660"
)
_PACKAGE: Final = Path(guardd.__file__).absolute().parent
_PLAIN: Final = re.compile(r"[\w/.+@-]+")


def directory(environ: Mapping[str, str], home: str, *, user: bool) -> Path:
    """Where systemd looks for the units of an administrator, or of a user."""
    if not user:
        return SYSTEM
    own = environ.get("XDG_CONFIG_HOME", "")
    return Path(own if own.startswith("/") else f"{home}/.config", "systemd", "user")


def plan(place: Path, *, user: bool, uninstall: bool) -> Plan:
    """What installing the units does, or taking them out.

    Args:
        place: Where they go.
        user: Whether they are a user's own.
        uninstall: Whether to take them out.

    Raises:
        Failure: They cannot be written.
    """
    changes = tuple(
        _change(files.find(place / name), unit(name, user=user), uninstall=uninstall) for name in NAMES
    )
    control = "systemctl --user" if user else "systemctl"
    if uninstall:
        steps = [
            (f"{control} disable --now {' '.join(NAMES)}", "stop what runs"),
            (f"{control} daemon-reload", "let systemd forget the units"),
        ]
        kept = "~/.local/state/guardd" if user else str(Path(paths.SYSTEM_DATABASE).parent)
        return Plan("systemd", "uninstall", changes, (f"the database stays, in {kept}",), tuple(steps))
    socket_first = " ".join(reversed(NAMES))
    steps = [
        (f"{control} daemon-reload", "let systemd read the units"),
        (f"{control} enable --now {socket_first}", "start guardd, now and at every start"),
        ("guardctl status", "the daemon answers"),
    ]
    if any(change.kind == "edit" for change in changes):
        steps.insert(
            2, (f"{control} restart {socket_first}", "let one that runs already go by the new units")
        )
    if user:
        steps.append(("loginctl enable-linger", "keep it running while you are logged out"))
    return Plan("systemd", "install", changes, _notes(control, user=user), tuple(steps))


def _notes(control: str, *, user: bool) -> tuple[str, ...]:
    """What the units keep from the daemon, as far as that may be in somebody's way."""
    notes = [_NO_NETWORK.format(control=control)]
    if user:
        return tuple(notes)
    notes.append(_ONLY_ROOT)
    program, python = programs.program("guardd"), Path(sys.executable).absolute()
    reasons = [kept_from(program, program=True)]
    if program.parent == python.parent:
        reasons += [kept_from(python, program=True), *map(kept_from, (Path(sys.base_prefix), _PACKAGE))]
    reason = next(filter(None, reasons), "")
    if reason:
        notes.append(
            f"the service cannot start: its user may not run guardd here ({safe(reason)}); "
            "install it where every user may, below /opt for instance, with a Python that every user may run"
        )
    reason = kept_from(Path(paths.SYSTEM_CONFIG))
    if reason:
        notes.append(
            f"the service's user may not read its configuration ({reason}): "
            f"chmod go+rX {Path(paths.SYSTEM_CONFIG).parent} {paths.SYSTEM_CONFIG}"
        )
    return tuple(notes)


def unit(name: str, *, user: bool) -> str:
    """The text of a unit.

    Raises:
        Failure: The units are missing from this installation.
    """
    # In a wheel they are inside the package, in a checkout beside it.
    for folder in (_PACKAGE / "systemd", _PACKAGE.parent / "systemd"):
        file = folder / "user" / name if user else folder / name
        if file.is_file():
            line = f"ExecStart={_quoted(str(programs.program('guardd')))}"
            return file.read_text(encoding="utf-8").replace(EXEC_START, line)
    raise Failure(
        f"the unit {name} is missing from this installation: {shown(_PACKAGE)}", "Install guardd again"
    )


def _change(found: Found, text: str, *, uninstall: bool) -> Change:
    return Change(found, None, remade=found.text == text) if uninstall else Change(found, text, MODE)


def _quoted(path: str) -> str:
    """A path as the first word of `ExecStart=` (systemd.service(5), systemd.syntax(7)).

    Raises:
        Failure: systemd takes no program of that name.
    """
    if not path.isprintable() or any(character in path for character in "\"'\\"):
        raise Failure(f"systemd runs no program with quotes or backslashes in its path: {safe(path)}")
    path = path.replace("%", "%%")
    return path if _PLAIN.fullmatch(path) else f'"{path}"'
