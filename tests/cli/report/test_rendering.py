import base64
import hashlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from support.daemon import Daemon
from support.page import Node, parse

from guardd.cli.paging import History
from guardd.cli.report.loops import episodes, with_calls
from guardd.cli.report.model import Report
from guardd.cli.report.rendering import render
from guardd.cli.timeline import COLORS, timeline
from guardd.cli.timeline_drawing import PALETTE

Page = Callable[[str], Node]
Make = Callable[..., dict[str, Any]]

RUNS = ["story/looping", "story/healthy", "story/empty", "story/<b>"]


def facts(page: Node) -> dict[str, str]:
    summary = page.one("section", class_="summary")
    return {entry.one("dt").text: entry.one("dd").text for entry in summary.one("dl").all("div")}


def cells(page: Node) -> list[Node]:
    """Each cell's link, as often as it has cells."""
    return [link for link in page.one("ol", class_="cells").all("a") for _ in link.all("i")]


@pytest.mark.parametrize("run", RUNS)
def test_the_page_is_one_document_that_needs_nothing_else(page: Page, run: str) -> None:
    root = page(run)
    assert root.one("html").attributes == {"lang": "en"}
    assert root.one("title").text.endswith("· guardd run report")
    assert len(root.all("h1")) == 1
    tags = {node.tag for node in root}
    assert (
        tags & {"script", "link", "img", "iframe", "object", "embed", "form", "base", "svg", "video"} == set()
    )
    for node in root:
        assert not [name for name in node.attributes if name in ("src", "style") or name.startswith("on")]
        assert (node.attributes.get("href") or "#").startswith("#")
    assert not re.search(r"url\(|@import|@font-face", root.one("style").text)


def test_the_policy_lets_nothing_through_but_its_own_style(report: Any) -> None:
    text = report("story/looping", "-o", "-").stdout
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert f'<meta http-equiv="Content-Security-Policy" content="{policy}">' in text


@pytest.mark.parametrize("run", RUNS)
def test_every_table_says_what_its_cells_are(page: Page, run: str) -> None:
    for table in page(run).all("table"):
        heads = table.one("thead").all("th")
        assert all(head.attributes["scope"] == "col" and head.text for head in heads)
        for row in table.one("tbody").all("tr"):
            assert row.all("th", scope="row") or row.one("td").attributes["colspan"] == str(len(heads))


def test_the_numbers_are_the_daemons(page: Page, told: Daemon) -> None:
    root = page("story/looping")
    run = told.ask("run.get", run="story/looping")
    calls = told.ask("run.history", run="story/looping")["calls"]
    shown = facts(root)
    assert shown["Calls"] == str(run["calls"]) == "32"
    assert shown["Status"] == run["status"] == "aborted"
    assert (shown["Agent"], shown["Source"]) == ("coder", "story")
    assert shown["Compactions"] == str(run["compactions"]) == "1"
    assert shown["Strongest verdict"] == run["verdict"] == "abort"
    tally = {item.classes[0]: int(item.one("b").text) for item in root.one("ul", class_="tally").all("li")}
    actions = [call["action"] for call in calls]
    assert tally == {action: actions.count(action) for action in ("allow", "warn", "block", "abort")}


def test_a_cell_for_every_call_and_marker(page: Page, told: Daemon) -> None:
    history = told.ask("run.history", run="story/looping")
    root = page("story/looping")
    drawn = cells(root)
    assert len(drawn) == len(history["calls"]) + len(history["markers"])
    assert [cell for cell in drawn if "mark" in cell.classes] != []
    assert [cell.classes[-1] for cell in drawn if cell.classes[-1:] in (["warn"], ["block"], ["abort"])] == [
        call["action"] for call in history["calls"] if call["action"] != "allow"
    ]
    kinds = {call["signature"] for call in history["calls"]}
    signs = {cell.one("i").text if len(cell.all("i")) == 1 else cell.all("i")[0].text for cell in drawn}
    assert len(signs - {"%", "="}) == len(kinds)
    first = drawn[0].attributes
    assert first["aria-label"] == "1 read · {path:src/0.py} · ok"
    words = [cell.attributes["aria-label"] for cell in drawn]
    assert (
        words[5:8]
        == ["6\N{EN DASH}8 exec \N{MULTIPLICATION SIGN}3 \N{MIDDLE DOT} make test \N{MIDDLE DOT} ok"] * 3
    )
    assert (
        words[8] == "9 exec \N{MIDDLE DOT} make test \N{MIDDLE DOT} ok \N{MIDDLE DOT} warn by generic_repeat"
    )
    assert any(word.endswith("block by ping_pong") for word in words)


def test_the_same_call_is_the_same_colour(page: Page) -> None:
    drawn = cells(page("story/looping"))
    colours = {
        (cell.all("i")[0].text, cell.classes[0])
        for cell in drawn
        if cell.classes[:1] != ["mark"] and cell.classes
    }
    labels = [label for label, _ in colours]
    assert len(labels) == len(set(labels))
    assert len(PALETTE) == COLORS


