import json
import math
import sys
import threading
from decimal import Decimal
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardd.fingerprint import canonical as canonical_module
from guardd.fingerprint.canonical import canonical, encode, read
from guardd.fingerprint.numerals import INLINE_DIGITS
from guardd.fingerprint.reading import MAX_DEPTH, InvalidJsonError, read_leniently

quick = settings(deadline=None, max_examples=150)


class Number(str):
    """A number as it is written."""

    __slots__ = ()


def number_identity(literal: str):
    """What makes two numbers equal: the exact value of a whole one, the double of a fraction where it is one."""
    sign, digits, power = Decimal(literal).as_tuple()
    while digits and digits[-1] == 0:
        digits, power = digits[:-1], power + 1
    if not digits:
        return 0
    double = float(literal)
    if power >= 0 or math.isinf(double) or double.is_integer():
        return (sign, digits, power)
    return double


def identity(value: object):
    """Give a hashable that is equal for equal JSON values."""
    if isinstance(value, Number):
        return ("number", number_identity(value))
    if isinstance(value, dict):
        return ("object", frozenset((key, identity(member)) for key, member in value.items()))
    if isinstance(value, list):
        return ("list", tuple(map(identity, value)))
    return (type(value).__name__, value)


def write(value: object, random: Random):
    """Write a value with random spaces, key order, duplicate keys and escapes."""

    def space() -> str:
        return random.choice(["", "", " ", "\n", "\t \r\n"])

    if isinstance(value, Number):
        return space() + value + space()
    if isinstance(value, str):
        return space() + write_string(value, random) + space()
    if isinstance(value, list):
        return (
            space() + "[" + (",".join(write(member, random) for member in value) or space()) + "]" + space()
        )
    if isinstance(value, dict):
        items = list(value.items())
        random.shuffle(items)
        members = [
            f"{space()}{write_string(key, random)}{space()}:{write(item, random)}" for key, item in items
        ]
        if items and random.random() < 0.2:
            members.insert(0, f'{write_string(items[-1][0], random)}:"overridden"')
        return space() + "{" + (",".join(members) or space()) + "}" + space()
    return space() + json.dumps(value) + space()


def write_string(text: str, random: Random):
    pieces = []
    for character in text:
        unit = ord(character)
        if unit < 0x20 or character in '"\\' or 0xD800 <= unit < 0xE000 or random.random() < 0.3:
            pieces.append(json.dumps(character)[1:-1] if random.random() < 0.5 else escape(character))
        else:
            pieces.append(character)
    return '"' + "".join(pieces) + '"'


def escape(character: str):
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02X}" for i in range(0, len(units), 2))


def integer_forms(value: object, random: Random):
    """Write a whole number in some way."""
    text = str(value)
    zeros = len(text) - len(text.rstrip("0")) if value else 0
    shift = random.randint(0, zeros)
    form = text[: len(text) - shift] + (
        f"{random.choice('eE')}{random.choice(['', '+'])}{shift}" if shift else ""
    )
    return random.choice([text, text + ".0", text + "e0", text + ".00E-0", form])


integers = st.one_of(
    st.integers(-20, 20),
    st.integers(-(2**70), 2**70),
    st.builds(lambda digit, power: digit * 10**power, st.integers(-99, 99), st.integers(15, 45)),
)
numbers = st.one_of(
    st.builds(integer_forms, integers, st.randoms(use_true_random=False)),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.from_regex(r"\A-?(0|[1-9][0-9]{0,50})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,4})?\Z"),
).map(Number)
characters = st.one_of(
    st.characters(exclude_categories=["Cs"]),
    st.sampled_from(
        ["\x00", "\x1f", "\x7f", '"', "\\", "/", "\u2028", "é", "\u0301", "\U0001f600", "\uffff"]
    ),
)
strings = st.one_of(st.text(characters, max_size=6), st.sampled_from(["__proto__", "", "a", "1", "null"]))
surrogates = st.one_of(strings, st.text(st.sampled_from(["a", "\ud800", "\udbff", "\x1f", "é"]), max_size=4))


def values(texts: st.SearchStrategy[str]):
    return st.recursive(
        st.one_of(st.none(), st.booleans(), numbers, texts),
        lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
        max_leaves=12,
    )


