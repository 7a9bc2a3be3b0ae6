"""The regions of the README that are made from the program; tests hold them, `tests/write_reference.py` writes them."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from support import reference_commands as commands
from support import reference_settings as settings
from support.markdown import code, table
from support.shapes import is_object, is_vocabulary, members, objects, told, words_of

from guardd.cli.contract import FORMS, Form
from guardd.cli.doctor.checks import CHECKS
from guardd.daemon.metrics import METRICS, error_labels
from guardd.protocol.descriptions import summary
from guardd.protocol.errors import ERRORS
from guardd.protocol.gateway_methods import Scope
from guardd.protocol.methods import EVERYBODY, METHODS, Method
from guardd.protocol.operator_results import Event
from guardd.vocabulary import Role

README = Path(__file__).parents[2] / "README.md"
REGION = re.compile(r"(<!-- reference: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def written(text: str) -> str:
    """The README's text with each region as it is to be."""
    return REGION.sub(lambda region: f"{region[1]}{REGIONS[region[2]]()}\n{region[3]}", text)


def errors() -> str:
    rows = [
        (code(str(error.code)), code(error.kind or ""), code(error_labels(error)[1]), summary(error))
        for error in ERRORS
    ]
    return table(("code", "`data.kind`", "`kind` in `guardd_errors_total`", "when"), rows)


def metrics() -> str:
    rows = [
        (
            code(metric.name + (f"{{{','.join(metric.labels)}}}" if metric.labels else "")),
            metric.type,
            metric.help,
        )
        for metric in METRICS
    ]
    return table(("metric", "type", "what"), rows)


def checks() -> str:
    return table(
        ("check", "what is looked at"), [(code(name), summary_of(check)) for name, check in CHECKS.items()]
    )


def summary_of(function: Callable[..., object]) -> str:
    """The first paragraph of a function's docstring."""
    return " ".join((function.__doc__ or "").partition("\n\n")[0].split())


def methods() -> str:
    rows = [("**scope**", "", f"{summary(Scope)} In every method that says so.")]
    rows += _parameters(Scope)
    for method in METHODS.values():
        rows.append(
            (f"**{code(method.name)}**", f"→ {told(method.result)}", f"{method.summary} {_whose(method)}")
        )
        rows += _parameters(method.params, () if method.params is Scope else {m.name for m in members(Scope)})
    return table(("method, parameters", "result, types", "meaning"), rows)


def _whose(method: Method) -> str:
    scope = "Takes the scope. " if issubclass(method.params, Scope) else ""
    if method.roles == EVERYBODY:
        return f"{scope}For everybody who may connect."
    names = {Role.GATEWAY: "For gateways.", Role.READER: "For readers."}
    others = [names[role] for role in sorted(method.roles - {Role.ADMIN})]
    return scope + (" ".join(others) or "For root and the daemon's own user.")


def _parameters(params: Any, without: Any = ()) -> list[tuple[str, str, str]]:
    is_scoped = issubclass(params, Scope) and params is not Scope
    return [
        (
            code(member.name),
            told(member.kind).removesuffix(" or null")
            + ("" if member.optional else ", required")
            + (f"; {_json(member.default)} if absent" if member.default is not None else ""),
            member.meaning,
        )
        for member in members(params)
        if not (is_scoped and member.name in without)
    ]


def _json(value: object) -> str:
    return code(json.dumps(value))


def forms() -> str:
    return table(
        ("command", "prints with `--json`"), [(code(name), _form(form)) for name, form in FORMS.items()]
    )


def _form(form: Form) -> str:
    said = [told(form.document)] if form.document is not None else []
    if form.lines is not None:
        lines = f"lines of {told(form.lines)}"
        said.append(f"with `{form.streams_with}` {lines}" if form.streams_with else lines)
    return "; ".join(said)


def documented() -> list[Any]:
    """Every object, and every vocabulary, of the protocol's results and the commands' documents."""
    kinds = [method.result for method in METHODS.values()] + [Event]
    kinds += [kind for form in FORMS.values() for kind in (form.document, form.lines) if kind is not None]
    return objects(kinds)


def fields() -> str:
    rows = []
    for kind in documented():
        if is_vocabulary(kind):
            rows.append((f"**{code(kind.__name__)}**", ", ".join(map(code, words_of(kind))), summary(kind)))
        if not is_object(kind) or not members(kind):
            continue
        rows.append((f"**{code(kind.__name__)}**", "", summary(kind)))
        rows += [
            (
                code(member.name),
                told(member.kind) + (", may be absent" if member.optional else ""),
                member.meaning,
            )
            for member in members(kind)
        ]
    return table(("object, fields", "type", "meaning"), rows)


REGIONS: Mapping[str, Callable[[], str]] = {
    "commands": commands.overview,
    "options": commands.options,
    "settings": settings.table_of_settings,
    "metrics": metrics,
    "checks": checks,
    "errors": errors,
    "methods": methods,
    "forms": forms,
    "fields": fields,
}
