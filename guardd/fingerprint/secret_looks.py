"""What secrets look like: tables of the tokens that are known by themselves, and of those known by what is around.

No pattern backtracks without a bound.
"""

from typing import Final, NamedTuple


class Rule(NamedTuple):
    """A kind of secret that is known by its look.

    Attributes:
        kind: What it is.
        pattern: A regular expression; what stands in the named groups ``before`` and ``after`` stays.
        hints: A text in lower case must hold one of these to be worth a search; none: it always is.
    """

    kind: str
    pattern: str
    hints: tuple[str, ...] = ()


TOKENS: Final = (
    # Each begins a word; known by its prefix. They need no hints: as one pattern they are as fast to look for.
    Rule("OpenAI, Anthropic, OpenRouter and similar", r"sk-(?=[a-zA-Z_-]{0,60}[0-9])[\w-]{16,}+"),
    Rule("Stripe, ElevenLabs", r"(?:sk|rk)_(?:live|test)_\w{8,}+|whsec_[\w+/=]{16,}+|sk_[0-9a-f]{40,}+"),
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
    Rule("Fireworks, Cerebras", r"fw_[A-Za-z0-9]{22,}+|csk-[a-z0-9]{32,}+"),
    Rule("SendGrid", r"SG\.[\w-]{16,}+\.[\w-]{16,}+"),
    Rule("Resend", r"re_[A-Za-z0-9]{8}_\w{20,}+"),
    Rule("Brevo", r"xkeysib-[\w-]{40,}+"),
    Rule("Mailgun", r"key-[0-9a-f]{32}"),
    Rule("Mailchimp", r"[0-9a-f]{32}-us[0-9]{1,2}(?![0-9])"),
    Rule("Twilio", r"SK[0-9a-f]{32}"),
    Rule("DigitalOcean", r"do[opr]_v1_\w{32,}+"),
    Rule("Heroku", r"HRKU-[\w-]{20,}+"),
    Rule("Shopify", r"shp(?:at|ca|pa|ss)_\w{16,}+"),
    Rule("Square", r"sq0[a-z]{3}-[\w-]{20,}+"),
    Rule("Notion", r"ntn_\w{20,}+|secret_\w{40,}+"),
    Rule("Airtable", r"pat[A-Za-z0-9]{14}\.[0-9a-f]{32,}+"),
    Rule("Dropbox", r"sl\.(?:u\.)?[\w-]{60,}+"),
    Rule("Linear", r"lin_(?:api|oauth)_\w{20,}+"),
    Rule("Figma", r"fig[du]_[\w-]{20,}+"),
    Rule("Postman", r"PMAK-[\w-]{20,}+"),
    Rule("HashiCorp Vault", r"hv[sbr]\.[\w-]{16,}+"),
    Rule("Terraform Cloud", r"[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,}+"),
    Rule("Pulumi", r"pul-[0-9a-f]{40}"),
    Rule("Fly.io", r"fm[12][ar]?_[\w+/=,]{40,}+"),
    Rule("PlanetScale", r"pscale_(?:tkn|pw|oauth)_[\w.-]{20,}+"),
    Rule("Prefect", r"pn[ub]_[A-Za-z0-9]{30,}+"),
    Rule("Buildkite", r"bkua_[0-9a-f]{40}"),
    Rule("Dynatrace", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}"),
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
    Rule("Facebook, Square", r"EAA[A-Za-z0-9]{40,}+"),
    Rule("JSON web token", r"eyJ[\w-]{8,}+\.[\w-]{4,}+(?:\.[\w-]*+){0,3}"),
)

_WORD: Final = r"(?:\"[^\"]*+\"?|'[^']*+'?|[^\s\"']\S*+)"  # of a command line
_SAME_COMMAND: Final = r"[^|;&\n]{0,200}?"
_BASE64_LINE: Final = r"[A-Za-z0-9+/]{60,76}(?:[\r\n]\s{0,12}|\\+n)"

