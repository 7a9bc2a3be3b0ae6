"""A database with a story in it, the same on every machine: what each of guardctl's screens has to show."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from support.guarding import LOOP, Guarded

from guardd.store.rows import Scope
from guardd.vocabulary import RunStatus, ScopeKind

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
"""When the story is looked at."""

SECOND = 1000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

LOOPING = "3f2a9c71-7b1e-4c39-9d0a-5f2f0a4f9e11"
PING_PONG = "3f2a9c7e-0aa0-4c39-9d0a-5f2f0a4f9e12"


class Telling:
    """Plays runs into a database, each at its own time before `NOW`."""

    def __init__(self, path: Path) -> None:
        self.guarded = Guarded(path, LOOP)
        self._agent: str | None = None

    def run(
        self,
        name: str,
        ago: int,
        *,
        source: str = "default",
        kind: ScopeKind = ScopeKind.RUN,
        agent: str | None = "main",
    ) -> None:
        """Turn to a run, so long before `NOW`, in milliseconds."""
        self.guarded.scope = Scope(source, kind, name)
        self.guarded.now = int(NOW.timestamp()) * SECOND - ago
        self._agent = agent

    def later(self, milliseconds: int) -> None:
        """Let time pass."""
        self.guarded.now += milliseconds

    def call(self, tool: str, args: Any, took: int = 40, **outcome: Any) -> None:
        """A call and, unless it is stopped, its outcome."""
        self.later(2 * SECOND)
        verdict = self.guarded.before(tool, args, agent=self._agent)
        if verdict.action.word in ("allow", "warn"):
            self.later(took)
            outcome = outcome or {"result": "the same"}
            self.guarded.after(tool, args, duration_ms=took, agent=self._agent, **outcome)

    def calls(self, times: int, tool: str, args: Any, took: int = 40, **outcome: Any) -> None:
        """The same call again and again."""
        for _ in range(times):
            self.call(tool, args, took, **outcome)


def tell(path: Path) -> None:
    """Make a database with a run of each kind."""
    telling = Telling(path)
    for chapter in CHAPTERS:
        chapter(telling)
    telling.guarded.close()


def tell_of_hostile_names(path: Path) -> None:
    """Make a database whose names are as a terminal likes them least."""
    telling = Telling(path)
    for number, name in enumerate(HOSTILE_NAMES):
        telling.run(
            name, HOUR + number * MINUTE, agent=name[::-1], source=("a", "b\u202e", "ソース")[number % 3]
        )
        telling.calls(4, name, {"command": f"echo {name}"}, result=name)
        telling.guarded.compaction(will_retry=True, reason=name)
        telling.guarded.end(RunStatus.FAILED, name)
    telling.guarded.close()


def tell_nothing(path: Path) -> None:
    """Make a database without a run."""
    Telling(path).guarded.close()


def tell_of_a_beginning(path: Path) -> None:
    """Make a database with a run that has made no call yet."""
    telling = Telling(path)
    telling.run("new", MINUTE)
    telling.guarded.start()
    telling.guarded.close()


HOSTILE_NAMES = (
    "x" * 200,
    f"{'agent:main:telegram:' * 9}{'1' * 20}",
    f"{'agent:main:telegram:' * 9}{'2' * 20}",
    "日本語の長い名前を持つエージェント",
    "family 👨\u200d👩\u200d👧\u200d👦 flag 🇩🇪 thumb 👍🏽 heart ❤\ufe0f",
    "abc \u202eמספר 12\u202c عربي",  # noqa: RUF001
    "combining e\u0301\u0301\u0301 a\u0308 Z̷̢̛a̴l̶g̵o̶",
    "new\nline\ttab\rreturn\0nul",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07 \x9b2J",
    "[bold red]markup[/] :smile: {x} %s",
    "  blanks  around  ",
)


def _looping(told: Telling) -> None:
    told.run(LOOPING, 5 * MINUTE, source="claude-code")
    told.call("Read", {"file_path": "/home/ada/shop/package.json"}, 4)
    told.call("Grep", {"pattern": "checkout", "path": "src"}, 31)
    told.call("Edit", {"file_path": "/home/ada/shop/src/cart.ts", "old_string": "a", "new_string": "b"}, 12)
    test = {"command": "npm test -- --runInBand src/cart.test.ts"}
    told.calls(3, "Bash", test, 2300, error="1 failed, 17 passed")
    told.calls(1, "Bash", test, 2310, error="1 failed, 17 passed")
    told.guarded.compaction(will_retry=False, reason="auto")
    told.guarded.restart()
    told.calls(4, "Bash", test, 2280, error="1 failed, 17 passed")


def _ping_pong(told: Telling) -> None:
    told.run(PING_PONG, 20 * MINUTE, agent="safe-runner")
    told.call("list_directory", {"path": "/srv/data"}, 3)
    for _ in range(4):
        told.call("read_file", {"path": "/srv/data/a.csv"}, 5, result="a")
        told.call("write_file", {"path": "/srv/data/a.csv", "content": "a"}, 6, result="b")


def _compacted(told: Telling) -> None:
    told.run("run-4711", 2 * HOUR, agent="coder")
    told.calls(4, "exec", {"command": "make test"}, 1200)
    told.guarded.compaction(will_retry=True, reason="overflow")
    told.calls(3, "exec", {"command": "make test"}, 1200)


def _same_id(told: Telling) -> None:
    told.run("run-4711", 3 * HOUR, source="codex", agent="coder")
    for number in range(12):
        told.call(
            "shell", {"command": f"sed -n {number * 40 + 1},{number * 40 + 40}p main.py"}, 9, result=number
        )
    told.guarded.end()


def _circle(told: Telling) -> None:
    told.guarded.configure(LOOP | {"warningThreshold": 8, "criticalThreshold": 12})
    told.run("ticket-2207", 5 * HOUR, agent="coder")
    told.call("read_file", {"path": "TODO.md"}, 3)
    for _ in range(10):
        told.call("grep", {"pattern": "Übersetzung", "path": "locale"}, 18)
        told.call("read_file", {"path": "locale/de.po"}, 4)
        told.call(
            "apply_patch", {"patch": "*** Update File: locale/de.po"}, 22, error="hunk 1 does not apply"
        )
    told.call("read_file", {"path": "README.md"}, 3)
    told.guarded.configure(LOOP)


def _polling(told: Telling) -> None:
    told.run("agent:main:telegram:direct:8812", 7 * HOUR, kind=ScopeKind.SESSION)
    told.call(
        "exec", {"command": "npm run build", "background": True}, 15, result={"sessionId": "calm-otter"}
    )
    told.calls(7, "process", {"action": "poll", "sessionId": "calm-otter"}, 8, result={"status": "running"})


def _by_hand(told: Telling) -> None:
    told.run("release-notes", 26 * HOUR, agent="writer")
    told.call("web_search", {"query": "changelog conventions"}, 800, result=1)
    told.call("exec", {"command": "git push --force"}, 90, result=2)
    told.later(MINUTE)
    told.guarded.abort("it pushes to the wrong branch")
    told.later(MINUTE)
    told.calls(2, "exec", {"command": "git push"}, 90, result=3)


def _forgiven(told: Telling) -> None:
    told.run("nightly-import", 30 * HOUR, agent="importer")
    told.calls(5, "fetch", {"url": "https://example.org/feed.json"}, 210)
    told.later(MINUTE)
    told.guarded.reset("the feed is back")
    told.call("fetch", {"url": "https://example.org/feed.json"}, 190, result="news")
    told.guarded.start()
    told.guarded.before("store", {"rows": 812}, agent="importer")


def _observed(told: Telling) -> None:
    told.guarded.configure(LOOP, mode="observe")
    told.run("trial", 2 * DAY, source="openclaw", agent="researcher")
    told.calls(8, "web_fetch", {"url": "https://example.org/"}, 120)
    told.guarded.end(RunStatus.FAILED, "out of credit")
    told.guarded.configure(LOOP)


def _missing_tool(told: Telling) -> None:
    told.run("run-12", 6 * DAY, agent="coder")
    told.calls(6, "aply_patch", {"patch": "*** Begin Patch"}, 1, error="Tool aply_patch not found")
    told.guarded.end(RunStatus.COMPLETED)


CHAPTERS: tuple[Callable[[Telling], None], ...] = (
    _missing_tool,
    _observed,
    _forgiven,
    _by_hand,
    _polling,
    _circle,
    _same_id,
    _compacted,
    _ping_pong,
    _looping,
)
