"""OpenClaw's configuration: where it is, and the keys that load guardd's plugin.

The rules are those of OpenClaw 2026.7.1 and 2026.9.6: its configuration, environment and plugin pages, and its
`src/config/paths.ts`, `src/config/includes.ts` and `src/plugins/config-normalization-shared.ts`.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import guardd
from guardd.cli.errors import Failure, Status
from guardd.cli.install import files
from guardd.cli.install.editing import install_into, take_out
from guardd.cli.install.files import shown
from guardd.cli.install.json5_edit import Document, EditError, Keys, shown_path
from guardd.cli.install.plan import Plan

PLUGIN: Final = Path(guardd.__file__).absolute().parent / "adapters" / "openclaw"
"""The folder of the plugin."""

ID: Final = "guardd"
PATHS: Final[Keys] = ("plugins", "load", "paths")
ALLOW: Final[Keys] = ("plugins", "allow")
ENTRY: Final[Keys] = ("plugins", "entries", ID)
BEFORE_TOOL_CALL_MS: Final = 3000
"""How long the gateway waits for the plugin, which has its own, shorter deadline: by itself 7.1 waits for ever."""

_SETTINGS: Final[tuple[tuple[Keys, bool | int], ...]] = (
    ((*ENTRY, "enabled"), True),
    ((*ENTRY, "hooks", "allowConversationAccess"), True),
    ((*ENTRY, "hooks", "timeouts", "before_tool_call"), BEFORE_TOOL_CALL_MS),
)
_OWN_CHOICE: Final = (*ENTRY, "hooks", "timeouts", "before_tool_call")

STEPS: Final = (
    ("openclaw gateway restart", "unless the gateway reloads by itself"),
    ("openclaw plugins inspect guardd --runtime --json", "the plugin is loaded"),
    ("guardctl status", "the daemon answers"),
    ("guardctl runs", "the runs it has seen"),
)


def config_path(environ: Mapping[str, str], home: str) -> Path:
    """The file that the gateway reads, by its own rules; a profile's is named by what `--profile` sets.

    `$OPENCLAW_CONFIG_PATH`, else the first that exists in `$OPENCLAW_STATE_DIR`, else in `~/.openclaw` and in
    what that was called before; `~` is `$OPENCLAW_HOME` where that is set.
    """
    home = _home(environ, home)
    named = environ.get("OPENCLAW_CONFIG_PATH", "").strip()
    if named:
        return Path(_expanded(named, home))
    state = environ.get("OPENCLAW_STATE_DIR", "").strip()
    directories = [_expanded(state, home)] if state else [f"{home}/.openclaw", f"{home}/.clawdbot"]
    places = [Path(each, name) for each in directories for name in ("openclaw.json", "clawdbot.json")]
    return next((place for place in places if place.exists()), places[0])


def plan(file: Path, *, socket: str | None, uninstall: bool) -> Plan:
    """What installing the plugin does, or taking it out.

    Args:
        file: The gateway's configuration.
        socket: The daemon's socket, where the plugin would not find it by itself.
        uninstall: Whether to take it out.

    Raises:
        Failure: The file cannot be edited.
    """
    found = files.find(file)

    def install_text(text: str) -> Document:
        return install(Document(text), socket)

    if uninstall:
        change = take_out(found, install_text, lambda text: remove(Document(text)), fresh=None)
        return Plan("openclaw", "uninstall", (change,), tuple(_left_behind(change.after)), STEPS[:1])
    if found.content is None:
        raise Failure(
            f"there is no {shown(file)}",
            # A file without gateway.mode is a damaged one to the gateway, so none is made here.
            "Let OpenClaw write it first, with: openclaw setup",
            "Or name the gateway's file with --config FILE or $OPENCLAW_CONFIG_PATH",
            status=Status.NOT_FOUND,
        )
    if not (PLUGIN / "openclaw.plugin.json").is_file():
        raise Failure(
            f"the plugin is missing from this installation: {shown(PLUGIN)}", "Install guardd again"
        )
    change = install_into(found, install_text, fresh=None)
    return Plan("openclaw", "install", (change,), tuple(_notes(change.after)), STEPS)


def install(document: Document, socket: str | None) -> Document:
    """Set the keys that load the plugin, and leave those that are set already.

    Raises:
        Failure: The keys come from another file, or somebody forbids the plugin.
        EditError: Something on the way is no object or no list.
    """
    _refuse_includes(document)
    denied = document.get("plugins", "deny")
    if isinstance(denied, list) and ID in denied:
        raise Failure(f"plugins.deny names {ID}", "Take it out of that list first, then run this again")
    _install_path(document)
    allowed = document.get(*ALLOW)
    # The list excludes every plugin that it does not name, so none is made where there is none.
    if isinstance(allowed, list) and allowed and ID not in allowed:
        document.append(ALLOW, ID)
    _install_entry(document, socket)
    return document


def remove(document: Document) -> Document:
    """Take out the plugin's path, entry and permission, and what is empty for that.

    Raises:
        Failure: The keys come from another file.
    """
    _refuse_includes(document)
    for index in reversed(list(_own_paths(document))):
        _remove_up(document, (*PATHS, index))
    allowed = document.get(*ALLOW)
    # A list that is empty allows every plugin: that is not ours to bring about.
    if isinstance(allowed, list) and ID in allowed and len(allowed) > 1:
        document.remove(*ALLOW, allowed.index(ID))
    if document.has(*ENTRY):
        _remove_up(document, ENTRY)
    return document


def _install_path(document: Document) -> None:
    paths = document.get(*PATHS)
    if paths is not None and not isinstance(paths, list):
        raise EditError(f"{shown_path(PATHS)} is not a list")
    there = list(_own_paths(document))
    if not there:
        document.append(PATHS, str(PLUGIN))
    elif document.get(*PATHS, there[0]) != str(PLUGIN):
        document.set((*PATHS, there[0]), str(PLUGIN))


def _install_entry(document: Document, socket: str | None) -> None:
    if not document.has(*ENTRY):
        config = {"config": {"socketPath": socket}} if socket else {}
        hooks = {"allowConversationAccess": True, "timeouts": {"before_tool_call": BEFORE_TOOL_CALL_MS}}
        document.set(ENTRY, {"enabled": True, "hooks": hooks, **config})
        return
    for path, value in _SETTINGS:
        if document.get(*path) != value and not (path == _OWN_CHOICE and document.has(*path)):
            document.set(path, value)
    socket_path = (*ENTRY, "config", "socketPath")
    if socket and document.get(*socket_path) != socket:
        document.set(socket_path, socket)


def _own_paths(document: Document) -> Iterator[int]:
    """Where the plugin of this installation, or of another one, is in the list of paths."""
    paths = document.get(*PATHS)
    for index, path in enumerate(paths if isinstance(paths, list) else ()):
        if isinstance(path, str) and Path(path).parts[-3:] == PLUGIN.parts[-3:]:
            yield index


def _remove_up(document: Document, path: Keys) -> None:
    """Remove a value, and instead of it what holds nothing else."""
    while len(path) > 1:
        around = document.get(*path[:-1])
        if not isinstance(around, dict | list) or len(around) > 1:
            break
        path = path[:-1]
    document.remove(*path)


def _refuse_includes(document: Document) -> None:
    places = [(), ("plugins",), PATHS[:2], PATHS, ALLOW, ENTRY[:2], ENTRY]
    places += [(*ENTRY, "hooks"), (*ENTRY, "hooks", "timeouts"), (*ENTRY, "config")]
    for place in places:
        named = document.get(*place, "$include")
        if named is None:
            continue
        what = f"{shown_path(place)} comes from another file" if place else "the file includes another one"
        names = named if isinstance(named, list) else [named]
        raise Failure(
            f"{what} ($include: {', '.join(str(name) for name in names)})",
            "Nothing was changed. Put this where it belongs by hand:",
            f'  plugins.load.paths: add "{PLUGIN}"',
            f'  plugins.allow: add "{ID}", if there is such a list and it is not empty',
            f"  plugins.entries.{ID}: {{ enabled: true, hooks: {{ allowConversationAccess: true, "
            f"timeouts: {{ before_tool_call: {BEFORE_TOOL_CALL_MS} }} }} }}",
        )


def _notes(text: str | None) -> Iterator[str]:
    assert text is not None
    if Document(text).get("plugins", "enabled") is False:
        yield "plugins.enabled is false in it: the gateway loads no plugin as long as that stands"


def _left_behind(text: str | None) -> Iterator[str]:
    if text is not None and Document(text).get(*ALLOW) == [ID]:
        yield f"plugins.allow still names {ID}: an empty list would allow every plugin"


def _home(environ: Mapping[str, str], home: str) -> str:
    named = environ.get("OPENCLAW_HOME", "").strip()
    return home if named in ("", "undefined", "null") else _expanded(named, home)


def _expanded(path: str, home: str) -> str:
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    return os.path.abspath(path)  # noqa: PTH100 - as the gateway does, without following links
