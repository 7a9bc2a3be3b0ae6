"""Masks secrets in a text that people will see.

Two ways, one after the other: the tables of texts that are secrets by their look, then the values of names
that say so (``password=…``, ``--token …``, ``Cookie: …``). No pattern backtracks without a bound, and the
text is short anyway. Masking too much costs a reader a word, masking too little costs a key: in doubt it
masks.
"""

import re
from typing import Final, NamedTuple

from guardd.fingerprint.secret_names import Secrecy, secrecy

MASK: Final = "***"


class Rule(NamedTuple):
    """A kind of secret that is known by its look.

    Attributes:
        kind: What it is.
        pattern: A regular expression; what stands in the named groups ``before`` and ``after`` stays.
        hints: Texts in lower case, of which a text must hold one to be worth a search; none: it always is.
    """

    kind: str
    pattern: str
    hints: tuple[str, ...] = ()


TOKENS: Final = (
    # Each begins a word; known by its prefix.
    Rule("OpenAI, Anthropic, OpenRouter and similar", r"sk-(?=[a-zA-Z_-]{0,60}[0-9])[\w-]{16,}+"),
    Rule("Stripe", r"(?:sk|rk)_(?:live|test)_\w{8,}+|whsec_[\w+/=]{16,}+"),
    Rule("GitHub", r"gh[opusr]_[A-Za-z0-9]{16,}+|github_pat_\w{20,}+"),
    Rule("GitLab", r"gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas)-[\w.-]{16,}+"),
    Rule("Slack", r"xox[a-z](?:\.xox[a-z])?-[\w-]{10,}+|xapp-[\w-]{10,}+"),
    Rule("AWS", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}+"),
    Rule("Google API key", r"AIza[\w-]{30,}+"),
    Rule("Google OAuth", r"GOCSPX-[\w-]{16,}+|ya29\.[\w.-]{16,}+|1//0[\w-]{20,}+"),
    Rule("npm", r"npm_\w{30,}+"),
    Rule("PyPI", r"pypi-[\w-]{16,}+"),
    Rule("RubyGems", r"rubygems_\w{32,}+"),
    Rule("crates.io", r"cio\w{32}"),
    Rule("Docker", r"dckr_(?:pat|oat)_[\w-]{16,}+"),
    Rule("Hugging Face", r"hf_\w{20,}+"),
    Rule("Replicate, Groq", r"(?:r8|gsk)_\w{20,}+"),
    Rule("NVIDIA, xAI, Perplexity, Tavily", r"(?:nvapi|xai|pplx|tvly)-[\w-]{16,}+"),
    Rule("SendGrid", r"SG\.[\w-]{16,}+\.[\w-]{16,}+"),
    Rule("Mailgun", r"key-[0-9a-f]{32}"),
    Rule("Twilio", r"SK[0-9a-f]{32}"),
    Rule("DigitalOcean", r"do[opr]_v1_\w{32,}+"),
    Rule("Shopify", r"shp(?:at|ca|pa|ss)_\w{16,}+"),
    Rule("Square", r"sq0[a-z]{3}-[\w-]{20,}+"),
    Rule("Notion", r"ntn_\w{20,}+|secret_\w{40,}+"),
    Rule("Linear", r"lin_api_\w{20,}+"),
    Rule("Figma", r"fig[du]_[\w-]{20,}+"),
    Rule("Postman", r"PMAK-[\w-]{20,}+"),
    Rule("HashiCorp Vault", r"hv[sbr]\.[\w-]{16,}+"),
    Rule("Doppler", r"dp\.[a-z]{2,7}\.\w{20,}+"),
    Rule("Tailscale", r"tskey-[\w-]{10,}+"),
    Rule("age", r"AGE-SECRET-KEY-1\w{20,}+"),
    Rule("Sentry", r"sntry[su]_[\w+/=-]{20,}+"),
    Rule("Grafana", r"gl(?:sa|c)_[\w+/=-]{20,}+"),
    Rule("New Relic", r"NRAK-\w{20,}+"),
    Rule("PostHog", r"phx_\w{20,}+"),
    Rule("Databricks", r"dapi[0-9a-f]{32}"),
    Rule("Supabase", r"sb(?:p|_secret)_[\w-]{20,}+"),
    Rule("Atlassian", r"AT(?:ATT|CTT|BB)\w[\w=-]{20,}+"),
    Rule("Telegram bot", r"(?:bot)?[0-9]{8,10}:AA[\w-]{30,}+"),
    Rule("Discord bot", r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}+"),
    Rule("Facebook", r"EAA[A-Za-z0-9]{40,}+"),
    Rule("JSON web token", r"eyJ[\w-]{8,}+\.[\w-]{4,}+(?:\.[\w-]*+){0,3}"),
)

_WORD: Final = r"(?:\"[^\"]*+\"?|'[^']*+'?|[^\s\"']\S*+)"  # of a command line

