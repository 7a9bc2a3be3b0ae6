"""What people see, held as files in `__snapshots__`. `pytest tests/cli/snapshots --snapshot-update` writes them anew.

Look at each that changed before it is committed: `cat` shows the coloured ones.
"""

import re
from typing import Any

import pytest
from rich.cells import cell_len
from support import story

SCREENS = {
    "runs": "runs",
    "runs-looping": "runs --looping --abs-time",
    "history": "history latest",
    "history-compaction": "history default/run-4711 --abs-time",
    "history-aborted": "history release",
    "history-reset": "history nightly",
    "history-in-turn": "history ticket",
    "history-ping-pong": "history 3f2a9c7e",
    "history-poll": "history session:",
    "history-observed": "history trial",
    "history-expanded": "history latest --expand --limit 6",
    "timeline": "timeline latest",
    "timeline-in-turn": "timeline ticket",
    "timeline-aborted": "timeline release",
    "timeline-observed": "timeline trial",
    "explain": "explain latest",
    "explain-ping-pong": "explain 3f2a9c7e",
    "explain-by-hand": "explain release",
    "explain-allowed": "explain latest 2",
    "events": "events",
    "events-of-one": "events --run latest --abs-time",
    "events-limited": "events --limit 2",
    "status": "status",
    "config": "config show",
    "config-of-agent": "config show --agent safe-runner",
}
HOSTILE = {
    "runs": "runs",
    "events": "events",
    "history-long": "history xxx",
    "history-wide": "history 日本",
    "history-emoji": "history family",
    "history-right-to-left": "history abc",
    "timeline-controls": "timeline new",
}
WIDTHS = (120, 80, 40)


def without_colours(text: str) -> str:
    bare = re.sub(r"\x1b\[[\d;]*m", "", text)
    return "".join(f"{line.rstrip()}\n" for line in bare.splitlines())


def fits(text: str, width: int) -> bool:
    return all(cell_len(line) <= width for line in text.splitlines())


@pytest.mark.parametrize("name", SCREENS)
@pytest.mark.parametrize("width", WIDTHS)
def test_screen(screens: Any, plain: Any, name: str, width: int) -> None:
    seen = screens.see(SCREENS[name], width)
    assert fits(seen, width)
    assert seen == plain


@pytest.mark.parametrize("name", SCREENS)
@pytest.mark.parametrize("width", [120, 80])
def test_coloured(screens: Any, coloured: Any, name: str, width: int) -> None:
    seen = screens.see(SCREENS[name], width, color=True)
    assert without_colours(seen) == screens.see(SCREENS[name], width)
    assert seen == coloured


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("width", WIDTHS)
def test_hostile(screens: Any, plain: Any, name: str, width: int) -> None:
    screens.tell(story.tell_of_hostile_names)
    seen = screens.see(HOSTILE[name], width)
    assert fits(seen, width)
    assert "\x1b" not in seen
    assert seen == plain


@pytest.mark.parametrize(
    "command",
    ["runs", "runs --looping", "events", "events --level critical", "history latest", "timeline latest"],
)
def test_nothing_there(screens: Any, plain: Any, command: str) -> None:
    screens.tell(story.tell_nothing)
    assert screens.see(command, 80) == plain


@pytest.mark.parametrize("command", ["history new", "timeline new", "explain new"])
def test_a_run_without_calls(screens: Any, plain: Any, command: str) -> None:
    screens.tell(story.tell_of_a_beginning)
    assert screens.see(command, 80) == plain
