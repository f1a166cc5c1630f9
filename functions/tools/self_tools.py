"""Tools on the caller themself. They take no ids: whoever asks is who is meant."""

from typing import Annotated, Any, Self

from psycopg.errors import UniqueViolation
from pydantic import Field, StringConstraints, model_validator

from rolecall.agents.models import ToolType
from rolecall.errors import ToolFailed
from rolecall.platform import store as platform
from rolecall.tools.declare import Arguments, NoArguments, tool
from rolecall.tools.models import ToolContext

ShortText = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Url = Annotated[str, StringConstraints(pattern=r"^https?://[^\s<>\"]+$", max_length=500)]
Email = Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s.]+$", max_length=254, to_lower=True)]
Phone = Annotated[str, StringConstraints(pattern=r"^\+?[0-9][0-9 ()./-]{3,30}$")]


@tool(
    type=ToolType.GET_ME,
    name="My profile",
    search_queries="who am I, my profile, my account, my email, my name, my role, my company, my plan, my credits",
    category="self",
    arguments=NoArguments,
)
def get_me(context: ToolContext, _: NoArguments) -> dict[str, Any]:
    """Return the profile of the user who is asking: who am I, my name, email, job title, role, company, plan,
    credit balance and active CV. Takes no arguments."""
    me = platform.user_snapshot(context.conn, context.caller)
    if me is None:
        raise ToolFailed("There is no profile for this user.")
    return {
        "user_id": me.user_id,
        "name": me.name,
        "email": me.email,
        "title": me.title,
        "location": me.location,
        "view_mode": me.view_mode,
        "company_id": me.company_id,
        "company_name": me.company_name,
        "role_in_company": me.role_in_company,
        "plan": me.plan,
        "billing_mode": me.billing_mode,
        "subscription_status": me.subscription_status,
        "credit_balance": float(me.credit_balance) if me.credit_balance is not None else None,
        "active_cv_id": me.active_cv_id,
        "is_super_admin": me.is_super_admin,
    }


class ProfileChanges(Arguments):
    """What a person may change of their own row; everything else is refused."""

    first_name: Annotated[Name | None, Field(description="First (given) name")] = None
    last_name: Annotated[Name | None, Field(description="Last (family) name")] = None
    email: Annotated[Email | None, Field(description="Email address")] = None
    phone: Annotated[Phone | None, Field(description="Phone number, international form")] = None
    title: Annotated[ShortText | None, Field(description="Job title")] = None
    location: Annotated[ShortText | None, Field(description="City and country")] = None
    biography: Annotated[
        Annotated[str, StringConstraints(min_length=1, max_length=4000)] | None,
        Field(description="A few sentences about the person"),
    ] = None
    linkedin_url: Annotated[Url | None, Field(description="Address of the LinkedIn profile")] = None
    portfolio_url: Annotated[Url | None, Field(description="Address of the portfolio or website")] = None

    @model_validator(mode="after")
    def _something(self) -> Self:
        if not self.model_dump(exclude_none=True):
            raise ValueError("give at least one field to change")
        return self


@tool(
    type=ToolType.UPDATE_MY_PROFILE,
    name="Change my profile",
    search_queries="change my name, update my email, set my title, my phone number, my location, my biography",
    category="self",
    arguments=ProfileChanges,
    requires_write=True,
)
def update_my_profile(context: ToolContext, changes: ProfileChanges) -> dict[str, Any]:
    """Change the profile of the user who is asking: set, update or correct my first name, last name, email, phone,
    job title, location, biography, LinkedIn or portfolio address. At least one field is needed; give only the fields
    to change."""
    values = changes.model_dump(exclude_none=True)
    try:
        updated = platform.update_user(context.conn, context.caller.user_id, values)
    except UniqueViolation as error:
        raise ToolFailed("That email address cannot be used; choose another.") from error
    if not updated:
        raise ToolFailed("There is no profile for this user.")
    return {"updated_fields": updated}
