"""Any edit of any JSON5 text changes what it is to change, and not a byte of the rest."""

import random
from collections.abc import Iterator
from typing import Any

import json5
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.json5_writer import Writer, random_object, random_value

from guardd.cli.install.json5_edit import Document, EditError, shown_path
from guardd.cli.install.json5_tree import comments, scan
from guardd.config import ConfigError

SEEDS = st.integers(0, 2**32)
NEW = "inserted!"


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for key, each in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from paths(each, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def read(text: str) -> Any:
    return json5.loads(text.removeprefix("\ufeff"))


def comments_of(text: str, skip: tuple[int, int] = (0, 0)) -> list[str]:
    found = []
    position = 0

    def gaps(node: Any) -> Iterator[tuple[int, int]]:
        nonlocal position
        if node.items or text[node.start] in "{[":
            yield position, node.start
            position = node.start + 1
            for item in node.items:
                yield position, item.start
                position = item.start if item.key is None else item.value.start
                yield from gaps(item.value)
            yield position, node.end - 1
        else:
            yield position, node.start
        position = node.end

    for start, end in gaps(scan(text)):
        found += [text[a:b] for a, b in comments(text, start, end) if not skip[0] <= a < skip[1]]
    found += [text[a:b] for a, b in comments(text, position, len(text))]
    return [comment.rstrip() for comment in found]  # spaces after a line's comment are part of it


@settings(max_examples=60, deadline=None)
@given(SEEDS, SEEDS, st.booleans())
def test_a_value_put_in_is_all_that_changes(seed: int, choice: int, strict: bool) -> None:  # noqa: FBT001
    value = random_object(seed)
    text = Writer(choice, strict=strict).document(value)
    chance = random.Random(choice)  # noqa: S311
    place = chance.choice([path for path in paths(value) if isinstance(at(value, path), dict | list)])
    around, new = at(value, place), random_value(chance)
    document = Document(text)
    if isinstance(around, dict):
        document.set((*place, NEW), new)
        around[NEW] = new
        added = (*place, NEW)
    else:
        document.append(place, new)
        around.append(new)
        added = (*place, len(around) - 1)
    edited = document.checked()
    assert read(edited) == value
    assert comments_of(edited) == comments_of(text)
    back = Document(edited)
    back.remove(*added)
    if len(around) > 1 or comments_of(text):
        assert read(back.checked()) == read(text)
    if len(around) > 1:
        assert back.checked() == text


@settings(max_examples=60, deadline=None)
@given(SEEDS, SEEDS)
def test_a_value_taken_out_takes_no_comment_along_but_its_own(seed: int, choice: int) -> None:
    value = random_object(seed)
    if not value:
        return
    text = Writer(choice).document(value)
    chance = random.Random(choice)  # noqa: S311
    place = chance.choice([path for path in paths(value) if path])
    node = scan(text)
    for key in place:
        item = next(
            each
            for index, each in enumerate(node.items)
            if key in (each.key, index) and (each.key == key or each.key is None)
        )
        node = item.value
    document = Document(text)
    document.remove(*place)
    del at(value, place[:-1])[place[-1]]
    edited = document.checked()
    assert read(edited) == value
    assert comments_of(edited) == comments_of(text, (item.start, item.value.end))


@settings(max_examples=40, deadline=None)
@given(SEEDS, SEEDS)
def test_a_value_replaced_leaves_the_text_around_it(seed: int, choice: int) -> None:
    value = random_object(seed)
    if not value:
        return
    text = Writer(choice).document(value)
    chance = random.Random(choice)  # noqa: S311
    place = chance.choice([path for path in paths(value) if path])
    new = random_value(chance)
    document = Document(text)
    was = document.get(*place)
    document.set(place, new)
    edited = document.checked()
    assert was == at(value, place)
    at(value, place[:-1])[place[-1]] = new
    assert read(edited) == value
    document = Document(edited)
    node = document._find(place)  # noqa: SLF001
    assert node is not None
    assert text.startswith(edited[: node.start])
    assert text.endswith(edited[node.end :])


LAID_OUT = {
    "spread": ('{\n  "a": 1\n}\n', '{\n  "a": 1,\n  "new": {\n    "x": 1\n  }\n}\n'),
    "one line": ('{"a": 1}', '{"a": 1, "new": {"x": 1}}'),
    "one line, padded": ('{ "a": 1 }\n', '{ "a": 1, "new": {"x": 1} }\n'),
    "empty": ("{}\n", '{\n  "new": {\n    "x": 1\n  }\n}\n'),
    "empty on lines": ("{\n}\n", '{\n  "new": {\n    "x": 1\n  }\n}\n'),
    "empty but for a comment": ("{\n    // why\n}", '{\n    // why\n    "new": {\n      "x": 1\n    }\n}'),
    "empty but for a comment in the line": ("{ /* why */ }", '{ /* why */ "new": {"x": 1} }'),
    "tabs": ('{\n\t"a": 1\n}', '{\n\t"a": 1,\n\t"new": {\n\t\t"x": 1\n\t}\n}'),
    "four": ("{\n    'a': 'b'\n}", "{\n    'a': 'b',\n    'new': {\n        'x': 1\n    }\n}"),
    "bare, trailing": ("{\n  a: 1,\n}", "{\n  a: 1,\n  new: {\n    x: 1,\n  },\n}"),
    "CRLF": ('{\r\n  "a": 1\r\n}\r\n', '{\r\n  "a": 1,\r\n  "new": {\r\n    "x": 1\r\n  }\r\n}\r\n'),
    "BOM": ('\ufeff{\n  "a": 1\n}\n', '\ufeff{\n  "a": 1,\n  "new": {\n    "x": 1\n  }\n}\n'),
    "comment after": ("{\n  a: 1 // one\n}", "{\n  a: 1, // one\n  new: {\n    x: 1\n  }\n}"),
    "comment before the comma": (
        "{\n  a: 1 /* , */ , // one\n}",
        "{\n  a: 1 /* , */ , // one\n  new: {\n    x: 1,\n  },\n}",
    ),
    "comment on the next line": (
        "{\n  a: 1\n  // end\n}",
        "{\n  a: 1,\n  new: {\n    x: 1\n  }\n  // end\n}",
    ),
    "bracket on the line": ('{\n  "a": 1}', '{\n  "a": 1,\n  "new": {\n    "x": 1\n  }}'),
}


@pytest.mark.parametrize(("before", "after"), LAID_OUT.values(), ids=LAID_OUT)
def test_what_is_put_in_looks_like_the_rest(before: str, after: str) -> None:
    document = Document(before)
    document.set(("new", "x"), 1)
    assert document.checked() == after
    back = Document(after)
    back.remove("new")
    assert back.checked() == ("{}\n" if before == "{\n}\n" else before)


LISTS = {
    "inline": ('{\n  "l": ["a"]\n}', '{\n  "l": ["a", "b"]\n}'),
    "empty": ('{\n  "l": []\n}', '{\n  "l": ["b"]\n}'),
    "spread": ('{\n  "l": [\n    "a"\n  ]\n}', '{\n  "l": [\n    "a",\n    "b"\n  ]\n}'),
    "trailing": ("{l: ['a',]}", "{l: ['a', 'b',]}"),
    "missing": ('{\n  "a": 1\n}', '{\n  "a": 1,\n  "l": ["b"]\n}'),
}


@pytest.mark.parametrize(("before", "after"), LISTS.values(), ids=LISTS)
def test_an_item_joins_the_list(before: str, after: str) -> None:
    document = Document(before)
    document.append(("l",), "b")
    assert document.checked() == after


REMOVED = {
    "first": ("[1, 2, 3]", 0, "[2, 3]"),
    "middle": ("[1, 2, 3]", 1, "[1, 3]"),
    "last": ("[1, 2, 3]", 2, "[1, 2]"),
    "last with a comma": ("[1, 2, 3,]", 2, "[1, 2,]"),
    "only": ("[ 1 ]", 0, "[]"),
    "only, with a comment": ("[\n 1 // one\n]", 0, "[ // one\n]"),
    "after a line's comment, before the bracket": ("[1, // one\n2]", 1, "[1 // one\n]"),
    "after a line's comment, before a block": ("[1, // one\r\n2 /* two */]", 1, "[1 // one\r\n /* two */]"),
    "the comment of the one before": ("[\n 1, // one\n 2\n]", 1, "[\n 1 // one\n]"),
    "a comment above": ("[\n 1,\n // two\n 2\n]", 1, "[\n 1\n // two\n]"),
}


@pytest.mark.parametrize(("before", "index", "after"), REMOVED.values(), ids=REMOVED)
def test_an_item_leaves_the_list(before: str, index: int, after: str) -> None:
    document = Document(f"{{l: {before}}}")
    document.remove("l", index)
    assert document.checked() == f"{{l: {after}}}"


def test_keys_may_be_written_in_any_way() -> None:
    document = Document(r"""{"\u0061b": 1, 'c"d': 2, e\u0066: 3, $: 4}""")
    assert [document.get(key) for key in ("ab", 'c"d', "ef", "$")] == [1, 2, 3, 4]


@pytest.mark.parametrize("text", ["{a 1}", "{a: 1 b: 2}", "{a:}", "{", "{}}", "", "{a: 1} x", "[" * 100_000])
def test_what_is_no_json5_is_not_edited(text: str) -> None:
    with pytest.raises(EditError):
        Document(text)


def test_what_only_a_reader_notices_is_noticed() -> None:
    document = Document("{a: 01x}")
    document.set(("b",), 1)
    with pytest.raises(ConfigError):
        document.checked()


def test_a_repeated_key_is_not_removed_by_half() -> None:
    document = Document('{"a": 1, "a": 2}')
    assert document.get("a") == 2
    document.remove("a")
    with pytest.raises(EditError, match="something else"):
        document.checked()


def test_the_way_has_to_be_objects() -> None:
    document = Document("{a: [1], b: 2}")
    with pytest.raises(EditError, match="b is not an object"):
        document.set(("b", "c"), 1)
    with pytest.raises(EditError, match=r"a is not an object"):
        document.set(("a", "c"), 1)
    with pytest.raises(EditError, match="b is not a list"):
        document.append(("b",), 1)
    assert document.text == "{a: [1], b: 2}"


def test_null_is_a_value_and_nothing_is_none() -> None:
    document = Document("{a: null, l: [1]}")
    assert (document.get("a"), document.get("b"), document.has("a"), document.has("b")) == (
        None,
        None,
        True,
        False,
    )
    assert (document.get("l", "x"), document.get("l", 1), document.get("a", 0)) == (None, None, None)
    assert document.get() == {"a": None, "l": [1]}


def test_a_path_as_people_write_it() -> None:
    assert [shown_path(path) for path in ((), ("a",), ("a", 0, "b"))] == ["the file", "a", "a[0].b"]
