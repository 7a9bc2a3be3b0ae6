"""What it means that a configuration which a command was given cannot be used."""

from typing import TYPE_CHECKING

from guardd.cli.errors import Failure, Status

if TYPE_CHECKING:
    from guardd.config import ConfigError


def unusable(error: "ConfigError") -> Failure:
    """All that is wrong with it, a line each; a file that is not there has a status of its own."""
    from guardd.config.errors import NoSuchConfigFile  # noqa: PLC0415 - it is there already

    first, *more = map(str, error.errors)
    status = Status.NOT_FOUND if isinstance(error, NoSuchConfigFile) else Status.FAILED
    return Failure(first, *more, status=status)
