"""Fingerprints of calls and outcomes, and previews of arguments: pure functions of the bytes in a frame."""

from guardd.fingerprint.arguments import Arguments
from guardd.fingerprint.canonical import RawJson
from guardd.fingerprint.fingerprinter import SIZE, VERSION, Fingerprinter, Outcome
from guardd.fingerprint.previews import PREVIEW_LENGTH, preview
from guardd.fingerprint.reading import InvalidJsonError

__all__ = [
    "PREVIEW_LENGTH",
    "SIZE",
    "VERSION",
    "Arguments",
    "Fingerprinter",
    "InvalidJsonError",
    "Outcome",
    "RawJson",
    "preview",
]
