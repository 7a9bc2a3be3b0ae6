"""From a decoded file to layers: what the file sets for everybody, for each agent, and for guardd itself.

The layers of one file know nothing of defaults or of other files; `resolve` lays them over each other.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from guardd.config.document import Section
from guardd.config.errors import ConfigError, agent_item, below, item, raise_any, shown
from guardd.config.fields import Field
from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.kinds import Mismatch, text
from guardd.config.loop_fields import LOOP_FIELDS

READ_AT_TOP = ("tools", "agents", "guardd")
"""The keys at the top of a file that guardd reads; the others are its gateway's."""

NEAR = 0.8
"""From which likeness on another key at the top is taken for one of those, misspelt."""

INCLUDE = "$include"
"""The key by which a gateway's file takes an object from another file. guardd does not follow it."""


class Setting(NamedTuple):
    """A value, and where it came from: `default`, or a file and the key in it."""

    value: Any
    origin: str


Layer = dict[str, Setting]
"""Settings by their dotted keys."""


@dataclass(frozen=True, slots=True)
class FileLayers:
    """What one file sets."""

    loop: Layer
    agents: Mapping[str, Layer]
    """By agent id as it is first written; see `same_agent`."""
    guardd: Layer
    warnings: list[str]


def same_agent(agent_id: str) -> str:
    """Return what two spellings of one agent's id have in common: a gateway trims them and ignores case."""
    return agent_id.strip().lower()


def read_layers(document: Section, file: str, directory: Path, *, inherited: bool) -> FileLayers:
    """Check a decoded file and take apart what it sets.

    Args:
        document: the object at the top of the file.
        file: the file's name, for errors and origins.
        directory: where the file's relative paths begin.
        inherited: it is a gateway's file. Keys that guardd does not know are warnings then, and a `guardd`
            section is not looked at.

    Raises:
        ConfigError: values are wrong, or keys not known: all of them are told.
    """
    layers, errors = layers_and_errors(document, file, directory, inherited=inherited)
    raise_any(errors)
    return layers


def layers_and_errors(
    document: Section, file: str, directory: Path, *, inherited: bool
) -> tuple[FileLayers, list[ConfigError]]:
    """Do as `read_layers` does, but return what is wrong beside what is right."""
    reader = _Reader(file, directory, inherited)
    reader.note_include(document, "")
    reader.note_misspelt(document)
    tools = reader.section(document, "tools", "")
    loop = reader.loop(tools, "tools") if tools else {}
    agents = reader.agents(document)
    own = {} if inherited else reader.guardd(document)
    return FileLayers(loop, agents, own, reader.warnings), reader.errors