RULES: Final = (
    # Known by what stands around them.
    Rule(
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,60}-----|\Z)",
        ("private key",),
    ),
    Rule("password in a URL", r"(?P<before>://[^\s/:@\"'<>]*+:)[^\s/?#\"'<>]+(?P<after>@)", ("://",)),
    Rule("token in a URL", r"(?P<before>://)[^\s/:@?#\"'<>]{20,}+(?P<after>@)", ("://",)),
    Rule(
        "signature in a URL",
        r"(?P<before>[?&](?i:sig|signature|key|code)=)[^\s&\"'#]{16,}+",
        ("sig=", "signature=", "key=", "code="),
    ),
    Rule(
        "webhook",
        r"(?P<before>hooks\.slack\.com/\w{1,20}/|/api/webhooks/)[\w/-]++",
        ("hooks.slack.com/", "/api/webhooks/"),
    ),
    Rule(
        "credentials of a request",
        r"(?P<before>\b(?i:bearer|basic|digest|negotiate)\s{1,4})(?=[^\s\"']*[0-9=_])[\w.~+/=-]{8,}+",
        ("bearer", "basic", "digest", "negotiate"),
    ),
    Rule(
        "user and password of curl",
        r"(?P<before>(?:^|\s)(?:-[uU]|--user|--proxy-user)[\s=]{0,4}[\"']?[^\s:\"'-][^\s:\"']{0,63}:)"
        r"(?![0-9]+\b)[^\s\"']++",
        ("-u", "--proxy-user"),
    ),
    Rule("password of sshpass", r"(?P<before>\bsshpass\s{1,4}-p\s{0,4})" + _WORD, ("sshpass",)),
    Rule(
        "password of redis-cli",
        r"(?P<before>\bredis-cli\b[^|;&\n]{0,200}?\s-a\s{1,4})" + _WORD,
        ("redis-cli",),
    ),
    Rule(
        "password of mysql",
        r"(?P<before>\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^|;&\n]{0,200}?\s-p)" + _WORD,
        ("mysql", "mariadb"),
    ),
    Rule("netrc", r"(?P<before>\blogin\s{1,4}\S{1,64}\s{1,4}password\s{1,4})\S++", ("password",)),
    Rule(
        "key that is named before it",
        r"(?P<before>(?i:(?:access|secret|api|private)_key|(?:auth|access|session)_token)\s{1,4}[\"']?)"
        r"[\w/+=-]{16,}+",
        ("_key", "_token"),
    ),
)

_ANY_TOKEN: Final = re.compile("(?<![A-Za-z0-9])(?:" + "|".join(rule.pattern for rule in TOKENS) + ")")
_COMPILED: Final = tuple((rule.hints, re.compile(rule.pattern, re.DOTALL)) for rule in RULES)
_ANY_HINT: Final = re.compile("|".join(re.escape(hint) for rule in RULES for hint in rule.hints))

_NAMED: Final = re.compile(
    r"""(?<![\w.-])(?:
        --?(?P<option>[A-Za-z_][\w.-]{0,127})[\s=]{1,4}
      | (?P<name>[A-Za-z_][\w.-]{0,127})\\*+["'`]?\]?\s{0,4}(?:=>|:=|[:=])\s{0,4}
    )""",
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
    r"""\*++ | \$[A-Z_][A-Z0-9_]*+ | \$?\{\w++\} | \{\{[^{}]*+\}\} | <[\w\ -]++> | %\w++%
      | (?i:str|string|null|none|nil|undefined|true|false|yes|no|int|bool|bytes|required|optional)[,;:.)\]}]*+
    """,
    re.VERBOSE,
)
_NOT_WEAK: Final = re.compile(
    r"[0-9.,;%)\]}]++|[/~.].*+|[A-Za-z]:\\.*+|(?i:basic|oauth2?|bearer|ok|passed)", re.DOTALL
)


def mask_text(text: str) -> str:
    """Replace the secrets in a text by `MASK`."""
    lowered = text.lower()
    text = _ANY_TOKEN.sub(MASK, text)
    if _ANY_HINT.search(lowered):  # most texts have none
        for hints, pattern in _COMPILED:
            if any(hint in lowered for hint in hints):
                text = pattern.sub(_keep_surroundings, text)
    return _mask_named(text)


def is_secret(name: str, value: object) -> bool:
    """Say whether the value of that name has to be masked whole, whatever it looks like."""
    level = secrecy(name)
    if level is Secrecy.NONE or value is None or isinstance(value, bool) or value == "":
        return False
    if isinstance(value, str):
        return not _is_harmless(level, value)
    return level is not Secrecy.WEAK or isinstance(value, list | dict)


def _is_harmless(level: Secrecy, value: str) -> bool:
    return _HARMLESS.fullmatch(value) is not None or (
        level is Secrecy.WEAK and _NOT_WEAK.fullmatch(value) is not None
    )


def _keep_surroundings(match: re.Match[str]) -> str:
    kept = match.groupdict()
    return (kept.get("before") or "") + MASK + (kept.get("after") or "")


def _mask_named(text: str) -> str:
    """Mask the values that follow a secret name, as an assignment, an option or a header."""
    pieces: list[str] = []
    position = 0
    for match in _NAMED.finditer(text):
        level = secrecy(match["option"] or match["name"])
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
    value = _VALUE.match(text, start)
    if value is None or value["quote"]:
        return value.span("quoted") if value else None
    if level is not Secrecy.LINE or name["option"]:
        return value.span()
    line = _LINE.match(text, start)
    end = line.end() if line else start
    before = text[name.start() - 1 : name.start()]
    if before and before in "\"'`":  # 'Cookie: a="b"; c=d' ends with the quote that it began with
        quote = text.find(before, start, end)
        end = end if quote < 0 else quote
    return start, end
