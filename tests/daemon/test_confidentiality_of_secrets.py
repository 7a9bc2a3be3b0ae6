"""No kind of secret is seen or kept anywhere: a daemon that is given all of them, and all that it shows and stores."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.daemon import Daemon, RawClient
from support.databases import make_database
from support.secret_corpus import Sample, samples

from guardd.fingerprint.redaction import MASK, mask_text

RUN = "all-kinds"
LOOPS = {
    "enabled": True,
    "warningThreshold": 2,
    "criticalThreshold": 3,
    "globalCircuitBreakerThreshold": 100_000,
    "unknownToolThreshold": 2,
}


def requests(client: RawClient) -> Iterator[dict[str, Any]]:
    """Every sample as arguments, as a result, and as an error: allowed, warned of and blocked."""
    for number, sample in enumerate(samples()):
        call = {"runId": RUN, "toolName": f"tool-{number}", "args": sample.args}
        content = [{"type": "text", "text": sample.text}]
        for _ in range(3):
            yield client.request("tool.before", **call)
            yield client.request("tool.after", **call, result={"content": content, "details": sample.args})
        yield client.request("tool.before", **call)
        yield client.request("tool.after", **call, error=sample.text)
        if mask_text(sample.secrets[0]) == MASK:  # else nobody could tell that it is no name
            yield client.request("tool.after", **call, error=f"tool {sample.secrets[0]} not found")


def said_of_runs(client: RawClient) -> Iterator[dict[str, Any]]:
    """Every sample where a gateway or an operator says something about a run."""
    for number, sample in enumerate(samples()):
        scope = {"runId": f"said-{number}", "source": "other"}
        text = "a reason" if sample.by_place else sample.text
        yield client.request("run.start", **scope, metadata={"note": text, "args": sample.args})
        yield client.request("tool.before", **scope, toolName="t")
        yield client.request("compaction.record", **scope, reason=text)
        yield client.request("run.end", **scope, status="failed", reason=text)
        yield client.request("run.reset", run=f"other/said-{number}", reason=text)
        yield client.request("run.abort", run=f"other/said-{number}", reason=text)


def mistakes(client: RawClient, sample: Sample) -> Iterator[bytes]:
    """Requests that are wrong in every way, each with a secret in it."""
    quoted = json.dumps(sample.text)
    scope = {"toolName": "t", "runId": RUN, "args": sample.args}
    for params in (
        scope | {"toolName": {sample.text: sample.args}},
        scope | {"durationMs": sample.text},
        scope | {"once": sample.text},
        {sample.text: 1},
        [sample.args],
    ):
        yield json.dumps(client.request("tool.after") | {"params": params}).encode() + b"\n"
    for name in ("since", "cursor", "limit", "level"):
        yield json.dumps(client.request("event.list", **{name: sample.text})).encode() + b"\n"
    yield b'{"jsonrpc": "2.0", "method": "tool.before", "params": {"args": %b\n' % quoted.encode()
    yield b"%b x\n" % quoted.encode()
    yield b'{"jsonrpc": "1.0", "id": null, "method": "tool.before", "params": %b}\n' % quoted.encode()
    yield json.dumps(client.request(sample.secrets[0].split("\n")[0])).encode() + b"\n"


def exchange(client: RawClient, lines: list[bytes]) -> list[bytes]:
    """Send lines, some at a time, and read as many."""
    replies = []
    for start in range(0, len(lines), 50):
        batch = lines[start : start + 50]
        client.send(b"".join(batch))
        replies += [client.read_bytes() for _ in batch]
    return replies


def encoded(requests: Iterator[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(request).encode() + b"\n" for request in requests]


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    """A daemon that was told every secret there is, and is asked for everything."""
    directory = tmp_path_factory.mktemp("secrets")
    make_database(directory / "guardd.db")
    config = {"tools": {"loopDetection": LOOPS}}
    with Daemon(directory, config, arguments=["--log-level", "debug"]) as daemon:
        yield daemon.start()


@pytest.fixture(scope="module")
def told(daemon: Daemon) -> dict[str, str]:
    """What it answered, by what it was about, and what it shows and keeps afterwards."""
    seen: dict[str, str] = {}
    with daemon.connect() as client, daemon.connect() as watcher:
        watcher.ask("event.watch")
        calls, said = encoded(requests(client)), encoded(said_of_runs(client))
        replies = exchange(client, calls)
        assert not [reply for reply in replies if b'"error"' in reply]
        seen["verdicts"] = b"\n".join(replies).decode()
        replies = exchange(client, said)
        assert not [reply for reply in replies if b'"error"' in reply]
        seen["answers about runs"] = b"\n".join(replies).decode()
        wrong = [line for sample in samples() for line in mistakes(client, sample)]
        replies = exchange(client, wrong)
        assert len([reply for reply in replies if b'"error"' in reply]) > len(replies) // 2
        seen["errors"] = b"\n".join(replies).decode()
        seen |= answers(client)
        seen["notifications"] = "\n".join(json.dumps(watcher.read_line()) for _ in samples())
        seen |= programs(daemon)
        client.ask("db.backup", path=str(daemon.directory / "backup.db"))
        seen |= files(daemon, "guardd.db-shm", "guardd.db-wal", "guardd.db", "backup.db")
    assert daemon.stop() == 0
    seen |= {f"{name} after it": text for name, text in files(daemon, "guardd.db").items()}
    seen["log"] = daemon.log()
    return seen


def answers(client: RawClient) -> dict[str, str]:
    """The answers to everything that can be asked."""
    found: dict[str, list[Any]] = {"history": [], "events": [], "explanations": [], "runs": []}
    for method, name, params in (
        ("run.history", "history", {"run": RUN}),
        ("event.list", "events", {}),
        ("run.list", "runs", {}),
    ):
        cursor = None
        while not found[name] or cursor:
            page = client.ask(method, **params, **({"cursor": cursor} if cursor else {}))
            found[name].append(page)
            cursor = page.get("nextCursor")
    calls = [call for page in found["history"] for call in page["calls"]]
    assert {call["action"] for call in calls} >= {"allow", "warn", "block"}
    assert sum("***" in call["preview"] for call in calls) >= len(samples())
    found["explanations"] = [client.ask("run.explain", run=RUN, seq=call["seq"]) for call in calls[::7]]
    found["details of runs"] = [
        client.ask(method, run=f"other/said-{n}")
        for n in range(len(samples()))
        for method in ("run.get", "run.history", "run.explain")
    ]
    found["state"] = [
        client.ask(name) for name in ("server.metrics", "server.status", "config.get", "db.check")
    ]
    return {name: json.dumps(pages, ensure_ascii=False) for name, pages in found.items()}


def programs(daemon: Daemon) -> dict[str, str]:
    """What guardctl prints of the run."""
    program = str(Path(sys.executable).with_name("guardctl"))
    return {
        " ".join(command): subprocess.run(
            [program, "--socket", str(daemon.socket), *command],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | {"HOME": str(daemon.directory)},
        ).stdout
        for command in (
            ["report", RUN, "-o", "-"],
            ["history", RUN, "--expand"],
            ["export", RUN],
            ["events", "--limit", "all"],
        )
    }


def files(daemon: Daemon, *names: str) -> dict[str, str]:
    """The bytes of files, as a text of as many characters."""
    return {name: (daemon.directory / name).read_bytes().decode("latin-1") for name in names}


@pytest.mark.timeout(300)
def test_no_kind_of_secret_is_seen_or_kept(told: dict[str, str]):
    assert len(samples()) > 60
    assert min(map(len, told.values())) > 0
    words = {place: set(re.findall("[!-~]{6,}", text)) for place, text in told.items()}
    everything = "\n".join(set().union(*words.values()))  # each word is looked at once
    kinds = [sample for sample in samples() if sample.seen_in(everything)]
    assert {
        sample.kind: [place for place in words if sample.seen_in("\n".join(words[place]))] for sample in kinds
    } == {}


MakeDaemon = Callable[..., Daemon]


def test_texts_of_any_length_are_masked_and_cut(make_daemon: MakeDaemon):
    daemon = make_daemon({}).start()
    secret = "ghp_" + "Zx8Kq2Lm9Vt4Rw7Np3Bs6Hd1Jf5Gc0Ya"
    for length in range(440, 520, 7):
        daemon.ask("tool.before", runId=f"r{length}", toolName="t")
        daemon.ask("run.end", runId=f"r{length}", status="failed", reason="x" * length + " " + secret)
    many = f"-----BEGIN PRIVATE KEY-----{'M' * 200}-----END PRIVATE KEY-----" * 15
    for length in range(3990 - len(many), 4096 - len(many), 9):
        daemon.ask("tool.before", runId=f"m{length}", toolName="t")
        daemon.ask(
            "run.end", runId=f"m{length}", status="failed", reason=many + "x" * length + secret + "M" * 9999
        )
    daemon.stop()
    assert "Zx8K" not in files(daemon, "guardd.db")["guardd.db"]
