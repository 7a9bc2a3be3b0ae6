"""What a class and its fields mean, out of its docstring: the text stands once, beside what it is about.

The OpenRPC document and the README's reference are made from it. Under ``python -OO`` there is none.
"""

import inspect
import re

_ATTRIBUTES = re.compile(r"^Attributes:\n((?:(?: {4}.*)?(?:\n|\Z))+)", re.MULTILINE)
_ATTRIBUTE = re.compile(r"^ {4}(\w+): (.+(?:\n {8}.+)*)", re.MULTILINE)


def summary(kind: type) -> str:
    """The first paragraph of a class's docstring, on one line."""
    return _plain(_docstring(kind).partition("\n\n")[0])


def meanings(kind: type) -> dict[str, str]:
    """What a class's docstring says of its attributes, and those of the classes that it is made from, by name."""
    found: dict[str, str] = {}
    for part in reversed(kind.__mro__):
        if section := _ATTRIBUTES.search(_docstring(part)):
            found |= {name: _plain(text) for name, text in _ATTRIBUTE.findall(section[1])}
    return found


def _docstring(kind: type) -> str:
    return inspect.cleandoc(kind.__dict__.get("__doc__") or "")


def _plain(text: str) -> str:
    return " ".join(text.replace("``", "`").split())
