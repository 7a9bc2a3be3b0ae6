"""A run as cells: one for each call, with a label that is the same for the same call, and markers in between."""

import string
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from guardd.cli.paging import History

LABELS = string.ascii_uppercase + string.ascii_lowercase + string.digits
OTHER = "·"
"""The label of the calls for which there are no letters or digits left: the most frequent get them."""

COLORS = 11
"""How many colours a drawing has for the calls that were made more than once; then they come again."""

SIGNS = {"abort": "@", "compaction": "%", "reset": "=", "gateway_restart": "<", "daemon_restart": ">"}
MARKS = {"warn": "!", "block": "#", "abort": "*"}
OBSERVED = {"warn": "?", "block": "+", "abort": "^"}
"""The marks of what was only observed: other signs, since colours are not all that anybody sees."""


class Kind(NamedTuple):
    """Calls that are the same, by tool and arguments.

    Attributes:
        label: A letter or digit; None where there was none left.
        signature: As the daemon has it.
        first: The first of them.
        last: The last of them.
        calls: How many there are.
    """

    label: str | None
    signature: str
    first: Mapping[str, Any]
    last: Mapping[str, Any]
    calls: int

    def document(self) -> dict[str, Any]:
        """Its form in JSON."""
        return {
            "label": self.label,
            "signature": self.signature,
            "toolName": self.first["toolName"],
            "preview": self.first["preview"],
            "calls": self.calls,
            "firstSeq": self.first["seq"],
            "lastSeq": self.last["seq"],
        }


class Timeline(NamedTuple):
    """A run as cells.

    Attributes:
        past: Its calls and markers.
        kinds: What was called, by signature, in the order of the first calls.
    """

    past: History
    kinds: Mapping[str, Kind]

    def cells(self) -> list[Mapping[str, Any]]:
        """Calls and markers in order; a marker has a `kind`."""
        waiting = list(reversed(self.past.markers))
        cells: list[Mapping[str, Any]] = []
        for call in self.past.calls:
            while waiting and waiting[-1]["afterSeq"] < call["seq"]:
                cells.append(waiting.pop())
            cells.append(call)
        return cells + waiting[::-1]

    def colors(self) -> dict[str, int | None]:
        """A colour's number for each signature: the same call has the same one, what was called once has none."""
        colors: dict[str, int | None] = {}
        repeated = 0
        for kind in self.kinds.values():
            if kind.calls == 1 or kind.label is None:
                colors[kind.signature] = None
            else:
                colors[kind.signature] = repeated % COLORS
                repeated += 1
        return colors

    def document(self) -> dict[str, Any]:
        """The form of `--json`."""
        return {
            "run": self.past.run["run"],
            "cells": [self._cell(cell) for cell in self.cells()],
            "legend": [kind.document() for kind in self.kinds.values()],
        }

    def _cell(self, cell: Mapping[str, Any]) -> dict[str, Any]:
        if "kind" in cell:
            return dict(cell)
        told = {name: cell[name] for name in ("seq", "toolName", "signature", "state", "action", "detector")}
        if cell.get("wouldBe"):
            told["wouldBe"] = cell["wouldBe"]
        return {"label": self.kinds[cell["signature"]].label} | told


def mark(call: Mapping[str, Any]) -> tuple[str, str]:
    """The mark of what was said to a call, and that; of what was only observed, what would have been said."""
    if call.get("wouldBe"):
        return OBSERVED.get(call["wouldBe"], ""), call["wouldBe"]
    return MARKS.get(call["action"], ""), call["action"]


def timeline(past: History) -> Timeline:
    """Put a run's history into cells; where labels are short, the most frequent calls get them."""
    first: dict[str, Mapping[str, Any]] = {}
    last: dict[str, Mapping[str, Any]] = {}
    for call in past.calls:
        first.setdefault(call["signature"], call)
        last[call["signature"]] = call
    counts = Counter(call["signature"] for call in past.calls)
    labels = _labels(list(first), counts)
    return Timeline(
        past,
        {
            signature: Kind(labels.get(signature), signature, call, last[signature], counts[signature])
            for signature, call in first.items()
        },
    )


def _labels(signatures: Sequence[str], counts: Mapping[str, int]) -> dict[str, str]:
    frequent = set(sorted(signatures, key=lambda one: -counts[one])[: len(LABELS)])
    return dict(zip((one for one in signatures if one in frequent), LABELS, strict=False))
