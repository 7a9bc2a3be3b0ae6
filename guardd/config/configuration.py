"""The configuration in force: what holds for which agent, and where each value came from."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guardd.config import resolve
from guardd.config.errors import shown_file
from guardd.config.layers import FileLayers, Layer, same_agent
from guardd.config.settings import LoopSettings, Settings


@dataclass(frozen=True, slots=True)
class Config:
    """One loaded configuration; it never changes. Reloading makes another.

    Attributes:
        path: the file that it came from; None where there is none.
        settings: the `guardd` section.
        agents: the ids of the agents that have settings of their own or are at least listed.
        warnings: what is configured and cannot work as it looks.
        notes: what an operator should know at start and may well intend.
    """

    path: Path | None
    settings: Settings
    agents: tuple[str, ...]
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    _file_warnings: tuple[str, ...] = field(repr=False)
    _guardd: Layer = field(repr=False)
    _loops: Mapping[str | None, Layer] = field(repr=False)
    _loop_settings: Mapping[str | None, LoopSettings] = field(repr=False)

    def loop_settings(self, agent_id: str | None) -> LoopSettings:
        """Return what holds for an agent: its own settings over those of everybody. Costs a look-up."""
        found = self._loop_settings.get(agent_id)
        return found if found is not None else self._loop_settings[self._known(agent_id)]

    def describe(self, agent_id: str | None = None) -> dict[str, Any]:
        """Return the answer of `config.get`: each value that holds for an agent, and where it came from.

        Each is `{"value", "origin"}`, in JSON's types, by its key in a file (`tools.loopDetection.…` even if
        the agent's own block sets it); the origin is `default`, or a file and the key in it.
        """
        known = self._known(agent_id)
        loop = self._loops[known]
        sections = (("tools.loopDetection", loop), ("guardd", self._guardd))
        return {
            "agentId": agent_id,
            "path": _plain(self.path),
            "values": {
                f"{section}.{key}": {"value": _plain(setting.value), "origin": setting.origin}
                for section, layer in sections
                for key, setting in layer.items()
            },
            "warnings": [
                *self._file_warnings,
                *_for_agent(agent_id if known else None, resolve.loop_warnings(loop)),
            ],
        }

    def _known(self, agent_id: str | None) -> str | None:
        """Return the key of an agent in the mappings; None, everybody's, where it has nothing of its own."""
        if agent_id is None:
            return None
        folded = same_agent(agent_id)
        return folded if folded in self._loops else None


def make_config(
    path: Path | None, own: FileLayers, inherited: FileLayers | None = None, notes: Iterable[str] = ()
) -> Config:
    """Lay a file's layers over those that it inherits: both globals first, then both of each agent.

    Args:
        path: the file.
        own: what it sets.
        inherited: what the file that it names at `guardd.inherit` sets.
        notes: what was noted while it was looked for.
    """
    bases = [own] if inherited is None else [inherited, own]
    shared = [base.loop for base in bases]
    agents: dict[str, tuple[str, list[Layer]]] = {}
    for base in bases:
        for agent_id, layer in base.agents.items():
            agents.setdefault(same_agent(agent_id), (agent_id, []))[1].append(layer)
    guardd = resolve.resolve_guardd(own.guardd)
    profile = guardd["profile"]
    loops: dict[str | None, Layer] = {None: resolve.resolve_loop(shared, profile)}
    for key, (_, layers) in agents.items():
        loops[key] = resolve.resolve_loop([*shared, *layers], profile)
    spellings = {key: agent_id for key, (agent_id, _) in agents.items()}
    file_warnings = [*(line for base in bases for line in base.warnings), *resolve.guardd_warnings(guardd)]
    return Config(
        path=path,
        settings=resolve.guardd_settings(guardd),
        agents=tuple(spellings.values()),
        warnings=(*file_warnings, *_all_loop_warnings(loops, spellings)),
        notes=(*notes, *_notes(path, loops[None], guardd)),
        _file_warnings=tuple(file_warnings),
        _guardd=guardd,
        _loops=loops,
        _loop_settings={key: resolve.loop_settings(resolved) for key, resolved in loops.items()},
    )


def _all_loop_warnings(loops: Mapping[str | None, Layer], spellings: Mapping[str, str]) -> list[str]:
    """Return everybody's warnings, and those that only an agent has."""
    shared = resolve.loop_warnings(loops[None])
    warnings = list(shared)
    for key, agent_id in spellings.items():
        alone = [line for line in resolve.loop_warnings(loops[key]) if line not in shared]
        warnings += _for_agent(agent_id, alone)
    return warnings


def _for_agent(agent_id: str | None, warnings: Iterable[str]) -> list[str]:
    return [line if agent_id is None else f"agent {agent_id}: {line}" for line in warnings]


def _notes(path: Path | None, shared: Layer, guardd: Layer) -> list[str]:
    """Say what is switched off, and what only looks on."""
    notes = []
    enabled, origin = shared["enabled"]
    if path is not None and enabled is None:
        notes.append(
            f"{shown_file(str(path))} leaves tools.loopDetection.enabled unset: agents that do not set it "
            "have only the post-compaction guard; true switches the rolling detectors on"
        )
    if enabled is False:
        notes.append(
            f"tools.loopDetection.enabled is false ({origin}): agents that do not set it are not watched"
        )
    mode = guardd["mode"]
    if mode.value == "observe":
        notes.append(f"guardd.mode is 'observe' ({mode.origin}): every call is allowed")
    return notes


def _plain(value: object) -> object:
    """Return a value in JSON's types."""
    if isinstance(value, tuple):
        return list(value)
    return shown_file(str(value)) if isinstance(value, Path) else value
