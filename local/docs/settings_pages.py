"""The settings as a table and as an example file, from the model that reads them."""

import ast
import inspect
from dataclasses import dataclass

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from rolecall import settings as module
from rolecall.settings import Settings


@dataclass(frozen=True)
class _Row:
    variable: str
    default: str
    meaning: str


def reference() -> str:
    """docs/settings.md."""
    lines = [
        "# Settings",
        "",
        "Generated from `rolecall.settings` by `make docs`; do not edit.",
        "",
        "Every function reads its environment once. An empty variable counts as not set. On one machine `rolecall up`",
        "sets what the stack itself makes (addresses, names, secrets), and passes on the models and the behaviour from",
        "your environment.",
        "",
        "| variable | default | meaning |",
        "|---|---|---|",
    ]
    lines += [
        f"| `{row.variable}` | {f'`{row.default}`' if row.default else 'none'} | {row.meaning} |" for row in _rows()
    ]
    return "\n".join(lines) + "\n"


def example() -> str:
    """.env.example."""
    lines = [
        "# Generated from rolecall.settings by `make docs`; do not edit.",
        "# Every setting with its default. Set what you change in the environment that starts Rolecall.",
    ]
    for row in _rows():
        lines += ["", f"# {row.meaning}", f"# {row.variable}={row.default}"]
    return "\n".join(lines) + "\n"


def _rows() -> list[_Row]:
    meanings = _docstrings()
    silent = [name for name in Settings.model_fields if name not in meanings]
    if silent:
        raise LookupError(f"Write a docstring under these settings: {', '.join(silent)}.")
    return [_row(name, field, meanings[name]) for name, field in Settings.model_fields.items()]


def _row(name: str, field: FieldInfo, meaning: str) -> _Row:
    default = field.default
    shown = "" if isinstance(default, SecretStr) or default is None else str(default)
    return _Row(field.alias or name.upper(), shown, meaning)


def _docstrings() -> dict[str, str]:
    """The string under each field of the model, on one line."""
    tree = ast.parse(inspect.getsource(module))
    model = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == Settings.__name__)
    found: dict[str, str] = {}
    for field, after in zip(model.body, model.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(after, ast.Expr):
            found[field.target.id] = " ".join(str(ast.literal_eval(after.value)).split())
    return found
