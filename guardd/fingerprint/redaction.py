"""Masks secrets in a text that people will see.

Two ways, one after the other: the tables of texts that are secrets by their look, then the values of names
that say so (``password=…``, ``--token …``, ``Cookie: …``). No pattern backtracks without a bound, and the
text is short anyway. Masking too much costs a reader a word, masking too little costs a key: in doubt it
masks.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from guardd.fingerprint.secret_looks import RULES, TOKENS
from guardd.fingerprint.secret_names import PARTS, Secrecy, secrecy

MASK: Final = "***"


_ANY_TOKEN: Final = re.compile("(?<![A-Za-z0-9])(?:" + "|".join(rule.pattern for rule in TOKENS) + ")")
_SHORTEST_TOKEN: Final = 14
_LONGEST_NAME: Final = 128
_LONGEST_COMMAND: Final = 4096
_MOST_WORDS: Final = 64
_NAME_KEYS: Final = ("name", "key", "header", "selector", "element", "label", "placeholder", "field")
VALUE_KEYS: Final = frozenset({"value", "text"})
"""The members of an object that may be the value of what it names; see `name_in`."""
_COMPILED: Final = tuple((rule.hints, re.compile(rule.pattern, re.DOTALL)) for rule in RULES)


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern of any of the words; those that begin alike stand together, which takes a fifth of the time."""
    beginnings = groupby(sorted(set(words)), key=itemgetter(0))
    return re.compile(
        "|".join(
            f"{re.escape(first)}(?:{'|'.join(re.escape(word[1:]) for word in alike)})"
            for first, alike in beginnings
        )
    )


# Looking for a word takes a hundredth of the time that looking for a pattern takes, and most texts hold none.
_HINTED: Final = _any_of([*PARTS, *(hint for rule in RULES for hint in rule.hints)])

_NAMED: Final = re.compile(
    r"""(?<![\w.-])(?:
        --?(?P<option>[A-Za-z_][\w.-]{0,127})[\s=]{1,4}
      | <(?P<element>[A-Za-z_][\w.:-]{0,127})>(?=[^<]{1,500}</)
      | (?:key|name)=\\*+["'](?P<attribute>[\w.:-]{1,127})\\*+["']\s{1,4}value=
      | (?:setenv|setx|set(?=\s{1,4}-)|config(?:ure)?)(?:\s{1,4}(?:set|--?[A-Za-z-]{1,20}))*+
        \s{1,4}(?P<setting>[A-Za-z_/][\w./:@-]{0,127})\s{1,4}
      | (?P<name>[A-Za-z_][\w.-]{0,127})\\*+["'`]?\]?\s{0,4}(?:=>|:=|!?={1,3}|:)\s{0,4}(?:[|>][+-]?\s{1,24})?
    ) | \(\\*+["'](?P<called>[A-Za-z_][\w.-]{0,127})\\*+["'],\s{0,4}
    """,
    re.VERBOSE,
)
_VALUE: Final = re.compile(
    r"""(?P<quote>\\*+["'`])(?P<quoted>(?:(?!(?P=quote))(?:\\.|.))*+)(?P=quote)?
      | \$?\{\{[^{}]*+\}\} | (?:[^\s"'`&]|&(?![\w.-]+=))++
    """,
    re.VERBOSE | re.DOTALL,
)
_LINE: Final = re.compile(r"[^\r\n]++")
# What stands for a secret without being one, and what is said of one in code.
_HARMLESS: Final = re.compile(
    r"""\*++ | (?:(?i:bearer|basic|token)\ )?\$(?:[A-Z_][A-Z0-9_]*+|\{\w++\}) | \$?\{\w++\} | \$?\{\{[^{}]*+\}\}
      | <[\w\ -]++> | %\w++% | [&|<>;]++
      | (?:os\.environ(?:\.get)?|os\.getenv|getenv|process\.env|import\.meta\.env|ENV)(?:\.\w++)?[\[(;,)]*+
      | (?i:str|string|null|none|nil|undefined|true|false|yes|no|int|bool|bytes|required|optional)[,;:.)\]}]*+
    """,
    re.VERBOSE,
)
_NOT_WEAK: Final = re.compile(
    r"[0-9.,;%)\]}]++|[/~.].*+|[A-Za-z]:\\.*+|(?i:basic|oauth2?|bearer|ok|passed)", re.DOTALL
)


def mask_text(text: str) -> str:
    """Replace the secrets in a text by `MASK`."""
    if len(text) >= _SHORTEST_TOKEN:
        text = _ANY_TOKEN.sub(MASK, text)
    elif text.isidentifier():
        return text
    lowered = text.lower()
    if _HINTED.search(lowered) is None:
        return text
    for hints, pattern in _COMPILED:
        if any(map(lowered.__contains__, hints)):
            text = pattern.sub(_keep_surroundings, text)
    return _mask_named(text) if any(map(lowered.__contains__, PARTS)) else text


