import gzip
import json
import os
from pathlib import Path
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardd.config import Config, ConfigError, load, parse
from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.loop_fields import LOOP_FIELDS

CONFORMANCE = Path(__file__).parents[1] / "data" / "conformance"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home directory, which a test's environment names."""
    directory = tmp_path / "home"
    directory.mkdir()
    return directory


def write(path: Path, history: int) -> Path:
    """Make a configuration file that can be told by its number."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{{tools: {{loopDetection: {{historySize: {history}}}}}}}")
    return path


def history(config: Config) -> int:
    return config.loop_settings(None).history_size


def error_of(path: Path | str | None, environ: dict[str, str]) -> str:
    with pytest.raises(ConfigError) as caught:
        load(path, environ)
    return str(caught.value)


@pytest.fixture
def system(tmp_path: Path):
    """Where the system's file would be."""
    path = tmp_path / "etc" / "guardd" / "guardd.json5"
    with mock.patch("guardd.paths.SYSTEM_CONFIG", str(path)):
        yield path


def test_the_first_file_counts(home: Path, system: Path, tmp_path: Path):
    environ = {"HOME": str(home)}
    write(system, 101)
    assert load(None, environ).path == system
    write(home / ".config/guardd/guardd.json5", 102)
    assert history(load(None, environ)) == 102
    environ["XDG_CONFIG_HOME"] = str(tmp_path / "xdg")
    assert history(load(None, environ)) == 101
    write(tmp_path / "xdg/guardd/guardd.json5", 103)
    assert history(load(None, environ)) == 103
    environ["GUARDD_CONFIG"] = str(write(tmp_path / "named.json5", 104))
    assert history(load(None, environ)) == 104
    assert history(load(write(tmp_path / "argument.json5", 105), environ)) == 105
    assert history(load(str(tmp_path / "argument.json5"), environ)) == 105


def test_without_a_file_the_defaults_hold(home: Path, system: Path):
    config = load(None, {"HOME": str(home)})
    assert (config.path, config.warnings, config.agents) == (None, (), ())
    (note,) = config.notes
    assert note == (
        f"no configuration file ({home}/.config/guardd/guardd.json5 or {system}): "
        "only the post-compaction guard watches; `guardd init` writes a file that switches loop detection on"
    )
    described = config.describe()
    assert described["path"] is None
    assert {value["origin"] for value in described["values"].values()} == {"default"}


def test_a_named_file_must_exist(home: Path, system: Path):
    write(system, 101)
    missing = home / "none.json5"
    assert error_of(missing, {"HOME": str(home)}) == f"{missing}: the file does not exist"
    assert error_of(None, {"GUARDD_CONFIG": str(missing)}) == f"{missing}: the file does not exist"


def test_a_default_file_that_is_broken_is_not_skipped(home: Path, system: Path):
    write(system, 101)
    path = write(home / ".config/guardd/guardd.json5", 0)
    assert error_of(None, {"HOME": str(home)}).startswith(f"{path}: tools.loopDetection.historySize: ")


def test_a_default_place_below_a_file_is_absent(home: Path, system: Path):
    write(system, 101)
    (home / ".config").touch()
    assert history(load(None, {"HOME": str(home)})) == 101


def test_a_default_place_that_cannot_be_looked_into_is_noted(home: Path, system: Path):
    write(system, 101)
    (home / ".config").symlink_to(".config")  # any failure but absence
    config = load(None, {"HOME": str(home)})
    assert history(config) == 101
    assert config.notes[0].startswith(f"{home}/.config/guardd/guardd.json5 cannot be looked for: ")


def test_the_machine_s_own_file_that_cannot_be_looked_for_is_an_error(home: Path, system: Path):
    system.parent.mkdir(parents=True)
    system.symlink_to(system.name)  # any failure but absence
    error = error_of(None, {"HOME": str(home)})
    assert error.startswith(f"{system}: cannot be looked for: ")
    assert error.endswith(f"; chmod go+rX {system.parent}")


def test_home_in_a_named_file(home: Path):
    write(home / "g.json5", 101)
    assert load("~/g.json5", {"HOME": str(home)}).path == home / "g.json5"


