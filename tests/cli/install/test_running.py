"""Showing, asking, writing: the manners of every target, on one of them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from guardd.cli.install import files

FILE = ".claude/settings.json"
TEXT = '{\n  "env": {"API_TOKEN": "hush"},\n  "hooks": {\n    "Stop": []\n  }\n}\n'
INSTALL = ("install", "claude-code")


def test_a_dry_run_shows_the_change_and_makes_none(guardctl: Any, write: Any, backups: Any) -> None:
    file = write(FILE, TEXT)
    result = guardctl(*INSTALL, "--dry-run")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"--- {file}\n+++ {file}\n@@ -1,6 +1,")
    assert '\n   "env": {"API_TOKEN": "***"},\n' in result.stdout
    assert '\n+            "command": "/opt/guardd/bin/guardctl hook claude-code",\n' in result.stdout
    assert "Next:" not in result.stdout
    assert (file.read_text(), backups(file)) == (TEXT, [])


def test_without_a_terminal_nobody_is_asked(guardctl: Any, write: Any) -> None:
    file = write(FILE, TEXT)
    result = guardctl(*INSTALL)
    assert result.exit_code == 2
    assert "no terminal to ask on" in result.stderr
    assert "--yes" in result.stderr
    assert file.read_text() == TEXT


@pytest.mark.parametrize(("words", "status"), [("y\n", 0), ("n\n", 1), ("\n", 1)])
def test_on_a_terminal_somebody_is_asked(write: Any, typed: Any, words: str, status: int) -> None:
    file = write(FILE, TEXT)
    done = subprocess.run(
        [sys.executable, "-c", "from guardd.cli.guardctl import main; main()", *INSTALL],
        stdin=typed(words),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == status
    assert f"Write this: {file}? [y/N]" in done.stderr
    assert (file.read_text() == TEXT) == bool(status)


def test_colours_where_they_are_wanted(guardctl: Any, write: Any) -> None:
    write(FILE, TEXT)
    assert "\x1b[32m+" in guardctl(*INSTALL, "--dry-run", "--color", "always").stdout
    assert "\x1b" not in guardctl(*INSTALL, "--dry-run").stdout


def test_json_is_what_was_done(guardctl: Any, write: Any, backups: Any) -> None:
    file = write(FILE, TEXT)
    refused = guardctl(*INSTALL, "--json")
    assert (refused.exit_code, refused.stdout, file.read_text()) == (2, "", TEXT)
    would = json.loads(guardctl(*INSTALL, "--json", "--dry-run").stdout)
    assert (would["done"], would["files"][0]["backup"]) == (False, None)
    done = json.loads(guardctl(*INSTALL, "--json", "--yes").stdout)
    (changed,) = done.pop("files")
    assert done == {
        "target": "claude-code",
        "action": "install",
        "done": True,
        "notes": [],
        "next": ["/hooks", "guardctl status", "guardctl runs"],
    }
    assert changed["diff"].startswith(f"--- {file}\n")
    assert "hush" not in changed["diff"]
    assert changed | {"diff": ""} == {
        "file": str(file),
        "change": "edit",
        "backup": str(backups(file)[0]),
        "diff": "",
    }
    nothing = json.loads(guardctl(*INSTALL, "--json").stdout)
    assert (nothing["done"], nothing["files"][0]["change"]) == (False, "none")


def test_a_link_is_followed(guardctl: Any, write: Any, home: Path, backups: Any) -> None:
    target = write("dotfiles/claude.json", TEXT)
    link = home / FILE
    link.parent.mkdir()
    link.symlink_to("../dotfiles/claude.json")
    result = guardctl(*INSTALL, "--yes")
    assert f"Changed {target}.\n" in result.stdout
    assert link.is_symlink()
    assert "guardctl" in target.read_text()
    assert len(backups(target)) == 1


def test_a_link_to_nothing_gets_its_file(guardctl: Any, home: Path) -> None:
    link = home / FILE
    link.parent.mkdir()
    link.symlink_to(home / "dotfiles" / "claude.json")
    assert guardctl(*INSTALL, "--yes").exit_code == 0
    assert (home / "dotfiles" / "claude.json").is_file()
    assert guardctl(*INSTALL, "--yes", "--uninstall").exit_code == 0
    assert (link.is_symlink(), link.exists()) == (True, False)


def test_links_in_a_circle_are_told(guardctl: Any, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / FILE).symlink_to("settings.json")
    assert "cannot read" in guardctl(*INSTALL, "--yes").stderr


def test_a_read_only_file_stays(guardctl: Any, write: Any, backups: Any) -> None:
    file = write(FILE, TEXT, 0o444)
    result = guardctl(*INSTALL, "--yes")
    assert result.exit_code == 4
    assert f"{file} is read-only" in result.stderr
    assert (file.read_text(), backups(file)) == (TEXT, [])
    assert guardctl(*INSTALL, "--dry-run").exit_code == 0


@pytest.mark.parametrize("kind", ["directory", "pipe", "large"])
def test_what_is_no_settings_file_stays(guardctl: Any, home: Path, kind: str) -> None:
    file = home / FILE
    file.parent.mkdir()
    if kind == "directory":
        file.mkdir()
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.write_bytes(b"{}" + b" " * files.LARGEST)
    result = guardctl(*INSTALL, "--yes")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"guardctl: {file} is ")


def test_a_file_can_be_named(guardctl: Any, write: Any) -> None:
    file = write("other.json", TEXT)
    assert guardctl(*INSTALL, "--yes", "--config", str(file)).exit_code == 0
    assert "guardctl" in file.read_text()


def test_help_brings_no_editor_along() -> None:
    code = (
        "import sys; from guardd.cli.guardctl import program\n"
        "try: program.main(['install', '--help'])\n"
        "finally: sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"json5", "rich", "guardd.config", "guardd.fingerprint", "difflib", "asyncio"} & set(
        done.stderr.split()
    ) == set()
