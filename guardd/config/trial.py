"""Settings to try on recorded transcripts: a file, or the defaults, with some values changed and detection on."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from guardd.config.configuration import Config, make_config
from guardd.config.document import Section, read_document
from guardd.config.errors import ConfigError, shown_file
from guardd.config.layers import FileLayers, Layer, Setting, read_layers
from guardd.config.load import layers_of

SWITCHED_ON = "tried, since nothing sets it"
"""The origin of `enabled` where neither the file nor a change sets it."""

CHANGES = "--set"
"""What stands for the file in an error about a change."""

_LOOP_DETECTION = "tools.loopDetection."


def trial(path: Path | None, changes: Sequence[str] = ()) -> Config:
    """Make a configuration to try out.

    Args:
        path: a configuration file; None for the defaults.
        changes: `KEY=VALUE` each, the key one of `tools.loopDetection`, the value JSON. They hold for every
            agent, whatever the file says of it.

    Raises:
        ConfigError: the file or a change cannot be used.
    """
    own, inherited = FileLayers({}, {}, {}, []), None
    if path is not None:
        path = path.absolute()
        own, inherited = layers_of(read_document(path), shown_file(str(path)), path.parent)
    below = inherited or FileLayers({}, {}, {}, [])
    changed = _changed(changes)
    agents = {agent_id: own.agents.get(agent_id, {}) | changed for agent_id in (*below.agents, *own.agents)}
    switched_on: Layer = {"enabled": Setting(True, SWITCHED_ON)}
    return make_config(
        path,
        replace(own, loop=own.loop | changed, agents=agents),
        replace(below, loop=switched_on | below.loop),
    )


def _changed(changes: Sequence[str]) -> Layer:
    """Read changes as a file would be that holds them."""
    block = Section()
    for change in changes:
        key, equals, text = change.partition("=")
        key = key.strip().removeprefix(_LOOP_DETECTION)
        if not equals or not key:
            raise ConfigError(CHANGES, "expected KEY=VALUE, as in warningThreshold=8", value=repr(change))
        *sections, name = key.split(".")
        place: Any = block
        for section in sections:
            if not isinstance(place.setdefault(section, Section()), Section):
                raise ConfigError(CHANGES, f"{section} is a value, and {key} would be inside it")
            place = place[section]
        place[name] = _value(text.strip())
    document = Section([("tools", Section([("loopDetection", block)]))])
    return read_layers(document, CHANGES, Path(), inherited=False).loop


def _value(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text