def test_this_process_is_asked_when_nothing_is_given(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GUARDD_CONFIG", str(write(home / "g.json5", 101)))
    assert history(load()) == 101


def test_a_relative_file_is_remembered_from_the_root_on(home: Path, monkeypatch: pytest.MonkeyPatch):
    write(home / "g.json5", 101)
    monkeypatch.chdir(home)
    config = load("g.json5")
    assert config.path == home / "g.json5"
    assert config.describe()["values"]["tools.loopDetection.historySize"]["origin"] == (
        f"{home}/g.json5: tools.loopDetection.historySize"
    )


def test_a_current_directory_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert error_of("g.json5", {}) == "g.json5: the file does not exist"
    assert parse("{}").path is None


def test_relative_paths_begin_at_the_file(tmp_path: Path):
    path = tmp_path / "g.json5"
    path.write_text("{guardd: {database: {path: 'g.db'}, socket: {path: '/run/s'}}}")
    found = load(path, {}).settings
    assert (found.database.path, found.socket.path) == (tmp_path / "g.db", Path("/run/s"))


def test_a_text_without_a_file():
    config = parse("{tools: {loopDetection: {historySize: 101}}}")
    assert config.path is None
    assert config.describe()["values"]["tools.loopDetection.historySize"]["origin"] == (
        "<configuration>: tools.loopDetection.historySize"
    )
    with pytest.raises(ConfigError, match=r"^<configuration>: line 1, column 1: "):
        parse("x")


GATEWAY = """{
    tools: {loopDetection: {enabled: true, warningThreshold: 2, detectors: {pingPong: false}}},
    agents: {list: [
        {id: "both", tools: {loopDetection: {warningThreshold: 12, historySize: 52}}},
        {id: "theirs", tools: {loopDetection: {warningThreshold: 22}}},
    ]},
}"""
OURS = """{
    tools: {loopDetection: {warningThreshold: 3, detectors: {genericRepeat: false}}},
    agents: {entries: {
        Both: {tools: {loopDetection: {warningThreshold: 13}}},
        ours: {tools: {loopDetection: {warningThreshold: 23}}},
    }},
    guardd: {inherit: "gateway.json"},
}"""


@pytest.fixture
def inheriting(tmp_path: Path) -> Path:
    """A file that inherits a gateway's beside it."""
    (tmp_path / "gateway.json").write_text(GATEWAY)
    (tmp_path / "g.json5").write_text(OURS)
    return tmp_path / "g.json5"


@pytest.mark.parametrize(
    ("agent_id", "origin", "warning_threshold", "history_size"),
    [
        (None, "g.json5: tools", 3, 30),
        ("both", "g.json5: agents.entries.Both.tools", 13, 52),
        ("theirs", "gateway.json: agents.list[id=theirs].tools", 22, 30),
        ("ours", "g.json5: agents.entries.ours.tools", 23, 30),
    ],
)
def test_inherited_layers_come_first_and_agents_over_everybody(
    inheriting: Path, agent_id: str | None, origin: str, warning_threshold: int, history_size: int
):
    config = load(inheriting, {})
    loop = config.loop_settings(agent_id)
    assert (loop.warning_threshold, loop.history_size) == (warning_threshold, history_size)
    assert (loop.enabled, loop.ping_pong, loop.generic_repeat) == (True, False, False)
    assert config.describe(agent_id)["values"]["tools.loopDetection.warningThreshold"]["origin"] == (
        f"{inheriting.parent}/{origin}.loopDetection.warningThreshold"
    )
    assert config.settings.inherit == inheriting.parent / "gateway.json"


def test_agents_of_both_files_are_listed(inheriting: Path):
    assert load(inheriting, {}).agents == ("both", "theirs", "ours")


def test_the_inherited_files_warnings_come_along(inheriting: Path):
    (inheriting.parent / "gateway.json").write_text(
        "{$include: 'x', tools: {loopDetection: {enabled: true, newKnob: 1}}, agents: {defaults: {}}}"
    )
    config = load(inheriting, {})
    assert len(config.warnings) == 2
    assert f"{inheriting.parent}/gateway.json: $include: " in config.warnings[0]
    assert f"{inheriting.parent}/gateway.json: tools.loopDetection.newKnob: unknown key" in config.warnings[1]
    assert set(config.warnings) <= set(config.describe()["warnings"])
    assert config.loop_settings(None).enabled is True


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "the file does not exist{by}"),
        ("{", "line 1, column 2: not valid JSON5: Unexpected end of input{by}"),
        ("[]", "expected an object at the top{by}; got []"),
        (
            "{tools: {loopDetection: {historySize: 0}}}",
            "tools.loopDetection.historySize: expected a whole number of at least 1{by}; got 0",
        ),
    ],
)
def test_what_is_wrong_with_an_inherited_file(inheriting: Path, content: str | None, message: str):
    gateway = inheriting.parent / "gateway.json"
    if content is None:
        gateway.unlink()
    else:
        gateway.write_text(content)
    by = f" (inherited by {inheriting}: guardd.inherit)"
    with pytest.raises(ConfigError) as caught:
        load(inheriting, {})
    assert str(caught.value) == f"{gateway}: {message.format(by=by)}"
    assert caught.value.file == str(gateway)


