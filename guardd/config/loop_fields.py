"""The settings of `tools.loopDetection`."""

from guardd.config.fields import Field, table
from guardd.config.kinds import list_of, switch, text, whole_number

LOOP_FIELDS = table(
    Field(
        "enabled",
        switch,
        None,
        "enabled",
        optional=True,
        meaning="With true, calls are judged as they come and after a compaction. Without it, only "
        "after a compaction; with false, never. Calls are recorded in each case.",
    ),
    Field(
        "historySize",
        whole_number(),
        30,
        "history_size",
        meaning="How many of a run's newest calls are looked at. A threshold above this number can "
        "never be reached.",
    ),
    Field(
        "warningThreshold",
        whole_number(),
        10,
        "warning_threshold",
        meaning="From this many repetitions on, the model is warned.",
    ),
    Field(
        "criticalThreshold",
        whole_number(),
        20,
        "critical_threshold",
        meaning="From this many repetitions on, the call is blocked. Raised by itself where it is not "
        "above the warning's.",
    ),
    Field(
        "unknownToolThreshold",
        whole_number(),
        10,
        "unknown_tool_threshold",
        meaning="From this many calls on of a tool that does not exist, they are blocked.",
    ),
    Field(
        "globalCircuitBreakerThreshold",
        whole_number(),
        30,
        "global_circuit_breaker_threshold",
        meaning="From this many repetitions on without any progress, the run is aborted. Raised by "
        "itself where it is not above the critical one.",
    ),
    Field(
        "detectors.genericRepeat",
        switch,
        default=True,
        attribute="generic_repeat",
        meaning="Whether the same call again and again is looked for.",
    ),
    Field(
        "detectors.knownPollNoProgress",
        switch,
        default=True,
        attribute="known_poll_no_progress",
        meaning="Whether polls that bring nothing new are looked for.",
    ),
    Field(
        "detectors.pingPong",
        switch,
        default=True,
        attribute="ping_pong",
        meaning="Whether two calls that alternate are looked for.",
    ),
    Field(
        "detectors.volatileText",
        switch,
        default=False,
        attribute="volatile_text",
        meaning="Whether outcomes that differ only in what varies by itself, such as times and process ids, "
        "are the same.",
    ),
    Field(
        "detectors.cycle",
        switch,
        default=False,
        attribute="cycle",
        meaning="Whether three to eight calls in turn are looked for.",
    ),
    Field(
        "detectors.identicalMutation",
        switch,
        default=False,
        attribute="identical_mutation",
        meaning="Whether the same edit again and again is looked for.",
    ),
    Field(
        "detectors.sameError",
        switch,
        default=False,
        attribute="same_error",
        meaning="Whether variants of a call that all fail alike are looked for, and many errors in a row.",
    ),
    Field(
        "detectors.progressReset",
        switch,
        default=False,
        attribute="progress_reset",
        meaning="Whether a successful call that changes something, such as an edit, ends what other calls repeat.",
    ),
    Field(
        "cycle.warning",
        whole_number(),
        3,
        "cycle_warning",
        meaning="From this many rounds of a cycle on, the model is warned.",
    ),
    Field(
        "cycle.critical",
        whole_number(),
        4,
        "cycle_critical",
        meaning="From this many rounds of a cycle on, the call is blocked. Raised by itself where it is not above "
        "the warning's.",
    ),
    Field(
        "identicalMutation.warning",
        whole_number(),
        5,
        "mutation_warning",
        meaning="From this many times the same edit in a row on, the model is warned.",
    ),
    Field(
        "identicalMutation.critical",
        whole_number(),
        8,
        "mutation_critical",
        meaning="From this many times the same edit in a row on, it is blocked. Raised by itself where it is not "
        "above the warning's.",
    ),
    Field(
        "identicalMutation.tools",
        list_of(text),
        (),
        "mutation_tools",
        meaning="Further tools that edit; those of the supported agents are known.",
    ),
    Field(
        "sameError.warning",
        whole_number(),
        6,
        "same_error_warning",
        meaning="After this many variants of a call that failed alike, the model is warned.",
    ),
    Field(
        "sameError.critical",
        whole_number(),
        12,
        "same_error_critical",
        meaning="After this many variants of a call that failed alike, the next is blocked. Raised by itself where "
        "it is not above the warning's.",
    ),
    Field(
        "errorCascade.warning",
        whole_number(),
        10,
        "cascade_warning",
        meaning="After this many errors in a row, of whatever tools, the model is warned.",
    ),
    Field(
        "postCompactionGuard.windowSize",
        whole_number(),
        3,
        "compaction_window",
        meaning="After a compaction that is followed by a retry, a run is aborted if this many "
        "outcomes in a row are those of one and the same call.",
    ),
    Field(
        "postCompactionGuard.volatile",
        switch,
        default=False,
        attribute="compaction_volatile_text",
        meaning="Whether outcomes that differ only in what varies by itself are the same to the post-compaction guard, "
        "too; no profile switches it on.",
    ),
)
"""`tools.loopDetection`, by detection.md."""
