import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.secret_corpus import Sample, look_alikes, samples

from guardd.fingerprint import Arguments
from guardd.fingerprint.previews import PREVIEW_LENGTH, preview
from guardd.fingerprint.redaction import MASK


def shown(value: object):
    return preview(Arguments.parse(json.dumps(value).encode()))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({}, "{}"),
        (None, "{}"),
        ([], "[]"),
        ("text", '"text"'),
        (5, "5"),
        ([1, 2.5, True, None, {}, []], "[1,2.5,true,null,{},[]]"),
        ({"path": "/a b/é", "limit": 5}, '{"path":"/a b/é","limit":5}'),
        ({"command": "make -j4"}, "make -j4"),
        ({"timeout": 5, "command": "make -j4"}, 'make -j4 {"timeout":5}'),
        ({"command": ["bash", "-lc", "make"]}, "bash -lc make"),
        ({"cmd": "ls"}, "ls"),
        ({"command": {"a": 1}}, '{"command":{"a":1}}'),
        ({"command": ""}, '{"command":""}'),
        ({"n": 10**40}, '{"n":1e40}'),
        ({"password": "hunter2", "user": "bob"}, '{"password":"***","user":"bob"}'),
        ({"headers": {"Cookie": "a=b", "Accept": "*/*"}}, '{"headers":{"Cookie":"***","Accept":"*/*"}}'),
        ({"env": [{"name": "A_TOKEN", "value": "x"}]}, '{"env":[{"name":"A_TOKEN","value":"***"}]}'),
        ({"env": [{"name": "HOME", "value": "x"}]}, '{"env":[{"name":"HOME","value":"x"}]}'),
        (["--token", "x", "--user", "bob"], '["--token *** --user bob"]'),
        (["--token=x", "bob", 5], '["--token=*** bob 5"]'),
        (["--user", "bob", None, "--token"], '["--user","bob",null,"--token"]'),
        (
            ["tool", "-p", "a b", "--password", "a b", "TOKEN=a b"],
            "[\"tool -p 'a b' --password *** TOKEN=***\"]",
        ),
        ({"command": ["docker", "login", "-p", "a b", "host"]}, "docker login -p *** host"),
        ({"command": ["bash", "-lc", "make all"]}, "bash -lc make all"),
        ({"element": "Password field", "text": "x"}, '{"element":"Password field","text":"***"}'),
        ({"selector": "#name", "value": "x"}, '{"selector":"#name","value":"x"}'),
        ({"command": ["x", "--password", "y"]}, "x --password ***"),
        ({"body": '{"password":"x"}'}, '{"body":"{\\"password\\":\\"***\\"}"}'),
        ({"password=x1": 1}, '{"password=***":1}'),
        ({"tokens": 5, "secret": True}, '{"tokens":5,"secret":true}'),
    ],
)
def test_previews(value: object, expected: str):
    assert shown(value) == expected


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: sample.kind)
def test_no_kind_of_secret_is_shown(sample: Sample):
    line = shown(sample.args)
    assert not sample.seen_in(line)
    assert MASK in line


@pytest.mark.parametrize("kind", look_alikes())
def test_what_only_looks_like_a_secret_is_shown(kind: str):
    assert MASK not in shown(look_alikes()[kind])


def test_it_is_one_safe_line():
    assert shown({"command": "a\nb\tc\x1b[31m\x00\u202e\u2028\ud800\x85"}) == (
        "a\\nb\\tc\\x1b[31m\\x00\\u202e\\u2028\\ud800\\x85"
    )
    assert shown({"a\n": "\x9b\u200f"}) == '{"a\\n":"\\x9b\\u200f"}'


def test_long_arguments_are_cut():
    for value in ({"text": "word " * 10_000}, {"command": "x" * 500}, ["a"] * 10_000, {"a" * 500: 1}):
        line = shown(value)
        assert len(line) == PREVIEW_LENGTH
        assert line.endswith("…")
    assert shown({"command": "x" * PREVIEW_LENGTH}) == "x" * PREVIEW_LENGTH


def test_deep_arguments_are_cut():
    deep: list[object] = []
    for _ in range(500):
        deep = [deep]
    assert shown(deep) == "[[[[[[[[…]]]]]]]]"
    raw = b"[" * 200_000 + b"]" * 200_000
    assert preview(Arguments.parse(raw)) == "(400006 bytes, nested too deeply to show)"


def test_secrets_are_masked_before_anything_is_cut():
    token = "ghp_" + "Zx8Kq2Lm9Vt4Rw7Np3Bs6Hd1Jf5Gc0Ya"
    for start in range(90, 130):
        assert "ghp_" not in shown({"command": "x" * start + " " + token})
    for start in range(300, 400):
        line = shown({"command": "password='" + "y" * start + "' -u bob:" + "verySecretWord" + " x"})
        assert "yy" not in line
        assert "very" not in line


def test_masks_do_not_bring_a_halved_secret_into_view():
    key = "-----BEGIN PRIVATE KEY-----" + "M" * 200 + "-----END PRIVATE KEY-----"
    for start in range(60, 140):
        line = shown({"command": key + "x" * start + " https://bob:" + "SecretWord" * 6 + "@host/"})
        assert "Secret" not in line
    many = " ".join([key] * 15)
    for start in range(3500, 4096 - len(many), 7) or [0]:
        assert "Secret" not in shown({"command": many + "z" * start + " https://bob:SecretWord@host/"})


def test_only_a_beginning_is_looked_at():
    key = "-----BEGIN PRIVATE KEY-----" + "M" * 1000 + "-----END PRIVATE KEY-----"
    assert shown([key] * 100).startswith('["***')
    assert "…" in shown([key] * 100)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(["command", "name"]), inner),
    max_leaves=20,
)


@settings(deadline=None, max_examples=200)
@given(json_values)
def test_any_arguments_give_a_short_printable_line(value: object):
    line = shown(value)
    assert line.isprintable()
    assert 0 < len(line) <= PREVIEW_LENGTH


@settings(deadline=None, max_examples=100)
@given(json_values, st.sampled_from(["password", "apiKey", "X-Auth-Token", "client_secret"]))
def test_the_value_of_a_secret_name_is_never_seen(value: object, name: str):
    assert "hunter2" not in shown(
        {"a": [{name: "hunter2"}, {name: ["hunter2", value]}], name: {"x": "hunter2"}}
    )
