import json
from pathlib import Path
from typing import Any

import pytest

from guardd.config.document import decode_document
from guardd.config.errors import ConfigError
from guardd.config.layers import FileLayers, layers_and_errors, read_layers, same_agent

FILE = "/etc/guardd/guardd.json5"
DIRECTORY = Path("/etc/guardd")
A_SHELL = 'for a shell ["/bin/sh", "-c", "…"]'


def layers(text: str, *, inherited: bool = False) -> FileLayers:
    return read_layers(decode_document(text, FILE), FILE, DIRECTORY, inherited=inherited)


def values(layer: dict[str, Any]) -> dict[str, Any]:
    return {key: setting.value for key, setting in layer.items()}


def loop_error(block: str, *, inherited: bool = False) -> str:
    with pytest.raises(ConfigError) as caught:
        layers(f"{{tools: {{loopDetection: {block}}}}}", inherited=inherited)
    return str(caught.value).removeprefix(f"{FILE}: tools.loopDetection")


def guardd_error(section: str) -> str:
    with pytest.raises(ConfigError) as caught:
        layers(f"{{guardd: {section}}}")
    return str(caught.value).removeprefix(f"{FILE}: guardd")


def test_a_value_and_where_it_came_from():
    found = layers(
        """{
        tools: {loopDetection: {enabled: true, historySize: 40.0, detectors: {pingPong: false}}},
        agents: {
            list: [{id: "safe-runner", tools: {loopDetection: {warningThreshold: 8}}}],
            entries: {"a.b": {tools: {loopDetection: {postCompactionGuard: {windowSize: 4}}}}},
        },
        guardd: {mode: "observe", limits: {frameMB: 1}},
        }"""
    )
    assert found.loop == {
        "enabled": (True, f"{FILE}: tools.loopDetection.enabled"),
        "historySize": (40, f"{FILE}: tools.loopDetection.historySize"),
        "detectors.pingPong": (False, f"{FILE}: tools.loopDetection.detectors.pingPong"),
    }
    assert found.agents == {
        "safe-runner": {
            "warningThreshold": (
                8,
                f"{FILE}: agents.list[id=safe-runner].tools.loopDetection.warningThreshold",
            )
        },
        "a.b": {
            "postCompactionGuard.windowSize": (
                4,
                f'{FILE}: agents.entries["a.b"].tools.loopDetection.postCompactionGuard.windowSize',
            )
        },
    }
    assert found.guardd == {
        "mode": ("observe", f"{FILE}: guardd.mode"),
        "limits.frameMB": (1, f"{FILE}: guardd.limits.frameMB"),
    }
    assert found.warnings == []


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{tools: {}}",
        "{tools: {loopDetection: {}}}",
        "{tools: null, agents: null, guardd: null}",
        "{tools: {loopDetection: null}, agents: {list: null, entries: null}}",
        "{tools: {loopDetection: {enabled: null, detectors: null, postCompactionGuard: {}}}}",
        "{guardd: {inherit: null, socket: {path: null, group: null}, limits: {idleSeconds: null}}}",
        "{guardd: {database: {path: null}, retention: null}}",
    ],
)
def test_what_sets_nothing(text: str):
    found = layers(text)
    assert (found.loop, found.agents, found.guardd, found.warnings) == ({}, {}, {}, [])


def test_what_else_a_gateways_file_holds_is_ignored():
    text = """{
        gateway: {port: 1}, plugins: {entries: {guardd: {enabled: true}}}, tools: {exec: {}, profile: "full"},
        agents: {
            defaults: {model: "m"}, list: [{id: "a", name: "A", tools: {allow: []}}], entries: {b: {x: 1}},
        },
    }"""
    for inherited in (False, True):
        found = layers(text, inherited=inherited)
        assert (found.loop, found.agents, found.guardd, found.warnings) == ({}, {"a": {}, "b": {}}, {}, [])


WHOLE_NUMBERS = [
    "historySize",
    "warningThreshold",
    "criticalThreshold",
    "unknownToolThreshold",
    "globalCircuitBreakerThreshold",
    "postCompactionGuard.windowSize",
]
WRONG_NUMBERS = [
    "0",
    "-1",
    "1.5",
    "true",
    "false",
    "'10'",
    "null",
    "[]",
    "{}",
    "Infinity",
    "-Infinity",
    "NaN",
]


