"""What counts in an outcome: the table of ``Fingerprints`` in the detection rules.

Each rule gives a list whose first member names it; two results are no progress when these lists are equal as
JSON.
"""

import re
from collections.abc import Callable
from typing import Final

import msgspec

from guardd.fingerprint.arguments import Arguments
from guardd.fingerprint.redaction import MASK, mask_text

SPACES: Final = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What JavaScript's String.trim takes away: the gateways' own texts are trimmed by it."""

_VOLATILE: Final = frozenset(
    {
        "messageId",
        "message_id",
        "messageIds",
        "platformMessageId",
        "platformMessageIds",
        "fileId",
        "file_id",
        "fileKey",
        "pollId",
        "poll_id",
        "receipt",
        "runId",
        "idempotencyKey",
        "ts",
        "timestamp",
        "sentAt",
        "deliveredAt",
        "createdAt",
    }
)
_APPROVALS: Final = frozenset({"approval-pending", "approval-unavailable"})
_PROCESS_FIELDS: Final = {
    "poll": ("status", "exitCode", "exitSignal", "aggregated"),
    "log": ("status", "totalLines", "totalChars", "truncated", "exitCode", "exitSignal"),
}

_QUOTES: Final = r"""\\*+["'`‘’“”]?+"""  # noqa: RUF001 -- typographic quotes are meant
_NAME: Final = rf"{_QUOTES}(?P<%s>[\w.-]++){_QUOTES}"
_UNKNOWN: Final = re.compile(rf"unknown tool[:\s]++{_NAME % 'name'}")
_MISSING: Final = re.compile(rf"tool[:\s]++{_NAME % 'name'}\s++(?:not found|is not available)")
_MISSING_CALL: Final = re.compile(  # brackets within the arguments may be nested once, which keeps it linear
    rf"tool[:\s]++{_NAME % 'name'}\((?:[^()]++|\([^()]*+\))*+\){_QUOTES}\s++(?:not found|is not available)"
)
_NO_SUCH: Final = re.compile(rf"no such tool available:\s++{_NAME % 'name'}")  # Claude Code
_UNSUPPORTED: Final = re.compile(  # Codex CLI, which says nothing else
    rf"\A\s*+unsupported (?:custom tool )?call:\s++{_NAME % 'name'}\s*+\Z"
)
_NOT_EXISTING: Final = re.compile(  # GitHub Copilot CLI
    rf"tool\s++{_NAME % 'name'}\s++does not exist\. available tools"
)
_PATTERNS: Final = (_UNKNOWN, _MISSING)
_FURTHER_PATTERNS: Final = (_MISSING_CALL, _NO_SUCH, _UNSUPPORTED, _NOT_EXISTING)


def missing_tool(error: bytes, *, with_arguments: bool = False) -> str | None:
    """Give the name, in lower case, of the tool that an error says does not exist.

    Args:
        error: Its text in UTF-8.
        with_arguments: Whether the error may also repeat the arguments, as in ``Tool process(action=poll) not
            found``, or be in the words of Claude Code, Codex CLI or GitHub Copilot CLI.

    Returns:
        The name; `MASK` where that is a secret, since it is kept and shown.
    """
    # Lowering bytes is ten times faster than lowering text, and an error may be a megabyte of log.
    lower = error.lower()
    if b"tool" not in lower and not (with_arguments and b"unsupported call" in lower):
        return None
    text = error.decode("utf-8", "surrogatepass")
    lowered = text.lower()
    for pattern in (*_PATTERNS, *_FURTHER_PATTERNS) if with_arguments else _PATTERNS:
        for match in pattern.finditer(lowered):
            if name := match["name"].rstrip("."):  # a full stop ends the sentence, not the name
                as_written = text[slice(*match.span("name"))] if len(text) == len(lowered) else name
                return name if mask_text(as_written) == as_written else MASK
    return None


def normal_form(tool: str, arguments: Arguments, result: object, *, sending: bool) -> object:
    """Give what counts of a result.

    Args:
        tool: The tool's name.
        arguments: The arguments that the outcome came with.
        result: The decoded result; a sending one's details are changed in place.
        sending: Whether the call only sends.
    """
    if not isinstance(result, dict):
        return ["value", result]
    if sending:
        return ["sent", _without_volatile(_details(result))]
    form = None
    if tool == "exec":
        form = _exec(result)
    elif tool == "process":
        form = _process(arguments, result)
    return form or _any_tool(result)


def _any_tool(result: dict[str, object]) -> list[object]:
    rest = {key: member for key, member in result.items() if key not in {"content", "details", "_meta"}}
    return ["object", _content(result.get("content")), _details(result), rest]


def _exec(result: dict[str, object]) -> list[object] | None:
    details = result.get("details")
    status = details.get("status") if isinstance(details, dict) else None
    if not isinstance(details, dict) or not isinstance(status, str):
        return None
    if status in {"completed", "failed"}:
        code = details.get("exitCode")
        timed_out = details.get("timedOut") is True
        return ["exec", status, code if _is_number(code) else None, timed_out, _exec_output(details, result)]
    if status == "running":
        return ["exec", status, details.get("tail")]
    if status in _APPROVALS:
        return ["exec", status, *map(details.get, ("reason", "host", "command", "warningText"))]
    return None


def _exec_output(details: dict[str, object], result: dict[str, object]) -> object:
    output = details.get("aggregated")
    if isinstance(output, str):
        output = output.strip(SPACES)
    return _text(result) if output is None or output == "" else output


def _process(arguments: Arguments, result: dict[str, object]) -> list[object] | None:
    action = arguments.get("action")
    fields = _PROCESS_FIELDS.get(action) if isinstance(action, str) else None
    if fields is None:
        return None
    details = result.get("details")
    values = map(details.get, fields) if isinstance(details, dict) else [None] * len(fields)
    return ["process", *values, _text(result)]


def _details(result: dict[str, object]) -> object:
    """Give the details: missing, null and empty ones are the same."""
    details = result.get("details")
    return {} if details is None else details


def _text(result: dict[str, object]) -> str:
    content = result.get("content")
    if not isinstance(content, list):
        return ""
    return "\n".join(part["text"] for part in content if _is_text(part)).strip(SPACES)


def _content(content: object) -> object:
    """Give the content as pieces in order: joined texts as strings, any other part in a list of its own."""
    if content is None:
        return []
    if not isinstance(content, list):
        return {"content": content}
    pieces: list[object] = []
    texts: list[str] = []
    for part in content:
        other = part
        if _is_text(part):
            texts.append(part["text"])
            other = {key: member for key, member in part.items() if key not in {"type", "text", "_meta"}}
            if not other:
                continue
        elif isinstance(part, dict) and "_meta" in part:
            other = {key: member for key, member in part.items() if key != "_meta"}
        if texts:
            pieces.append("\n".join(texts))
            texts = []
        pieces.append([other])
    if texts:
        pieces.append("\n".join(texts))
    return _trimmed(_trimmed(pieces, str.lstrip), str.rstrip, step=-1)


def _trimmed(pieces: list[object], trim: Callable[[str, str], str], step: int = 1) -> list[object]:
    """Trim the text of all pieces together, at one of its ends; a text with nothing left goes."""
    kept: list[object] = []
    reached = False
    for piece in pieces[::step]:
        if isinstance(piece, str) and not reached:
            text = trim(piece, SPACES)
            reached = text != ""
            if reached:
                kept.append(text)
        else:
            kept.append(piece)
    return kept[::step]


def _without_volatile(details: object) -> object:
    """Take the ids and times of this one sending away, at every depth, in place."""
    pending = [details]
    while pending:
        member = pending.pop()
        if isinstance(member, dict):
            if "id" in member and _is_delivered_message(member):
                del member["id"]
            for key in _VOLATILE.intersection(member):
                del member[key]
            pending.extend(member.values())
        elif isinstance(member, list):
            pending.extend(member)
    return details


def _is_delivered_message(value: dict[str, object]) -> bool:
    return (
        isinstance(value.get("id"), str)
        and isinstance(value.get("text"), str)
        and (
            any(isinstance(value.get(key), str) for key in ("direction", "senderId", "accountId"))
            or isinstance(value.get("conversation"), dict)
        )
    )


def _is_text(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | msgspec.Raw) and not isinstance(value, bool)
