"""What the reference is made from says enough: each thing has its words, and none is left out."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from support import environment
from support.reference import REGION, checks, documented, errors, written
from support.reference_commands import Command, all_commands, examples, parse
from support.reference_settings import expected, waits_for_start
from support.shapes import Held, is_object, members, told

from guardd.cli.contract import FORMS, PLAIN
from guardd.cli.contract.looking import Check, Timeline
from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.kinds import identity, list_of, one_of, whole_number
from guardd.config.loop_fields import LOOP_FIELDS
from guardd.daemon.metrics import METRICS, error_labels
from guardd.protocol.descriptions import summary
from guardd.protocol.errors import ERRORS
from guardd.protocol.gateway_methods import ToolBefore
from guardd.protocol.methods import METHODS
from guardd.protocol.operator_results import Call, Event
from guardd.replay.turns import Skip

COMMANDS = [pytest.param(command, id=command.name) for command in all_commands()]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_what_it_is_for(command: Command):
    assert command.summary.endswith(".")
    assert len(command.summary) <= 80
    assert "Example" in (command.click.epilog or "")


@pytest.mark.parametrize("command", COMMANDS)
def test_its_options_say_what_they_do(command: Command):
    for option in command.options:
        if "--version" not in option.opts:
            assert option.help, option.opts
            assert option.help.endswith("."), option.opts


@pytest.mark.parametrize("command", COMMANDS)
def test_its_help_fits_a_terminal(command: Command):
    shown = command.click.get_help(command.context).splitlines()
    assert max(map(len, shown)) <= 80 or "completion" in command.name


@pytest.mark.parametrize("command", COMMANDS)
def test_its_examples_are_commands(command: Command):
    found = examples(command.click.epilog.partition("\n\n")[0])
    assert any(" ".join(words).startswith(command.name) for words in found), "none is of itself"
    for words in found:
        parse(words)


def test_an_example_that_is_none_is_noticed():
    assert examples("x | guardctl runs --all > y  all of them") == [["guardctl", "runs", "--all"]]
    with pytest.raises(click.NoSuchOption):
        parse(["guardctl", "runs", "--all"])
    with pytest.raises(click.UsageError):
        parse(["guardctl", "config", "view"])


def test_it_is_said_of_every_command_what_its_json_is():
    names = {command.name for command in all_commands() if not isinstance(command.click, click.Group)}
    said = {name if name in FORMS or name in PLAIN else name.rpartition(" ")[0] for name in names}
    assert said == set(FORMS) | PLAIN
    assert not set(FORMS) & PLAIN


@pytest.mark.parametrize("kind", documented(), ids=lambda kind: kind.__name__)
def test_every_field_has_a_meaning(kind: Any):
    assert summary(kind)
    for member in members(kind) if is_object(kind) else ():
        assert member.meaning.endswith("."), member.name


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_has_a_meaning(name: str):
    assert METHODS[name].summary.endswith(".")
    for member in members(METHODS[name].params):
        assert member.meaning.endswith("."), member.name


def test_every_metric_has_a_meaning():
    assert all(metric.help.endswith(".") for metric in METRICS)
    assert len({metric.name for metric in METRICS}) == len(METRICS)


def test_every_check_has_a_meaning():
    assert all(line.endswith(". |") for line in checks().splitlines()[2:])


def test_every_setting_has_values_and_a_meaning():
    for field in (*LOOP_FIELDS.values(), *GUARDD_FIELDS.values()):
        assert expected(field.kind), field.key
        assert field.meaning.endswith("."), field.key


def test_what_a_setting_may_be_is_asked_of_its_kind():
    assert expected(one_of("a", "b")) == "one of `a`, `b`"
    assert expected(list_of(identity)) == "a list, each a name or an id"
    assert expected(whole_number()) == "a whole number of at least 1"
    assert expected(whole_number(16)) == "a whole number of at least 1, at most 16"


def test_what_waits_for_a_start_is_known_of_the_daemon():
    waiting = {key for key, field in GUARDD_FIELDS.items() if waits_for_start(field)}
    assert waiting == {"socket.path", "socket.group", "database.path", "database.durability"}


def test_a_region_is_written_and_nothing_else():
    text = "a\n<!-- reference: checks -->\nold\n<!-- end -->\nb <!-- reference: x\n"
    assert written(text) == f"a\n<!-- reference: checks -->\n{checks()}\n<!-- end -->\nb <!-- reference: x\n"
    assert written(written(text)) == written(text)
    assert len(REGION.findall(text)) == 1


def test_environment_variables_are_found_in_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(environment, "PACKAGE", tmp_path)
    (tmp_path / "a.py").write_text(
        'NAME = "A"\nos.environ.get(NAME)\nenviron["B"]\n"C" in os.environ\nos.getenv("D")\n'
        'f(environ, "EE", "not one")\nenviron.pop("F", "")\nother.get("G")\n'
    )
    (tmp_path / "b.py").write_text("def f(environ, name): return environ.get(name)\n")
    (tmp_path / "c.js").write_text("process.env.H; environ?.I; const { x } = environ.J ?? other.K;\n")
    assert environment.variables() == ({*"ABCDFHIJ", "EE"}, {"b.py"})


def test_types_in_words():
    words = {member.name: told(member.kind) for member in [*members(Event), *members(ToolBefore)]}
    assert words["run"] == "string"
    assert words["agentId"] == "string or null"
    assert words["at"] == "time"
    assert words["action"] == "`allow`, `warn`, `block` or `abort`"
    assert words["detector"] == "`Detector`"
    assert words["args"] == "anything"
    assert told(list[Call]) == "list of `Call`"
    assert {member.name: told(member.kind) for member in members(Timeline)}[
        "cells"
    ] == "list of (`Cell` or `Marker`)"


CHECK = {"check": "disk", "state": "ok", "detail": "room", "fix": None}


def test_what_is_documented_holds():
    held = Held()
    assert held.problems(list[Check], [CHECK, CHECK | {"fix": "buy one"}]) == []
    assert held.seen == {("Check", name) for name in CHECK}


def test_the_names_of_an_object_are_held_too():
    assert Held().problems(dict[Skip, int], {"not_json": 1}) == []
    assert len(Held().problems(dict[Skip, int], {"not_jsn": 1})) == 1
    assert told(dict[Skip, int]) == "object of integer by `Skip`"
    assert told(dict[str, int]) == "object of integer by name"


def test_every_error_has_the_kind_that_the_metrics_count_it_by():
    assert all(f"| `{error_labels(error)[1]}` |" in errors() for error in ERRORS)


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (CHECK | {"fixed": 1}, "$: Check.fixed is not documented"),
        ({name: CHECK[name] for name in ("check", "state", "fix")}, "$: Check.detail is missing"),
        (CHECK | {"state": "good"}, "$.state: 'good' is not `ok`, `warning`, `failed` or `skipped`"),
        (CHECK | {"check": 1}, "$.check: 1 is not string"),
        (CHECK | {"detail": None}, "$.detail: None is not string"),
        ([], "$: [] is not `Check`"),
    ],
    ids=json.dumps,
)
def test_what_is_not_documented_is_noticed(value: Any, problem: str):
    held = Held()
    assert held.problems(Check, value) == [problem]
    assert not held.seen
