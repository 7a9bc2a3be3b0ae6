"""The gateway's configuration: which file it is, and the keys that load the plugin."""

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.json5_writer import Writer, random_object

from guardd.cli.install import openclaw
from guardd.cli.install.json5_edit import Document, decoded

SEEDS = st.integers(0, 2**32)

FILE = ".openclaw/openclaw.json"

HAND_WRITTEN = """\
// my gateway
{
  gateway: { mode: 'local', port: 18789 }, // keep
  /* plugins follow */
  plugins: {
    allow: ['telegram'], // only this
    entries: {
      telegram: { enabled: true, config: { botToken: 'very-secret' } },
    },
  },
}
"""

INSTALLED = """\
// my gateway
{
  gateway: { mode: 'local', port: 18789 }, // keep
  /* plugins follow */
  plugins: {
    allow: ['telegram', 'guardd'], // only this
    entries: {
      telegram: { enabled: true, config: { botToken: 'very-secret' } },
      guardd: {
        enabled: true,
        hooks: {
          allowConversationAccess: true,
          timeouts: {
            before_tool_call: 3000,
          },
        },
      },
    },
    load: {
      paths: ['PLUGIN'],
    },
  },
}
"""

STRICT = '{\r\n\t"gateway": {"mode": "local"},\r\n\t"plugins": {"load": {"paths": ["/mine"]}}\r\n}\r\n'

ENTRY = {"enabled": True, "hooks": {"allowConversationAccess": True, "timeouts": {"before_tool_call": 3000}}}


def test_a_file_written_by_hand_keeps_its_comments(
    guardctl: Any, write: Any, plugin: Path, backups: Any
) -> None:
    file = write(FILE, HAND_WRITTEN, 0o600)
    result = guardctl("install", "openclaw", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert file.read_text() == INSTALLED.replace("PLUGIN", str(plugin))
    assert "openclaw plugins inspect guardd --runtime --json" in result.stdout
    assert backups(file)[0].read_text() == HAND_WRITTEN
    assert "very-secret" not in result.stdout
    assert guardctl("install", "openclaw").stdout == f"Nothing to do: guardd is already in {file}.\n"
    assert guardctl("install", "openclaw", "--yes", "--uninstall").exit_code == 0
    assert file.read_text() == HAND_WRITTEN


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        '{"plugins": {}}',
        "{plugins: {allow: [], load: {}, entries: {}}}",
        STRICT,
        HAND_WRITTEN,
        f"\ufeff{STRICT}",
    ],
)
def test_any_file_is_the_same_again(guardctl: Any, write: Any, plugin: Path, text: str) -> None:
    file = write(FILE, text)
    assert guardctl("install", "openclaw", "--yes").exit_code == 0
    plugins = decoded(file.read_text())["plugins"]
    assert plugins["load"]["paths"][-1] == str(plugin)
    assert plugins["entries"]["guardd"] == ENTRY
    assert guardctl("install", "openclaw", "--uninstall", "--yes").exit_code == 0
    assert file.read_bytes() == text.encode()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(SEEDS, SEEDS)
def test_taking_out_what_was_put_in_leaves_the_very_text(plugin: Path, seed: int, choice: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    parts = {
        "load": {"paths": ["/mine", "~/x"]},
        "allow": ["mine"],
        "entries": {"mine": {"enabled": False}},
        "deny": [],
    }
    plugins = {key: parts[key] for key in chance.sample(list(parts), chance.randrange(1, 5))}
    value = random_object(seed) | ({"plugins": plugins} if chance.random() < 0.8 else {"x": 1})
    text = Writer(choice).document(value)
    installed = openclaw.install(Document(text), "/s.sock").checked()
    found = decoded(installed)["plugins"]
    assert found["entries"]["guardd"] == {**ENTRY, "config": {"socketPath": "/s.sock"}}
    assert found["load"]["paths"][-1] == str(plugin)
    assert found.get("allow", ["guardd"])[-1] == "guardd"
    assert openclaw.install(Document(installed), "/s.sock").checked() == installed
    assert openclaw.remove(Document(installed)).checked() == text


def test_an_allow_list_is_not_made_where_there_is_none(plugin: Path) -> None:
    del plugin
    for text in ("{}", "{plugins: {allow: []}}"):
        document = openclaw.install(Document(text), None)
        assert not document.get("plugins", "allow")


def test_an_allow_list_is_not_emptied(guardctl: Any, write: Any) -> None:
    file = write(FILE, '{"plugins": {"allow": ["guardd"], "entries": {"guardd": {}}}}')
    result = guardctl("install", "openclaw", "--uninstall", "--yes")
    assert file.read_text() == '{"plugins": {"allow": ["guardd"]}}'
    assert "plugins.allow still names guardd" in result.stderr


def test_what_the_user_chose_stays(plugin: Path) -> None:
    text = """{plugins: {
        load: {paths: ['/old/guardd/adapters/openclaw', '/b']},
        entries: {guardd: {
            enabled: false, hooks: {timeouts: {before_tool_call: 9000}}, config: {failClosed: true},
        }},
    }}"""
    found = openclaw.install(Document(text), "/s").checked()
    assert decoded(found) == {
        "plugins": {
            "load": {"paths": [str(plugin), "/b"]},
            "entries": {
                "guardd": {
                    "enabled": True,
                    "hooks": {"timeouts": {"before_tool_call": 9000}, "allowConversationAccess": True},
                    "config": {"failClosed": True, "socketPath": "/s"},
                }
            },
        }
    }


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{$include: './base.json5', gateway: {}}", "the file includes another one ($include: ./base.json5)"),
        ("{plugins: {$include: ['./a', './b']}}", "plugins comes from another file ($include: ./a, ./b)"),
        ("{plugins: {load: {$include: './l'}}}", "plugins.load comes from another file"),
        ("{plugins: {entries: {$include: './e'}}}", "plugins.entries comes from another file"),
        (
            "{plugins: {entries: {guardd: {$include: './g'}}}}",
            "plugins.entries.guardd comes from another file",
        ),
    ],
)
@pytest.mark.parametrize("options", [[], ["--uninstall"]])
def test_an_included_part_is_left_alone(
    guardctl: Any, write: Any, plugin: Path, backups: Any, text: str, place: str, options: list[str]
) -> None:
    file = write(FILE, text)
    result = guardctl("install", "openclaw", "--yes", *options)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"guardctl: {place}")
    assert (str(plugin) in result.stderr, file.read_text(), backups(file)) == (True, text, [])