def test_every_loop_is_told(page: Page, told: Daemon) -> None:
    loops = page("story/looping").all("article")
    events = told.ask("event.list", run="story/looping")["events"][::-1]
    rows = [row for loop in loops for row in loop.one("table").rows()]
    assert sum(int(row[1]) for row in rows) == len(events)
    assert [loop.one("h3").text for loop in loops] == [
        "Called exec with the same arguments",
        "Went back and forth between ls and read",
        "Called exec with the same arguments",
    ]
    last = loops[-1].one("table").rows()
    assert [row[0] for row in last] == ["warn", "block", "abort"]
    assert last[-1][2:] == ["29", "8", "8", "generic_repeat"]
    explained = told.ask("run.explain", run="story/looping")
    for line in explained["text"].splitlines():
        assert " ".join(line.split()) in loops[-1].text
    assert "Counted for the strongest verdict: calls 21\N{EN DASH}28." in loops[-1].text


def test_the_thresholds_are_the_agents(page: Page, told: Daemon) -> None:
    rows = {row[0]: row[1:] for row in page("story/healthy").one("table", class_="settings").rows()}
    values = told.ask("config.get", agentId="other")["values"]
    assert rows["warningThreshold"][0] == "3"
    assert rows["criticalThreshold"][0] == "6"
    assert "agents.list" in rows["criticalThreshold"][1]
    assert rows["historySize"] == ["30", "default"]
    assert rows["enabled"][0] == "on"
    assert rows["guardd.mode"] == ["enforce", "default"]
    assert {f"tools.loopDetection.{key}" for key in rows if key != "guardd.mode"} == {
        key for key in values if key.startswith("tools.loopDetection.")
    }


def test_repeats_are_one_row_that_holds_them_all(page: Page, told: Daemon) -> None:
    calls = told.ask("run.history", run="story/looping")["calls"]
    rows = page("story/looping").one("table", class_="calls").one("tbody").children
    rows = [row for row in rows if isinstance(row, Node)]
    numbers: list[int] = []
    for row in rows:
        if "between" in row.classes:
            continue
        assert "rounds" not in row.classes or row.all("li")
        several = [int(item.one("b").text) for item in row.all("li")]
        numbers += several or [int(row.one("th").text)]
    assert numbers == [call["seq"] for call in calls]
    between = [row.text for row in rows if "between" in row.classes]
    assert between[0].startswith("compaction")
    assert between[1].startswith("reset (looked at it): what came before no longer counts")


def test_secrets_are_masked_as_the_daemon_masks_them(report: Any) -> None:
    text = report("story/looping", "-o", "-").stdout
    assert "sk-secret" not in text
    assert "Authorization: ***" in text


def test_what_agents_write_is_text(page: Page) -> None:
    root = page("story/<b>")
    assert root.one("h1").text == '<b>run</b>"\\u202e'
    text = root.one("main").text
    for shown in (
        "</script><img src=x onerror=alert(1)>",
        "\\n\\u202e\\0",
        "{{ 7 * 7 }}",
        "<i>agent</i>",
        "{% raw %}",
    ):
        assert shown in text
    assert not re.search("[\u202e\u2066\0]", text)
    assert "This run was stopped by an operator: </p><script>alert(2)</script>." in text
    assert [loop.one("h3").text for loop in root.all("article")][1:] == [
        "Called nothing_there, a tool that does not exist",
        "Stopped by an operator",
    ]


def test_a_healthy_run_has_no_loops(page: Page) -> None:
    root = page("story/healthy")
    assert root.all("article") == []
    assert "None: nothing was warned of" in root.one("section", id="loops").text
    assert root.one("p", class_="lead").text.startswith("The agent made 60 calls with 3 tools in ")
    assert "Every call was made once." in root.one("section", id="timeline").text
    assert "calm" in root.one("ol", class_="cells").classes


def test_an_empty_run_is_told_so(page: Page) -> None:
    root = page("story/empty")
    assert root.one("p", class_="lead").text == "The agent has made no calls."
    assert root.one("section", id="timeline").one("p").text == "No calls."
    assert root.one("section", id="calls").one("p").text == "No calls."


def test_what_was_only_observed_is_told_apart(make_run: Make, make_call: Make, make_event: Make) -> None:
    calls = [make_call(1), make_call(2, wouldBe="block", detector="generic_repeat", count=20)]
    past = History(make_run("r", endedAt=None, endReason=None, calls=2), calls, [], more=False)
    events = [make_event(2, action="allow", wouldBe="block")]
    made = Report(
        past=past,
        drawn=timeline(past),
        loops=[with_calls(loop, past) for loop in episodes(past, events)],
        settings=None,
        notices=["A note."],
        version="1.0",
        made_at="2026-03-01T12:00:00Z",
    )
    root = parse(render(made))
    assert [cell.classes for cell in cells(root)] == [["k0"], ["k0", "block", "seen"]]
    assert root.one("ul", class_="meanings").text == "+ would block"
    assert root.one("span", class_="sign").classes == ["sign", "seen"], "of no verdict's colour"
    assert facts(root)["Strongest verdict"] == "would block"
    assert root.one("article").one("table").rows()[0][0] == "would block"
    assert "guardd would have said:" in root.one("article").text
    assert "would" in root.one("section", class_="summary").classes
    assert root.one("ul", class_="notices").text == "A note."
    assert "does not know the configuration" in root.one("section", id="thresholds").text
