import re

from guardd.config import parse, starter_text
from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.loop_fields import LOOP_FIELDS

FILE = "/etc/guardd/guardd.json5"
COMMENTED_SETTING = re.compile(r"^( +)// ((?:  )?[A-Za-z]+: (?:.*,|\{)|\},)$", re.MULTILINE)


def uncommented() -> str:
    """The text with every setting in force, but those that stand for what one may add."""
    return COMMENTED_SETTING.sub(r"\1\2", starter_text())


def test_it_switches_loop_detection_on_and_changes_nothing_else():
    config = parse(starter_text(), FILE)
    assert (config.warnings, config.notes, config.agents) == ((), (), ())
    assert config.settings == parse("{}").settings
    set_here = {key for key, value in config.describe()["values"].items() if value["origin"] != "default"}
    assert set_here == {"tools.loopDetection.enabled"}
    assert config.loop_settings(None).enabled is True


def test_every_setting_stands_in_it_with_its_default():
    text = uncommented().replace('inherit: "~/.openclaw/openclaw.json"', "inherit: null")
    config = parse(text, FILE)
    assert config.settings == parse("{}").settings
    values = config.describe()["values"]
    never_set = {key for key, value in values.items() if value["origin"] == "default"}
    nothing = {f"guardd.{key}" for key, field in GUARDD_FIELDS.items() if field.optional}
    assert never_set == nothing
    for key, field in LOOP_FIELDS.items():
        default = list(field.default) if isinstance(field.default, tuple) else field.default
        assert values[f"tools.loopDetection.{key}"]["value"] == (True if key == "enabled" else default)


def test_every_key_is_mentioned():
    keys = {part for key in [*LOOP_FIELDS, *GUARDD_FIELDS] for part in key.split(".")}
    keys |= {"tools", "loopDetection", "agents", "list", "id", "guardd"}
    assert keys <= set(re.findall(r"(\w+):", starter_text()))


def test_settings_are_explained_in_the_words_of_the_fields():
    words = re.sub(r"\s+(// )?", " ", starter_text())
    assert GUARDD_FIELDS["mode"].meaning in words
    assert LOOP_FIELDS["globalCircuitBreakerThreshold"].meaning in words
    assert "@" not in words.replace('"@name"', "")


def test_its_agent_is_one():
    config = parse(uncommented().replace('inherit: "~/.openclaw/openclaw.json"', "inherit: null"), FILE)
    assert config.agents == ("safe-runner",)
    assert config.loop_settings("safe-runner").critical_threshold == 16


def test_its_lines_are_not_too_long():
    assert max(map(len, starter_text().splitlines())) <= 115
