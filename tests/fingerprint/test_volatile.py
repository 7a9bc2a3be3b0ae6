import json
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardd.fingerprint.volatile import KINDS, mask_value, mask_volatile

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "masking.jsonl").read_text().splitlines()
]


def wrapped(nonce: str, end: str = "") -> str:
    mark = "EXTERNAL_UNTRUSTED_CONTENT"
    return f'<<<{mark} id="{nonce}">>>\nSource: web\n<<<END_{mark} id="{end or nonce}">>>'


UUID = "123e4567-e89b-12d3-a456-426614174000"

SAME = [
    # what test runners, builds and package managers print
    ("==== 12 passed in 1.23s ====", "==== 12 passed in 0.9s ===="),
    ("10 passed in 65.10s (0:01:05)", "10 passed in 59.02s (0:00:59)"),
    ("10 passed in 59.2s", "10 passed in 1m 2s"),
    ("added 12 packages in 3s", "added 12 packages in 812ms"),
    ("Finished dev [unoptimized] target(s) in 0.45s", "Finished dev [unoptimized] target(s) in 1m 04s"),
    ("Time:        1.234 s, estimated 2 s", "Time:        3.1 s, estimated 3 s"),
    ("real\t0m1.234s\nuser\t0m0.5s", "real\t1m2.001s\nuser\t0m0.7s"),
    ("Total time:  4.12 secs", "Total time:  1.2 sec"),
    ("test (5ms)", "test (12ms)"),
    ("GET /a [5ms]", "GET /a [12.7ms]"),
    ("a;5s;", "a;6s;"),
    ("1,234 ms", "22,999 ms"),
    ("1e-05s", "3.2e-05s"),
    ("took 3 microseconds", "took 44 microseconds"),
    ("3\u03bcs 5\u00b5s", "4\u03bcs 7\u00b5s"),
    ("123 ns/op", "98.7 ns/op"),
    ("64 bytes: time=0.045 ms", "64 bytes: time=12 ms"),
    ("retry after 5 seconds", "retry after 31 seconds"),
    ("Please try again in 6m0s.", "Please try again in 59.9s."),
    ("web 0/1 Pending 0 5m12s", "web 0/1 Pending 0 48s"),
    ("Up 2 minutes", "Up 11 minutes"),
    ("1h2m3s", "1h5m9s"),
    ("waited 1 min.", "waited 9 mins."),
    # dates and times
    ("2026-06-17 10:00:01,123 INFO up", "2026-06-18 00:00:59,007 INFO up"),
    ("[2026-06-17T10:00:01.123456Z] x", "[2026-06-17T23:59:60Z] x"),
    ("2026-06-17T10:00 x", "2026-06-17T11:30 x"),
    ("date: 2026-06-17 10:00:01 +0200", "date: 2026-06-19 12:00:01 +0200"),
    ("2026/06/17 10:00:01 listen failed", "2026/06/17 10:07:01 listen failed"),
    ("20260617T100001Z.log", "20260618T110001Z.log"),
    ("_logs/2026-06-17T10_00_01_123Z-debug-0.log", "_logs/2026-06-17T11_59_01_003Z-debug-0.log"),
    ("out_2026-06-17T10-00-01.txt", "out_2026-06-17T10-09-21.txt"),
    ("Date: Wed, 17 Jun 2026 10:00:01 GMT", "Date: Thu, 18 Jun 2026 11:00:01 GMT"),
    ("Date:   Wed Jun 17 10:00:01 2026 +0200", "Date:   Sat Jun 20 12:10:01 2026 +0200"),
    ("Wed Jun 17 10:00:01 AM CEST 2026", "Wed Jun 17 11:30:01 PM CEST 2026"),
    ("Wed Jun 17 2026 10:00:01 GMT+0200", "Fri Jul 03 2026 10:00:01 GMT+0200"),
    ("Jun 17 10:00:01 host app: x", "Jul  3 09:10:11 host app: x"),
    ("[17/Jun/2026:10:00:01 +0000] x", "[18/Jun/2026:10:20:01 +0000] x"),
    ("[17-Jun-2026 10:00:01 UTC] PHP", "[18-Jun-2026 10:20:01 UTC] PHP"),
    ("[10:00:01] start", "[23:59:59] start"),
    ("10:00:01.123 start", "10:00:02.9 start"),
    ("at 10:00:01 PM", "at 9:30:01 AM"),
    ("10:00:01-10:00:05", "11:00:01-11:00:09"),
    # numbers of processes, addresses, ids
    ("Command still running (session x, pid 4242)", "Command still running (session x, pid 17)"),
    ("PID=12 PPID: 3", "PID=99 PPID: 77"),
    ('{"pid": 12}', '{"pid":  9}'.replace("  ", " ")),
    ("kill pid 12.", "kill pid 9."),
    ("worker_pid:12", "worker_pid:13"),
    ("Process 4711 exited", "Process 12 exited"),
    ("process id 12", "process id 13"),
    ("<Foo object at 0x7f3c2a1b4d90>", "<Foo object at 0x7f0000abcd10>"),
    ("pc=0x45D2A1", "pc=0x45d2FF"),
    (f"req_{UUID}", f"req_{UUID.replace('1', '2').upper()}"),
    (f"urn:uuid:{UUID}.", f"urn:uuid:{UUID[::-1][:8]}{UUID[8:]}."),
    # the shell
    ("/bin/bash: line 3: x: command not found", "/bin/bash: line 19: x: command not found"),
    ("-bash: line 3: x", "-bash: line 4: x"),
    ("sh: line 3: x", "sh: line 33: x"),
    # ANSI
    ("\x1b[31mred\x1b[0m", "red"),
    ("\x1b[38;5;12mred\x1b[m", "\x1b[1;31mred"),
    ("\x1b]0;title\x07text", "\x1b]0;other\x1b\\text"),
    ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
    ("\x1b[?25l\x1b[2K\x1b[1Gx\x1b(B\x1b7", "x"),
    ("\x1b[1m5.2\x1b[0m s", "\x1b[1m12\x1b[0m s"),
    ("a\x1b", "a"),
    (wrapped("0123456789abcdef"), wrapped("fedcba9876543210")),
]

