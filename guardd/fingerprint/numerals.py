"""One canonical form for each JSON number, however it was written.

Whole numbers are exact at any size: ``1``, ``1.0`` and ``10e-1`` are alike, and so are ``1e30`` and its 31
digits. Those of up to `INLINE_DIGITS` digits are Python integers; longer ones are a literal of the
significant digits and a power of ten, so that ``1e308`` never becomes 309 digits.

Fractions are compared as doubles, since that is what every gateway computes with; only where a double says
nothing about the number written (it rounded to a whole number, to zero or to infinity) is the exact literal
kept.
"""

import sys
from typing import Final

import msgspec

INLINE_DIGITS: Final = 38
"""Whole numbers of at most this many digits are written out."""

_EXPONENT_DIGITS: Final = 4000
"""Longer exponents are compared by their text: Python converts no more than 4,300 digits to an integer."""

_LONG: Final = 10**INLINE_DIGITS

SURE_LENGTH: Final = 15
SURE_VALUE: Final = 1e15
"""A literal of so few characters that a double below this value tells exactly what it says."""


def read_float(literal: str) -> int | float | msgspec.Raw:
    """Give the value of a number that was written with a point or an exponent.

    Returns:
        An integer or a float, else a canonical literal that encodes as itself.
    """
    number = float(literal)
    if len(literal) <= SURE_LENGTH and number.is_integer() and 1 <= abs(number) < SURE_VALUE:
        return int(number)
    if number.is_integer() or abs(number) > sys.float_info.max:
        return exact(literal)
    return number


def exact(literal: str) -> int | msgspec.Raw:
    """Give the exact value of any valid JSON number literal, in time linear in its length.

    Returns:
        An integer of up to `INLINE_DIGITS` digits, else a canonical literal that encodes as itself.
    """
    mantissa, _, exponent = literal.lower().partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    significant = digits.rstrip("0")
    if not significant:
        return 0
    power = len(digits) - len(significant) - len(fraction)
    if len(exponent) > _EXPONENT_DIGITS:
        exponent_sign = "-" if exponent.startswith("-") else ""
        magnitude = exponent.lstrip("+-").lstrip("0")
        if len(magnitude) > _EXPONENT_DIGITS:
            return msgspec.Raw(f"{sign}{significant}e{exponent_sign}{magnitude}{power:+d}".encode())
        exponent = exponent_sign + (magnitude or "0")
    return _number(sign, significant, power + int(exponent or 0))


def contract(number: int) -> int | msgspec.Raw:
    """Give the canonical form of an integer that was decoded from its digits."""
    if -_LONG < number < _LONG:
        return number
    return exact(str(number))


def _number(sign: str, significant: str, power: int) -> int | msgspec.Raw:
    """Give the canonical form of ``significant`` times ten to the ``power``."""
    if power >= 0 and len(significant) + power <= INLINE_DIGITS:
        return int(sign + significant + "0" * power)
    return msgspec.Raw(f"{sign}{significant}e{power}".encode())
