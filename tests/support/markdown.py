"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def code(text: str) -> str:
    """A text as code; nothing stays nothing."""
    return f"`{text}`" if text else ""


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, without the last line's end."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(
        "".join(f"| {cell} " if cell else "| " for cell in map(_cell, line)) + "|" for line in lines
    )


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
