"""Fingerprints of calls and outcomes, and previews of arguments: pure functions of the bytes in a frame."""

from guardd.fingerprint.arguments import Arguments
from guardd.fingerprint.fingerprinter import VERSION, Fingerprinter, Outcome
from guardd.fingerprint.previews import preview

__all__ = ["VERSION", "Arguments", "Fingerprinter", "Outcome", "preview"]
