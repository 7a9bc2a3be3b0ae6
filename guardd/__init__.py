"""A local daemon that remembers what agents do and stops them from looping."""

__version__ = "0.1.0"
