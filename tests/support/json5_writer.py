"""Random JSON5: values written with comments, quotes, commas and line ends in odd places."""

import json
import random
from typing import Any

GAPS = ("", "", " ", " ", "\n", "\n  ", "\t", "\r\n", "\n\n\t")
COMMENTS = ("/* { , */", "/**/", "// , ] \"x' }\n", "/* a\n b */", "// ü\r\n", "//\n")
NAMES = "abcdefgh$_"
PIECES = ("a", "é", '"', "'", "\\", "//", "/*", "*/", "{", "]", ",", "\n", "\t", "😀", " ")
NUMBERS = (0, 1, -7, 12345678901234567890, 0.5, 1e300, True, False, None)


class Writer:
    """Writes values, each time another way.

    Args:
        seed: What decides about everything.
        strict: Whether to write strict JSON, without comments.
    """

    def __init__(self, seed: int, *, strict: bool = False) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.strict = strict
        self.lines = self.random.random() < 0.8
        self.commented = 0 if strict else self.random.choice((0, 0.05, 0.3))

    def document(self, value: Any) -> str:
        return self.gap() + self.value(value) + self.gap()

    def gap(self) -> str:
        gap = self.random.choice(GAPS) if self.lines else self.random.choice(("", " "))
        while self.random.random() < self.commented:
            gap += self.random.choice(COMMENTS if self.lines else COMMENTS[:2])
            gap += self.random.choice(GAPS) if self.lines else ""
        return gap

    def value(self, value: Any) -> str:
        if isinstance(value, dict):
            return self.enclosed(
                "{}",
                [
                    f"{self.key(key)}{self.gap()}:{self.gap()}{self.value(each)}"
                    for key, each in value.items()
                ],
            )
        if isinstance(value, list):
            return self.enclosed("[]", [self.value(each) for each in value])
        if isinstance(value, str):
            return self.string(value)
        return json.dumps(value)

    def enclosed(self, brackets: str, items: list[str]) -> str:
        inside = ",".join(self.gap() + item + self.gap() for item in items) or self.gap()
        if items and not self.strict and self.random.random() < 0.4:
            inside += "," + self.gap()
        return brackets[0] + inside + brackets[1]

    def string(self, value: str) -> str:
        written = json.dumps(
            value, ensure_ascii=max(value, default="") < "\uffff" and self.random.random() < 0.5
        )
        if self.strict or self.random.random() < 0.5:
            return written
        inside = written[1:-1].replace('\\"', '"').replace("'", "\\'")
        return f"'{inside}'"

    def key(self, name: str) -> str:
        bare = name.isascii() and name.replace("$", "_").isidentifier()
        return name if bare and not self.strict and self.random.random() < 0.5 else self.string(name)


def random_value(chance: random.Random, depth: int = 3) -> Any:
    kind = chance.random()
    if depth and kind < 0.35:
        return {random_name(chance): random_value(chance, depth - 1) for _ in range(chance.randrange(4))}
    if depth and kind < 0.55:
        return [random_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return chance.choice(NUMBERS) if kind < 0.75 else random_text(chance)


def random_name(chance: random.Random) -> str:
    if chance.random() < 0.8:
        return "".join(chance.choices(NAMES, k=chance.randint(1, 4)))
    return random_text(chance)


def random_text(chance: random.Random) -> str:
    return "".join(chance.choices(PIECES, k=chance.randrange(6)))


def random_object(seed: int) -> dict[str, Any]:
    chance = random.Random(seed)  # noqa: S311
    return {random_name(chance): random_value(chance) for _ in range(chance.randrange(5))}
