"""What is going to be written, shown and asked about before it is."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from guardd.cli.errors import Failure
from guardd.cli.install import files
from guardd.cli.install.files import Found
from guardd.cli.install.json5_edit import Document, EditError, decoded


@dataclass(frozen=True, slots=True)
class Change:
    """One file's change.

    Attributes:
        found: The file as it is.
        after: What it is going to hold; None where it is going to be gone, or stays away.
        mode: Its mode, if it is made.
        remade: Whether installing makes it again just as it is, so that no copy is needed where it is deleted.
    """

    found: Found
    after: str | None
    mode: int = 0o600
    remade: bool = False

    @property
    def kind(self) -> str:
        """`create`, `edit`, `delete` or `none`."""
        before = self.found.text
        if before == self.after:
            return "none"
        if before is None:
            return "create"
        return "delete" if self.after is None else "edit"

    def check(self) -> None:
        """See that the change can be made.

        Raises:
            Failure: It cannot.
        """
        if self.kind in ("edit", "delete"):
            files.check_writable(self.found)

    def make(self) -> Path | None:
        """Make the change, and return where the file is as it was; None where there was none.

        Raises:
            Failure: Nothing was changed.
        """
        match self.kind:
            case "none":
                return None
            case "delete":
                return files.delete(self.found, copy=not self.remade)
        assert self.after is not None
        return files.write(self.found, self.after.encode(), self.mode)


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a command is going to do.

    Attributes:
        target: What it is for, as `openclaw`.
        action: `install` or `uninstall`.
        changes: The files; those that stay as they are too.
        notes: What is worth knowing about them.
        steps: What to do afterwards, and how to check; each a command and what it is for.
    """

    target: str
    action: str
    changes: tuple[Change, ...]
    notes: tuple[str, ...] = ()
    steps: tuple[tuple[str, str], ...] = ()

    @property
    def pending(self) -> list[Change]:
        """The changes that change something."""
        return [change for change in self.changes if change.kind != "none"]

    def document(self, backups: dict[Path, Path | None], *, done: bool) -> dict[str, Any]:
        """The plan as JSON.

        Args:
            backups: Where each file is as it was.
            done: Whether the changes were made.
        """
        from guardd.cli.install.showing import difference  # noqa: PLC0415

        return {
            "target": self.target,
            "action": self.action,
            "done": done,
            "files": [
                {
                    "file": str(change.found.path),
                    "change": change.kind,
                    "backup": str(backup) if (backup := backups.get(change.found.path)) else None,
                    "diff": "\n".join(difference(change)),
                }
                for change in self.changes
            ],
            "notes": list(self.notes),
            "next": [command for command, _ in self.steps],
        }


def without(
    found: Found,
    install: Callable[[str], Document],
    remove: Callable[[str], Document],
    fresh: str | None,
    *,
    own: bool,
) -> str | None:
    """What a file holds when what was installed is taken out again; None where it is gone.

    Where nothing happened to the file since it was installed into, that is what it was, byte for byte: the copy
    made then says so. Else what was put in is taken out, and the objects that are empty for that.

    Args:
        found: The file, which exists.
        install: What installing makes of a text.
        remove: What takes the installed out of a text.
        fresh: What installing makes where there is no file; None where it then makes none.
        own: Whether the file is ours alone, and goes when nothing is left in it but its version.

    Raises:
        EditError: It cannot be taken out.
    """
    text = found.text
    assert text is not None
    for backup in files.backups(found)[:_COPIES]:
        before = _copy(backup)
        if before is not None and before != text and _installed(install, before) == text:
            return before
    if text == fresh:
        return None
    after = remove(text).checked()
    return None if own and not decoded(after).keys() - {"version"} else after


_COPIES: Final = 5
"""How many copies of a file are looked at."""


def _copy(backup: Path) -> str | None:
    try:
        return files.find(backup).text
    except Failure:
        return None


def _installed(install: Callable[[str], Document], text: str) -> str | None:
    try:
        return install(text).text
    except (EditError, Failure):
        return None