@pytest.mark.parametrize("key", WHOLE_NUMBERS)
@pytest.mark.parametrize("value", WRONG_NUMBERS)
@pytest.mark.parametrize("inherited", [False, True])
def test_wrong_numbers(key: str, value: str, inherited: bool):  # noqa: FBT001
    block = f"{{{key}: {value}}}" if "." not in key else "{{{}: {{{}: {}}}}}".format(*key.split("."), value)
    assert loop_error(block, inherited=inherited) == (
        f".{key}: expected a whole number of at least 1; got {value}"
    )


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("5", ": expected an object; got 5"),
        ("{enabled: 1}", ".enabled: expected true or false; got 1"),
        ("{enabled: 'yes'}", ".enabled: expected true or false; got 'yes'"),
        ("{detectors: []}", ".detectors: expected an object; got []"),
        ("{detectors: {pingPong: 1}}", ".detectors.pingPong: expected true or false; got 1"),
        ("{detectors: {pingPong: null}}", ".detectors.pingPong: expected true or false; got null"),
        ("{postCompactionGuard: 3}", ".postCompactionGuard: expected an object; got 3"),
        (
            "{historySize: 1e300}",
            ".historySize: expected a whole number of at most 9007199254740991; got 1e+300",
        ),
    ],
)
@pytest.mark.parametrize("inherited", [False, True])
def test_wrong_blocks(block: str, message: str, inherited: bool):  # noqa: FBT001
    assert loop_error(block, inherited=inherited) == message