DIFFERENT = [
    # counts, versions, ports, sizes, codes
    ("12 passed in 1.23s", "13 passed in 1.23s"),
    ("344", "345"),
    ("v1.2.3", "v1.2.4"),
    ("1.2.3s", "1.2.4s"),
    ("10.0.0.5", "10.0.0.6"),
    ("10.0.0.5:8080", "10.0.0.5:8081"),
    ("12 MB", "13 MB"),
    ("12M", "13M"),
    ("12kB/s", "13kB/s"),
    ("50%", "51%"),
    ("exit code 1", "exit code 2"),
    ("errno 5", "errno 6"),
    ("HTTP 404", "HTTP 500"),
    ("1718618401 epoch", "1718618402 epoch"),
    ("5 metres", "6 metres"),
    ("5 m", "6 m"),
    ("5 samples", "6 samples"),
    ("5 minor", "6 minor"),
    ("5 more", "6 more"),
    ("5 sections", "6 sections"),
    ("7 us-east", "8 us-east2"),
    ("x12s", "x13s"),
    ("1s_total", "2s_total"),
    (r'"\x1b[1m"', r'"\x1b[2m"'),
    ("`[38;5;1m`", "`[38;5;2m`"),
    # hours and days stay
    ("2 hours ago", "3 hours ago"),
    ("2h", "3h"),
    ("1h2m", "2h2m"),
    ("4d", "5d"),
    # lines and columns
    ("  10:15  error  x", "  11:15  error  x"),
    ("a.py:12:34: E501", "a.py:13:34: E501"),
    ("a.ts:12:34:56", "a.ts:12:34:57"),
    ("line 12: x", "line 13: x"),
    ("./run.sh: line 12: x", "./run.sh: line 13: x"),
    ("run.bash: line 12: x", "run.bash: line 13: x"),
    ('File "a.py", line 12, in f', 'File "a.py", line 13, in f'),
    # not quite a date or a time
    ("2026-06-17", "2026-06-18"),
    ("2026-13-17 10:00:01x", "2026-14-17 10:00:01x"),
    ("-rw-r--r-- 1 u u 5 Jun 17 10:00 a", "-rw-r--r-- 1 u u 5 Jun 17 10:01 a"),
    ("ratio 3:14", "ratio 3:15"),
    ("10:61:01", "10:62:01"),
    ("00:1a:2b:3c:4d:5e", "00:1a:2b:3c:4d:5f"),
    ("10:20:30:40:50:60", "10:20:30:40:50:61"),
    ("fe80::10:20:30", "fe80::10:20:31"),
    ("10:00:01 ERROR x", "10:00:01 WARN x"),
    ("10:00:01 200 OK", "10:00:01 404 OK"),
    ("Jun 17 10:00:01 2048 bytes", "Jun 17 10:00:01 2050 bytes"),
    ("10:00:01,123,45", "10:00:01,124,45"),
    ("2026-06-17 10:00:01,345\n", "2026-06-17 10:00:01,346\n"),
    ("2026-06-17T10:00:01Z 5", "2026-06-17T10:00:01Z 6"),
    # hexadecimal
    ("commit 3f2a91c8", "commit 3f2a91c9"),
    ("sha256:" + "a" * 64, "sha256:" + "a" * 63 + "b"),
    ("byte 0x41", "byte 0x42"),
    ("0xzz12", "0xzz13"),
    (f"a{UUID}", f"b{UUID}"),
    (UUID + "0", UUID + "1"),
    # not a number of a process
    ("rapid 5", "rapid 6"),
    ("processes 5", "processes 6"),
    ("subprocess 5", "subprocess 6"),
    ("process 1.5", "process 1.6"),
    ("Processing 5 files", "Processing 6 files"),
    # other words, and the number of parts
    ("5 ms up", "5 ms down"),
    ("1s 2s 3s", "1s 2s"),
    ("pid 1", "process 1"),
    (UUID, "5 ms"),
    ("\x1b[31ma", "\x1b[31mb"),
    (
        '<<<EXTERNAL_UNTRUSTED_CONTENT id="0123456789abcdef">>>a',
        '<<<EXTERNAL_UNTRUSTED_CONTENT id="0123456789abcdef">>>b',
    ),
    (wrapped("0123456789abcdef", "0000000000000000"), wrapped("0123456789abcdef", "1111111111111111")),
    ('id="0123456789abcdef"', 'id="0123456789abcdee"'),
]

