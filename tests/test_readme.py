"""The README says what is true: its commands, example and tables are held against the program."""

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest
from support.daemon import Daemon

from guardd.cli.guardctl import program as guardctl
from guardd.cli.guardd import program as guardd
from guardd.config.fields import GUARDD_FIELDS, LOOP_FIELDS
from guardd.daemon.metrics import Metrics
from guardd.protocol.errors import ERRORS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def block(marker: str) -> str:
    """The fenced block under a marker."""
    match = re.search(rf"<!-- {marker} -->\n```\w+\n(.*?)```", README, re.DOTALL)
    assert match, marker
    return match[1]


def table(marker: str) -> list[list[str]]:
    """The rows of the table under a marker."""
    match = re.search(rf"<!-- {marker} -->\n((?:\|.*\n)+)", README)
    assert match, marker
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in match[1].splitlines()[2:]]


def names_of(group: click.Group, prefix: str) -> set[str]:
    context = click.Context(group)
    return {f"{prefix} {name}" for name in group.list_commands(context)}


def test_every_command_is_listed_and_nothing_else():
    cells = [row[0] for row in table("reference: commands")]
    listed = {" ".join(re.match(r"`(guard\w+ \w+)", cell)[1].split()) for cell in cells}
    assert listed == names_of(guardctl, "guardctl") | names_of(guardd, "guardd")


def test_every_error_is_listed():
    listed = {(row[0], row[1].strip("`")) for row in table("reference: errors")}
    known = {(str(error.code), error.kind.value if error.kind else "") for error in ERRORS}
    assert listed == known


def test_every_metric_is_listed(tmp_path):
    with Daemon(tmp_path).start() as daemon:
        text = daemon.ask("server.metrics")
    known = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    assert known == set(re.findall(r"^# TYPE (\w+)", Metrics().text({}), re.MULTILINE)) | {
        name for name in known if "_total" not in name
    }
    listed = {name for row in table("reference: metrics") for name in re.findall(r"guardd_\w+", row[0])}
    assert listed == known


def test_every_setting_is_in_the_readme_or_in_the_file_that_init_writes():
    starter = (ROOT / "guardd" / "config" / "starter.json5").read_text(encoding="utf-8")
    for key in (*LOOP_FIELDS, *GUARDD_FIELDS):
        assert key.split(".")[-1] in starter, key


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
