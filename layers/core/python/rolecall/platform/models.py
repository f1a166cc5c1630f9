"""People and companies as the rest of the code sees them."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from uuid import UUID


class ViewMode(StrEnum):
    """On which side of a hire a person acts."""

    JOB_SEEKER = "JOB_SEEKER"
    EMPLOYER = "EMPLOYER"


@dataclass(frozen=True, slots=True)
class UserSnapshot:
    """The caller in short: who they are, for whom they act, and what that side has paid for."""

    user_id: UUID
    name: str
    email: str
    title: str | None
    location: str | None
    view_mode: ViewMode
    company_id: UUID | None
    company_name: str | None
    role_in_company: str | None
    plan: str | None
    billing_mode: str | None
    subscription_status: str | None
    credit_balance: Decimal | None
    active_cv_id: UUID | None
    is_super_admin: bool
    locale: str
    timezone: str | None


@dataclass(frozen=True, slots=True)
class Membership:
    """A company that a person has a role in, acting for it or not."""

    company_id: UUID
    name: str
    role: str
