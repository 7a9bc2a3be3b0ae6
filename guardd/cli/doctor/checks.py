"""All checks, in the order in which they are shown: what others depend on comes first."""

from collections.abc import Callable, Mapping

from guardd.cli.doctor import notifying, permissions, running, settings, storage
from guardd.cli.doctor.facts import Facts
from guardd.cli.doctor.finding import Finding

CHECKS: Mapping[str, Callable[[Facts], Finding]] = {
    "daemon": running.answers,
    "clock": running.clock,
    "gateway": running.gateway,
    "configuration": settings.configuration,
    "restart": settings.restart,
    "loop detection": settings.detection,
    "mode": settings.mode,
    "thresholds": settings.thresholds,
    "notifications": notifying.command,
    "socket": permissions.socket,
    "socket directory": permissions.socket_directory,
    "database": permissions.database,
    "database directory": permissions.database_directory,
    "damage": storage.damage,
    "schema": storage.schema,
    "SQLite": storage.sqlite_version,
    "journal mode": storage.journal_mode,
    "write-ahead log": storage.wal,
    "disk": storage.disk,
    "retention": storage.retention,
}


def examine(facts: Facts) -> dict[str, Finding]:
    """Make every check; the findings by the checks' names."""
    return {name: check(facts) for name, check in CHECKS.items()}