@quick
@given(values(surrogates), st.randoms(use_true_random=False))
def test_equal_values_are_alike_however_they_are_written(value: object, random: Random):
    assert canonical(write(value, random).encode()) == canonical(write(value, random).encode())


@quick
@given(values(strings), values(strings), st.randoms(use_true_random=False))
def test_different_values_differ(one: object, other: object, random: Random):
    same = canonical(write(one, random).encode()) == canonical(write(other, random).encode())
    assert same == (identity(one) == identity(other))


@quick
@given(numbers, numbers)
def test_numbers_are_equal_as_values(one: object, other: object):
    assert (canonical(one.encode()) == canonical(other.encode())) == (identity(one) == identity(other))


@quick
@given(values(surrogates), values(surrogates), st.randoms(use_true_random=False))
def test_different_values_with_lone_surrogates_differ(one: object, other: object, random: Random):
    same = canonical(write(one, random).encode()) == canonical(write(other, random).encode())
    assert same == (identity(one) == identity(other))


@quick
@given(values(strings), st.randoms(use_true_random=False))
def test_every_way_gives_the_same_bytes(value: object, random: Random):
    raw = write(value, random).encode()
    plain = canonical(raw)
    assert encode(read_leniently(raw)) == plain
    assert canonical_module._encode_patiently(read(raw)) == plain  # noqa: SLF001 -- normally the last resort
    deep = 3000
    wrapped = canonical(b"[" * deep + raw + b"]" * deep)
    assert wrapped == b"[" * deep + plain + b"]" * deep


@quick
@given(values(strings), st.randoms(use_true_random=False))
def test_canonical_forms_are_their_own(value: object, random: Random):
    plain = canonical(write(value, random).encode())
    assert canonical(plain) == plain
    json.loads(plain)


@pytest.mark.parametrize(
    ("raw", "form"),
    [
        (b" 1.0 ", b"1"),
        (b"-0.0", b"0"),
        (b"-0", b"0"),
        (b"0e999999999999", b"0"),
        (b"1e5", b"100000"),
        (b"0.10", b"0.1"),
        (b"100e-3", b"0.1"),
        (b"1e308", b"1e308"),
        (b"1" + b"0" * 308, b"1e308"),
        (b"-1e400", b"-1e400"),
        (b"1e999999999", b"1e999999999"),
        (b"1e-999999999", b"1e-999999999"),
        (b"9" * 39, b"9" * 39 + b"e0"),
        (b"18446744073709551617", b"18446744073709551617"),
        (b"9007199254740993.0", b"9007199254740993"),
        (b"9007199254740992.5", b"90071992547409925e-1"),
        (b'{"b":1,"a":{"d":1,"c":2},"b":2}', b'{"a":{"c":2,"d":1},"b":2}'),
        (b'"\\u00e9\\/\\ud83d\\ude00"', '"é/😀"'.encode()),
        (b'"\\u0000\\u001F"', b'"\\u0000\\u001f"'),
        (b'"\\ud800"', b'"\xed\xa0\x80"'),
        (b"[ ]", b"[]"),
    ],
)
def test_known_forms(raw: bytes, form: bytes):
    assert canonical(raw) == form
    assert canonical(memoryview(raw)) == canonical(bytearray(raw)) == canonical(msgspec.Raw(raw)) == form


@pytest.mark.parametrize(
    "digits", [INLINE_DIGITS - 1, INLINE_DIGITS, INLINE_DIGITS + 1, 500, 4300, 4301, 200_000]
)
def test_whole_numbers_of_any_size_are_exact(digits: int):
    power = b"1" + b"0" * (digits - 1)
    assert canonical(power) == canonical(b"1e%d" % (digits - 1)) == canonical(power + b".0")
    odd = power[:-1] + b"1"
    assert canonical(odd) != canonical(power)
    assert canonical(b"[%b,{}]" % odd) == canonical(b"[ %b.000,{ }]" % odd)
    assert canonical(b'{"a":{"b":[-%b]}}' % power) == canonical(b'{"a":{"b":[-1e%d]}}' % (digits - 1))


