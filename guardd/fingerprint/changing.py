"""Whether a call that succeeded has changed something: an edit, a write, a commit, an install.

What counts is that something is different afterwards that a next look may find. Of a shell's command line that
is seen from the programs in it and where their output goes, by the tables below.

No change is: to look, to search, to build, to test, to format, to run a script or a container, to start, stop
or signal a service or a process, to fetch (``git fetch``, ``apt update``), to send a request (``curl -X POST``),
to click or type in a browser (``browser_click``). These may well change something, but loops are made of them.
What a program of one's own does (``python -c``, ``npm run``, a script) cannot be seen, and neither can what a
client of a database is told.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from guardd.fingerprint.arguments import Arguments
from guardd.fingerprint.editing import is_editing, is_listed, short_name
from guardd.fingerprint.exit_codes import exit_code
from guardd.fingerprint.shell import Command, commands, shell_script, unwrapped
from guardd.fingerprint.unchanged import editor_did_nothing, manager_did_nothing, says_unchanged


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_CHANGING_TOOLS: Final = _words(
    "delete_file Delete"  # Cursor
    " create_directory move_file"  # MCP's server of files; the first GitHub Copilot too
    " create_new_jupyter_notebook store_memory save_memory"  # GitHub Copilot, Gemini CLI
    # MCP's servers of git, of GitHub and of a memory
    " git_add git_commit git_reset git_checkout git_create_branch"
    " create_or_update_file push_files create_branch create_repository fork_repository"
    " create_issue update_issue add_issue_comment issue_write sub_issue_write"
    " create_pull_request update_pull_request update_pull_request_branch merge_pull_request"
    " create_pull_request_review pull_request_review_write add_comment_to_pending_review"
    " create_entities create_relations add_observations delete_entities delete_relations delete_observations"
)
"""Beside those that edit."""

_SHELL_TOOLS: Final = _words(
    "exec bash Bash shell Shell powershell PowerShell"  # OpenClaw, pi, Claude Code, Codex CLI, Copilot, Cursor
    " local_shell shell_command exec_command"  # Codex CLI
    " run_shell_command run_terminal_cmd run_in_terminal"  # Gemini CLI, Cursor, Copilot in the editor
    " terminal execute_bash execute_command"  # OpenHands, MCP
)
_COMMAND_ARGUMENTS: Final = ("command", "cmd", "script")
"""A string or a list of words; not ``code``, which is of another language, nor ``input``, of a program that runs."""

_PROGRAMS: Final = _words(
    "mv cp rm rmdir mkdir touch ln chmod chown chgrp install patch truncate unlink shred rsync scp wget"
    " gzip gunzip bzip2 bunzip2 xz unxz zip unzip venv virtualenv apply_patch applypatch"
    " set-content add-content out-file new-item remove-item move-item copy-item rename-item"
)
"""Those that change something whatever they are told, as long as they are told something."""

_PATCHING: Final = _words("patch apply_patch applypatch")
"""Those of them that change something also where all that they are told is in what they read."""

_OPTIONS: Final[Mapping[str, re.Pattern[str]]] = {
    "sed": re.compile(r"-[nErsuz]*i.*|--in-place.*", re.DOTALL),
    "perl": re.compile(r"-[pnlawse0-9]*i.*", re.DOTALL),
    "ruby": re.compile(r"-[pnlae]*i.*", re.DOTALL),
    "find": re.compile(r"-delete|-fprint.*"),
    "curl": re.compile(r"-[sSLfkgv#]*[oO].*|--output.*|--remote-name.*", re.DOTALL),
    "tar": re.compile(r"-[zjJvpkP]*[xcru].*|--(?:extract|create|append|update)", re.DOTALL),
    "dd": re.compile(r"of=.*", re.DOTALL),
    "sort": re.compile(r"-o.*|--output.*", re.DOTALL),
}
"""Those that change something only with an option."""

_INSTALLING: Final = _words("install add remove uninstall update upgrade")
_CONTAINERS: Final = _words("pull push rm rmi cp tag commit load import")
_TOLD: Final[Mapping[str, frozenset[str]]] = {
    "git": _words(
        "add am apply branch checkout cherry-pick clean clone commit init merge mv pull push rebase reset restore"
        " revert rm stash submodule switch tag worktree"
    ),
    "gh": _words("create merge close comment edit delete upload review clone checkout"),
    "docker": _CONTAINERS,
    "podman": _CONTAINERS,
    "kubectl": _words("apply create delete patch replace scale label annotate set"),
    "terraform": _words("apply destroy import init"),
    "apt": _words("install remove purge upgrade full-upgrade autoremove reinstall"),
    "apt-get": _words("install remove purge upgrade dist-upgrade autoremove"),
    "dnf": _INSTALLING,
    "yum": _INSTALLING,
    "apk": _words("add del upgrade"),
    "brew": _words("install uninstall upgrade reinstall tap"),
    "pip": _words("install uninstall"),
    "pipx": _INSTALLING,
    "uv": _INSTALLING | _words("sync lock init venv"),
    "poetry": _INSTALLING | _words("lock init new"),
    "conda": _INSTALLING | _words("create"),
    "mamba": _INSTALLING | _words("create"),
    "npm": _INSTALLING | _words("i ci un up rm link init create publish"),
    "pnpm": _INSTALLING | _words("i up rm link init create publish"),
    "yarn": _INSTALLING | _words("up init create link publish"),
    "bun": _INSTALLING | _words("i rm init create"),
    "cargo": _INSTALLING | _words("new init publish"),
    "rustup": _INSTALLING,
    "go": _words("get install tidy init"),
    "gem": _INSTALLING,
    "bundle": _INSTALLING,
    "composer": _INSTALLING | _words("require"),
    "dotnet": _words("add new remove"),
    "make": _words("install"),
}
"""By program, what it is told first where it changes something."""

_TOLD_SECOND: Final = _words("gh uv go rustup dotnet")
"""Those that may be told second: ``gh pr create``, ``uv pip install``, ``go mod tidy``."""
_LISTING: Final = {
    "stash": _words("list show"),
    "tag": _words("-l --list -n --contains --points-at"),
    "branch": _words("-l --list -a -r -v -vv --show-current --contains --merged --no-merged"),
    "worktree": _words("list"),
    "submodule": _words("status"),
}
"""What git only lists, by what it is told; without anything behind them all but ``git stash`` do."""
_VALUED: Final = _words(
    "-C -c -n -o -w --git-dir --work-tree --prefix --filter --cwd --workspace --directory"
)
_DRY: Final = _words("--dry-run --help --version --check --spider")
_TO_OUTPUT: Final = {
    "wget": re.compile(r"(?:^| )-[a-zA-Z]*O ?(?:-|/dev/null)(?: |$)"),
    "curl": re.compile(r"(?:^| )(?:-[a-zA-Z]*o ?|--output[= ])(?:-|/dev/null)(?: |$)"),
    "unzip": re.compile(r"(?:^| )-[a-zA-Z]*[lptvZ]"),
    **dict.fromkeys(
        _words("gzip gunzip bzip2 bunzip2 xz unxz"), re.compile(r"(?:^| )(?:-[a-z0-9]*[clt]|--stdout)")
    ),
}
"""How such a program only writes to its output, in its arguments joined."""
_GIT_AT_ONCE: Final = _words("commit push checkout switch tag branch clone init")
_OPERANDS_AT_ONCE: Final = dict.fromkeys(_words("rm rmdir mkdir touch unlink"), 1) | dict.fromkeys(
    _words("mv cp ln"), 2
)
"""Of programs, how many words they are told where they change one thing: all or nothing. Options are words too."""
_SEVERAL: Final = re.compile(r"[*?\[{$`]")
_NOWHERE: Final = re.compile(r"/dev/(?:null|stdout|stderr|tty|fd/\d+)|\$null|-", re.IGNORECASE)


def changes_something(
    tool: str, arguments: Arguments, result: object | None, editing: Collection[str] = ()
) -> bool:
    """Say whether a call that succeeded has changed something.

    Args:
        tool: The tool's name.
        arguments: Its arguments.
        result: Its decoded result, where there is one: it may say that nothing was changed.
        editing: Names of further tools that edit, from the configuration.
    """
    if is_editing(tool, arguments, editing):
        return not (says_unchanged(result) or editor_did_nothing(result))
    if is_listed(tool, _CHANGING_TOOLS):
        return not says_unchanged(result)
    if short_name(tool) not in _SHELL_TOOLS:
        return False
    line = list(_commands(arguments))
    changing = [command for command in line if _changes(command)]
    if not changing or says_unchanged(result) or (exit_code(result) and _is_its_end(changing, line)):
        return False
    only_managers = all(_program(command)[0] in _TOLD and not _writes(command) for command in changing)
    return not (only_managers and manager_did_nothing(result))


def _commands(arguments: Arguments) -> Iterator[Command]:
    for key in _COMMAND_ARGUMENTS:
        value = arguments.get(key)
        if isinstance(value, str):
            yield from commands(value)
        elif isinstance(value, list) and all(isinstance(word, str) for word in value):
            command = unwrapped(Command(value, []))
            script = shell_script(command)
            yield from [command] if script is None else commands(script)


def _is_its_end(changing: list[Command], line: list[Command]) -> bool:
    """Say whether only the last command of a line changes something, and that at once, so that it fails whole.

    A file that output goes to is written whether the program fails or not.
    """
    last = next(command for command in reversed(line) if command.words or command.written)
    if changing != [last] or _writes(last):
        return False
    program, words = _program(last)
    if program == "git":
        return words[0] in _GIT_AT_ONCE
    return len(words) == _OPERANDS_AT_ONCE.get(program) and not any(map(_SEVERAL.search, words))


def _changes(command: Command) -> bool:
    """Say whether a command changes something, by its program, what it is told, and where its output goes."""
    if _writes(command):
        return True
    program, words = _program(command)
    only_shows = _TO_OUTPUT.get(program)
    if not _DRY.isdisjoint(words) or (only_shows and only_shows.search(" ".join(words))):
        return False
    if program in _PROGRAMS:
        return bool(words) or program in _PATCHING
    if program == "tee":
        return any(not word.startswith("-") and _NOWHERE.fullmatch(word) is None for word in words)
    if program == "tar" and words and not words[0].startswith("-"):
        words = [f"-{words[0]}", *words[1:]]
    if option := _OPTIONS.get(program):
        return any(option.fullmatch(word) for word in words)
    return program in _TOLD and _is_told(program, words)


def _is_told(program: str, words: list[str]) -> bool:
    """Say whether what a program is told, its first word or two, is in the table."""
    told: list[str] = []
    is_value = False
    for word in words:
        if word.startswith("-") or is_value:
            is_value = not is_value and not told and word in _VALUED
        else:
            told.append(word)
    if program == "yarn" and not words:
        return True  # it installs
    if program == "make":
        return not _TOLD["make"].isdisjoint(told)
    if program == "git" and told and told[0] in _LISTING:
        rest = words[words.index(told[0]) + 1 :]
        return (bool(rest) or told[0] == "stash") and _LISTING[told[0]].isdisjoint(rest)
    return not _TOLD[program].isdisjoint(told[: 2 if program in _TOLD_SECOND else 1])


def _program(command: Command) -> tuple[str, list[str]]:
    """Give the program in lower case, and its arguments: of ``python3 -m pip install`` it is pip."""
    program, words = command.program.lower(), command.words[1:]
    if program.startswith("python") and words[:1] == ["-m"] and len(words) > 1:
        program, words = words[1], words[2:]
    return re.sub(r"^pip3?(?:\.\d+)?$", "pip", program), words


def _writes(command: Command) -> bool:
    return any(_NOWHERE.fullmatch(target) is None for target in command.written)
