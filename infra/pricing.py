"""What a deployment costs while nobody uses it: an estimate, counted from the templates.

Prices are US dollars in eu-north-1, written down from AWS's public price pages and not fetched: check them before
you rely on them. Taxes, the free tier, and everything that use brings (models, requests, traffic) are left out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

HOURS: Final = 730
"""In a month."""
DATABASE_GB: Final = 10
LOGS_GB: Final = 0.1
UPLOADS_GB: Final = 1

ENDPOINT_HOUR: Final = 0.011
NAT_HOUR: Final = 0.046
PUBLIC_ADDRESS_HOUR: Final = 0.005
SECRET_MONTH: Final = 0.40
KEY_MONTH: Final = 1.00
ALARM_MONTH: Final = 0.10
AURORA_GB_MONTH: Final = 0.11
LOG_GB_MONTH: Final = 0.03
S3_GB_MONTH: Final = 0.023
SCHEDULED_RUN: Final = 0.0000002 + 0.2 * 1.0 * 0.0000133334
"""One request and 0.2 s of one GB on arm64."""


@dataclass(frozen=True)
class Line:
    """One row of the table."""

    what: str
    assumption: str
    dollars: float


def idle_month(templates: Iterable[Mapping[str, Any]], *, runs_a_month: float = 0) -> list[Line]:
    """Price what stands when nothing is asked, line by line.

    Args:
        templates: Every stack.
        runs_a_month: Invocations by schedules.
    """
    resources = [resource for template in templates for resource in template["Resources"].values()]
    zones = sum(
        len(resource["Properties"].get("SubnetIds", [])) for resource in _of(resources, "AWS::EC2::VPCEndpoint")
    )
    nats = len(_of(resources, "AWS::EC2::NatGateway"))
    secrets = len(_of(resources, "AWS::SecretsManager::Secret"))
    keys = len(_of(resources, "AWS::KMS::Key"))
    alarms = len(_of(resources, "AWS::CloudWatch::Alarm"))
    clusters = _of(resources, "AWS::RDS::DBCluster")
    return [
        *(_database(cluster) for cluster in clusters),
        Line("Interface endpoints", f"{zones} of one zone each at ${ENDPOINT_HOUR}/h", zones * ENDPOINT_HOUR * HOURS),
        Line(
            "NAT gateways",
            f"{nats} at ${NAT_HOUR}/h with an address at ${PUBLIC_ADDRESS_HOUR}/h",
            nats * (NAT_HOUR + PUBLIC_ADDRESS_HOUR) * HOURS,
        ),
        Line("Secrets", f"{secrets} at ${SECRET_MONTH:.2f}", secrets * SECRET_MONTH),
        Line("Keys", f"{keys} of our own at ${KEY_MONTH:.2f}; AWS' own keys cost nothing", keys * KEY_MONTH),
        Line("Alarms", f"{alarms} at ${ALARM_MONTH:.2f}", alarms * ALARM_MONTH),
        Line("Schedules", f"{runs_a_month:,.0f} runs of 0.2 s", runs_a_month * SCHEDULED_RUN),
        Line("Uploads", f"{UPLOADS_GB} GB at ${S3_GB_MONTH}", UPLOADS_GB * S3_GB_MONTH),
        Line("Logs", f"{LOGS_GB} GB kept at ${LOG_GB_MONTH}", LOGS_GB * LOG_GB_MONTH),
        Line("API, functions, machine, table, queues", "by use only", 0.0),
    ]


def _database(cluster: Mapping[str, Any]) -> Line:
    least = cluster["Properties"]["ServerlessV2ScalingConfiguration"]["MinCapacity"]
    if least:
        raise ValueError(f"the database never pauses: its minimum is {least} ACU")
    return Line(
        "Aurora", f"paused, {DATABASE_GB} GB at ${AURORA_GB_MONTH}, backups within it", DATABASE_GB * AURORA_GB_MONTH
    )


def _of(resources: Iterable[Mapping[str, Any]], kind: str) -> list[Mapping[str, Any]]:
    return [resource for resource in resources if resource["Type"] == kind]
