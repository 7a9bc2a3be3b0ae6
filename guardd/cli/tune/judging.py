"""Puts a history to the candidates, run by run: a daemon's, a backup's, or recorded transcripts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from guardd.cli import paging
from guardd.cli.connect import Caller
from guardd.cli.options import ALL
from guardd.cli.progress import over_files, over_items
from guardd.cli.transcripts import opened
from guardd.protocol.errors import RunNotFound
from guardd.replay import export
from guardd.replay.reading import read
from guardd.replay.trying import Trying
from guardd.replay.turns import Skipped


@dataclass(slots=True)
class Unread:
    """What of the history was not judged.

    Attributes:
        older: Whether there are older runs than the limit lets in.
        without_calls: Runs that hold no call.
        gone: Runs that were deleted meanwhile.
        incomplete: Runs that were judged, but whose first calls are not kept any more.
        of_others: Turns of an export that are another agent's.
        skipped: What could not be read in files.
        unknown: Files that are no transcripts.
    """

    older: bool = False
    without_calls: int = 0
    gone: int = 0
    incomplete: int = 0
    of_others: int = 0
    skipped: Skipped = field(default_factory=Counter)
    unknown: list[str] = field(default_factory=list)

    def document(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "olderRuns": self.older,
            "runsWithoutCalls": self.without_calls,
            "deletedRuns": self.gone,
            "incompleteRuns": self.incomplete,
            "runsOfOtherAgents": self.of_others,
            "skipped": self.skipped.total(),
            "skippedBecause": {kind.value: number for kind, number in sorted(self.skipped.items())},
            "unknownFiles": self.unknown,
        }


def judge_runs(daemon: Caller, page: paging.Page, trying: Trying) -> Unread:
    """Judge runs of a daemon or of a backup, as an export of each would be.

    Raises:
        RpcError: The daemon refuses.
        GuardUnavailable: It does not answer.
    """
    unread = Unread(older=page.more)
    with over_items(page.items, "judging") as runs:
        for run in runs:
            try:
                past = paging.history(daemon, run, ALL)
            except RunNotFound:
                unread.gone += 1
                continue
            if not past.calls:
                unread.without_calls += 1
                continue
            unread.incomplete += past.calls[0]["seq"] > 1
            origin = {"run": run["run"], "source": run["source"]}
            for turn in export.turns(export.lines(past.run, past.calls, past.markers), unread.skipped):
                trying.judge(turn, origin)
    return unread


def judge_files(files: Sequence[str], agent: str | None, trying: Trying) -> Unread:
    """Judge the turns of transcripts.

    Args:
        files: Their names; `-` is stdin.
        agent: Whose turns are left out, if they say whose they are: everybody else's.
        trying: What judges them.

    Raises:
        OSError: A file cannot be read.
    """
    unread = Unread()
    with over_files(files, "judging") as progress:
        for file in files:
            with opened(file) as stream:
                transcript = read(stream)
                if transcript.format is None:
                    unread.unknown.append(file)
                for turn in transcript.turns:
                    if agent is not None and turn.agent_id not in (None, agent):
                        unread.of_others += 1
                        continue
                    trying.judge(turn, {"file": file, "turn": turn.id})
                    progress.at(stream)
                unread.skipped += transcript.skipped
            progress.next()
    return unread


def agents_with_their_own(
    daemon: Caller, runs: Sequence[Mapping[str, Any]], keys: Sequence[str]
) -> list[str]:
    """The agents of runs for whom other thresholds hold than for everybody."""

    def thresholds(params: Mapping[str, object]) -> list[Any]:
        values = daemon.request("config.get", params)["values"]
        return [values[f"tools.loopDetection.{key}"]["value"] for key in keys]

    everybodys = thresholds({})
    agents = sorted({run["agentId"] for run in runs if run["agentId"]})
    return [agent for agent in agents if thresholds({"agentId": agent}) != everybodys]
