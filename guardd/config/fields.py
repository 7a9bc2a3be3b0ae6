"""A setting that guardd knows: its key, what it may be, its default, and its attribute in `settings`."""

from typing import NamedTuple

from guardd.config.kinds import Kind


class Field(NamedTuple):
    """One setting. Keys and attributes are dotted where they stand in a section of their own.

    An optional one has no value by default, and `null` in a file leaves it as it is. Its meaning is what the file
    that `guardd init` writes and the README say of it.
    """

    key: str
    kind: Kind
    default: object
    attribute: str
    optional: bool = False
    meaning: str = ""


def table(*fields: Field) -> dict[str, Field]:
    """The settings by their keys."""
    return {field.key: field for field in fields}
