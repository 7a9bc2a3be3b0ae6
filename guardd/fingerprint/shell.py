"""Takes a shell's command line apart, well enough to see what it would do; it never runs nor expands anything.

Known are quotes, separators, subshells, substitutions outside double quotes, redirections, documents that
follow (``<<EOF``), assignments before a command, comments, and what other programs run (``sudo``, ``bash -c``
once, ``xargs``, ``find -exec``). What it does not understand it reads as words.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

LOOKED_AT: Final = 16 * 1024
"""Characters of a command line that are looked at: what follows is mostly the content of a file."""

_TOKEN: Final = re.compile(
    r"""(?P<space>(?:[ \t\r]|\\\n)++)
      | (?P<comment>\#[^\n]*+)
      | (?P<line>\n)
      | <<(?!<)-?[ \t]*+["'\\]?(?P<document>[\w.-]++)["']?
      | (?P<arithmetic>\$?\(\([^()\n]*+\)\))
      | (?P<redirection>(?:[0-9]*+|&)(?:>>|>\||>&|>|<<<|<&|<>|<))
      | (?P<separator>&&|\|\||\|&|;;|[;|&()}`]|\{(?=\s)|\$\()
      | (?P<word>(?:'[^']*+'|\$?"(?:[^"\\]|\\.)*+"|\\.|\$(?!\()|[^\s'"\\;|&(){}<>`$]|\{[^\s;|&(){}<>'"]*+\}|['"\\])++)
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTED: Final = re.compile(r"""'([^']*+)'|\$?"((?:[^"\\]|\\.)*+)"|\\(.)""", re.DOTALL)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*+\+?=")
_KEYWORDS: Final = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "time", "{"})
_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash"})
_RUNNERS: Final = frozenset(
    {
        "sudo",
        "doas",
        "env",
        "nohup",
        "command",
        "exec",
        "builtin",
        "nice",
        "stdbuf",
        "timeout",
        "xargs",
        "setsid",
    }
)
_FIND_RUNS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_VALUED: Final = frozenset({"-u", "-g", "-n", "-I", "-P", "-L", "-s", "-k", "-C"})


class Command(NamedTuple):
    """A command as it stands in a line.

    Attributes:
        words: The program and its arguments, without quotes; there may be none.
        written: The files that its output is redirected to.
    """

    words: list[str]
    written: list[str]

    @property
    def program(self) -> str:
        """The program's name, without its folder."""
        return self.words[0].rpartition("/")[2] if self.words else ""


def commands(line: str) -> Iterator[Command]:
    """Give the commands of a line, those within others too."""
    for command in _split(line[:LOOKED_AT]):
        inner = unwrapped(command)
        script = shell_script(inner)
        if script is None:
            yield inner
        else:
            yield Command([], inner.written)
            yield from map(unwrapped, _split(script[:LOOKED_AT]))


def unwrapped(command: Command) -> Command:
    """Take away what stands before the program that is run in the end."""
    words = command.words
    if command.program == "find":
        runs = next((place for place, word in enumerate(words) if word in _FIND_RUNS), None)
        words = words if runs is None else words[runs + 1 :]
    while words:
        program = words[0].rpartition("/")[2]
        if program in _KEYWORDS or _ASSIGNMENT.match(words[0]):
            words = words[1:]
        elif program in _RUNNERS and words[:2] != ["command", "-v"]:
            words = _after_options(words) + ["{}"] * (program == "xargs")  # what it reads
        else:
            break
    return Command(words, command.written)


def shell_script(command: Command) -> str | None:
    """Give the script of a ``bash -lc '…'``; None where the command is something else."""
    if command.program not in _SHELLS:
        return None
    for place, word in enumerate(command.words[1:-1], 1):
        if not word.startswith(("-", "+")):
            return None
        if word.startswith("-") and not word.startswith("--") and "c" in word:
            return command.words[place + 1]
    return None


def _after_options(words: list[str]) -> list[str]:
    """Leave out a program that runs another, its options and numbers (``timeout 5``, ``nice -n 5``)."""
    place = 1
    while place < len(words) and (words[place].startswith("-") or words[place][:1].isdigit()):
        place += 2 if words[place] in _VALUED else 1
    return words[place:]


def _split(line: str) -> Iterator[Command]:
    """Give the commands of a line as they stand."""
    reading = _Reading()
    documents: list[str] = []
    position = 0
    while match := _TOKEN.match(line, position):
        position = match.end()
        if match.lastgroup in {"word", "arithmetic"}:
            reading.add(_QUOTED.sub(_unquoted, match[0]))
        elif match.lastgroup == "redirection":
            reading.redirection = match[0]
        elif match.lastgroup == "document":
            documents.append(match["document"])
        elif match.lastgroup in {"line", "separator"}:
            yield reading.command()
            reading = _Reading()
            if match.lastgroup == "line":
                position = _after_documents(line, position, documents)
    yield reading.command()


class _Reading:
    """A command of which some words have been read."""

    def __init__(self) -> None:
        self.redirection = ""  # what the next word is the target of
        self._words: list[str] = []
        self._written: list[str] = []

    def add(self, word: str) -> None:
        redirection, self.redirection = self.redirection, ""
        if not redirection or "[[" in self._words:  # there it compares
            self._words.append(word)
        elif ">" in redirection and not (redirection.endswith("&") and (word.isdigit() or word == "-")):
            self._written.append(word)

    def command(self) -> Command:
        return Command(self._words, self._written)


def _unquoted(match: re.Match[str]) -> str:
    if match[1] is not None:
        return match[1]
    if match[2] is not None:
        return re.sub(r'\\(["\\$`])', r"\1", match[2])
    return match[3].strip("\n")


def _after_documents(line: str, position: int, documents: list[str]) -> int:
    """Skip the documents that begin at this line: to behind their last line, or to the end."""
    for document in documents:
        end = re.compile(rf"^\t*{re.escape(document)}[ \t]*$", re.MULTILINE).search(line, position)
        position = len(line) if end is None else end.end()
    documents.clear()
    return position
