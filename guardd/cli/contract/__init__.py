"""What `--json` prints: a written contract, whose fields are only ever added to.

No command imports this. The README's reference is made from it, the tests hold it against what the commands
print, and whoever reads their output in Python has types in it. What a command only passes on from the daemon
is a struct of `guardd.protocol.operator_results`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from guardd.cli.contract.benching import Benchmark
from guardd.cli.contract.looking import Board, Check, CheckedFile, Timeline
from guardd.cli.contract.replaying import ExportedCall, ExportedMarker, ExportedRun, Replay
from guardd.cli.contract.reporting import Report
from guardd.cli.contract.running import Demo, Installation, LogLine
from guardd.cli.contract.tuning import Tuning
from guardd.protocol.operator_results import (
    Call,
    ConfigReloaded,
    Configuration,
    DatabaseBackedUp,
    DatabaseChecked,
    DatabasePruned,
    Event,
    Explanation,
    History,
    Marker,
    Run,
    RunChanged,
    ServerStatus,
)


class Form(NamedTuple):
    """What a command prints with `--json`.

    Attributes:
        document: The type of the one document; None where it prints lines only.
        lines: The type of each line of a stream, if it can print one.
        streams_with: The option that makes it a stream; None where it always is one.
    """

    document: Any = None
    lines: Any = None
    streams_with: str | None = None


FORMS: Mapping[str, Form] = {
    "guardctl runs": Form(list[Run]),
    "guardctl history": Form(History, Call | Marker, "--follow"),
    "guardctl timeline": Form(Timeline),
    "guardctl report": Form(Report),
    "guardctl explain": Form(Explanation),
    "guardctl events": Form(list[Event], Event, "--follow"),
    "guardctl watch": Form(Board),
    "guardctl status": Form(ServerStatus),
    "guardctl doctor": Form(list[Check]),
    "guardctl metrics": Form(str),
    "guardctl replay": Form(Replay),
    "guardctl tune": Form(Tuning),
    "guardctl export": Form(lines=ExportedRun | ExportedCall | ExportedMarker),
    "guardctl reset": Form(RunChanged),
    "guardctl abort": Form(RunChanged),
    "guardctl config show": Form(Configuration),
    "guardctl config check": Form(CheckedFile),
    "guardctl config reload": Form(ConfigReloaded),
    "guardctl backup": Form(DatabaseBackedUp),
    "guardctl prune": Form(DatabasePruned),
    "guardctl db check": Form(DatabaseChecked),
    "guardctl demo": Form(Demo),
    "guardctl bench": Form(Benchmark),
    "guardctl install": Form(Installation),
    "guardd serve": Form(lines=LogLine, streams_with="--log-format json"),
}
"""What each command prints; those of a group that all print the same stand once."""

PLAIN = frozenset({"guardctl hook", "guardctl completion", "guardd init", "guardd migrate"})
"""The commands whose output is not guardd's JSON: an agent's own form, a shell's script, words."""
