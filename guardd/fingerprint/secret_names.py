"""Names whose values are secrets: keys of objects, variables, options and headers."""

import re
from enum import Enum
from functools import lru_cache
from typing import Final


class Secrecy(Enum):
    """How much a name says about its value."""

    NONE = "says nothing"
    WEAK = "a secret, unless the value is plainly something else: a number, a path, a yes or no"
    STRONG = "a secret"
    LINE = "a secret, up to the end of its line: a header's value may hold spaces"


_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_LINES: Final = frozenset({"authorization", "cookie"})
_STRONG: Final = frozenset(
    {
        "accesskey", "apikey", "bearer", "credential", "cvc", "cvv", "jwt", "mnemonic", "otp", "passcode",
        "keypass", "passphrase", "passwd", "password", "privatekey", "secret", "secretkey", "ssn", "storepass",
        "token", "totp",
    }
)  # fmt: skip
_WEAK: Final = frozenset({"auth", "pass", "pwd", "pw"})
# As in accesstoken and PGPASSWORD.
_ENDINGS: Final = ("password", "passwd", "passphrase", "secret", "token", "apikey")
# What comes before "token" where it is no secret: page tokens, and those of language models.
_NO_TOKEN: Final = frozenset(
    {
        "bos", "cls", "continuation", "cursor", "end", "eos", "first", "last", "mask", "max", "min", "next",
        "num", "pad", "page", "pagination", "per", "prev", "previous", "resume", "sep", "special", "start",
        "stop", "sync", "unk",
    }
)  # fmt: skip
_TOKENS: Final = frozenset({"access", "api", "auth", "bearer", "oauth", "refresh"})
_KEYS: Final = frozenset(
    {
        "access", "account", "admin", "api", "app", "application", "auth", "client", "consumer", "deploy", "encryption",
        "gpg", "hmac", "master", "preshared", "private", "secret", "service", "shared", "signing", "ssh", "storage",
        "subscription",
    }
)  # fmt: skip
_PAIRS: Final = frozenset(
    {
        ("verification", "code"),
        ("mfa", "code"),
        ("seed", "phrase"),
        ("amz", "signature"),
        ("access", "signature"),
    }
)
_SUFFIXES: Final = frozenset(
    {
        "value",
        "raw",
        "plain",
        "hash",
        "hex",
        "confirm",
        "confirmation",
        "old",
        "new",
        "b",
        "string",
        "data",
        "field",
        "input",
        "box",
    }
)

PARTS: Final = (
    "pass", "token", "secret", "key", "auth", "cookie", "pwd", "pw", "credential", "bearer", "jwt", "otp", "cvc",
    "cvv", "ssn", "mnemonic", "phrase", "code", "signature",
)  # fmt: skip
"""Every name that says something holds one of these, in lower case."""


@lru_cache(maxsize=4096)
def secrecy(name: str) -> Secrecy:
    """Say how secret the value of that name is: ``accessToken``, ``X-Api-Key`` and ``DB_PASSWORD`` are."""
    words = [word.lower() for word in _WORD.findall(name)]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words.pop()
    if not words:
        return Secrecy.NONE
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    singular = last if last.endswith("ss") or last == "tokens" else last.removesuffix("s")
    if singular in _LINES:
        return Secrecy.LINE
    if singular in _WEAK:
        return Secrecy.WEAK
    if singular == "token" and before in _NO_TOKEN:
        return Secrecy.NONE
    secret = (
        singular in _STRONG
        or last.endswith(_ENDINGS)
        or (singular == "key" and before in _KEYS)
        or (last == "tokens" and before in _TOKENS)
        or (before, last) in _PAIRS
    )
    return Secrecy.STRONG if secret else Secrecy.NONE
