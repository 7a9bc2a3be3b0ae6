"""`guardd`: the daemon's own program."""

import os
from pathlib import Path
from typing import NoReturn

import click

import guardd
from guardd.cli import forms
from guardd.cli.errors import Failure, Status
from guardd.cli.program import Program
from guardd.daemon.logs import FORMS, LEVELS

PATH = click.Path(path_type=Path, readable=False)

EPILOG = """\b
Examples:
  guardd serve              listen, with the defaults where there is no file
  guardd init               write a commented configuration with detection on
  guardctl runs             look into the daemon, from another terminal
\b
Environment:
  GUARDD_CONFIG             the configuration file
  GUARDD_SOCKET             the socket
Exit status: 0 done, 1 failed, 2 usage, 5 not found."""

SERVE_EPILOG = """\b
Examples:
  guardd serve
  guardd serve --socket ./guardd.sock --db ./guardd.db --log-level debug
  guardd serve --log-format json 2>> guardd.log

The log goes to stderr. SIGTERM and Ctrl-C answer what was asked and stop; SIGHUP reads the configuration
again. Says on stderr, and to systemd, when it is ready."""

INIT_EPILOG = """\b
Examples:
  guardd init
  guardd init --config ./guardd.json5

A file that exists is left alone, unless --force is given."""

MIGRATE_EPILOG = """\b
Examples:
  guardd migrate --check            say whether the database is up to date
  guardd migrate

`guardd serve` does this by itself. The daemon must not be running. A database
with data in it is copied first."""


@click.command("guardd", cls=Program, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(guardd.__version__, message="%(prog)s %(version)s")
def program() -> None:
    """Remember what agents do, and stop them from looping."""


@program.command(epilog=SERVE_EPILOG)
@click.option(
    "--socket",
    type=PATH,
    help="Where to listen; $GUARDD_SOCKET, guardd.socket.path or the usual place if not given.",
)
@click.option(
    "--db",
    type=PATH,
    help="The database, made if it does not exist; guardd.database.path or the usual place if not given.",
)
@click.option(
    "--config",
    type=PATH,
    help="The configuration file; $GUARDD_CONFIG, ~/.config/guardd/guardd.json5 or /etc/guardd/guardd.json5 if "
    "not given.",
)
@click.option(
    "--log-level",
    type=click.Choice(LEVELS),
    default="info",
    show_default=True,
    help="The least that is logged.",
)
@click.option(
    "--log-format",
    type=click.Choice(FORMS),
    default="text",
    show_default=True,
    help="Lines for people, or JSON objects.",
)
def serve(socket: Path | None, db: Path | None, config: Path | None, log_level: str, log_format: str) -> None:
    """Run the daemon in the foreground."""
    from guardd.daemon.main import Options, StartError  # noqa: PLC0415 - brings SQLAlchemy and uvloop
    from guardd.daemon.main import serve as run  # noqa: PLC0415

    try:
        run(Options(socket, db, config, log_level, log_format))
    except StartError as error:
        raise Failure(str(error)) from error


@program.command(epilog=INIT_EPILOG)
@click.option(
    "--config", type=PATH, help="The file to write; the place where `serve` looks first if not given."
)
@click.option("--force", is_flag=True, help="Replace a file that exists.")
def init(config: Path | None, *, force: bool) -> None:
    """Write a commented configuration that switches loop detection on."""
    from guardd import paths  # noqa: PLC0415
    from guardd.config import starter_text  # noqa: PLC0415 - brings the JSON5 reader

    uid = os.geteuid()
    file = config or Path(paths.named_config(os.environ, uid) or paths.config_candidates(os.environ, uid)[0])
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write_private(file, starter_text(), replace=force)
    except OSError as error:
        if isinstance(error, FileExistsError) and file.exists():
            advice = (f"Look at it with: guardctl config check {file}", "Replace it with: --force")
            raise Failure(f"{file} exists already", *advice) from None
        raise Failure(
            f"cannot write {file}: {error.strerror}", "Name another place with --config PATH"
        ) from None
    option = f" --config {file}" if config else ""
    forms.say(f"Wrote {file}. Loop detection is on in it; every setting is explained there.")
    forms.say(f"Next: guardd serve{option}   (a running daemon takes it over with: guardctl config reload)")


@program.command(epilog=MIGRATE_EPILOG)
@click.option("--db", type=PATH, help="The database; the default place if not given.")
@click.option("--check", is_flag=True, help="Change nothing; exit 1 if there is something to do.")
def migrate(db: Path | None, *, check: bool) -> None:
    """Bring the database to this version's schema."""
    from guardd import paths  # noqa: PLC0415
    from guardd.store.errors import DatabaseUnusable  # noqa: PLC0415 - brings SQLAlchemy

    path = db or Path(paths.default_database_path(os.environ, os.geteuid()))
    if not path.exists():
        raise Failure(
            f"there is no database {path}",
            "Name it with --db PATH; `guardd serve` makes a new one",
            status=Status.NOT_FOUND,
        )
    try:
        (_check if check else _migrate)(path)
    except DatabaseUnusable as error:
        raise Failure(f"{error.path}: {error.reason}", error.advice) from None


def _check(path: Path) -> None:
    from guardd.store import migrating  # noqa: PLC0415

    revision = migrating.check(path)
    if revision != migrating.HEAD:
        found = f"schema {revision}" if revision else "no schema yet"
        raise Failure(
            f"{path} has {found}; this guardd works with schema {migrating.HEAD}",
            f"Bring it up to date with: guardd migrate --db {path}",
        )
    forms.say(f"{path} is up to date: schema {revision}.")


def _migrate(path: Path) -> None:
    from guardd.daemon.lock import DatabaseLock, LockError  # noqa: PLC0415
    from guardd.store import migrating  # noqa: PLC0415

    try:
        with DatabaseLock.acquire(path) as lock:
            done = migrating.migrate(lock.database)
    except LockError as error:
        raise Failure(str(error)) from None
    if done.before == done.after:
        forms.say(f"{path} is up to date: schema {done.after}.")
        return
    forms.say(f"{path} now has schema {done.after}; it had {done.before or 'none'}.")
    if done.backup:
        forms.say(f"A copy of it as it was: {done.backup}")


def _write_private(file: Path, text: str, *, replace: bool) -> None:
    """Write a file that only its owner may read, whole or not at all.

    Raises:
        FileExistsError: There is one, and it is not to be replaced.
        OSError: It cannot be written.
    """
    draft = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as stream:
            stream.write(text.encode())
        if replace:
            draft.replace(file)
        else:
            file.hardlink_to(draft)
    finally:
        draft.unlink(missing_ok=True)


def main() -> NoReturn:
    """Run guardd with the arguments of the process."""
    program.main()