def test_an_include_elsewhere_is_none_of_our_business(guardctl: Any, write: Any, plugin: Path) -> None:
    del plugin
    write(FILE, "{agents: {$include: './agents.json5'}}")
    assert guardctl("install", "openclaw", "--yes").exit_code == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{plugins: {deny: ['guardd']}}", "plugins.deny names guardd"),
        ("{plugins: []}", "plugins is not an object"),
        ("{plugins: {load: {paths: '/x'}}}", "plugins.load.paths is not a list"),
        ("{plugins: {entries: {guardd: true}}}", "plugins.entries.guardd is not an object"),
        ("{plugins: ", "not valid JSON5"),
    ],
)
def test_a_file_that_does_not_fit_is_left_alone(
    guardctl: Any, write: Any, plugin: Path, text: str, words: str
) -> None:
    del plugin
    file = write(FILE, text)
    result = guardctl("install", "openclaw", "--yes")
    assert result.exit_code == 1
    assert words in result.stderr
    assert file.read_text() == text


def test_plugins_that_are_switched_off_are_told(guardctl: Any, write: Any, plugin: Path) -> None:
    del plugin
    write(FILE, "{plugins: {enabled: false}}")
    assert "plugins.enabled is false" in guardctl("install", "openclaw", "--dry-run").stderr


def test_no_configuration_is_made(guardctl: Any, home: Path, plugin: Path) -> None:
    del plugin
    result = guardctl("install", "openclaw", "--yes")
    assert result.exit_code == 5
    assert "openclaw setup" in result.stderr
    assert not (home / ".openclaw").exists()
    assert guardctl("install", "openclaw", "--uninstall").exit_code == 0


def test_an_installation_without_its_plugin_says_so(guardctl: Any, write: Any, plugin: Path) -> None:
    write(FILE, "{}")
    (plugin / "openclaw.plugin.json").unlink()
    assert "Install guardd again" in guardctl("install", "openclaw", "--yes").stderr


@pytest.mark.parametrize(
    ("options", "environment", "written"),
    [
        ([], {}, None),
        ([], {"GUARDD_SOCKET": "~/g.sock"}, "HOME/g.sock"),
        (["--socket", "/s/g.sock"], {"GUARDD_SOCKET": "/other"}, "/s/g.sock"),
        ([], {"GUARDD_SOCKET": "/run/guardd/guardd.sock"}, None),
    ],
)
def test_a_socket_is_written_that_the_plugin_would_not_find(
    guardctl: Any,
    write: Any,
    plugin: Path,
    home: Path,
    options: list[str],
    environment: dict[str, str],
    written: str | None,
) -> None:
    del plugin
    file = write(FILE, "{}")
    guardctl("install", "openclaw", "--yes", *options, **environment)
    entry = decoded(file.read_text())["plugins"]["entries"]["guardd"]
    assert entry.get("config", {}).get("socketPath") == (written and written.replace("HOME", str(home)))


@pytest.mark.parametrize(
    ("environ", "there", "expected"),
    [
        ({}, [], "h/.openclaw/openclaw.json"),
        ({}, ["h/.openclaw/clawdbot.json"], "h/.openclaw/clawdbot.json"),
        ({}, ["h/.clawdbot/clawdbot.json"], "h/.clawdbot/clawdbot.json"),
        ({}, ["h/.openclaw/openclaw.json", "h/.clawdbot/clawdbot.json"], "h/.openclaw/openclaw.json"),
        ({"OPENCLAW_HOME": "~/o"}, [], "h/o/.openclaw/openclaw.json"),
        ({"OPENCLAW_HOME": " undefined "}, [], "h/.openclaw/openclaw.json"),
        ({"OPENCLAW_STATE_DIR": "~/s"}, ["h/.openclaw/openclaw.json"], "h/s/openclaw.json"),
        ({"OPENCLAW_STATE_DIR": "~/s"}, ["h/s/clawdbot.json"], "h/s/clawdbot.json"),
        ({"OPENCLAW_STATE_DIR": "~/s", "OPENCLAW_CONFIG_PATH": " ~/../c.json "}, [], "c.json"),
        ({"OPENCLAW_PROFILE": "work"}, [], "h/.openclaw/openclaw.json"),
    ],
)
def test_the_file_is_the_gateways(
    tmp_path: Path, environ: dict[str, str], there: list[str], expected: str
) -> None:
    for name in there:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert openclaw.config_path(environ, str(tmp_path / "h")) == tmp_path / expected


def test_the_plugin_is_in_this_installation() -> None:
    assert (openclaw.PLUGIN / "openclaw.plugin.json").is_file()
