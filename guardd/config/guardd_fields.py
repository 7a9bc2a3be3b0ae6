"""The settings of the `guardd` section."""

from guardd.config.fields import Field, table
from guardd.config.kinds import command, file_path, identity, list_of, one_of, text, whole_number

LARGEST_AMOUNT = 2**31 - 1
LARGEST_DAYS = 36_500
LONGEST_NOTIFICATION = 3600
MOST_NOTIFICATIONS_AT_ONCE = 16

GUARDD_FIELDS = table(
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