def test_exponents_of_any_length_are_read():
    long = b"9" * 10_000
    assert canonical(b"1e" + long) == canonical(b"1.0E+00" + long) != canonical(b"2e" + long)
    assert canonical(b"1e-" + long) != canonical(b"1e" + long)
    assert canonical(b"1e" + b"0" * 10_000 + b"5") == b"100000"


@pytest.mark.parametrize(
    "raw",
    [
        b"", b" ", b"[", b"]", b"[1,]", b"[1 2]", b"{", b'{"a"}', b'{"a":1,}', b"{1:2}", b"01", b"1.", b"+1", b".5",
        b"nul", b"NaN", b"-Infinity", b"[Infinity]", b'"', b'"a\nb"', b'"\\x"', b'"\\ud80"', b"1 2", b"[1}", b"'a'",
        b"\xef\xbb\xbf1", b'"\xff"', b'"\xed\xa0\x80"', b"[" * 2000,
        b"[" * 2000 + b"]" * 1999, b"[" * 2000 + b"]" * 2001,
        b"[" * 200_000, b"[" * 2000 + b"{1:2}" + b"]" * 2000, b"[" * 2000 + b"nul" + b"]" * 2000,
        b"[" * 2000 + b'"\\x"' + b"]" * 2000, b"[" * 2000 + b'{"a":1}}' + b"]" * 1999,
        b"[" * 2000 + b",]" + b"]" * 1999,
        b"[" * 2000 + b'{"a",' + b"]" * 2000,
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused(raw: bytes):
    with pytest.raises(InvalidJsonError, match="not"):
        canonical(raw)


@quick
@given(st.binary(max_size=20) | st.text('[]{}:,"\\1.eE-+ \ntrufalsn', max_size=20).map(str.encode))
def test_exactly_json_is_accepted(raw: bytes):
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(raw.decode(), parse_constant=refuse)
    except ValueError:
        with pytest.raises(InvalidJsonError):
            canonical(raw)
    else:
        canonical(raw)


@pytest.mark.parametrize("depth", [500, 990, 1000, 1100, 20_000])
def test_deep_values_are_still_values(depth: int):
    half = depth // 2
    one = b'[{"b":1,"a":' * half + b"1.0" + b"}]" * half
    other = b'[ {"\\u0061":' * half + b"1" + b',"b":1e0} ]' * half
    assert canonical(one) == canonical(other)
    assert canonical(one) != canonical(one.replace(b"1.0", b"2"))


def test_too_deep_values_are_their_bytes_without_spaces():
    deep = MAX_DEPTH + 1
    form = canonical(b"[" * deep + b'"a b\\" "' + b"]" * deep)
    assert form == canonical(b"[ " * deep + b'"a b\\" "' + b"\n]" * deep)
    assert form != canonical(b"[" * deep + b'"ab\\" "' + b"]" * deep)


def test_a_frame_of_brackets_is_soon_read():
    with pytest.raises(InvalidJsonError):
        canonical(b"[" * 16_000_000)
    assert len(canonical(b"[" * 8_000_000 + b"]" * 8_000_000)) > 16_000_000


def test_the_stack_does_not_change_the_form():
    raw = b'[{"a":' * 200 + b"1" + b',"A":"x"}]' * 200
    expected = canonical(raw)

    def below(levels: int) -> bytes:
        return below(levels - 1) if levels else canonical(raw)

    found = []
    thread = threading.Thread(target=lambda: found.append(below(sys.getrecursionlimit() - 200)))
    thread.start()
    thread.join()
    assert found == [expected]


def test_keys_are_sorted_by_code_point():
    keys = ["\uffee", "\U0001f600", "a", "Z", "é", "\x7f", ""]
    Random(1).shuffle(keys)  # noqa: S311 -- any order but the right one
    form = canonical(json.dumps(dict.fromkeys(keys, 1)).encode())
    assert list(json.loads(form)) == sorted(keys)
    with_surrogate = canonical(json.dumps(dict.fromkeys([*keys, "\udc00"], 1)).encode())
    assert list(json.loads(with_surrogate.decode("utf-8", "surrogatepass"))) == sorted([*keys, "\udc00"])
