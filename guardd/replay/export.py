"""guardd's own export of a run: fingerprints stand for arguments and outcomes, which are never stored.

A run is a line that says what it is, then a line for each call and for each marker between calls. Several such
files may follow each other in one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from guardd.replay.turns import Call, Compaction, Entry, Fingerprints, Reset, Skip, Skipped, Turn, name_of

NAME = "guardd export"

FORMAT: Final = "guardd-export"
VERSION: Final = 1

_OF_A_RUN = ("run", "source", "agentId", "status", "startedAt", "lastActivityAt")
_NOT_OF_A_CALL = ("preview", "repeat")
"""Left out: arguments in short are arguments, and the other is counted again."""
_HEX_DIGITS = 32


def lines(
    run: Mapping[str, Any], calls: Sequence[Mapping[str, Any]], markers: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    """The lines of a run's export.

    Args:
        run: as `run.get` gives it.
        calls: as `run.history` gives them.
        markers: likewise.
    """
    yield {"format": FORMAT, "version": VERSION} | {key: run[key] for key in _OF_A_RUN}
    places = [(call["seq"], _without(call, _NOT_OF_A_CALL)) for call in calls]
    places += [
        (marker["afterSeq"], {"marker": marker["kind"]} | _without(marker, ("kind",))) for marker in markers
    ]
    # A marker comes behind the call that it follows: sorting keeps equal places in their order.
    for _, line in sorted(places, key=lambda place: place[0]):
        yield line


def _without(fields: Mapping[str, Any], left_out: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in left_out}


def matches(entry: Entry) -> bool:
    """Whether an entry can only be of this format."""
    return entry.get("format") == FORMAT


def turns(entries: Iterable[Entry], skipped: Skipped) -> Iterator[Turn]:
    """One turn for each run."""
    turn: Turn | None = None
    for entry in entries:
        if matches(entry):
            if turn is not None:
                yield turn
            turn = Turn(
                name_of(entry.get("run")) or "run",
                agent_id=name_of(entry.get("agentId")),
                status=name_of(entry.get("status")),
            )
        elif turn is None:
            skipped[Skip.MALFORMED] += 1
        elif "marker" in entry:
            _mark(entry, turn)
        else:
            _call(entry, turn, skipped)
    if turn is not None:
        yield turn


def _mark(entry: Entry, turn: Turn) -> None:
    if entry["marker"] == "compaction":
        turn.steps.append(Compaction(armed=bool(entry.get("armed"))))
    elif entry["marker"] == "reset":
        turn.steps.append(Reset())


def _call(entry: Entry, turn: Turn, skipped: Skipped) -> None:
    name, outcome, seq = name_of(entry.get("toolName")), entry.get("outcome"), entry.get("seq")
    if name is None or not _is_hex(entry.get("signature")) or not (outcome is None or _is_hex(outcome)):
        skipped[Skip.MALFORMED] += 1
        return
    fingerprints = Fingerprints(
        signature=entry["signature"],
        outcome=outcome,
        failed=entry.get("state") == "error",
        missing_tool=name_of(entry.get("missingTool")),
        is_poll=entry.get("isPoll") is True,
        masked=entry["maskedOutcome"] if _is_hex(entry.get("maskedOutcome")) else None,
        changes=entry.get("changes") is True,
        failure=entry["failure"] if _is_hex(entry.get("failure")) else None,
        unchanged=entry.get("unchanged") is True,
    )
    turn.steps.append(
        Call(
            name,
            call_id=name_of(entry.get("toolCallId")),
            fingerprints=fingerprints,
            seq=seq if isinstance(seq, int) else None,
            stopped=entry.get("state") == "blocked" or entry.get("action") == "abort",
            beside=isinstance(entry.get("beside"), int),
        )
    )


def _is_hex(value: object) -> bool:
    return isinstance(value, str) and len(value) == _HEX_DIGITS and set(value) <= set("0123456789abcdef")
