"""The README says what is true: its commands, example and tables are held against the program."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.daemon import Daemon
from support.environment import variables
from support.reference import README as README_FILE
from support.reference import REGION, REGIONS, written
from support.reference_commands import PROGRAMS, all_commands, below, examples, parse, top

from guardd.cli.errors import Status
from guardd.cli.install.agents import AGENTS
from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.loop_fields import LOOP_FIELDS
from guardd.protocol.errors import ERRORS
from guardd.protocol.methods import METHODS
from guardd.vocabulary import Detector

ROOT = Path(__file__).parent.parent
README = README_FILE.read_text(encoding="utf-8")


def block(marker: str) -> str:
    """The fenced block under a marker."""
    match = re.search(rf"<!-- {marker} -->\n```\w+\n(.*?)```", README, re.DOTALL)
    assert match, marker
    return match[1]


def table(marker: str) -> list[list[str]]:
    """The rows of the table under a marker."""
    match = re.search(rf"<!-- {marker} -->\n((?:\|.*\n)+)", README)
    assert match, marker
    lines = [re.split(r"(?<!\\)\|", line)[1:-1] for line in match[1].splitlines()[2:]]
    return [[cell.strip() for cell in line] for line in lines]


def names(marker: str) -> list[str]:
    """The names in the first column of the table under a marker."""
    return [name for row in table(marker) for name in re.findall(r"`([^`]+)`", row[0])]


def test_the_reference_is_what_the_program_says():
    assert {region[2] for region in REGION.finditer(README)} == set(REGIONS)
    for found, made in zip(REGION.finditer(README), REGION.finditer(written(README)), strict=True):
        assert found[0] == made[0], f"{found[2]}: run python tests/write_reference.py"


def test_every_command_is_listed_and_nothing_else():
    listed = {re.match(r"guard\w+ \w+", names[0])[0] for names in _in_rows("reference: commands")}
    assert listed == {command.name for program in PROGRAMS for command in below(top(program))}


def _in_rows(marker: str) -> list[list[str]]:
    return [re.findall(r"`([^`]+)`", row[0]) for row in table(marker)]


def test_what_is_to_be_typed_can_be():
    blocks = re.findall(r"```(?:sh|console)\n(.*?)```", README, re.DOTALL)
    found = [words for block in blocks for words in examples(block.replace("AGENT", "codex"))]
    assert len(found) > 5
    for words in found:
        parse(words)


def test_every_option_is_listed():
    listed = " ".join(names("reference: options"))
    for command in all_commands():
        for option in command.click.params:
            for name in option.opts if option.param_type_name == "option" else ():
                assert re.search(rf"(?<!\S){re.escape(name)}(?![\w-])", listed), (command.name, name)


def test_every_error_is_listed():
    listed = {(row[0].strip("`"), row[1].strip("`")) for row in table("reference: errors")}
    assert listed == {(str(error.code), error.kind.value if error.kind else "") for error in ERRORS}


def test_every_metric_is_listed(tmp_path):
    with Daemon(tmp_path).start() as daemon:
        text = daemon.ask("server.metrics")
    known = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    assert {name.partition("{")[0] for name in names("reference: metrics")} == known


def test_every_setting_is_listed_and_in_the_file_that_init_writes():
    starter = (ROOT / "guardd" / "config" / "starter.json5").read_text(encoding="utf-8")
    listed = names("reference: settings")
    for key in (*LOOP_FIELDS, *GUARDD_FIELDS):
        assert key in listed
        assert f"{key.split('.')[-1]}:" in starter, key


def test_every_method_is_listed():
    assert set(METHODS) <= set(names("reference: methods"))


def test_every_detector_is_explained():
    listed = re.findall(r"^\| `(\w+)` \|.*\|.*\|.*\|", README, re.MULTILINE)
    assert set(Detector) - {Detector.OPERATOR} <= set(listed)


def test_every_environment_variable_is_listed():
    read, under_other_names = variables()
    assert under_other_names == {"paths.py", "cli/program.py", "cli/install/agents.py"}
    read |= {agent.variable for agent in AGENTS.values() if agent.variable}
    read |= {f"_{program.upper()}_COMPLETE" for program in PROGRAMS}
    assert set(names("table: environment")) == read


def test_every_exit_status_is_listed():
    words = {status: status.name.lower().replace("_", " ") for status in Status}
    words[Status.INTERRUPTED] = "Ctrl-C"
    line = "Exit status: " + ", ".join(f"{status.value} {word}" for status, word in words.items())
    assert f"{line}." in README
    assert f"{line}." in " ".join(PROGRAMS["guardctl"].epilog.split())


def test_the_example_runs_and_its_loop_is_stopped(tmp_path):
    program = tmp_path / "example.py"
    program.write_text(block("example: client"), encoding="utf-8")
    with Daemon(tmp_path, {"tools": {"loopDetection": {"enabled": True}}}).start() as daemon:
        done = subprocess.run(
            [sys.executable, str(program)],
            env={"GUARDD_SOCKET": str(daemon.socket)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert daemon.ask("run.list")["runs"][0]["verdict"] == "abort"
    assert "You have called `read` 10 times" in done.stdout
    assert "Blocked: `read`" in done.stdout
    assert "stopped: This run was stopped" in done.stdout


@pytest.mark.parametrize("name", ["run", "test"])
def test_ci_runs_the_commands_of_the_readme(name):
    assert f"$(readme_command {name})" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert block(f"command: {name}").startswith("python3 -m venv .venv && ")