def test_what_is_wrong_in_both_files_is_told_at_once(tmp_path: Path):
    (tmp_path / "gateway.json").write_text("{tools: {loopDetection: {historySize: 0, enabled: 1}}}")
    with pytest.raises(ConfigError) as caught:
        parse("{guardd: {mode: 'x', inherit: 'gateway.json'}}", tmp_path / "g.json5")
    assert [(error.file, error.key) for error in caught.value.errors] == [
        (f"{tmp_path}/g.json5", "guardd.mode"),
        (f"{tmp_path}/gateway.json", "tools.loopDetection.historySize"),
        (f"{tmp_path}/gateway.json", "tools.loopDetection.enabled"),
    ]
    assert all("(inherited by " in error.reason for error in caught.value.errors[1:])


def test_an_inherited_file_has_no_command_run(tmp_path: Path):
    gateway = tmp_path / "gateway.json"
    gateway.write_text('{"guardd": {"notify": {"command": ["/bin/sh", "-c", "evil"], "on": ["warn"]}}}')
    config = parse(f"{{guardd: {{inherit: '{gateway}', notify: {{atOnce: 3}}}}}}", tmp_path / "g.json5")
    assert config.settings.notify.command is None
    assert config.settings.notify.on == ("block", "abort")
    assert config.settings.notify.at_once == 3
    assert config.warnings == ()


def test_home_in_an_inherited_path(home: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(home))
    write(home / ".openclaw/openclaw.json", 101)
    assert history(parse("{guardd: {inherit: '~/.openclaw/openclaw.json'}}")) == 101


def test_a_file_may_name_itself(tmp_path: Path):
    path = tmp_path / "g.json5"
    path.write_text("{tools: {loopDetection: {historySize: 101}}, guardd: {inherit: 'g.json5'}}")
    assert history(load(path, {})) == 101


def test_an_inherited_file_inherits_nothing(tmp_path: Path):
    (tmp_path / "a.json5").write_text("{guardd: {inherit: 'none.json5', mode: 'observe'}}")
    assert parse("{guardd: {inherit: 'a.json5'}}", tmp_path / "g.json5").settings.mode == "enforce"


def test_loading_again_sees_what_has_changed(tmp_path: Path):
    path = write(tmp_path / "g.json5", 101)
    before = load(path, {})
    write(path, 102)
    assert (history(before), history(load(path, {}))) == (101, 102)


def test_an_error_names_nothing_that_cannot_be_printed(tmp_path: Path):
    path = tmp_path / os.fsdecode(b"\xff.json5")
    path.write_text("{tools: {loopDetection: {'\\ud800': 1}}}")
    error_of(path, {}).encode()
    path.write_text("{guardd: {database: {path: 'g.db'}}}")
    assert json.dumps(load(path, {}).describe(), ensure_ascii=False).encode()


KEYS = sorted(
    {part for key in [*LOOP_FIELDS, *GUARDD_FIELDS] for part in key.split(".")}
    | {"tools", "agents", "guardd", "loopDetection", "list", "entries", "id", "$include"}
)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(KEYS)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=4),
    max_leaves=12,
)
LOOP = st.fixed_dictionaries({}, optional={"loopDetection": VALUES})
AGENTS = st.fixed_dictionaries(
    {},
    optional={
        "list": st.lists(st.fixed_dictionaries({"id": SCALARS}, optional={"tools": LOOP}), max_size=3),
        "entries": st.dictionaries(st.text(max_size=4), st.fixed_dictionaries({"tools": LOOP}), max_size=3),
    },
)
DOCUMENTS = st.fixed_dictionaries(
    {}, optional={"tools": LOOP | VALUES, "agents": AGENTS | VALUES, "guardd": VALUES}
)


@settings(max_examples=300, deadline=None)
@given(DOCUMENTS)
def test_any_object_is_a_configuration_or_a_configuration_error(document: object):
    try:
        config = parse(json.dumps(document), "/nowhere/g.json5")
    except ConfigError as error:
        str(error).encode()
        return
    for agent_id in (None, *config.agents):
        json.dumps(config.describe(agent_id), ensure_ascii=False).encode()
        loop = config.loop_settings(agent_id)
        assert (
            loop.warning_threshold < loop.critical_threshold < loop.global_circuit_breaker_threshold < 2**63
        )


@pytest.mark.parametrize("name", ["cases.jsonl.gz", "streams.jsonl.gz"])
def test_the_configurations_of_the_conformance_data_are_read(name: str):
    with gzip.open(CONFORMANCE / name, "rt") as lines:
        for line in lines:
            case = json.loads(line)
            assert parse(json.dumps(case["config"])).loop_settings(case["agentId"])
