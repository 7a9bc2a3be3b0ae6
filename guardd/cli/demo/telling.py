"""The demo's story told to a person, at most 80 columns wide."""

import json
import shutil
import sys
import textwrap
import time
from collections.abc import Mapping
from typing import Any

import click

from guardd.cli.demo.story import Step
from guardd.cli.text import plural

WIDEST = 80
NARROWEST = 40
PACE_SECONDS = 0.15
"""The pause after each step on a terminal, so that it can be read as a story."""

_INDENT = " " * 11
_ASKED = 33
"""So wide is the column of what was asked."""
_STYLES: Mapping[str, Mapping[str, Any]] = {
    "allow": {"dim": True},
    "warn": {"fg": "yellow"},
    "block": {"fg": "red"},
    "abort": {"fg": "red", "bold": True},
    "title": {"bold": True},
    "event": {"fg": "magenta"},
    "command": {"fg": "cyan"},
    "aside": {"dim": True},
}


class Teller:
    """Prints steps as they happen.

    Args:
        colored: Whether to use colours.
    """

    def __init__(self, *, colored: bool) -> None:
        self._colored = colored
        self._width = max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))
        self._acts = 0
        self._told: set[tuple[str, str]] = set()

    def step(self, step: Step) -> None:
        """Tell a step of the story."""
        getattr(self, f"_{step.kind}")(step.details)
        if sys.stdout.isatty():
            time.sleep(PACE_SECONDS)

    def say(self, words: str, style: str = "", indent: str = "") -> None:
        """Print a paragraph."""
        wrapped = textwrap.wrap(
            words, self._width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
        )
        for line in wrapped or [""]:
            self._line(line, style)

    def commands(self, commands: Mapping[str, str]) -> None:
        """Print commands and what they are for."""
        widest = max(map(len, commands))
        beside = 2 + widest + 2 + max(map(len, commands.values())) <= self._width
        for command, purpose in commands.items():
            if beside:
                self._line(f"  {self._styled(command.ljust(widest), 'command')}  {purpose}")
                continue
            self._line(f"  {command}", "command")
            self.say(purpose, indent="    ")

    def prompt(self, command: str) -> None:
        """Print a command as it would be typed, before what it prints."""
        self._line("")
        self._line(f"$ {command}", "command")

    def _act(self, about: Mapping[str, Any]) -> None:
        self._acts += 1
        self.say("")
        self.say(f"{self._acts}. {about['title']}", "title")

    def _call(self, about: Mapping[str, Any]) -> None:
        name = f"call {about['seq']}"
        asked = f"{about['toolName']} {json.dumps(about['args'])}"
        self._answered(f"  {name.ljust(len(_INDENT) - 2)}{asked}", about)
        self._message(about)

    def _answered(self, asked: str, about: Mapping[str, Any]) -> None:
        """Print what was asked and what guardd said to it, beside it if there is room and else below."""
        action = about["action"]
        word = action if action == "allow" else action.upper()
        why = _why(about["detection"])
        said = f"{self._styled(word, action)}{why}"
        if len(_INDENT) + _ASKED + len(word) + len(why) <= self._width:
            self._line(f"{asked.ljust(len(_INDENT) + _ASKED)}{said}")
            return
        if asked:
            self._line(asked)
        self._line(f"{_INDENT}{said}")

    def _outcome(self, about: Mapping[str, Any]) -> None:
        result, left = f"-> {about['result']}", _left(about["remaining"])
        if len(_INDENT) + len(result) + len(left) <= self._width:
            self._line(f"{_INDENT}{self._styled(result, 'aside')}{left}")
        else:
            self.say(result + left, "aside", _INDENT)
        if about["action"] == "abort":
            self._answered("", about)
            self._message(about)

    def _kill(self, about: Mapping[str, Any]) -> None:
        self.say(f"kill -9 {about['pid']}: guardd is gone, while the command still runs", "event", _INDENT)

    def _start(self, about: Mapping[str, Any]) -> None:
        calls = plural(about["calls"], "call")
        self.say(f"guardd is started again, process {about['pid']}: it knows all {calls}", "event", _INDENT)

    def _compaction(self, about: Mapping[str, Any]) -> None:
        before, after = about["tokensBefore"], about["tokensAfter"]
        attempts = plural(about["remaining"], "attempt")
        self.say(
            f"compaction, from {before:,} to {after:,} tokens: guard armed for {attempts}",
            "event",
            _INDENT,
        )

    def _message(self, about: Mapping[str, Any]) -> None:
        """Print what the model is told, unless that differs from what it was told before by its count alone."""
        found = about["detection"]
        if not found or (key := (about["run"], about["action"])) in self._told:
            return
        self._told.add(key)
        self.say(found["message"], about["action"], f"{_INDENT}| ")

    def _line(self, text: str, style: str = "") -> None:
        click.echo(self._styled(text, style), color=True)

    def _styled(self, text: str, style: str) -> str:
        return click.style(text, **_STYLES[style]) if self._colored and style and text else text


def _why(detection: Mapping[str, Any] | None) -> str:
    return f"  {detection['detector']}, {detection['count']}" if detection else ""


def _left(remaining: int) -> str:
    return f"  ({plural(remaining, 'attempt')} left)" if remaining else ""
