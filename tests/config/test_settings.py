import dataclasses

import pytest

from guardd.config import LoopSettings, Settings, parse
from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.loop_fields import LOOP_FIELDS


def attributes(of: object, prefix: str = "") -> set[str]:
    """The dotted names of all attributes."""
    names = set()
    for field in dataclasses.fields(of):  # type: ignore[arg-type]
        value = getattr(of, field.name)
        if dataclasses.is_dataclass(value):
            names |= attributes(value, f"{prefix}{field.name}.")
        else:
            names.add(f"{prefix}{field.name}")
    return names


def test_every_attribute_has_its_field_and_every_field_its_attribute():
    config = parse("{}")
    assert attributes(config.loop_settings(None)) == {field.attribute for field in LOOP_FIELDS.values()}
    assert attributes(config.settings) == {field.attribute for field in GUARDD_FIELDS.values()}


def test_settings_do_not_change():
    config = parse("{}")
    for settings, name in ((config.settings, "mode"), (config.settings.limits, "frame_mb")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(settings, name, 1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        config.loop_settings(None).history_size = 1  # type: ignore[misc]


def test_equal_settings_are_equal():
    assert parse("{}").settings == parse("{guardd: {}}").settings
    assert isinstance(parse("{}").settings, Settings)
    assert isinstance(parse("{}").loop_settings(None), LoopSettings)
    assert hash(parse("{}").settings) == hash(parse("{}").settings)
