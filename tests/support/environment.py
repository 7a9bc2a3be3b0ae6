"""The environment variables that the package reads, found in its source."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "guardd"
NAME = re.compile(r"_?[A-Z][A-Z0-9_]+")
OF_JAVASCRIPT = re.compile(r"\b(?:environ|process\.env)\??\.([A-Z][A-Z0-9_]*)")


def variables() -> tuple[set[str], set[str]]:
    """The names that stand in the source, and the modules that read variables whose names do not."""
    names: set[str] = set()
    others: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        constants = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for asked in _asked(tree):
            value = (
                asked.value if isinstance(asked, ast.Constant) else constants.get(getattr(asked, "id", ""))
            )
            if isinstance(value, str):
                names.add(value)
            else:
                others.add(str(file.relative_to(PACKAGE)))
    for file in PACKAGE.rglob("*.js"):
        names |= set(OF_JAVASCRIPT.findall(file.read_text(encoding="utf-8")))
    return names, others


def _asked(tree: ast.AST) -> Iterator[ast.expr]:
    """What an environment is asked for, in each place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and _is_environment(node.value):
            yield node.slice
        elif isinstance(node, ast.Compare) and any(map(_is_environment, node.comparators)):
            yield node.left
        elif isinstance(node, ast.Call):
            yield from _asked_by_call(node)


def _asked_by_call(call: ast.Call) -> Iterator[ast.expr]:
    name = getattr(call.func, "attr", "")
    asks = name in ("get", "pop", "setdefault") and _is_environment(getattr(call.func, "value", call))
    if asks or name == "getenv":
        yield call.args[0]
    elif any(map(_is_environment, call.args)):
        yield from (
            argument
            for argument in call.args
            if isinstance(argument, ast.Constant) and NAME.fullmatch(str(argument.value))
        )


def _is_environment(node: ast.AST) -> bool:
    return getattr(node, "id", "") == "environ" or getattr(node, "attr", "") == "environ"
