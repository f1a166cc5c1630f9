"""Declared tools → rows. Only what changed is written, what is gone is removed, wording kept by hand stays."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from rolecall.db import Database
from rolecall.tools import store
from rolecall.tools.declare import Tool


@dataclass(slots=True)
class Seeded:
    """Codes of the definitions that were touched."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


def seed(db: Database, tools: Iterable[Tool]) -> Seeded:
    """Bring agent_tool_definition in line with the declared tools, in one transaction.

    A changed wording raises the version, so that the definition is embedded anew.
    """
    declared = list(tools)
    seeded = Seeded()
    with db.transaction() as conn:
        seeded.removed = store.delete_other_definitions(conn, [tool.code for tool in declared])
        for tool in declared:
            touched = store.upsert_definition(conn, tool)
            if touched is not None:
                (seeded.added if touched else seeded.changed).append(tool.code)
    return seeded
