import msgspec
import pytest

from guardd.protocol.complaints import translate
from guardd.protocol.methods import METHODS


@pytest.mark.parametrize(
    ("text", "message", "field"),
    [
        ("Object missing required field `toolName`", "toolName is required", "toolName"),
        ("Expected `str`, got `int` - at `$.a`", "a must be a string, not a number", "a"),
        (
            "Expected `str | null`, got `float` - at `$.a`",
            "a must be a string, not a number with a fraction",
            "a",
        ),
        ("Expected `int | float | null`, got `str` - at `$.a`", "a must be a number, not a string", "a"),
        (
            "Expected `int`, got `float` - at `$.a`",
            "a must be a whole number, not a number with a fraction",
            "a",
        ),
        ("Expected `bool`, got `array` - at `$.a[0].b`", "a must be true or false, not an array", "a"),
        ("Expected `int` >= 0 - at `$.a`", "a must be 0 or more", "a"),
        ("Expected `float` >= 0.0 - at `$.a`", "a must be 0 or more", "a"),
        ("Expected `float` <= 10.5 - at `$.a`", "a must be 10.5 or less", "a"),
        ("Expected `str` of length >= 1 - at `$.a`", "a must not be empty", "a"),
        ("Expected `str` of length <= 9 - at `$.a`", "a must be at most 9 characters long", "a"),
        ("Invalid enum value 'x' - at `$.e` - at `$.e`", "e must be one of: p, q", "e"),
        ("Invalid enum value '`\n' - at `$.e`", "e must be one of: p, q", "e"),
        ("Number out of range - at `$.a`", "a is out of range", "a"),
        ("Something new - at `$.a`", "a is not valid", "a"),
        ("Expected `object`, got `array`", "the parameters must be given by name, in an object", None),
    ],
)
def test_translations(text: str, message: str, field: str | None):
    error = translate(text, {"e": ["p", "q"]})
    assert (error.message, error.field) == (message, field)


WRONG = [
    b"1",
    b"1.5",
    b"-1",
    b"-1.5",
    b"1e999",
    b"9" * 30,
    b"9" * 6000,
    b'""',
    b'"x"',
    b"[]",
    b"{}",
    b"true",
    b"null",
]


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_every_complaint_of_the_decoder_is_understood(method):
    for field in method.known_fields - method.raw_fields.keys():
        for value in [*WRONG, b'"' + b"x" * 5000 + b'"', b'"2026-01-01T00:00:00"']:
            try:
                method.decoder.decode(b'{"%b":%b}' % (field.encode(), value))
            except msgspec.ValidationError as error:
                complaint = translate(str(error), method.allowed)
                assert complaint.field
                assert complaint.message.startswith(complaint.field)
                assert "`" not in complaint.message
                assert not complaint.message.endswith(("is not valid", "one of: "))
