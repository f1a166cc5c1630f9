"""Every access to a tenant's row that is meant to be, by table. A new table or policy adds its line here."""

from dataclasses import dataclass, field
from typing import Final

Rows = dict[str, set[str]]
"""By caller, whose rows they reach; a caller that is not named reaches none."""


@dataclass(frozen=True)
class Access:
    reads: Rows = field(default_factory=dict)
    makes: Rows = field(default_factory=dict)
    changes: Rows = field(default_factory=dict)
    deletes: Rows = field(default_factory=dict)


# Each person's own rows, in the scope (company or none) in which they made them.
OWN: Final[Rows] = {"ann@acme": {"acme"}, "rex@rival": {"rival"}, "ann": {"ann"}, "sam": {"sam"}}
# The same, and a company's rows by all its members.
SHARED: Final[Rows] = OWN | {"ben@acme": {"acme"}}
# A company's rows by those who lead it.
LED: Final[Rows] = {"ann@acme": {"acme"}, "rex@rival": {"rival"}}
MEMBERS: Final[Rows] = LED | {"ben@acme": {"acme"}}
# Any caller at all, and none.
CALLERS: Final = (
    "ann@acme",
    "ben@acme",
    "rex@rival",
    "ann",
    "sam",
    "rex claims acme",
    "sam claims acme",
    "nobody",
    "visitor",
)
EVERYONE: Final[Rows] = {name: {"global"} for name in CALLERS}

CROSSINGS: Final[dict[str, Access]] = {
    "app_user": Access(
        reads={
            "ann@acme": {"ann", "ben"},
            "ben@acme": {"ann", "ben"},
            "rex@rival": {"rex"},
            "ann": {"ann"},
            "sam": {"sam"},
        },
        changes={"ann@acme": {"ann"}, "ben@acme": {"ben"}, "rex@rival": {"rex"}, "ann": {"ann"}, "sam": {"sam"}},
    ),
    "company": Access(reads=MEMBERS, changes=LED),
    # Acting alone, one still reads the names of one's companies, to switch to them.
    "company_profile": Access(reads=MEMBERS | {"ann": {"acme"}}, changes=LED),
    "user_company_role": Access(
        reads={"ann@acme": {"ann", "ben"}, "ben@acme": {"ann", "ben"}, "rex@rival": {"rex"}, "ann": {"ann"}}
    ),
    "subscription": Access(reads=SHARED),
    "agent": Access(reads=SHARED, makes=OWN, changes=SHARED, deletes=OWN),
    "agent_task_config": Access(reads=SHARED, makes=OWN, changes=SHARED, deletes=SHARED),
    "agent_database_config": Access(reads=SHARED, makes=OWN, changes=OWN, deletes=OWN),
    "agent_conversation": Access(reads=OWN, makes=OWN, changes=OWN, deletes=OWN),
    "agent_message": Access(reads=OWN, makes=OWN, changes=OWN),
    "agent_message_attachment": Access(reads=OWN, makes=OWN),
    "agent_document": Access(reads=SHARED, makes=OWN, changes=SHARED, deletes=OWN),
    "agent_document_chunk": Access(reads=SHARED),
    "agent_tool_definition": Access(reads=EVERYONE),
    "agent_tool_overlay": Access(reads=MEMBERS, makes=LED, changes=LED, deletes=LED),
    "agent_tool_execution": Access(reads=OWN, makes=OWN, changes=OWN),
    "agent_activity": Access(reads=OWN, makes=OWN),
    "agent_background_task": Access(reads=OWN, makes=OWN, changes=OWN),
    "agent_token_usage": Access(reads=SHARED, makes=SHARED, changes=SHARED),
    # A member's turn uses the company's key; those who lead it store and delete it.
    "model_credential": Access(reads=SHARED, makes=OWN, changes=OWN, deletes=OWN),
}
WITHOUT_TENANTS: Final = {"schema_migration"}
"""Tables that only the owner reaches."""

WRITERS: Final[dict[str, dict[str, str]]] = {
    "rolecall_seed": {"agent_tool_definition": "SELECT INSERT UPDATE DELETE"},
    "rolecall_janitor": {
        "agent_message": "select update",
        "agent_tool_execution": "select update",
        "agent_document": "select update",
        "agent_background_task": "select update",
        "agent_activity": "INSERT",
    },
    "rolecall_ingest": {
        "agent_document": "SELECT UPDATE",
        "agent_document_chunk": "SELECT INSERT UPDATE DELETE",
        "agent_background_task": "SELECT update",
        "agent_activity": "INSERT",
    },
    "rolecall_accounts": dict.fromkeys(
        ["app_user", "company", "company_profile", "user_company_role", "subscription"], "SELECT INSERT UPDATE DELETE"
    ),
}
"""What each role of the system itself may touch: small letters for some columns only."""
