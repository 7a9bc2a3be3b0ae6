"""Diffs hide secrets, and show what a terminal would not."""

from pathlib import Path

from guardd.cli.install.files import Found
from guardd.cli.install.plan import Change
from guardd.cli.install.showing import difference, masked


def diff(before: str | None, after: str | None) -> list[str]:
    content = None if before is None else before.encode()
    return difference(Change(Found(Path("/f"), Path("/f"), content, None), after))


def test_secrets_are_masked_and_nothing_else() -> None:
    text = """{botToken: 'abc', "a": {apiKey: "x", k: 3}, password: ["p", {q: 'q'}], maxTokens: 5, "b": "${TOKEN}"}"""
    assert masked(text) == (
        '{botToken: "***", "a": {apiKey: "***", k: 3}, password: ["***", {q: "***"}], maxTokens: 5, "b": "${TOKEN}"}'
    )


def test_secrets_in_comments_are_masked() -> None:
    key = "sk-" + "Zx8Kq2Lm9Vt4Rw7Np3Bs6Hd1Jf5Gc0Ya"
    assert key not in "\n".join(diff(f"{{\n  // {key}\n  a: 1\n}}\n", f"{{\n  // {key}\n  a: 2\n}}\n"))


def test_a_text_of_another_kind_is_as_it_is() -> None:
    assert masked("[Unit]\nx=1\n") == "[Unit]\nx=1\n"


def test_a_new_file_and_one_that_goes() -> None:
    assert diff(None, "a\n") == ["--- /dev/null", "+++ /f", "@@ -0,0 +1 @@", "+a"]
    assert diff("a\n", None) == ["--- /f", "+++ /dev/null", "@@ -1 +0,0 @@", "-a"]
    assert diff("a", "a") == []


def test_what_a_terminal_would_hide_is_shown() -> None:
    lines = diff("a\tb\r\n\x1b[31m\u2028", "a\tc\r\n\x1b[31m\u2028")
    assert lines[3:] == ["-a\tb", "+a\tc", " \\e[31m\\u2028", "\\ No newline at end of file"]