def is_secret(name: str, value: object) -> bool:
    """Say whether the value of that name has to be masked whole, whatever it looks like."""
    level = secrecy(name)
    if level is Secrecy.NONE or value is None or isinstance(value, bool) or value == "":
        return False
    if isinstance(value, str):
        return not _is_harmless(level, value)
    return level is not Secrecy.WEAK or isinstance(value, list | dict)


def name_in(value: Mapping[str, object]) -> str:
    """Give what an object says that its value is of: ``{"name": "A_TOKEN", "value": …}``, a field of a form."""
    for key in _NAME_KEYS:
        name = value.get(key)
        if isinstance(name, str):
            return name[-_LONGEST_NAME:]
    return ""


def is_command(value: Sequence[object]) -> bool:
    """Tell whether a list is of the words of a command: then there is an option among them."""
    few = value[:_MOST_WORDS]
    return any(isinstance(word, str) and word.startswith("-") for word in few) and not any(
        isinstance(word, list | dict) or word is None for word in few
    )


def joined(words: Sequence[object]) -> str:
    """Join the words of a command, as many as may matter; secrets by their options are masked already."""
    shown: list[str] = []
    length, previous = 0, ""
    for word in words:
        text = word if isinstance(word, str) else str(word)
        name, assigned, value = text[:_LONGEST_COMMAND].partition("=")
        if previous.startswith("-") and "=" not in previous and is_secret(previous[:_LONGEST_NAME], word):
            shown.append(MASK)
        elif assigned and is_secret(name[-_LONGEST_NAME:], value):
            shown.append(f"{name}={MASK}")
        elif " " in text and previous.startswith("-") and not previous.endswith("c") and "'" not in text:
            shown.append(f"'{text}'")
        else:
            shown.append(text)
        previous = text
        length += len(text) + 1
        if length > _LONGEST_COMMAND:
            break
    return " ".join(shown)


def masked_value(value: object) -> object:
    """Give a JSON value with the secrets in it replaced by `MASK`, in keys too.

    Raises:
        RecursionError: It is nested too deeply.
    """
    if isinstance(value, str):
        return mask_text(value)
    if isinstance(value, list):
        if is_command(value) and MASK in (command := mask_text(joined(value))):
            return [command]
        return [masked_value(member) for member in value]
    if isinstance(value, dict):
        name = name_in(value)
        return {
            mask_text(key): MASK
            if is_secret(key, member) or (key in VALUE_KEYS and is_secret(name, member))
            else masked_value(member)
            for key, member in value.items()
        }
    return value


def _is_harmless(level: Secrecy, value: str) -> bool:
    return _HARMLESS.fullmatch(value) is not None or (
        level is Secrecy.WEAK and _NOT_WEAK.fullmatch(value) is not None
    )


def _keep_surroundings(match: re.Match[str]) -> str:
    kept = match.groupdict()
    before, after = kept.get("before") or "", kept.get("after") or ""
    whole = match.group()
    if _HARMLESS.fullmatch(whole[len(before) : len(whole) - len(after)].strip("\"'")):
        return whole
    return before + MASK + after


def _mask_named(text: str) -> str:
    """Mask the values that follow a secret name, as an assignment, an option or a header."""
    pieces: list[str] = []
    position = 0
    for match in _NAMED.finditer(text):
        level = secrecy(match[match.lastgroup or "name"])
        if match.start() < position or level is Secrecy.NONE:
            continue
        value = _value_at(text, match, level)
        if value is None:
            continue
        start, end = value
        if not _is_harmless(level, text[start:end]):
            pieces += (text[position:start], MASK)
            position = end
    return "".join(pieces) + text[position:]


def _value_at(text: str, name: re.Match[str], level: Secrecy) -> tuple[int, int] | None:
    """Find where the value that follows a name begins and ends, its quotes left out."""
    start = name.end()
    if name["option"] and text.startswith("-", start):
        return None
    if name["element"]:
        end = text.find("<", start)
        return start, len(text) if end < 0 else end
    value = _VALUE.match(text, start)
    if value is None or value["quote"]:
        return value.span("quoted") if value else None
    if name["called"]:  # a variable, or another call
        return None
    if level is not Secrecy.LINE or name["option"] or name["setting"]:
        return value.span()
    return start, _line_end(text, start, name)


def _line_end(text: str, start: int, name: re.Match[str]) -> int:
    """Find where a header ends: with its line, or with the quote that it began with."""
    line = _LINE.match(text, start)
    end = line.end() if line else start
    before = text[name.start() - 1 : name.start()]
    if before and before in "\"'`":  # as in 'Cookie: a="b"; c=d'
        quote = text.find(before, start, end)
        end = end if quote < 0 else quote
    return end
