"""What each kind of agent allows: the one table that every write path reads and every agent reply carries."""

from dataclasses import asdict, dataclass
from typing import Final, Literal

from rolecall.agents.models import AgentKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What may be done to an agent, and what it may have."""

    rename: bool
    disable: bool
    archive: bool
    archive_by_concierge: bool
    """Whether the concierge may archive it; it deletes nothing under any flag."""
    delete: bool
    export: bool
    import_over: bool
    secrets: bool
    skills: bool
    autostart: bool
    toolset: Literal["standard", "concierge"]

    def plain(self) -> dict[str, bool | str]:
        """Render for a reply."""
        return asdict(self)


CAPABILITIES: Final[dict[AgentKind, Capabilities]] = {
    AgentKind.STANDARD: Capabilities(
        rename=True,
        disable=True,
        archive=True,
        archive_by_concierge=True,
        delete=True,
        export=True,
        import_over=True,
        secrets=True,
        skills=True,
        autostart=True,
        toolset="standard",
    ),
    AgentKind.CONCIERGE: Capabilities(
        rename=False,
        disable=False,
        archive=False,
        archive_by_concierge=False,
        delete=False,
        export=False,
        import_over=False,
        secrets=False,
        skills=False,
        autostart=False,
        toolset="concierge",
    ),
}


def capabilities_of(kind: str) -> Capabilities:
    """Look up a kind as stored; an unknown one counts as standard."""
    return CAPABILITIES[AgentKind(kind)]
