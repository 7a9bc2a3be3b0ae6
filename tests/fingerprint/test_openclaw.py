"""What OpenClaw 2026.9 takes for the same; its own answers, by pair, are in the conformance tests."""

import json

import msgspec
import pytest
from support.labelled import OPENCLAW, load_pairs

from guardd.fingerprint import Arguments, Fingerprinter
from guardd.fingerprint.openclaw import failure_form, is_unchanged_write, shape, without_nonces

FORMS = load_pairs("forms", OPENCLAW)
ONE, OTHER, NONE = "0123456789abcdef", "fedcba9876543210", "0" * 16
MARK = "EXTERNAL_UNTRUSTED_CONTENT"


def wrapped(nonce: str, content: str = "page") -> str:
    return f'<<<{MARK} id="{nonce}">>>\n{content}\n<<<END_{MARK} id="{nonce}">>>'


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form["input"])
def test_what_commands_that_fail_alike_print(form):
    long_s = form["input"] == "in 5\u017f"  # the release reads it as an s
    assert shape(form["input"]) == (form["input"] if long_s else form["normal"])


@pytest.mark.parametrize("levels", range(4))
def test_a_nonce_is_found_however_often_it_is_escaped(levels):
    texts = [wrapped(ONE, 'a "quoted" \\ é'), wrapped(OTHER, 'a "quoted" \\ é')]
    for _ in range(levels):
        texts = [json.dumps({"text": text, "more": [text]}) for text in texts]
    assert texts[0] != texts[1]
    one, other = (without_nonces(text.encode()) for text in texts)
    assert one == other == texts[0].replace(ONE, NONE).encode()


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        (f"no nonce: {OTHER}", True),
        (f"begins again: <<<{MARK}", False),
        (f"ends early: <<<END_{MARK}", False),
        ("page", True),
    ],
)
def test_only_the_nonces_of_the_markers_go(content, kept):
    found = without_nonces(wrapped(ONE, content).encode()).decode()
    assert found == wrapped(NONE if kept else ONE, content)


def test_of_wrappers_in_each_other_only_the_inner_is_complete():
    text = wrapped(ONE, wrapped(OTHER))
    assert without_nonces(text.encode()).decode() == wrapped(ONE, wrapped(NONE))


def test_a_wrapper_does_not_reach_from_one_string_into_another():
    begin, end = wrapped(ONE, "|").split("|")
    apart = json.dumps([begin, end]).encode()
    assert without_nonces(apart) == apart


def test_what_holds_no_wrapper_stays_itself():
    data = b"a page"
    assert without_nonces(data) is data


@pytest.mark.parametrize(
    ("tool", "result", "is_unchanged"),
    [
        ("write", {"details": {"changed": False, "more": 1}, "content": []}, True),
        ("write", {"details": {"changed": True}}, False),
        ("write", {"details": {"changed": 0}}, False),
        ("write", {"details": {}}, False),
        ("write", {"details": None}, False),
        ("write", {"changed": False}, False),
        ("write", "unchanged", False),
        ("edit", {"details": {"changed": False}}, False),
    ],
)
def test_a_write_that_changes_nothing(tool, result, is_unchanged):
    assert is_unchanged_write(tool, result) is is_unchanged


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        (["exec", "failed", 1, False, "no after 5s"], ["exec", "failed", 1, False, "no after #"]),
        (["exec", "completed", -1.5, False, "no"], ["exec", "completed", -1.5, False, "no"]),
        (["exec", "completed", 0, False, "no"], None),
        (["exec", "completed", None, False, "no"], None),
        (["exec", "completed", 1, True, "no"], None),
        (["exec", "completed", 1, False, ""], None),
        (["exec", "completed", 2, False, "(Command exited with code 2)"], None),
        (
            ["exec", "completed", 1, False, "(Command exited with code 2)"],
            ["exec", "completed", 1, False, "(Command exited with code 2)"],
        ),
        (["exec", "completed", 1, False, {"not": "text"}], None),
        (["exec", "running", "no"], None),
        (["object", [], {}, {}], None),
        ("exec", None),
    ],
)
def test_which_commands_failed(form, expected):
    assert failure_form(form) == expected


def test_nothing_of_it_is_made_without_the_profile():
    result = {"content": [], "details": {"status": "failed", "exitCode": 1, "aggregated": "no after 5s"}}
    plain, following = (
        Fingerprinter(b"key", follows_openclaw=follows).outcome(
            "exec", Arguments.parse(None), json.dumps(result).encode(), None
        )
        for follows in (False, True)
    )
    assert plain.failure is None
    assert msgspec.structs.replace(following, failure=None) == plain


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "unit",
    [
        f'<<<{MARK} id="{ONE}">>>',
        wrapped(ONE),
        f"<<<{MARK} id=" + "\\" * 50,
        f'<<<{MARK} id=\\"{ONE}\\">>>' + '\\"' * 50,
        "attempt \u3000",
        "attempt #:=",
        "1.1s ",
        "12:34:56.",
        "2026-03-01 10:20:30",
        "9",
        "pid pid",
        "\\",
    ],
)
def test_a_megabyte_is_read_in_linear_time(unit):
    """Otherwise it would take minutes, and the test would be ended."""
    text = unit * (1_000_000 // len(unit))
    shape(text)
    without_nonces(text.encode())
