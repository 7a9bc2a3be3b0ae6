"""What a result says where its call succeeded and has changed nothing."""

import re
from typing import Final

import msgspec

_NOTHING_EDITED: Final = re.compile(
    r"no changes\b|no replacements? (?:was|were) (?:performed|made)|nothing (?:was |has )?(?:changed|to change)"
    r"|already up[ -]to[ -]date|(?:file|content) (?:is |was )?(?:unchanged|not changed)|\b0 (?:edits|replacements)\b",
    re.IGNORECASE,
)
_NOTHING_MANAGED: Final = re.compile(
    r"""^(?:already\ up[ -]to[ -]date | everything\ up-to-date | already\ on\ ' | no\ local\ changes\ to\ save
      | (?:.*\b)?nothing\ to\ commit | no\ changes\b                                    # git, terraform
      | up\ to\ date\b | lockfile\ is\ up\ to\ date | .*\balready\ up[ -]to[ -]date     # npm, pnpm, yarn
      | requirement\ already\ satisfied | nothing\ to\ (?:do|install)                   # pip, dnf, composer
      | 0\ upgraded,\ 0\ newly\ installed,\ 0\ to\ remove | .*\balready\ installed      # apt, brew, cargo
      | .*\ unchanged$)                                                                 # kubectl""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
_SOMETHING_MANAGED: Final = re.compile(
    r"^(?:successfully installed\b|added \d|changed \d|removed \d|.* (?:configured|created)$)",
    re.IGNORECASE | re.MULTILINE,
)
_SAID_BY_EDITOR: Final = 400
"""Characters from the beginning of an edit's text: further on it may show the file."""
_SAID_BY_MANAGER: Final = 4000
"""Characters at either end of what a program printed."""
_TEXT_KEYS: Final = (
    "stdout", "stderr", "output", "aggregated", "llmContent", "textResultForLlm", "text_result_for_llm"
)  # fmt: skip


def says_unchanged(result: object) -> bool:
    """Say whether a result has ``changed: false``: in itself, its details, its structured content or its text."""
    if not isinstance(result, dict):
        return isinstance(result, str) and _is_unchanged(_decoded(result))
    parts = (result, result.get("details"), result.get("structuredContent"), _decoded(_text(result)))
    return any(map(_is_unchanged, parts))


def editor_did_nothing(result: object) -> bool:
    """Say whether a tool that edits or writes says that there was nothing to change."""
    return _NOTHING_EDITED.search(_text(result)[:_SAID_BY_EDITOR]) is not None


def manager_did_nothing(result: object) -> bool:
    """Say whether git or a manager of packages printed that there was nothing to do."""
    text = _text(result)
    if len(text) > 2 * _SAID_BY_MANAGER:
        text = f"{text[:_SAID_BY_MANAGER]}\n{text[-_SAID_BY_MANAGER:]}"
    return _NOTHING_MANAGED.search(text) is not None and _SOMETHING_MANAGED.search(text) is None


def _is_unchanged(value: object) -> bool:
    return isinstance(value, dict) and value.get("changed") is False


def _decoded(text: str) -> object:
    if not text.lstrip().startswith("{") or '"changed"' not in text:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None


def _text(result: object) -> str:
    """Give what a result says, in whichever form the agent reports it."""
    if isinstance(result, str):
        return result
    if not isinstance(result, dict):
        return ""
    content = result.get("content")
    parts = content if isinstance(content, list) else [{"text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    details = result.get("details")
    texts += [place.get(key) for place in (result, details) if isinstance(place, dict) for key in _TEXT_KEYS]
    return "\n".join(text for text in texts if isinstance(text, str))
