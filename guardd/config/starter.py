"""The commented file that `guardd init` writes."""

from pathlib import Path

STARTER = Path(__file__).with_name("starter.json5")


def starter_text() -> str:
    """Return the text: loop detection switched on, and every other setting explained, at its default."""
    return STARTER.read_text(encoding="utf-8")
