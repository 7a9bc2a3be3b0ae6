"""Masks what differs in a text each time by itself, so that outcomes can be compared without it.

Masked, each kind by a mark of its own: dates with a time of day, times of day to the second, durations from
nanoseconds to minutes, UUIDs, ``0x`` addresses, numbers of processes, the shell's ``line N:`` and the nonce
around external content. ANSI sequences go without a mark: they only colour what stays.

Not masked, since in real work it says that something has changed: bare numbers (counts, ports, versions, sizes,
epoch seconds), bare hexadecimal (commits), ``line N`` of a traceback, dates without a time, hours (``2 hours
ago``), ``10:15`` alone (linters write line and column like this) and what ``ls -l`` says (``Jun 17 10:00``),
numbers of a JSON value whatever their key. In doubt it stays: a loop that is missed costs less than work that
is called a loop.

A mark is a noncharacter, which no text for interchange may hold. Each pattern refuses a mark beside it, so
that masking twice is masking once, and reads a text in linear time: repetitions are possessive or bounded,
and begin where they cannot begin again one character later.
"""

import re
from typing import Final, NamedTuple

_MARKS: Final = "\ufdd0-\ufdd7"
_DATE, _CLOCK, _DURATION, _UUID, _ADDRESS, _PROCESS, _LINE, _NONCE = map(chr, range(0xFDD0, 0xFDD8))

# A pattern begins with its first characters and looks back from behind them: so the search for it is quick.
_NOT_BEFORE: Final = rf"[0-9A-Za-z.{_MARKS}]"  # an underscore may join a time to the name of a file
_AFTER: Final = rf"(?![\w{_MARKS}])"
_AFTER_TIME: Final = rf"(?![\w:{_MARKS}])"

_HOUR, _SIXTY = "(?:[01][0-9]|2[0-3])", "[0-5][0-9]"
_MM, _DD = "(?:0[1-9]|1[0-2])", "(?:0[1-9]|[12][0-9]|3[01])"
_YEAR: Final = "(?:19|20)[0-9]{2}"
_SECONDS: Final = rf"{_SIXTY}:(?:{_SIXTY}|60)"
_TIME: Final = rf"{_HOUR}:{_SECONDS}"
_FRACTION: Final = (
    r"(?:\.[0-9]{1,9}(?![0-9])|,[0-9]{3}(?=[\ \])|]))?"  # the comma is that of Python's logging
)
_ZONE: Final = r"(?:Z|[+-](?:0[0-9]|1[0-4]):?[0-5][0-9](?![:0-9]))?"
_WEEKDAY: Final = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
_MONTH: Final = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_MONTH_DAY: Final = r"\ {1,2}[0-9]{1,2}"

_REST_OF_NUMBER: Final = r"[0-9]{0,14}+(?:,[0-9]{3}){0,3}+(?:\.[0-9]{1,15}+)?+(?:e[+-]?[0-9]{1,3})?+"
_MICRO: Final = "\u00b5|\u03bc"  # as it is typed, and as it is spelt in Greek
_MINUTES: Final = r"(?:m|\ ?(?:mins?|minutes?))"
_TO_SECONDS: Final = rf"\ ?(?:(?:[num]|{_MICRO})?s|[mun]?secs?|(?:milli|micro|nano)?seconds?)"


_DIGITS_TO_ZERO: Final = bytes.maketrans(b"123456789", b"0" * 9)
_HEX_TO_ZERO: Final = bytes.maketrans(b"123456789abcdefABCDEF", b"0" * 21)


class Kind(NamedTuple):
    """A kind of text that differs by itself.

    Attributes:
        hints: The text must hold one of these, when its digits are taken for zeros, to be worth a search.
        pattern: What is replaced.
        mark: By what, as a template.
    """

    hints: tuple[bytes, ...]
    pattern: re.Pattern[str]
    mark: str


def _kind(hints: str, pattern: str, mark: str) -> Kind:
    return Kind(tuple(hint.encode() for hint in hints.split("|")), re.compile(pattern, re.VERBOSE), mark)


