"""The page in a real browser: what it loads, how it looks light and dark, wide and narrow, and by the keyboard."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support.chromium import Chromium, need_chromium

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

CONTRASTS = """
const channels = color => color.match(/[\\d.]+/g).map(Number);
const light = ([red, green, blue]) => {
  const [r, g, b] = [red, green, blue].map(one => {
    one /= 255;
    return one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = (one, other) => {
  const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
};
const solid = style => {
  const drawn = style.backgroundImage.match(/rgba?\\([^)]*\\)/);
  const color = channels(drawn ? drawn[0] : style.backgroundColor);
  return color.length < 4 || color[3] === 1 ? color : null;
};
const behind = element => {
  for (let one = element; one; one = one.parentElement) {
    const color = solid(getComputedStyle(one));
    if (color) return color;
  }
  return [255, 255, 255];
};
for (const one of document.querySelectorAll("details")) one.open = true;
const found = {};
for (const element of document.body.querySelectorAll("*")) {
  if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
  const style = getComputedStyle(element);
  const large = parseFloat(style.fontSize) >= 24;
  const measured = ratio(channels(style.color), behind(element));
  if (measured < (large ? 3 : 4.5)) found[element.tagName + "." + element.className] = measured;
  const after = getComputedStyle(element, "::after");
  if (after.content.length > 2 && after.content !== "none") {
    const on = solid(after) || behind(element.parentElement.parentElement);
    const mark = ratio(channels(after.color), on);
    if (mark < 4.5) found["mark of " + element.parentElement.className] = mark;
  }
}
return found;
"""
OVERFLOWING = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
COLOURS = """
return ["body", ".card", "h1", ".verdict.abort", ".cells .k0 i", ".key"].map(name => {
  const style = getComputedStyle(document.querySelector(name));
  return style.backgroundColor + style.backgroundImage + style.color;
})
"""
TIP = 'return getComputedStyle(document.activeElement, "::after").content'
FOCUSED = 'return [document.activeElement.tagName, document.activeElement.getAttribute("href")]'

Files = Callable[[str], Path]


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    need_chromium()
    with Chromium() as browser:
        yield browser


def test_nothing_else_is_loaded_and_nothing_is_complained_about(browser: Chromium, files: Files) -> None:
    for run in ("story/looping", "story/<b>"):
        file = files(run)
        browser.open(Path("/dev/null"))
        browser.requested()
        browser.console()
        browser.open(file)
        assert browser.run("return document.querySelector('h1').checkVisibility()")
        assert set(browser.requested()) == {file.as_uri()}
        assert browser.console() == []
        assert browser.run("return document.scripts.length + document.images.length") == 0


def test_the_policy_holds_even_where_a_script_gets_in(browser: Chromium, files: Files) -> None:
    file = files("story/looping")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("<main>", "<main><script>document.title = 'in'</script>"), encoding="utf-8")
    browser.open(file)
    assert browser.run("return document.title") == "looping · guardd run report"
    assert any("Content Security Policy" in message for message in browser.console())


@pytest.mark.parametrize("run", ["story/looping", "story/healthy", "story/empty", "story/<b>"])
def test_every_text_can_be_read_in_both_schemes(browser: Chromium, files: Files, run: str) -> None:
    browser.open(files(run))
    for scheme in ("light", "dark"):
        browser.show_as(scheme=scheme)
        assert browser.run(CONTRASTS) == {}, scheme
    browser.show_as(scheme="dark", media="print")
    assert browser.run(CONTRASTS) == {}, "print"


def test_light_and_dark_differ(browser: Chromium, files: Files) -> None:
    browser.open(files("story/looping"))
    browser.show_as(scheme="light")
    light: list[Any] = browser.run(COLOURS)
    browser.show_as(scheme="dark")
    assert all(one != other for one, other in zip(light, browser.run(COLOURS), strict=True))


@pytest.mark.parametrize("run", ["story/looping", "story/healthy", "story/<b>"])
def test_nothing_is_wider_than_the_screen(browser: Chromium, files: Files, run: str) -> None:
    browser.open(files(run))
    for width in (360, 768, 1200):
        browser.show_as(width=width)
        assert browser.run(OVERFLOWING) == 0, width


def test_cells_are_read_and_followed_by_keyboard(browser: Chromium, files: Files) -> None:
    browser.open(files("story/looping"))
    browser.show_as()
    for _ in range(30):
        browser.press("\ue004")  # Tab
        if browser.run(FOCUSED) == ["A", "#c6"]:
            break
    else:
        raise AssertionError(browser.run(FOCUSED))
    assert "make test" in browser.run(TIP)
    for width in (360, 1200):
        browser.show_as(width=width)
        assert browser.run(OVERFLOWING) == 0
    browser.press("\ue007")  # Enter
    assert browser.run("return document.querySelector('tr:target').id") == "c6"
