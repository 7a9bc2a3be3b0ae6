"""The configuration: one JSON5 file, defaults below it, agents above it, and where each value came from."""

from guardd.config.configuration import Config
from guardd.config.errors import ConfigError
from guardd.config.load import load, parse
from guardd.config.settings import LoopSettings, Settings
from guardd.config.starter import starter_text

__all__ = ["Config", "ConfigError", "LoopSettings", "Settings", "load", "parse", "starter_text"]
