"""A database file that no daemon has open, asked as a daemon would be."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy.exc import DBAPIError

from guardd.cli.errors import Failure, Status
from guardd.daemon.lock import DatabaseLock, LockError, LockHeldError
from guardd.daemon.reads import READS
from guardd.protocol import jsonrpc
from guardd.protocol.methods import METHODS, decode_params
from guardd.store.connecting import reading_engine
from guardd.store.errors import RESTORE, DatabaseUnusable
from guardd.store.migrating import HEAD, check

ANOTHER = "Name a database that a daemon has used, such as a backup"


class DatabaseFile:
    """Answers the protocol's reading methods from a file.

    Args:
        path: The file.

    Raises:
        Failure: It is absent, not guardd's, of another schema, or a daemon has it open.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise Failure(
                f"there is no database at {path}",
                "guardctl backup FILE makes one to look at",
                status=Status.NOT_FOUND,
            )
        self._lock = _lock(path)
        try:
            _check_schema(path)
        except BaseException:
            self._release()
            raise
        has_log = path.with_name(f"{path.name}-wal").exists()
        self._path = path
        self._engine = reading_engine(path, immutable=not has_log)

    def request(self, method: str, params: Mapping[str, object]) -> Any:  # noqa: ANN401 - by method
        """The result of a method.

        Raises:
            RpcError: The answer is an error.
        """
        decoded = decode_params(METHODS[method], jsonrpc.encode(params))
        try:
            with self._engine.connect() as connection:
                return msgspec.json.decode(jsonrpc.encode(READS[method](connection, decoded)))
        except DBAPIError as error:
            raise Failure(
                f"{self._path} cannot be read: {error.orig}", "Use another backup, if there is one"
            ) from None

    def close(self) -> None:
        """Close the file."""
        self._engine.dispose()
        self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()


def _lock(path: Path) -> DatabaseLock | None:
    """The lock of a database that a daemon may serve; a copy has none, and needs none."""
    if not path.with_name(f"{path.name}.lock").exists():
        return None
    try:
        return DatabaseLock.acquire(path)
    except LockHeldError as error:
        raise Failure(
            f"a daemon has {path} open",
            "Leave --db out to ask that daemon, or read a backup: guardctl backup FILE",
        ) from error
    except LockError as error:
        raise Failure(str(error)) from error


def _check_schema(path: Path) -> None:
    try:
        revision = check(path)
    except DatabaseUnusable as error:
        advice = ANOTHER if error.advice == RESTORE else error.advice  # which is for whoever starts a daemon
        raise Failure(f"{path}: {error.reason}", advice) from error
    if revision is None:
        raise Failure(f"{path} is empty", ANOTHER)
    if revision != HEAD:
        raise Failure(
            f"{path} has schema {revision}, and this program reads schema {HEAD}",
            f"Copy it, and bring the copy up to date: guardd migrate --db {path}",
        )
