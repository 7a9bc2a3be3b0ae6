"""What a result says where its call succeeded and has changed nothing."""

import re
from typing import Final

import msgspec

_NOTHING_EDITED: Final = re.compile(
    r"^\W*(?:no changes\b|no replacements? (?:was|were) (?:performed|made)|nothing (?:was |has )?(?:changed|to change)"
    r"|already up[ -]to[ -]date|(?:the )?(?:file|content) (?:is |was )?(?:unchanged|not changed)"
    r"|0 (?:edits|replacements)\b)",
    re.IGNORECASE | re.MULTILINE,
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
_REST: Final = r"(?:(?!\\n).)*+(?:\n|\\n)"
"""The rest of a line; its end may be escaped, as in JSON."""
_EMPTY_DIFF: Final = re.compile(
    r'(?:<untrusted_context>\n)?(?:\{"content":")?'  # how Gemini CLI and Claude Code wrap it
    rf"```diff(?:\n|\\n)Index: {_REST}=+(?:\n|\\n)--- {_REST}\+\+\+ {_REST}```"
)
"""What MCP's server of files says of an edit that changes nothing."""
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
    parts = [_decoded(_text(result))]
    if isinstance(result, dict):
        parts += [result, result.get("details"), result.get("structuredContent")]
    return any(map(_is_unchanged, parts))


def editor_did_nothing(result: object) -> bool:
    """Say whether a tool that edits or writes says that there was nothing to change."""
    text = _text(result)
    return (
        _NOTHING_EDITED.search(text[:_SAID_BY_EDITOR]) is not None
        or _EMPTY_DIFF.match(text) is not None
        or (isinstance(result, dict) and _wrote_the_same(result))
    )


def manager_did_nothing(result: object) -> bool:
    """Say whether git or a manager of packages printed that there was nothing to do."""
    text = _text(result)
    if len(text) > 2 * _SAID_BY_MANAGER:
        text = f"{text[:_SAID_BY_MANAGER]}\n{text[-_SAID_BY_MANAGER:]}"
    return _NOTHING_MANAGED.search(text) is not None and _SOMETHING_MANAGED.search(text) is None


def _is_unchanged(value: object) -> bool:
    return isinstance(value, dict) and value.get("changed") is False


def _wrote_the_same(result: dict[str, object]) -> bool:
    """Say whether Claude Code's Write replaced a file by its own content.

    Its patch is empty also where only tabs became spaces, and where it took too long to make.
    """
    content = result.get("content")
    return (
        result.get("type") == "update"
        and result.get("structuredPatch") == []
        and result.get("originalFile", content) == content
    )


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
    if isinstance(result, list):  # of an MCP server's tool, in Claude Code
        result = {"content": result}
    if not isinstance(result, dict):
        return ""
    said = [] if "filePath" in result else [result.get("content")]  # with it, the content of the file
    details = result.get("details")
    said += [place.get(key) for place in (result, details) if isinstance(place, dict) for key in _TEXT_KEYS]
    parts = [part for one in said for part in (one if isinstance(one, list) else [{"text": one}])]
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))
