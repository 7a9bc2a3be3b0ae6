"""Hooks in the settings of a coding agent, beside those that its user has there."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from guardd.cli.install import files, programs
from guardd.cli.install.agents import Agent
from guardd.cli.install.editing import install_into, take_out
from guardd.cli.install.json5_edit import Document, Keys
from guardd.cli.install.plan import Plan

EMPTY: Final = "{}\n"
"""What a settings file begins with."""

_IN_EVENT: Final = 3
"""The length of the path of what is in an event's list: `hooks`, the event, the index."""


def plan(agent: Agent, file: Path, *, socket: str | None, uninstall: bool, shared: bool) -> Plan:
    """What installing an agent's hooks does, or taking them out.

    Args:
        agent: The agent.
        file: Its settings file.
        socket: The daemon's socket, where it is not to be looked for.
        uninstall: Whether to take them out.
        shared: Whether the file is a project's.

    Raises:
        Failure: The file cannot be edited.
    """
    found = files.find(file)
    if uninstall:
        command = "" if found.content is None else programs.hook_command(agent.name, socket)
        change = take_out(
            found,
            lambda text: install(Document(text), agent, command),
            lambda text: remove(Document(text), agent),
            fresh=EMPTY,
            own=agent.own,
        )
        return Plan(agent.name, "uninstall", (change,))
    command = programs.hook_command(agent.name, socket)
    change = install_into(found, lambda text: install(Document(text), agent, command), fresh=EMPTY)
    notes = list(_switched_off(agent, change.after))
    if shared:
        notes.append("the path of guardctl in it is this machine's: think of that before you commit the file")
    steps = (
        agent.check,
        ("guardctl status", "the daemon answers"),
        ("guardctl runs", "the runs it has seen"),
    )
    return Plan(agent.name, "install", (change,), tuple(notes), steps)


def install(document: Document, agent: Agent, command: str) -> Document:
    """Put the hook into the list of each event; where one of ours is there, see that it runs this command.

    Raises:
        EditError: Something on the way is no object or no list.
    """
    if agent.version is not None and not document.has("version"):
        document.set(("version",), agent.version)
    for event in agent.events:
        there = list(_ours(document, agent, event))
        for path in there:
            if document.get(*path) != command:
                document.set(path, command)
        if not there:
            document.append(("hooks", event), agent.entry(event, command))
    return document


def remove(document: Document, agent: Agent) -> Document:
    """Take the hooks that are ours out of every event, and what is empty for that."""
    events = document.get("hooks")
    for event in events if isinstance(events, dict) else ():
        for path in reversed(list(_ours(document, agent, event))):
            place = path[:-1]
            if len(place) > _IN_EVENT and _is_alone(document, place):
                place = place[:_IN_EVENT]
            while 1 < len(place) <= _IN_EVENT and _is_alone(document, place):
                place = place[:-1]
            document.remove(*place)
    return document


def _ours(document: Document, agent: Agent, event: str) -> Iterator[Keys]:
    """The paths of the commands in an event's list that run our hook, of whatever installation."""
    ours = re.compile(rf"(?:^|[\s/'\"])guardctl['\"]?\s+hook\s+{agent.name}(?![\w-])")
    entries = document.get("hooks", event)
    for index, entry in enumerate(entries if isinstance(entries, list) else ()):
        place: Keys = ("hooks", event, index)
        hooks = entry.get("hooks") if agent.grouped and isinstance(entry, dict) else [entry]
        for number, hook in enumerate(hooks if isinstance(hooks, list) else ()):
            command = hook.get(agent.command) if isinstance(hook, dict) else None
            if isinstance(command, str) and ours.search(command):
                yield (*place, "hooks", number, agent.command) if agent.grouped else (*place, agent.command)


def _is_alone(document: Document, place: Keys) -> bool:
    """Whether there is nothing beside a value in what holds it."""
    around = document.get(*place[:-1])
    return isinstance(around, dict | list) and len(around) == 1


def _switched_off(agent: Agent, text: str | None) -> Iterator[str]:
    assert text is not None
    document = Document(text)
    for path, value in agent.switches:
        if document.get(*path) is value:
            key = ".".join(str(each) for each in path)
            yield f"{key} is {str(value).lower()} in it: {agent.title} runs no hooks as long as that stands"
