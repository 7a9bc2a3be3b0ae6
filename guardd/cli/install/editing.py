"""From a file's text to the change of it, with every error in words."""

from collections.abc import Callable

from guardd.cli.errors import Failure
from guardd.cli.install.files import Found, shown
from guardd.cli.install.json5_edit import Document, EditError, decoded
from guardd.cli.install.plan import Change, without
from guardd.cli.text import safe
from guardd.config.errors import ConfigError

Edit = Callable[[str], Document]


def install_into(found: Found, install: Edit, *, fresh: str | None) -> Change:
    """The change that installs into a file.

    Args:
        found: The file.
        install: What installing makes of a text.
        fresh: What a new file begins with.

    Raises:
        Failure: The file cannot be edited.
    """
    text = found.text
    if text is None:
        assert fresh is not None
        return Change(found, install(fresh).checked())
    return Change(found, _edited(found, text, lambda: install(text).checked()))


def take_out(found: Found, install: Edit, remove: Edit, *, fresh: str | None, own: bool = False) -> Change:
    """The change that takes out of a file what was installed into it.

    Args:
        found: The file.
        install: What installing makes of a text.
        remove: What takes the installed out of a text.
        fresh: What a new file begins with; None where installing makes none.
        own: Whether the file is ours alone, and goes when nothing is left in it but its version.

    Raises:
        Failure: The file cannot be edited.
    """
    text = found.text
    if text is None:
        return Change(found, None)
    new = None if fresh is None else install(fresh).checked()
    after = _edited(found, text, lambda: without(found, install, remove, new, own=own))
    return Change(found, after, remade=text == new)


def _edited(found: Found, text: str, edit: Callable[[], str | None]) -> str | None:
    try:
        decoded(text, shown(found.path))
        return edit()
    except ConfigError as error:
        raise Failure(safe(str(error)), "Nothing was changed. Repair it, then run this again") from None
    except EditError as error:
        raise Failure(
            f"{shown(found.path)} cannot be edited: {safe(str(error))}",
            "Nothing was changed. Change it by hand, then run this again",
        ) from None