@pytest.mark.parametrize(
    ("block", "key", "reason"),
    [
        ("{warnThreshold: 1}", ".warnThreshold", "unknown key; the nearest known one is 'warningThreshold'"),
        ("{historysize: 1}", ".historysize", "unknown key; the nearest known one is 'historySize'"),
        ("{Enabled: true}", ".Enabled", "unknown key; the nearest known one is 'enabled'"),
        ("{detector: {}}", ".detector", "unknown key; the nearest known one is 'detectors'"),
        (
            "{detectors: {pingpong: true}}",
            ".detectors.pingpong",
            "unknown key; the nearest known one is 'pingPong'",
        ),
        (
            "{postCompactionGuard: {size: 1}}",
            ".postCompactionGuard.size",
            "unknown key; known here: volatile, windowSize",
        ),
        ("{windowSize: 1}", ".windowSize", "unknown key here; it belongs at postCompactionGuard.windowSize"),
        ("{pingPong: true}", ".pingPong", "unknown key here; it belongs at detectors.pingPong"),
        ("{detectors: {enabled: true}}", ".detectors.enabled", "unknown key here; it belongs at enabled"),
        ("{'\ud800 ': 1}", r'["\ud800 "]', "unknown key; known here: criticalThreshold, cycle, detectors, "),
        ("{$include: 'a'}", ".$include", "guardd does not read included files"),
    ],
)
def test_unknown_keys_are_errors_in_our_file_and_warnings_in_an_inherited_one(
    block: str, key: str, reason: str
):
    assert loop_error(block).startswith(f"{key}: {reason}")
    found = layers(f"{{tools: {{loopDetection: {block}}}}}", inherited=True)
    assert len(found.warnings) == 1
    assert found.warnings[0].startswith(f"{FILE}: tools.loopDetection{key}: {reason}")
    assert found.loop == {}


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("[]", ": expected an object; got []"),
        ("{mode: 'observ'}", ".mode: expected one of 'enforce', 'observe'; got 'observ'"),
        ("{mode: null}", ".mode: expected one of 'enforce', 'observe'; got null"),
        ("{inherit: 5}", ".inherit: expected the path of a file; got 5"),
        ("{inherit: ''}", ".inherit: expected the path of a file; got ''"),
        ("{socket: '/run/s'}", ".socket: expected an object; got '/run/s'"),
        ("{socket: {path: []}}", ".socket.path: expected the path of a file; got []"),
        ("{socket: {group: true}}", ".socket.group: expected a name or an id; got true"),
        ("{socket: {gateways: 'u'}}", ".socket.gateways: expected a list; got 'u'"),
        (
            "{socket: {gateways: ['u', null]}}",
            ".socket.gateways: item 1 is null: expected a name or an id; got ['u', null]",
        ),
        ("{socket: {readers: {}}}", ".socket.readers: expected a list; got {}"),
        ("{database: {path: 1}}", ".database.path: expected the path of a file; got 1"),
        (
            "{database: {durability: 'FULL'}}",
            ".database.durability: expected one of 'normal', 'full'; got 'FULL'",
        ),
        ("{privacy: {previews: false}}", ".privacy.previews: expected one of 'redacted', 'off'; got false"),
        ("{retention: {days: 0}}", ".retention.days: expected a whole number of at least 1; got 0"),
        (
            "{retention: {days: 40000}}",
            ".retention.days: expected a whole number of at most 36500; got 40000",
        ),
        (
            "{retention: {maxCallsPerRun: '1'}}",
            ".retention.maxCallsPerRun: expected a whole number of at least 1; got '1'",
        ),
        (
            "{retention: {maxDatabaseMB: null}}",
            ".retention.maxDatabaseMB: expected a whole number of at least 1; got null",
        ),
        ("{limits: {frameMB: 0.5}}", ".limits.frameMB: expected a whole number of at least 1; got 0.5"),
        (
            "{limits: {connections: 1e12}}",
            ".limits.connections: expected a whole number of at most 2147483647; got 1000000000000.0",
        ),
        ("{limits: {bufferMB: true}}", ".limits.bufferMB: expected a whole number of at least 1; got true"),
        ("{limits: {idleSeconds: 0}}", ".limits.idleSeconds: expected a whole number of at least 1; got 0"),
        ("{sendingTools: 'a'}", ".sendingTools: expected a list; got 'a'"),
        ("{pollTools: [5]}", ".pollTools: item 0 is 5: expected a string that is not empty; got [5]"),
        ("{mod: 1}", ".mod: unknown key; the nearest known one is 'mode'"),
        ("{sendingTool: []}", ".sendingTool: unknown key; the nearest known one is 'sendingTools'"),
        (
            "{notify: {command: 'mail root'}}",
            f".notify.command: expected a list of a program and its arguments; {A_SHELL}; got 'mail root'",
        ),
        (
            "{notify: {on: ['allow']}}",
            ".notify.on: item 0 is 'allow': expected one of 'warn', 'block', 'abort'; got ['allow']",
        ),
        (
            "{notify: {timeoutSeconds: 0}}",
            ".notify.timeoutSeconds: expected a whole number of at least 1; got 0",
        ),
        ("{notify: {atOnce: 17}}", ".notify.atOnce: expected a whole number of at most 16; got 17"),
        ("{notify: {timeout: 5}}", ".notify.timeout: unknown key; the nearest known one is 'timeoutSeconds'"),
        ("{notify: 'mail'}", ".notify: expected an object; got 'mail'"),
        ("{notifier: {}}", ".notifier: unknown key; the nearest known one is 'notify'"),
        ("{limits: {frameMb: 1}}", ".limits.frameMb: unknown key; the nearest known one is 'frameMB'"),
        ("{days: 1}", ".days: unknown key here; it belongs at retention.days"),
        ("{path: 'a'}", ".path: unknown key here; it belongs at socket.path or database.path"),
        ("{tell: {}}", ".tell: unknown key; known here: "),
        ("{profile: 'x'}", ".profile: expected one of 'documented', 'extended', 'openclaw-2026.9'; got 'x'"),
        ("{profil: 'x'}", ".profil: unknown key; the nearest known one is 'profile'"),
        ("{$include: 'x'}", ".$include: guardd does not read included files"),
    ],
)
def test_wrong_settings_of_guardds_own(section: str, message: str):
    error = guardd_error(section)
    assert error == message or (message.endswith("here: ") and error.startswith(message))


def test_every_setting_of_guardds_own():
    written = {
        "mode": "observe",
        "inherit": "/gateway.json",
        "socket": {"path": "/s", "group": 1000, "gateways": ["u", 7, "@g"], "readers": ["@r"]},
        "database": {"path": "d/g.db", "durability": "full"},
        "privacy": {"previews": "off"},
        "retention": {"days": 1, "maxCallsPerRun": 2, "maxDatabaseMB": 3},
        "limits": {"frameMB": 4, "connections": 5, "bufferMB": 6, "idleSeconds": 7},
        "sendingTools": ["a"],
        "pollTools": ["b", "c"],
    }
    assert values(layers(json.dumps({"guardd": written})).guardd) == {
        "mode": "observe",
        "inherit": Path("/gateway.json"),
        "socket.path": Path("/s"),
        "socket.group": "1000",
        "socket.gateways": ("u", "7", "@g"),
        "socket.readers": ("@r",),
        "database.path": Path("/etc/guardd/d/g.db"),
        "database.durability": "full",
        "privacy.previews": "off",
        "retention.days": 1,
        "retention.maxCallsPerRun": 2,
        "retention.maxDatabaseMB": 3,
        "limits.frameMB": 4,
        "limits.connections": 5,
        "limits.bufferMB": 6,
        "limits.idleSeconds": 7,
        "sendingTools": ("a",),
        "pollTools": ("b", "c"),
    }


