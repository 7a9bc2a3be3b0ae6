import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., dict[str, Any]]


@pytest.fixture
def serve(daemon: Any, make_run: Make, make_event: Make) -> Callable[[list[dict[str, Any]]], None]:
    """Has the daemon answer with these calls."""

    def serve(calls: list[dict[str, Any]]) -> None:
        def page(params: dict[str, Any]) -> dict[str, Any]:
            end = int(params.get("cursor") or len(calls))
            start = max(0, end - params["limit"])
            more = {"nextCursor": str(start)} if start else {}
            return {"run": "r", "calls": calls[start:end], "markers": []} | more

        values = {"guardd.mode": "enforce", "tools.loopDetection.enabled": True}
        daemon.answers |= {
            "run.get": make_run("3f2a9c71", calls=len(calls), endedAt=None, endReason=None),
            "run.history": page,
            "event.list": lambda params: {"events": [] if "detector" in params else [make_event(2)]},
            "run.explain": {"run": "r", "seq": 2, "counted": [1, 2], "text": "Because."},
            "config.get": {
                "values": {key: {"value": value, "origin": "default"} for key, value in values.items()},
                "warnings": [],
            },
        }

    return serve


@pytest.fixture
def _short(serve: Any, make_call: Make) -> None:
    serve([make_call(1), make_call(2, action="warn", detector="generic_repeat", count=1)])


@pytest.mark.usefixtures("_short")
def test_a_file_is_written_and_told(guardctl: Any, daemon: Any, tmp_path: Path) -> None:
    file = tmp_path / "run.html"
    result = guardctl("report", "3f2a", "-o", str(file))
    assert (result.exit_code, result.stdout) == (0, "")
    told = " ".join(result.stderr.split())
    assert told.startswith("The report is written to ")
    assert told.endswith(" kB).")
    assert '<h1 id="run">3f2a9c71</h1>' in file.read_text(encoding="utf-8")
    assert daemon.params("run.get") == [{"run": "3f2a"}]
    assert daemon.params("run.explain") == [{"run": "default/3f2a9c71", "seq": 2}]
    assert daemon.params("config.get") == [{"agentId": "main"}]
    assert guardctl("report", "3f2a", "-o", str(file)).exit_code == 0


@pytest.mark.usefixtures("_short")
def test_a_page_on_stdout_in_any_locale(guardctl_process: Any) -> None:
    process = guardctl_process(
        "report", "3f2a", "-o", "-", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0"
    )
    assert process.wait(60) == 0
    text = process.stdout.buffer.read().decode()
    assert text.startswith("<!doctype html>\n")
    assert text.endswith("</html>\n")


@pytest.mark.usefixtures("_short")
def test_something_else_is_not_overwritten(guardctl: Any, tmp_path: Path) -> None:
    file = tmp_path / "thesis.html"
    file.write_text("precious")
    result = guardctl("report", "3f2a", "-o", str(file))
    assert (result.exit_code, file.read_text()) == (1, "precious")
    assert "Name another file" in result.stderr
    assert guardctl("report", "3f2a", "-o", str(tmp_path)).exit_code == 1
    missing = guardctl("report", "3f2a", "-o", str(tmp_path / "missing" / "run.html"))
    assert missing.exit_code == 1
    assert f"there is no directory {tmp_path}/missing\n" in missing.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == ["guardd.sock", "thesis.html"]


@pytest.mark.usefixtures("_short")
def test_json_is_the_data_of_the_page(guardctl: Any) -> None:
    document = json.loads(guardctl("report", "3f2a", "--json").stdout)
    assert document["story"] == [
        "The agent called exec with the same arguments 2 times. guardd warned at call 2."
    ]
    assert document["settings"][0] == {"key": "guardd.mode", "value": "enforce", "origin": "default"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["report", "r"], "-o run.html"), (["report", "r", "--json", "-o", "x.html"], "leave out one of them")],
)
def test_where_it_goes_is_said(guardctl: Any, arguments: list[str], words: str) -> None:
    result = guardctl(*arguments)
    assert result.exit_code == 2
    assert words in " ".join(result.stderr.split())


def test_errors_are_those_of_other_commands(guardctl: Any, daemon: Any, refuse: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "run.html")
    daemon.answers["run.get"] = refuse(-32003, "no run is meant", kind="run_not_found")
    assert guardctl("report", "r", "-o", file).exit_code == 5
    daemon.stop()
    assert guardctl("report", "r", "-o", file).exit_code == 3
    assert guardctl("report", "r", "-o", file, "--db", str(tmp_path / "missing.db")).exit_code == 5
    assert not (tmp_path / "run.html").exists()


def test_ten_thousand_calls_are_a_modest_file(
    serve: Any, guardctl: Any, make_call: Make, tmp_path: Path
) -> None:
    calls = [
        make_call(
            seq,
            at="2026-03-01T11:00:00.000Z",
            signature=f"{seq if seq % 4 else seq % 400:032x}",
            preview=f'{{"path":"src/components/module_{seq if seq % 4 else seq % 400}/index.tsx"}}',
        )
        for seq in range(1, 10_001)
    ]
    serve(calls)
    file = tmp_path / "run.html"
    result = guardctl("report", "r", "-o", str(file))
    assert result.exit_code == 0, result.stderr
    text = file.read_text(encoding="utf-8")
    assert text.count("</i></a>") == 10_000
    assert text.count("</th><td>") == 10_000
    assert len(text.encode()) < 3_000_000
