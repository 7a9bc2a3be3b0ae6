import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.secret_corpus import Sample, look_alikes, samples

from guardd.fingerprint.redaction import MASK, is_secret, mask_text, masked_value
from guardd.fingerprint.secret_looks import RULES, TOKENS, Rule
from guardd.fingerprint.secret_names import PARTS, Secrecy, secrecy

LETTERS = "Zx8Kq2Lm9Vt4Rw7Np3Bs6Hd1Jf5Gc0Ya" * 4
HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f0" * 4

# Put together here, so that no scanner of repositories takes them for real ones.
PREFIXED = {
    "sk-": 48,
    "sk-proj-": 60,
    "sk-ant-api03-": 80,
    "sk-or-v1-": 60,
    "sk_live_": 24,
    "rk_test_": 24,
    "whsec_": 32,
    "ghp_": 36,
    "gho_": 36,
    "ghs_": 36,
    "github_pat_": 60,
    "glpat-": 20,
    "gldt-": 20,
    "xoxb-": 40,
    "xoxp-": 40,
    "xoxe.xoxp-1-": 40,
    "xapp-1-": 40,
    "AIza": 35,
    "GOCSPX-": 28,
    "ya29.": 60,
    "1//0": 40,
    "npm_": 36,
    "pypi-AgEI": 60,
    "dckr_pat_": 27,
    "hf_": 34,
    "r8_": 37,
    "gsk_": 52,
    "nvapi-": 60,
    "xai-": 60,
    "pplx-": 48,
    "tvly-": 32,
    "shppa_": 32,
    "sq0csp-": 43,
    "ntn_": 43,
    "secret_": 43,
    "lin_api_": 40,
    "figd_": 40,
    "PMAK-": 59,
    "hvs.": 24,
    "dp.st.": 40,
    "tskey-auth-": 30,
    "AGE-SECRET-KEY-1": 58,
    "sntrys_": 60,
    "glsa_": 41,
    "NRAK-": 27,
    "phx_": 43,
    "sbp_": 40,
    "ATATT3": 60,
    "110201543:AA": 33,
    "EAA": 60,
    "rubygems_": 48,
    "cio": 32,
}
BUILT = {
    "AWS key": "AKIA" + "IOSFODNN7EXAMPLE",
    "AWS session key": "ASIA" + "IOSFODNN7EXAMPLE",
    "SendGrid": f"SG.{LETTERS[:22]}.{LETTERS[:43]}",
    "Mailgun": "key-" + HEX[:32],
    "Twilio": "SK" + HEX[:32],
    "DigitalOcean": "dop_v1_" + HEX[:64],
    "Databricks": "dapi" + HEX[:32],
    "Discord": f"M{LETTERS[:23]}.{LETTERS[:6]}.{LETTERS[:27]}",
    "JWT": f"eyJ{LETTERS[:20]}.eyJ{LETTERS[:40]}.{LETTERS[:43]}",
    "JWT without signature": f"eyJ{LETTERS[:20]}.eyJ{LETTERS[:40]}.",
}
TOKEN_TEXTS = {**{prefix: prefix + LETTERS[:length] for prefix, length in PREFIXED.items()}, **BUILT}

SECRET = "hunter2Secret"  # noqa: S105 -- this is what must not be seen
AROUND = [
    "password=@",
    "password = '@'",
    'PASSWORD: "@"',
    "DB_PASSWORD=@ make",
    "export API_KEY=@",
    "OPENAI_API_KEY='@' python x.py",
    "PGPASSWORD=@ psql",
    "aws_secret_access_key = @",
    "aws configure set aws_secret_access_key @4567",
    "AccountName=a;AccountKey=@==;EndpointSuffix=x",
    "{'accessToken': '@'}",
    '{"client_secret":"@"}',
    '{\\"password\\":\\"@\\"}',
    '{"password": "a\\"@"}',
    'config["token"] = "@"',
    "password => '@'",
    "token := `@`",
    "secret:\n  @",
    "--password @",
    "--password=@",
    '--token "@ and more"',
    "--api-key @",
    "-Dspring.datasource.password=@",
    "mysql -u root -p@ db",
    "mysqldump --single-transaction -u root -p'@' db",
    "sshpass -p @ ssh host",
    "sshpass -p '@ x' ssh host",
    "redis-cli -h x -a @ ping",
    "curl -u bob:@ https://x",
    "curl --user 'bob:@' https://x",
    "curl --proxy-user bob:@ x",
    "machine x login bob password @",
    "openssl -passin pass:@",
    "Authorization: Bearer @",
    "Authorization: Basic @==",
    "Authorization: @ with spaces @",
    "authorization=Token @",
    "curl -H 'Authorization: token @' https://x",
    'curl -H "X-Api-Key: @" https://x',
    "Proxy-Authorization: @",
    "Cookie: a=b; sid=@",
    "Set-Cookie: sid=@; Path=/",
    """curl -H 'Cookie: a="@"; b=@' https://x""",
    "curl --cookie 'sid=@' https://x",
    "fetch with bearer @",
    "https://bob:@@host/path",
    "postgres://bob:@:x@host:5432/db",
    "redis://:@@host",
    "git clone https://@123456789@host/x.git",
    "https://x/?a=1&token=@&b=2",
    "https://x/?access_token=@",
    "https://x/?sig=@1234567",
    "https://x/?X-Amz-Signature=@",
    "https://x/?key=@1234567",
    "https://hooks.slack.com/services/T0/B0/@",
    "https://discord.com/api/webhooks/123/@",
    "-----BEGIN RSA PRIVATE KEY-----\nMII@\n-----END RSA PRIVATE KEY-----",
    "-----BEGIN OPENSSH PRIVATE KEY-----\\nb3@\\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMII@",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n@\n-----END PGP PRIVATE KEY BLOCK-----",
    "passphrase: @",
    "passwd=@;pwd=@",
    "newPassword=@&passwordConfirmation=@",
]

