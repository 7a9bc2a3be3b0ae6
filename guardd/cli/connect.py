"""Whom a command asks: the daemon over its socket, or a database file that no daemon has open."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol

import click

from guardd.cli.errors import answered, kept_out, unavailable
from guardd.cli.options import NO_DATABASE, Shared

PATIENCE = 10.0
"""Seconds that a command waits for an answer."""

UNLIMITED_PATIENCE = 86_400.0
"""For what may take as long as it takes; Ctrl-C ends the wait."""


class Caller(Protocol):
    """Something that answers the protocol's reading methods."""

    def request(self, method: str, params: Mapping[str, object]) -> Any:  # noqa: ANN401 - by method
        """The result of a method.

        Raises:
            RpcError: The answer is an error.
        """

    def close(self) -> None:
        """Give up the connection or the file."""


class Daemon:
    """The daemon, over a connection that is opened with the first request.

    Args:
        socket: Its socket; None for the usual places.
        patience: Seconds to wait for an answer.
    """

    def __init__(self, socket: str | None, patience: float) -> None:
        from guardd.client.requester import Requester  # noqa: PLC0415 - only where a daemon is asked

        self._requester = Requester(socket, timeout=patience)

    def request(self, method: str, params: Mapping[str, object]) -> Any:  # noqa: ANN401
        """The result of a method.

        Raises:
            RpcError: The answer is an error.
            GuardUnavailable: There was no answer.
        """
        return self._requester.request(method, params)

    @contextmanager
    def events(self, filters: Mapping[str, object]) -> Iterator[Iterator[dict[str, Any]]]:
        """Events as they happen, for ever.

        Args:
            filters: The parameters of `event.watch`.

        Raises:
            RpcError: The daemon refuses.
            GuardUnavailable: The connection ended.
        """
        with self._requester.watch("event.watch", filters) as events:
            yield (event for event in events if isinstance(event, dict))

    def close(self) -> None:
        """Close the connection."""
        self._requester.close()


@contextmanager
def asking_daemon(shared: Shared, patience: float = PATIENCE) -> Iterator[Daemon]:
    """The daemon that the shared options name.

    Args:
        shared: The options.
        patience: Seconds to wait for an answer.

    Raises:
        Failure: Whatever goes wrong with the daemon in the block, in words and with the exit status for it.
        UsageError: A database file was named.
    """
    if shared.database:
        raise click.UsageError(NO_DATABASE)
    daemon = Daemon(shared.socket, patience)
    try:
        with _explained():
            yield daemon
    finally:
        daemon.close()


@contextmanager
def asking(shared: Shared) -> Iterator[Caller]:
    """The daemon, or the database file, that the shared options name, to be asked with reading methods.

    Raises:
        Failure: As for `asking_daemon`; or the file cannot be read.
    """
    if not shared.database:
        with asking_daemon(shared) as daemon:
            yield daemon
        return
    file = open_database(shared.database)
    try:
        with _explained():
            yield file
    finally:
        file.close()


def open_database(path: str) -> Caller:
    """A database file that no daemon has open, to be asked as a daemon would be.

    Raises:
        Failure: It is not there, or cannot be read.
    """
    from pathlib import Path  # noqa: PLC0415

    from guardd.cli.database import DatabaseFile  # noqa: PLC0415 - brings SQLAlchemy

    return DatabaseFile(Path(path))


@contextmanager
def _explained() -> Iterator[None]:
    from guardd.client.exceptions import GuardDenied, GuardUnavailable  # noqa: PLC0415
    from guardd.protocol.errors import RpcError  # noqa: PLC0415

    try:
        yield
    except RpcError as error:
        raise answered(error) from None
    except GuardDenied as error:
        raise kept_out(error) from None
    except GuardUnavailable as error:
        raise unavailable(error) from None