PIECES = st.sampled_from(
    ["2026-06-17", "T", "10:00", ":01", "Z", "+02:00", ".123", "Mon ", "Jun 17 ", "2026", "5", "12", "ms", "s", "m",
     "h", "0x", "deadbeef", "pid ", "process: ", "bash: line ", ":", UUID, "\x1b", "[31m", "[", "]0;", "\x07", " ", ",",
     "-", "_", ".", "\n", "e5", "\ufdd0", "x", "{", '"pid": ']
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=14).map("".join) | st.text(max_size=40)


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["name"] for pair in PAIRS])
def test_labelled_pairs(pair: dict[str, object]):
    assert (mask_volatile(str(pair["a"])) == mask_volatile(str(pair["b"]))) == pair["same"]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_what_differs_by_itself_is_masked(one: str, other: str):
    assert mask_volatile(one) == mask_volatile(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_differences_stay(one: str, other: str):
    assert mask_volatile(one) != mask_volatile(other)


@given(TEXTS)
def test_masking_twice_is_masking_once(text: str):
    once = mask_volatile(text)
    assert mask_volatile(once) == once


@given(TEXTS, st.integers(0, 10**12), st.integers(0, 10**12), TEXTS)
def test_a_bare_number_always_tells_texts_apart(before: str, one: int, other: int, after: str):
    before = re.sub(r"[\ufdd0-\ufdd7\x1b]", "", before)
    masked = [mask_volatile(f"{before} | {number} items | {after}") for number in (one, other)]
    assert (masked[0] == masked[1]) == (one == other)


@given(st.text(alphabet="abc xyz,.:-/\n", max_size=60))
def test_a_text_without_digits_stays_itself(text: str):
    assert mask_volatile(text) is text


@pytest.mark.parametrize(
    "text", ["5 more", "1:23", wrapped("0123456789abcdef").partition("\n")[2], "0x12", "process 1.5"]
)
def test_a_text_with_nothing_to_mask_stays_itself(text: str):
    assert mask_volatile(text) is text


def test_a_kind_is_found_wherever_its_pattern_is():
    """No hint may hide what the pattern of its kind would have found."""
    for one, other in SAME:
        for text in (one, other):
            bare = re.sub(r"\x1b.*", "", text)
            shape = re.sub("[0-9]", "0", bare).encode()
            for hints, pattern, _ in KINDS:
                if pattern.search(bare):
                    assert any(hint in shape for hint in hints), (bare, hints)


@pytest.mark.parametrize(
    "unit",
    ["1", "1.", "1,", "1,111", "1s ", "1s", "1m1", "1e5", "0x", "deadbeef-", "1234-", UUID[:9], "10:", ":10",
     "10:00:01", "Mon ", "Mon Jun ", "Jun 17 ", "2026-06-17T", "20260617", "pid ", "pid 1", "bash: line ", "\x1b",
     "\x1b]", "\x1b[1", "\x1bP", " ", "process", '<<<EXTERNAL_UNTRUSTED_CONTENT id="0123456789abcdef">>>'],
)  # fmt: skip
def test_time_is_linear(unit: str):
    """Quadratic time would be longer than a test may take."""
    mask_volatile(
        unit * (1_000_000 // len(unit)) + "\x1b 10:00:01 5s pid 1 0x1 Mon sh: line 1: 0000 00:00:00 2T10"
    )


def test_strings_of_a_value_are_masked_at_every_depth():
    value = {"took 5 ms": ["in 5 ms", 5, {"a": [["5 ms"]], "b": None}], "c": True, "d": msgspec.Raw(b"1e99")}
    original = msgspec.json.encode(value)
    masked = mask_value(value)
    mark = mask_volatile("5 ms")
    assert masked == {"took 5 ms": [f"in {mark}", 5, {"a": [[mark]], "b": None}], "c": True, "d": value["d"]}
    assert msgspec.json.encode(value) == original
    assert mask_value("5 ms") == mark


@pytest.mark.parametrize("value", [None, 5, True, "text", [], {}, {"a": ["text", {"5 ms": 5}]}])
def test_a_value_with_nothing_to_mask_stays_itself(value: object):
    assert mask_value(value) is value


def test_depth_does_not_matter():
    value: object = "5 ms"
    for _ in range(100_000):
        value = [value]
    masked = mask_value(value)
    for _ in range(100_000):
        assert isinstance(masked, list)
        masked = masked[0]
    assert masked == mask_volatile("5 ms")


def test_lone_surrogates_are_no_obstacle():
    assert mask_volatile("\ud800 5 ms") == mask_volatile("\ud800 6 ms") != mask_volatile("\ud801 5 ms")