_NAMES = (
    "private",
    "client",
    "api",
    "phrase",
    "password",
    "passwd",
    "passphrase",
    "access",
    "mfa",
    "totp",
    "cookie",
)
HARMLESS = [
    "make -j4 all",
    "sk-learn pipelines and sk-button-primary-large-outline",
    "task-force-1234567890123456",
    "desk-1234567890abcdef1234",
    "AKIA is a prefix; AKIAtta is a game",
    "commit 3f2a91c0d4e5b6a7988776655443322110ffeedd",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "id 123e4567-e89b-12d3-a456-426614174000",
    "max_tokens=4096 and tokens: 512",
    "nextPageToken=CAoQAA page_token=abc",
    "eos_token: </s>",
    "tokenizer=bpe",
    "the secretary: Anna",
    "password reset for bob",
    "PASSWORD_FILE=/run/secrets/db",
    "docker login --password-stdin",
    "password=$DB_PASSWORD",
    'token: "${TOKEN}"',
    "token: {{ vault_token }}",
    "token=<your-token>",
    "%PASSWORD% password=%PASSWORD%",
    "password: null",
    "def login(user: str, password: str, token: None): ...",
    "public_key=abc primary key: id",
    "key=Enter keyCode: 13",
    "author: Bob, authors=3",
    "pass: 12, fail: 0",
    "PWD=/home/bob pwd: ~/x",
    "auth: basic",
    "http://localhost:8080/path?mail=a@b.c",
    "https://bob@host/x.git and git@github.com:a/b.git",
    "mail bob@example.org: hello",
    "docker run -u 1000:1000 image",
    "mysql -u root -p db",
    "mkdir -p a/b && cp -p x y",
    "-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "basic authentication and bearer authentication",
    "a cookie a day",
    "https://x/?page=2&key=short&code=12",
    "sessionId: abc, sessionKey=agent:main",
    "eyJ is how it begins",
    "hf_hub_download npm_config_cache",
    "12:34:56 and 10.0.0.1:8080",
    "sort --key 2 --token",
    "x = y == z; a: b",
    "",
]  # fmt: skip


@pytest.mark.parametrize("token", TOKEN_TEXTS.values(), ids=TOKEN_TEXTS)
def test_tokens_are_masked(token: str):
    for text in (token, f"use {token} now", f'x="{token}",', f"https://x/{token}/y", f"KEY_{token}"):
        masked = mask_text(text)
        assert LETTERS[2:12] not in masked
        assert token[8:16] not in masked
        assert MASK in masked


@pytest.mark.parametrize("around", AROUND)
def test_secrets_are_masked_by_what_stands_around_them(around: str):
    masked = mask_text(fill(around))
    assert SECRET not in masked
    assert "Secret" not in masked
    assert MASK in masked


def fill(around: str):
    """Put the secret in the place of each ``@``, but not where it ends the user's part of a URL."""
    return re.sub(r"@(?!host)", SECRET, around)


@pytest.mark.parametrize("text", HARMLESS)
def test_look_alikes_stay(text: str):
    assert mask_text(text) == text


@pytest.mark.parametrize("rule", [*TOKENS, *RULES], ids=lambda rule: rule.kind)
def test_every_rule_is_needed(rule: Rule):
    pattern = re.compile(rule.pattern, re.DOTALL)
    known = (*TOKEN_TEXTS.values(), *map(fill, AROUND), *(sample.text for sample in samples()))
    texts = [text for text in known if pattern.search(text)]
    assert texts
    assert not rule.hints or any(any(hint in text.lower() for hint in rule.hints) for text in texts)


def test_what_stands_around_stays():
    assert mask_text("mysql -u root -phunter2 db") == "mysql -u root -p*** db"
    assert mask_text("curl -H 'Cookie: a=b' https://bob:x@host/?token=y&z=1") == (
        "curl -H 'Cookie: ***' https://bob:***@host/?token=***&z=1"
    )
    assert mask_text('A_TOKEN="x y" make') == 'A_TOKEN="***" make'