def test_all_that_is_wrong_is_told():
    text = """{
        tools: {loopDetection: {historySize: 0, detectors: 5, warnThreshold: 1}},
        agents: {
            list: [5, {id: ""}, {id: "a", tools: 5}, {id: "a"}, {id: "b", tools: {loopDetection: {enabled: 1}}}],
            entries: {"": {}, c: 5, d: {tools: {loopDetection: {historySize: -1}}}},
        },
        guardd: {mode: "x", mode: "y", notify: {command: [], on: 1}, limits: 5, nothing: {}},
    }"""
    with pytest.raises(ConfigError) as caught:
        layers(text)
    assert [error.key for error in caught.value.errors] == [
        "tools.loopDetection.historySize",
        "tools.loopDetection.detectors",
        "tools.loopDetection.warnThreshold",
        "agents.list[0]",
        "agents.list[1].id",
        "agents.list[id=a].tools",
        "agents.list[id=a]",
        "agents.list[id=b].tools.loopDetection.enabled",
        'agents.entries[""]',
        "agents.entries.c",
        "agents.entries.d.tools.loopDetection.historySize",
        "guardd.mode",
        "guardd.mode",
        "guardd.notify.command",
        "guardd.notify.on",
        "guardd.limits",
        "guardd.nothing",
    ]


def test_what_is_right_beside_what_is_wrong_is_kept():
    document = decode_document("{guardd: {mode: 5, inherit: 'x'}}", FILE)
    found, errors = layers_and_errors(document, FILE, DIRECTORY, inherited=False)
    assert [error.key for error in errors] == ["guardd.mode"]
    assert values(found.guardd) == {"inherit": DIRECTORY / "x"}


def test_the_guardd_section_of_an_inherited_file_is_not_looked_at():
    assert layers("{guardd: {mode: 5}}", inherited=True).guardd == {}


def test_no_inherited_file_can_have_a_command_run():
    assert layers("{guardd: {notify: {command: ['/bin/sh', '-c', 'evil']}}}", inherited=True) == layers("{}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{tools: 5}", "tools: expected an object; got 5"),
        ("{agents: []}", "agents: expected an object; got []"),
        ("{agents: {list: {}}}", "agents.list: expected a list; got {}"),
        ("{agents: {list: ['a']}}", "agents.list[0]: expected an object; got 'a'"),
        ("{agents: {list: [{}]}}", "agents.list[0].id: expected a string that is not empty; got null"),
        (
            "{agents: {list: [{id: 'a'}, {id: 5}]}}",
            "agents.list[1].id: expected a string that is not empty; got 5",
        ),
        ("{agents: {list: [{id: 'a', tools: 1}]}}", "agents.list[id=a].tools: expected an object; got 1"),
        (
            "{agents: {list: [{id: 'a', tools: {loopDetection: 1}}]}}",
            "agents.list[id=a].tools.loopDetection: expected an object; got 1",
        ),
        (
            "{agents: {list: [{id: 'a', tools: {loopDetection: {historySize: 0}}}]}}",
            "agents.list[id=a].tools.loopDetection.historySize: expected a whole number of at least 1; got 0",
        ),
        ("{agents: {entries: []}}", "agents.entries: expected an object; got []"),
        ("{agents: {entries: {a: 1}}}", "agents.entries.a: expected an object; got 1"),
        (
            "{agents: {entries: {'': {}}}}",
            "agents.entries[\"\"]: expected a string that is not empty; got ''",
        ),
        (
            "{agents: {entries: {a: {tools: {loopDetection: {enabled: 0}}}}}}",
            "agents.entries.a.tools.loopDetection.enabled: expected true or false; got 0",
        ),
    ],
)
@pytest.mark.parametrize("inherited", [False, True])
def test_wrong_shapes(text: str, message: str, inherited: bool):  # noqa: FBT001
    with pytest.raises(ConfigError) as caught:
        layers(text, inherited=inherited)
    assert str(caught.value) == f"{FILE}: {message}"