RULES: Final = (
    # Known by what stands around them.
    Rule(
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,60}-----|\Z)",
        ("private key",),
    ),
    Rule(
        "lines of a key",
        r"(?<![\w+/=])(?=[a-z0-9+/]{0,75}[A-Z])"
        rf"(?:{_BASE64_LINE})+"
        r"(?:[A-Za-z0-9+/]{1,76}={0,2})?(?![\w+/=])",
        ("\n", "\\n"),
    ),
    Rule("private part of a JSON web key", r"(?P<before>\"d\\*\"\s?:\s?\\*\")[\w-]{32,}+", ('kty\\"', 'kty"')),
    Rule(
        "password in a URL",
        r"(?P<before>://[^\s/:@\"'<>]{0,256}+:)(?![0-9]{1,5}(?:[/?#]|\Z))[^\s\"'<>]{1,256}(?P<after>@)",
        ("://",),
    ),
    Rule("token in a URL", r"(?P<before>://)[^\s/:@?#\"'<>]{20,}+(?P<after>@)", ("://",)),
    Rule(
        "signature in a URL",
        r"(?P<before>[?&](?i:sig|signature|key|code)=)[^\s&\"'#]{16,}+",
        ("sig=", "signature=", "key=", "code="),
    ),
    Rule(
        "webhook",
        r"(?P<before>hooks\.slack\.com/\w{1,20}/|/api/webhooks/|webhook\.office\.com/\w{1,20}/)[\w/@.-]++",
        ("hooks.slack.com/", "/api/webhooks/", "webhook.office.com/"),
    ),
    Rule(
        "credentials of a request",
        r"(?P<before>\b(?i:bearer|basic|digest|negotiate)\s{1,4})(?=[^\s\"']*[0-9=_])[\w.~+/=-]{8,}+",
        ("bearer", "basic", "digest", "negotiate"),
    ),
    Rule(
        "user and password of curl",
        r"(?P<before>(?:^|(?<!sort)\s)(?:-[uU]|--user|--proxy-user)[\s=]{0,4}[\"']?[^\s:\"'-][^\s:\"']{0,63}:)"
        r"(?![0-9]+\b)[^\s\"']++",
        ("-u", "--proxy-user"),
    ),
    Rule(
        "cookie of curl",
        rf"(?P<before>\bcurl\b{_SAME_COMMAND}\s-b\s{{0,4}})"
        r"(?:\"[^\"=]{0,200}=[^\"]*+\"?|'[^'=]{0,200}=[^']*+'?|[^\s\"'=]{1,200}=\S++)",
        ("curl",),
    ),
    Rule("user and password of HTTPie", r"(?P<before>\s-a\s{1,4}[^\s:\"']{1,64}:)[^\s\"']++", (" -a ",)),
    Rule("user and password of Samba", r"(?P<before>\s-U\s{0,4}[\"']?[^\s%\"']{1,64}%)[^\s\"']++", (" -u",)),
    Rule("password of net use", r"(?P<before>/user:\S{1,100}\s{1,4})" + _WORD, ("net use",)),
    Rule(
        "password option -p",
        r"(?P<before>\b(?:sshpass|login|mongo\w{0,10}|twine|useradd|usermod|cqlsh|7za?)\b"
        + _SAME_COMMAND
        + r"\s-p\s{0,4})"
        + _WORD,
        ("sshpass", "login", "mongo", "twine", "useradd", "usermod", "cqlsh", "7z"),
    ),
    Rule(
        "password option -P",
        rf"(?P<before>\b(?:sqlcmd|zip|mosquitto_\w{{3}}|ssh-keygen){_SAME_COMMAND}\s-[PN]\s{{0,4}})" + _WORD,
        ("sqlcmd", "zip", "mosquitto", "ssh-keygen"),
    ),
    Rule(
        "password of redis-cli",
        rf"(?P<before>\bredis-cli\b{_SAME_COMMAND}\s-a\s{{1,4}})" + _WORD,
        ("redis-cli",),
    ),
    Rule(
        "password in Redis' settings",
        r"(?P<before>\b(?:requirepass|masterauth)\s{1,4})\S++",
        ("requirepass", "masterauth"),
    ),
    Rule(
        "password of mysql",
        rf"(?P<before>\b(?:mysql|mysqldump|mysqladmin|mariadb)\b{_SAME_COMMAND}\s-p)" + _WORD,
        ("mysql", "mariadb"),
    ),
    Rule("password of LDAP", rf"(?P<before>\bldap\w{{1,20}}\b{_SAME_COMMAND}\s-w\s{{0,4}})" + _WORD, ("ldap",)),
    Rule(
        "password of htpasswd",
        r"(?P<before>\bhtpasswd\s{1,4}-\w{0,8}b\w{0,8}\s{1,4}\S{1,200}\s{1,4}\S{1,64}\s{1,4})" + _WORD,
        ("htpasswd",),
    ),
    Rule("key of openssl", rf"(?P<before>\bopenssl\b{_SAME_COMMAND}\s-[kK]\s{{1,4}})" + _WORD, ("openssl",)),
    Rule(
        "password for a program that reads it",
        r"(?P<before>\b(?:echo|printf)\s{1,4}(?:-\w\s{1,4})?(?:[\"']?[\w.-]{1,64}:(?=[^|\n]{1,200}chpasswd))?)[^|\n]{1,200}?"
        r"(?P<after>\s{0,4}\|\s{0,4}(?:sudo\s{1,4}(?:-\w{1,8}\s{1,4}){0,3}-\w{0,8}S|(?:sudo\s{1,4})?chpasswd))",
        ("sudo", "chpasswd"),
    ),
    Rule(
        "hashed password",
        r"\$(?:[1256y]|2[abxy]|apr1|argon2\w{1,2})\$[\w./$=,+-]{16,}+",
        ("$1$", "$2a$", "$2b$", "$2x$", "$2y$", "$5$", "$6$", "$y$", "$apr1$", "$argon2"),
    ),
    Rule(
        "literal of kubectl",
        r"(?P<before>--from-literal[=\s][\"']?[^\s=]{1,128}=)(?:(?<=[\"'])" + _WORD + "|" + _WORD + ")",
        ("--from-literal",),
    ),
    Rule(
        "data of a Kubernetes secret",
        r"(?P<before>\b(?:data|stringData):[ \t]{0,4}\r?\n[ \t]{1,12})\S[^\n]*+(?:\n[ \t]++[^\n]++)*+",
        ("kind: secret",),
    ),
    Rule(
        "value of a secret that is made",
        rf"(?P<before>\bsecret\s{{1,4}}set\b{_SAME_COMMAND}\s(?:-b|--body)[=\s]{{0,4}})" + _WORD,
        ("secret set",),
    ),
    Rule(
        "secure string",
        r"(?P<before>(?i:--value[=\s]{1,4}|ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?))" + _WORD,
        ("securestring",),
    ),
    Rule(
        "vault of Ansible",
        r"(?P<before>\$ANSIBLE_VAULT;[\w.;-]{1,60}\s{1,24})[0-9a-f]++(?:\s{1,24}[0-9a-f]{16,}+)*+",
        ("$ansible_vault",),
    ),
    Rule(
        "password in SQL",
        r"(?P<before>\b(?i:password|identified\s{1,4}by)\s{1,4}')[^']++",
        ("password '", "identified by"),
    ),
    Rule(
        "entry of pgpass",
        r"(?P<before>(?<![\w.:-])[\w.*-]{1,128}:(?:[0-9]{2,5}|\*):[\w*-]{1,64}:[\w*-]{1,64}:)[^\s\"':]++",
        (":5432:", ":*:", "pgpass"),
    ),
    Rule("netrc", r"(?P<before>\blogin\s{1,4}\S{1,64}\s{1,4}password\s{1,4})\S++", ("password",)),
    Rule(
        "key that is named before it",
        r"(?P<before>(?i:(?:access|secret|api|private)_key|(?:auth|access|session)_token)\s{1,4}[\"']?)"
        r"[\w/+=-]{16,}+",
        ("_key", "_token"),
    ),
    Rule(
        "password in a sentence",
        r"(?P<before>\b(?i:password|passphrase|passcode|api[ _-]?key|token|secret)\s{1,4}"
        r"(?i:is|was|=|to)\s{1,4}[\"'`]?)"
        r"(?=[^\s]{0,100}[0-9])[^\s\"'`,;]{6,}+",
        ("password ", "passphrase ", "passcode ", "key ", "token ", "secret "),
    ),
    Rule(
        "password right after the word",
        r"(?P<before>\b(?i:password|passphrase|passcode|api[ _-]?key|token)\s{1,4}[\"'`]?)"
        r"(?=[\w!@#$%^&*+=-]{0,100}[0-9])(?=[\w!@#$%^&*+=-]{0,100}[A-Za-z])[\w!@#$%^&*+=-]{10,}+",
        ("password ", "passphrase ", "passcode ", "key ", "token "),
    ),
)  # fmt: skip