KINDS: Final = (
    _kind(  # date(1), git, JavaScript, HTTP and mail; a year behind the time only belongs to it with a weekday
        " 00:00:00",
        rf"""{_WEEKDAY}(?<!{_NOT_BEFORE}...)(?:
            ,?\ {_MONTH}{_MONTH_DAY}(?:,?\ {_YEAR},?)?\ {_TIME}(?:\ [AP]M)?(?:(?:\ [A-Z]{{3,5}})?\ {_YEAR})?
          | ,\ [0-9]{{1,2}}[\ -]{_MONTH}[\ -]{_YEAR}\ {_TIME}
        ){_AFTER_TIME}""",
        _DATE,
    ),
    _kind(  # syslog
        " 00:00:00",
        rf"{_MONTH}(?<!{_NOT_BEFORE}...){_MONTH_DAY}(?:,?\ {_YEAR},?)?\ {_TIME}{_FRACTION}{_AFTER_TIME}",
        _DATE,
    ),
    _kind(  # Apache, PHP
        "0000:00:00:00|0000 00:00:00",
        rf"""[0-9](?<!{_NOT_BEFORE}.)[0-9]?
             (?:/{_MONTH}/{_YEAR}:|-{_MONTH}-{_YEAR}\ |\ {_MONTH}\ {_YEAR}\ ){_TIME}{_AFTER_TIME}""",
        _DATE,
    ),
    _kind(  # ISO 8601 with a time, also as in names of files (npm's logs), and the slashes of Go and nginx
        "0T00|0t00|0 00:00",
        rf"""[12](?<!{_NOT_BEFORE}.)(?:(?<=1)9|(?<=2)0)[0-9]{{2}}(?:
            -{_MM}-{_DD}[Tt\ ]{_HOUR}:{_SIXTY}(?::(?:{_SIXTY}|60){_FRACTION})?{_ZONE}
          | -{_MM}-{_DD}T{_HOUR}(?P<by>[_-]){_SIXTY}(?P=by){_SIXTY}(?:[._-][0-9]{{1,9}})?Z?
          | /{_MM}/{_DD}\ {_TIME}{_FRACTION}
          | {_MM}{_DD}T{_HOUR}{_SIXTY}{_SIXTY}{_FRACTION}{_ZONE}
        )(?![0-9A-Za-z:{_MARKS}])""",
        _DATE,
    ),
    _kind(
        "0:00:00",
        rf"""[0-9](?<![\w.:{_MARKS}].)(?:(?<=[01])[0-9]|(?<=2)[0-3])?:
             {_SECONDS}{_FRACTION}{_ZONE}(?:\ ?[AP]M)?{_AFTER_TIME}""",
        _CLOCK,
    ),
    _kind(  # "2m 3s" is one; of "1h2m" the hour stays; "[31m" in a program is a colour
        "0s|0m|0n|0u|0\u00b5|0\u03bc|0 s|0 m|0 n|0 u|0 \u00b5|0 \u03bc",
        rf"""[0-9](?:
            (?:(?<![\w.\[;{_MARKS}].)|(?<=[0-9]h.)){_REST_OF_NUMBER}
            (?:{_MINUTES}(?:,?\ ?[0-9]{_REST_OF_NUMBER}{_TO_SECONDS})?|{_TO_SECONDS})
          | (?<=[\[;].){_REST_OF_NUMBER}{_TO_SECONDS}
        ){_AFTER}""",
        _DURATION,
    ),
    _kind(  # from four digits on: shorter ones are bytes and flags
        "0x",
        rf"0x(?<![\w{_MARKS}]..)[0-9a-fA-F]{{4,}}+{_AFTER}",
        _ADDRESS,
    ),
    _kind(
        "pid|Pid|PID|process|Process|PROCESS",
        rf"""(?P<name>[pP](?<![A-Za-z{_MARKS}].)(?:id|ID|pid|PID|rocess|ROCESS)(?:\ [Ii][Dd])?["']?\ ?[=:\#]?\ ?)
             [0-9]++(?!\.[0-9]){_AFTER}""",
        rf"\g<name>{_PROCESS}",
    ),
    _kind(  # of a shell that reads commands, not of a script, where the line says how far it came
        "sh: line 0",
        rf"(?P<shell>(?<![\w.{_MARKS}])(?:ba|da|z|k|mk|a)?sh:\ line\ )[0-9]++(?=:)",
        rf"\g<shell>{_LINE}",
    ),
)

_UUIDS: Final = re.compile(
    rf"""[0-9a-fA-F]{{8}}-(?<!{_NOT_BEFORE}.{{9}})[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}-[0-9a-fA-F]{{4}}
         -[0-9a-fA-F]{{12}}(?![0-9A-Za-z{_MARKS}])""",
    re.VERBOSE,
)
_UUID_SHAPE: Final = b"-0000-0000-0000-"
_ANSI: Final = re.compile(
    r"""\x1b(?:
        \[[0-?]*+[\ -/]*+[@-~]            # colours, the cursor
      | \][^\x07\x1b]*+(?:\x07|\x1b\\)    # titles, links
      | [PX^_][^\x1b]*+\x1b\\
      | [\ -/]*+[0-~]
    )?+""",
    re.VERBOSE,
)
_WRAPPER: Final = "EXTERNAL_UNTRUSTED_CONTENT id="
_NONCES: Final = re.compile(r'<<<(?P<end>END_)?EXTERNAL_UNTRUSTED_CONTENT\ id="(?P<nonce>[0-9a-f]{16})">>>')


def mask_volatile(text: str) -> str:
    """Replace what differs by itself; texts that differ in nothing else become equal.

    Returns:
        The masked text; the same object where nothing was masked.
    """
    original = text
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if _WRAPPER in text:
        text = _mask_nonces(text)
    encoded = text.encode("utf-8", "surrogatepass")
    if _UUID_SHAPE in encoded.translate(_HEX_TO_ZERO):
        text = _UUIDS.sub(_UUID, text)
    shape = encoded.translate(_DIGITS_TO_ZERO)
    if b"0" in shape:
        for hints, pattern, mark in KINDS:
            for hint in hints:  # quicker than any()
                if hint in shape:
                    text = pattern.sub(mark, text)
                    break
    return original if text == original else text


def mask_value(value: object) -> object:
    """Mask every string of a decoded JSON value, its keys aside.

    Returns:
        A copy; the same object where nothing was masked.
    """
    root = [value]
    pending: list[list[object] | dict[str, object]] = [root]  # copies whose members are still the originals
    masked = False
    while pending:
        container = pending.pop()
        members = container.items() if isinstance(container, dict) else enumerate(container)
        for key, member in list(members):
            other: object = member
            if isinstance(member, str):
                other = mask_volatile(member)
                masked = masked or other is not member
            elif isinstance(member, dict | list):
                other = member.copy()
                pending.append(other)
            container[key] = other  # type: ignore[call-overload,index]
    return root[0] if masked else value


def _mask_nonces(text: str) -> str:
    """Mask the nonces of wrappers; an end that no begin belongs to is part of some content."""
    begun = {match["nonce"] for match in _NONCES.finditer(text) if not match["end"]}

    def replacement(match: re.Match[str]) -> str:
        return match[0].replace(match["nonce"], _NONCE) if match["nonce"] in begun else match[0]

    return _NONCES.sub(replacement, text)