def test_where_both_forms_define_an_agent_entries_overlay_the_list():
    found = layers(
        """{agents: {
        list: [{id: "Main", tools: {loopDetection: {enabled: true, warningThreshold: 5}}}],
        entries: {main: {tools: {loopDetection: {warningThreshold: 7, detectors: {pingPong: false}}}}},
        }}"""
    )
    assert {agent_id: values(layer) for agent_id, layer in found.agents.items()} == {
        "Main": {"enabled": True, "warningThreshold": 7, "detectors.pingPong": False}
    }


TWICE_ONLY_LAST = "this key stands here twice, and only the last counts"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "{tools: {loopDetection: {enabled: true, enabled: false}}}",
            f"tools.loopDetection.enabled: {TWICE_ONLY_LAST}",
        ),
        (
            "{tools: {loopDetection: {detectors: {}, detectors: {}}}}",
            f"tools.loopDetection.detectors: {TWICE_ONLY_LAST}",
        ),
        ("{tools: {loopDetection: {}, loopDetection: {}}}", f"tools.loopDetection: {TWICE_ONLY_LAST}"),
        ("{tools: {}, tools: {}}", f"tools: {TWICE_ONLY_LAST}"),
        ("{agents: {}, agents: {}}", f"agents: {TWICE_ONLY_LAST}"),
        ("{agents: {entries: {a: {}, a: {}}}}", f"agents.entries.a: {TWICE_ONLY_LAST}"),
        ("{agents: {list: [{id: 'a', id: 'b'}]}}", f"agents.list[0].id: {TWICE_ONLY_LAST}"),
        (
            "{agents: {list: [{id: 'a'}, {id: 'A '}]}}",
            'agents.list[id="A "]: this agent is listed twice, and only the first counts',
        ),
    ],
)
def test_slips_are_errors_in_our_file_and_warnings_in_an_inherited_one(text: str, message: str):
    with pytest.raises(ConfigError) as caught:
        layers(text)
    assert str(caught.value) == f"{FILE}: {message}"
    assert layers(text, inherited=True).warnings == [f"{FILE}: {message}"]


def test_repeated_keys_in_an_inherited_file_count_as_they_do_for_its_gateway():
    text = """{
        tools: {loopDetection: {historySize: 5, historySize: 6}},
        agents: {list: [
            {id: "a", tools: {loopDetection: {historySize: 7}}},
            {id: "a", tools: {loopDetection: {historySize: 8}}},
        ]},
    }"""
    found = layers(text, inherited=True)
    assert values(found.loop) == {"historySize": 6}
    assert values(found.agents["a"]) == {"historySize": 7}


def test_repeated_keys_elsewhere_are_nobodys_business():
    found = layers("{gateway: 1, gateway: 2, tools: {exec: 1, exec: 2}, agents: {defaults: 1, defaults: 2}}")
    assert found.warnings == []


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("{$include: './all.json5'}", ["$include"]),
        ("{tools: {$include: './tools.json5'}}", ["tools.$include"]),
        ("{agents: {$include: ['./a.json5']}}", ["agents.$include"]),
        ("{agents: {list: {$include: './list.json5'}}}", ["agents.list.$include"]),
        ("{agents: {entries: {$include: './e.json5'}}}", ["agents.entries.$include"]),
        ("{agents: {list: [{id: 'a', $include: './a.json5'}]}}", ["agents.list[id=a].$include"]),
        ("{agents: {entries: {a: {tools: {$include: './t.json5'}}}}}", ["agents.entries.a.tools.$include"]),
        ("{gateway: {$include: './g.json5'}}", []),
    ],
)
@pytest.mark.parametrize("inherited", [False, True])
def test_what_an_include_would_bring_is_warned_of(text: str, places: list[str], inherited: bool):  # noqa: FBT001
    found = layers(text, inherited=inherited)
    assert [line.split(": guardd does")[0] for line in found.warnings] == [
        f"{FILE}: {place}" for place in places
    ]
    assert "$include" not in found.agents


def test_spellings_of_one_agent():
    assert same_agent(" Safe-Runner ") == same_agent("safe-runner")
    assert same_agent("a_b") != same_agent("a-b")


@pytest.mark.parametrize(
    ("key", "meant"),
    [("guard", "guardd"), ("Guardd", "guardd"), ("tool", "tools"), ("agent", "agents"), ("toosl", "tools")],
)
def test_a_key_at_the_top_that_is_nearly_one_of_ours_is_warned_of(key: str, meant: str):
    text = f"{{{key}: {{}}, hooks: {{}}, models: {{}}}}"
    assert layers(text).warnings == [f"{FILE}: {key}: guardd does not read this; is {meant!r} meant?"]
    assert layers(text, inherited=True).warnings == []
