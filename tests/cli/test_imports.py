"""What guardctl imports: every import is paid for at every start."""

import subprocess
import sys
from typing import Any

import pytest

from guardd.config.trial import trial

HEAVY = {
    "asyncio",
    "msgspec",
    "sqlalchemy",
    "alembic",
    "uvloop",
    "json5",
    "rich",
    "jinja2",
    "guardd.client.blocking",
    "guardd.client.operations",
    "guardd.client.verdict",
    "guardd.bench",
    "guardd.daemon",
    "guardd.store",
}

STATUS = {
    "version": "0.1.0",
    "mode": "enforce",
    "uptimeSeconds": 1.0,
    "connections": 1,
    "runs": 1,
    "calls": 1,
}

LIST = """
import sys
from guardd.cli.guardctl import program
try:
    program.main()
finally:
    sys.stderr.write("\\n".join(sorted(sys.modules)))
"""


@pytest.fixture
def imported(daemon: Any, make_run: Any, make_event: Any, make_call: Any) -> Any:
    daemon.answers |= {
        "run.list": {"runs": [make_run("r")]},
        "run.get": make_run("r", endedAt=None, endReason=None),
        "run.history": {"run": "r", "calls": [make_call(1)], "markers": []},
        "run.explain": {"run": "r", "seq": 1, "action": "allow", "counted": [], "thresholds": {}, "text": ""},
        "event.list": {"events": [make_event(1)]},
        "config.get": {
            "values": {
                "guardd.mode": {"value": "enforce", "origin": "default"},
                "tools.loopDetection.enabled": {"value": True, "origin": "default"},
            },
            "warnings": [],
        },
        "server.status": STATUS,
        "run.reset": {"run": "r", "source": "default", "status": "active"},
    }

    def run(*arguments: str) -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", LIST, *arguments], capture_output=True, text=True, check=True
        )
        assert done.stdout
        return set(done.stderr.split())

    return run


@pytest.mark.parametrize(
    "arguments",
    [
        ["runs", "--json"],
        ["history", "r", "--json"],
        ["events", "--json"],
        ["watch", "--json"],
        ["timeline", "r", "--json"],
        ["explain", "r", "--json"],
        ["report", "r", "--json"],
        ["reset", "r"],
        ["export", "r"],
        ["--help"],
        ["bench", "--help"],
        ["completion", "zsh"],
    ],
    ids=" ".join,
)
def test_without_a_table_nothing_heavy_is_imported(imported: Any, arguments: list[str]) -> None:
    assert imported(*arguments) & HEAVY == set()


def test_a_page_brings_the_templates_and_nothing_else_heavy(imported: Any) -> None:
    assert imported("report", "r", "-o", "-") & HEAVY == {"jinja2"}


@pytest.mark.parametrize("arguments", [["runs"], ["history", "r"], ["events"], ["watch"]], ids=" ".join)
def test_a_table_costs_no_more_than_rich_itself(imported: Any, arguments: list[str]) -> None:
    bare = "import sys, click, rich.console, rich.table; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", bare], capture_output=True, text=True, check=True)
    modules = imported(*arguments)
    assert modules & HEAVY == {"rich"}
    of_rich = {name for name in modules if name.startswith("rich")}
    needed_to_print = {
        "rich._unicode_data.unicode17-0-0",
        "rich._unicode_data._versions",
        "rich._cell_widths",
    }
    assert of_rich - set(done.stdout.split()) - needed_to_print == set()


def test_tuning_brings_the_engine_but_no_more(imported: Any, daemon: Any, make_call: Any) -> None:
    call = make_call(1, signature="a" * 32, outcome=None, missingTool=None, isPoll=False)
    daemon.answers["run.history"] = {"run": "r", "calls": [call], "markers": []}
    daemon.answers["config.get"] = trial(None).describe()
    needed = {"sqlalchemy", "asyncio", "msgspec", "json5", "guardd.store"}  # asyncio is SQLAlchemy's wish
    assert imported("tune", "--json") & HEAVY <= needed
    assert imported("tune", "--help") & HEAVY == set()


def test_a_command_imports_itself_alone(imported: Any) -> None:
    modules = imported("runs", "--json")
    assert {name for name in modules if name.startswith("guardd.cli.commands.")} == {
        "guardd.cli.commands.runs"
    }