@dataclass(slots=True)
class _Reader:
    """Reads one file; gathers on the way what is wrong, and reads on."""

    file: str
    directory: Path
    inherited: bool
    warnings: list[str] = field(default_factory=list)
    errors: list[ConfigError] = field(default_factory=list)

    def loop(self, tools: Section, path: str) -> Layer:
        """Read the `loopDetection` block of a `tools` section."""
        self.note_include(tools, path)
        block = self.section(tools, "loopDetection", path)
        return self.fields(block, LOOP_FIELDS, below(path, "loopDetection")) if block else {}

    def guardd(self, document: Section) -> Layer:
        """Read guardd's own section."""
        own = self.section(document, "guardd", "")
        return self.fields(own, GUARDD_FIELDS, "guardd") if own else {}

    def agents(self, document: Section) -> dict[str, Layer]:
        """Read the agents in both forms. Where both define one, `entries`, the newer, overlays `list`."""
        section = self.section(document, "agents", "")
        if not section:
            return {}
        self.note_include(section, "agents")
        agents: dict[str, Layer] = {}
        self.listed_agents(section, agents)
        spelling = {same_agent(agent_id): agent_id for agent_id in agents}
        entries = self.section(section, "entries", "agents") or Section()
        self.note_include(entries, "agents.entries")
        for agent_id in entries:
            if agent_id == INCLUDE:
                continue
            path = below("agents.entries", agent_id)
            if not self.is_id(agent_id, path):
                continue
            entry = self.section(entries, agent_id, "agents.entries") or Section()
            known = spelling.setdefault(same_agent(agent_id), agent_id)
            agents.setdefault(known, {}).update(self.agent(entry, path))
        return agents

    def listed_agents(self, section: Section, agents: dict[str, Layer]) -> None:
        """Read `agents.list`. An id that stands there twice is refused; a gateway takes its first item."""
        path = "agents.list"
        listed = self.value(section, "list", "agents")
        if isinstance(listed, Section) and INCLUDE in listed:
            self.note_include(listed, path)
            return
        if listed is None:
            return
        if not isinstance(listed, list):
            self.error(path, "expected a list", listed)
            return
        seen: set[str] = set()
        for index, entry in enumerate(listed):
            if not isinstance(entry, Section):
                self.error(item(path, index), "expected an object", entry)
                continue
            place = item(path, index)
            agent_id = self.value(entry, "id", place)
            if not self.is_id(agent_id, below(place, "id")):
                continue
            place = agent_item(path, agent_id)
            if same_agent(agent_id) in seen:
                self.objection(place, "this agent is listed twice, and only the first counts")
                continue
            seen.add(same_agent(agent_id))
            agents[agent_id] = self.agent(entry, place)

    def agent(self, entry: Section, path: str) -> Layer:
        """Read one agent's own settings."""
        self.note_include(entry, path)
        tools = self.section(entry, "tools", path)
        return self.loop(tools, below(path, "tools")) if tools else {}

    def fields(self, section: Section, table: Mapping[str, Field], path: str, prefix: str = "") -> Layer:
        """Read a section, and those in it, whose every key must be in the table."""
        layer: Layer = {}
        for key in section:
            dotted, place = f"{prefix}{key}", below(path, key)
            value = self.value(section, key, path)
            if dotted in table:
                if value is not None or not table[dotted].optional:
                    layer |= self.setting(table[dotted], value, place)
            elif any(known.startswith(f"{dotted}.") for known in table):
                inner = self.as_section(value, place)
                layer |= self.fields(inner, table, place, f"{dotted}.") if inner else {}
            elif key == INCLUDE:
                self.objection(place, "guardd does not read included files")
            else:
                self.objection(place, _unknown(key, table, prefix))
        return layer

    def setting(self, known: Field, value: object, place: str) -> Layer:
        """Return a value as its kind takes it, if it does; a relative path begins in the file's directory."""
        try:
            taken = known.kind(value)
        except Mismatch as mismatch:
            self.error(place, str(mismatch), value)
            return {}
        taken = self.directory / taken if isinstance(taken, Path) else taken
        return {known.key: Setting(taken, self.origin(place))}

    def section(self, parent: Section, key: str, path: str) -> Section | None:
        """Return an object of another one, None if it is missing or null."""
        return self.as_section(self.value(parent, key, path), below(path, key))

    def as_section(self, value: object, place: str) -> Section | None:
        """Return a value that must be an object if there is one."""
        if value is not None and not isinstance(value, Section):
            self.error(place, "expected an object", value)
            return None
        return value

    def value(self, parent: Section, key: str, path: str) -> object:
        """Return a value, None if it is missing, and see that it stands there only once."""
        if key in parent.repeated:
            self.objection(below(path, key), "this key stands here twice, and only the last counts")
        return parent.get(key)

    def is_id(self, agent_id: object, place: str) -> TypeGuard[str]:
        """Say whether an agent can have this id."""
        try:
            text(agent_id)
        except Mismatch as mismatch:
            self.error(place, str(mismatch), agent_id)
            return False
        return True

    def note_include(self, section: Section, path: str) -> None:
        """Warn of settings that a gateway would take from another file."""
        if INCLUDE in section:
            self.warnings.append(
                f"{self.origin(below(path, INCLUDE))}: guardd does not read included files; "
                "tools.loopDetection and agents count only where they stand in this file itself"
            )

    def note_misspelt(self, document: Section) -> None:
        """Warn of keys at the top that are nearly one of guardd's, and are not read; a gateway knows its own."""
        if self.inherited:
            return
        for key in document:
            near = difflib.get_close_matches(key.lower(), READ_AT_TOP, n=1, cutoff=NEAR)
            if near and key != near[0]:
                self.warnings.append(
                    f"{self.origin(below('', key))}: guardd does not read this; is {near[0]!r} meant?"
                )

    def objection(self, place: str, reason: str) -> None:
        """Refuse what is likely a slip in our own file; in a gateway's, only warn."""
        if not self.inherited:
            self.errors.append(ConfigError(self.file, reason, key=place))
        else:
            self.warnings.append(f"{self.origin(place)}: {reason}")

    def error(self, place: str, reason: str, value: object) -> None:
        """Note what is wrong with a value."""
        self.errors.append(ConfigError(self.file, reason, key=place, value=shown(value)))

    def origin(self, place: str) -> str:
        """Return where a key stands."""
        return f"{self.file}: {place}"


def _unknown(key: str, table: Mapping[str, Field], prefix: str) -> str:
    """Say that a key is not known, and which one may have been meant, here or in another section."""
    elsewhere = [known for known in table if known.rpartition(".")[2] == key]
    if elsewhere:
        return f"unknown key here; it belongs at {' or '.join(elsewhere)}"
    here = {known.removeprefix(prefix).split(".")[0] for known in table if known.startswith(prefix)}
    by_lower_case = {known.lower(): known for known in sorted(here)}
    near = difflib.get_close_matches(key.lower(), by_lower_case, n=1)
    if near:
        return f"unknown key; the nearest known one is {by_lower_case[near[0]]!r}"
    return f"unknown key; known here: {', '.join(sorted(here))}"
