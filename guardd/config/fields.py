"""Every setting that guardd knows: its key, what it may be, its default, and its attribute in `settings`."""

from typing import NamedTuple

from guardd.config.kinds import (
    Kind,
    command,
    file_path,
    identity,
    list_of,
    one_of,
    switch,
    text,
    whole_number,
)

LARGEST_AMOUNT = 2**31 - 1
LARGEST_DAYS = 36_500
LONGEST_NOTIFICATION = 3600
MOST_NOTIFICATIONS_AT_ONCE = 16


class Field(NamedTuple):
    """One setting. Keys and attributes are dotted where they stand in a section of their own.

    An optional one has no value by default, and `null` in a file leaves it as it is. Its meaning is what the file
    that `guardd init` writes and the README say of it.
    """

    key: str
    kind: Kind
    default: object
    attribute: str
    optional: bool = False
    meaning: str = ""


def _table(*fields: Field) -> dict[str, Field]:
    return {field.key: field for field in fields}


LOOP_FIELDS = _table(
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
        "postCompactionGuard.volatileText",
        switch,
        default=False,
        attribute="compaction_volatile_text",
        meaning="Whether outcomes that differ only in what varies by itself are the same to the post-compaction guard, "
        "too; no profile switches it on.",
    ),
)
"""`tools.loopDetection`, by detection.md."""

GUARDD_FIELDS = _table(
    Field(
        "profile",
        one_of("documented", "extended", "openclaw-2026.9"),
        "documented",
        "profile",
        meaning='With "extended", the detectors beyond the documented ones are on unless a file switches them off. '
        'With "openclaw-2026.9", the rules of that release hold where they are others than the documented ones.',
    ),
    Field(
        "mode",
        one_of("enforce", "observe"),
        "enforce",
        "mode",
        meaning='With "observe", everything is recorded and what would have been said is reported, but '
        "every call is allowed.",
    ),
    Field(
        "inherit",
        file_path,
        None,
        "inherit",
        optional=True,
        meaning="A gateway's own file: its tools.loopDetection and its agents come first, and this "
        "file overlays them.",
    ),
    Field(
        "socket.path",
        file_path,
        None,
        "socket.path",
        optional=True,
        meaning="Where the daemon listens; without it, the usual place.",
    ),
    Field(
        "socket.group",
        identity,
        None,
        "socket.group",
        optional=True,
        meaning="The group whose members may open the socket; without it, only its owner and root.",
    ),
    Field(
        "socket.gateways",
        list_of(identity),
        (),
        "socket.gateways",
        meaning="Who may report calls, besides root and the daemon's own user: names of users, ids, "
        'and groups as "@name".',
    ),
    Field(
        "socket.readers",
        list_of(identity),
        (),
        "socket.readers",
        meaning="Who may look at runs, events and settings, named likewise.",
    ),
    Field(
        "database.path",
        file_path,
        None,
        "database.path",
        optional=True,
        meaning="Where the database is; without it, the usual place.",
    ),
    Field(
        "database.durability",
        one_of("normal", "full"),
        "normal",
        "database.durability",
        meaning='With "normal", what was acknowledged survives the death of any process; with "full", '
        "a power loss too, and every call waits for the disk.",
    ),
    Field(
        "privacy.previews",
        one_of("redacted", "off"),
        "redacted",
        "privacy.previews",
        meaning='With "redacted", a short form of each call\'s arguments is kept, with secrets masked. '
        'With "off", nothing but fingerprints.',
    ),
    Field(
        "retention.days",
        whole_number(LARGEST_DAYS),
        14,
        "retention.days",
        meaning="Ended runs are deleted after so many days without activity.",
    ),
    Field(
        "retention.maxCallsPerRun",
        whole_number(LARGEST_AMOUNT),
        10_000,
        "retention.max_calls_per_run",
        meaning="A run keeps so many calls; the oldest go first, never what its detectors need.",
    ),
    Field(
        "retention.maxDatabaseMB",
        whole_number(LARGEST_AMOUNT),
        4096,
        "retention.max_database_mb",
        meaning="Above this size of the database, in MiB, the oldest ended runs are deleted sooner.",
    ),
    Field(
        "limits.frameMB",
        whole_number(LARGEST_AMOUNT),
        16,
        "limits.frame_mb",
        meaning="The largest message, in MiB.",
    ),
    Field(
        "limits.connections",
        whole_number(LARGEST_AMOUNT),
        512,
        "limits.connections",
        meaning="How many connections may be open at once.",
    ),
    Field(
        "limits.bufferMB",
        whole_number(LARGEST_AMOUNT),
        256,
        "limits.buffer_mb",
        meaning="How much input of all connections together may wait, in MiB.",
    ),
    Field(
        "limits.idleSeconds",
        whole_number(LARGEST_AMOUNT),
        None,
        "limits.idle_seconds",
        optional=True,
        meaning="After so many seconds a connection that says nothing is closed; without it, never.",
    ),
    Field(
        "notify.command",
        command,
        None,
        "notify.command",
        optional=True,
        meaning="A program, and its arguments, that gets each event on stdin, as one line of JSON; no "
        "shell reads it.",
    ),
    Field(
        "notify.on",
        list_of(one_of("warn", "block", "abort")),
        ("block", "abort"),
        "notify.on",
        meaning="The actions that it is told of.",
    ),
    Field(
        "notify.timeoutSeconds",
        whole_number(LONGEST_NOTIFICATION),
        10,
        "notify.timeout_seconds",
        meaning="After so many seconds the program is killed.",
    ),
    Field(
        "notify.atOnce",
        whole_number(MOST_NOTIFICATIONS_AT_ONCE),
        2,
        "notify.at_once",
        meaning="How many of them may run at once; up to a hundred more events wait, and further ones "
        "are dropped.",
    ),
    Field(
        "sendingTools",
        list_of(text),
        (),
        "sending_tools",
        meaning="Further tools whose results carry a new id each time that something is sent, as "
        "message/send does.",
    ),
    Field(
        "pollTools",
        list_of(text),
        (),
        "poll_tools",
        meaning="Further tools that poll, as command_status does.",
    ),
)
"""The `guardd` section, by config.md."""
