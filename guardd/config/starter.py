"""The commented file that `guardd init` writes."""

import re
from pathlib import Path
from textwrap import wrap

from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.loop_fields import LOOP_FIELDS

STARTER = Path(__file__).with_name("starter.json5")
"""The file; a line `// @KEY` in it becomes the meaning of that setting. Of settings that share a line, it tells."""

_MEANING = re.compile(r"^( *// )@(\S+)$", re.MULTILINE)
_WIDTH = 110


def starter_text() -> str:
    """Return the text: loop detection switched on, and every other setting explained, at its default."""
    return _MEANING.sub(_meaning, STARTER.read_text(encoding="utf-8"))


def _meaning(place: re.Match[str]) -> str:
    lead, key = place.groups()
    meaning = (LOOP_FIELDS | GUARDD_FIELDS)[key].meaning
    return "\n".join(wrap(meaning, _WIDTH, initial_indent=lead, subsequent_indent=lead))
