"""agent-watchdog: raises when a call is recorded that it takes for a loop."""

import io
from collections.abc import Iterator
from contextlib import redirect_stdout

from agent_watchdog import AgentWatchdog, WatchdogHalt
from evaluation.judging import Word, arguments_of, output_of

from guardd.replay.turns import Turn


def judge(turn: Turn) -> Iterator[Word]:
    """It never warns, it ends the run."""
    try:
        with redirect_stdout(io.StringIO()), AgentWatchdog().watch() as watchdog:
            for call in turn.calls:
                watchdog.record_tool_call(call.tool, arguments_of(call), output_of(call))
    except WatchdogHalt as halt:
        rule = "pattern" if "pattern" in halt.report.message else "identical"
        yield Word(len(halt.report.tool_calls), "abort", rule)
