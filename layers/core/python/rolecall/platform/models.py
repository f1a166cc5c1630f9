"""People and companies as the rest of the code sees them."""

from dataclasses import asdict, dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any
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

    def wire(self) -> dict[str, Any]:
        """Render for the person themself."""
        return {
            "userId": str(self.user_id),
            "name": self.name,
            "email": self.email,
            "title": self.title,
            "location": self.location,
            "viewMode": self.view_mode,
            "companyId": str(self.company_id) if self.company_id else None,
            "companyName": self.company_name,
            "roleInCompany": self.role_in_company,
            "plan": self.plan,
            "subscriptionStatus": self.subscription_status,
            "creditBalance": float(self.credit_balance) if self.credit_balance is not None else None,
            "locale": self.locale,
            "timezone": self.timezone,
        }


@dataclass(frozen=True, slots=True)
class CompanyProfile:
    """What anybody may know of a company."""

    name: str
    website: str | None
    description: str | None
    industry: str | None
    size: str | None
    location: str | None

    def wire(self) -> dict[str, str]:
        """Render what is known."""
        return {name: value for name, value in asdict(self).items() if value}


@dataclass(frozen=True, slots=True)
class Membership:
    """A company that a person has a role in, acting for it or not."""

    company_id: UUID
    name: str
    role: str

    def wire(self) -> dict[str, Any]:
        """Render for the person themself."""
        return {"companyId": str(self.company_id), "name": self.name, "role": self.role}