@pytest.mark.parametrize(
    ("name", "level"),
    [
        ("password", Secrecy.STRONG),
        ("accessToken", Secrecy.STRONG),
        ("X-Api-Key", Secrecy.STRONG),
        ("APIKEY", Secrecy.STRONG),
        ("api_keys", Secrecy.STRONG),
        ("refresh_tokens", Secrecy.STRONG),
        ("GITHUB_TOKEN_2", Secrecy.STRONG),
        ("secretValue", Secrecy.STRONG),
        ("mfa_code", Secrecy.STRONG),
        ("credentials", Secrecy.STRONG),
        ("Set-Cookie", Secrecy.LINE),
        ("Authorization", Secrecy.LINE),
        ("pass", Secrecy.WEAK),
        ("basicAuth", Secrecy.WEAK),
        ("tokens", Secrecy.NONE),
        ("max_token", Secrecy.NONE),
        ("nextPageToken", Secrecy.NONE),
        ("author", Secrecy.NONE),
        ("key", Secrecy.NONE),
        ("sessionKey", Secrecy.NONE),
        ("idempotencyKey", Secrecy.NONE),
        ("password_file", Secrecy.NONE),
        ("compass", Secrecy.NONE),
        ("123", Secrecy.NONE),
        ("", Secrecy.NONE),
    ],
)
def test_names(name: str, level: Secrecy):
    assert secrecy(name) is level


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("password", "x", True),
        ("password", 1234, True),
        ("password", ["x"], True),
        ("password", {"a": "x"}, True),
        ("password", "", False),
        ("password", None, False),
        ("secret", True, False),
        ("password", "$PASSWORD", False),
        ("pass", 12, False),
        ("pass", "12", False),
        ("pass", "x1", True),
        ("pwd", "/home", False),
        ("auth", ["user", "x"], True),
        ("path", "x", False),
    ],
)
def test_values_of_secret_names(name: str, value: object, *, expected: bool):
    assert is_secret(name, value) is expected


@settings(deadline=None, max_examples=100)
@given(st.text(), st.sampled_from(list(TOKEN_TEXTS.values())), st.text())
def test_a_token_is_masked_in_any_surroundings(before: str, token: str, after: str):
    masked = mask_text(f"{before} {token} {after}")
    assert token[-10:] not in masked or token[-10:] in before + after


def test_a_name_that_says_something_has_one_of_the_parts():
    words = ["x", *PARTS, *_NAMES, "page", "access", "private", "verification", "seed", "amz", "value", "s"]
    for first in words:
        for second in words:
            name = f"{first}_{second}"
            assert secrecy(name) is Secrecy.NONE or any(part in name for part in PARTS), name


@pytest.mark.parametrize(
    "sample", [sample for sample in samples() if not sample.by_place], ids=lambda sample: sample.kind
)
def test_a_secret_is_masked_wherever_the_text_begins(sample: Sample):
    text = f"cd /srv/app && ls -l\n{sample.text}\n# and so on"
    assert not sample.seen_in(mask_text(text))


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.kind)
def test_a_secret_in_a_value_is_masked(sample: Sample):
    assert not sample.seen_in(json.dumps(masked_value({"a": [sample.args]})))


@pytest.mark.parametrize("kind", look_alikes())
def test_a_value_that_looks_like_a_secret_stays(kind: str):
    assert masked_value(look_alikes()[kind]) == look_alikes()[kind]


@pytest.mark.parametrize("kind", look_alikes())
def test_what_looks_like_a_secret_stays(kind: str):
    text = "\n".join(value for value in look_alikes()[kind].values() if isinstance(value, str))
    assert mask_text(text) == text


@pytest.mark.parametrize(
    "piece",
    [
        "a", "-", " ", "://a:", "://", "bearer ", "redis-cli ", "mysql ", "a.b-", 'password="\\', "Cookie: ", "eyJ",
        "-u x:", "\\", "'", "sk-", "-----BEGIN PRIVATE KEY", "login x ", "--a", "a=", "password:", "?key=", "0:AA", "M",
        '\\"a\\":', "gh", "SG.a", "=", "tool ",
        "curl ", "curl -b '", "openssl ", "zip ", "login ", "echo a", "echo a|", "htpasswd -b a ", "--from-literal=",
        "kind: secret\ndata:\n a\n", "$6$", "$ANSIBLE_VAULT;", "a:5432:", "a:5432:a:a:", "password is ", "password 1",
        "token a", "<password>", "set -x ", "config set ", "config --a ", '("token",', 'key="token" ', "password: |\n",
        "A" * 64 + "\n", "a" * 64 + "\n", "A" * 63, "0" * 31, "a" * 14 + ".", "://a:a@", '"kty" "d":"', "ldap -",
        "-U a%", "secret set ", "securestring --value ", "net use /user:", "/user:a ", "identified by ", "sl.",
    ],
)  # fmt: skip
@pytest.mark.timeout(60)
def test_no_text_takes_long(piece: str):
    mask_text(piece * (200_000 // len(piece)))  # 0.1 s, and hours for a pattern that is not linear
