"""The network: out by IPv6 and endpoints, in from nowhere."""

from infra.permissions import resolve
from tests.infra.conftest import Deployment


def endpoints(deployment: Deployment) -> dict[str, str]:
    found = deployment.all("AWS::EC2::VPCEndpoint")
    return {
        resolve(endpoint["ServiceName"], deployment.stack("network"), {}).rpartition("eu-north-1.")[2]: endpoint[
            "VpcEndpointType"
        ]
        for endpoint in found
    }


def test_only_bedrock_needs_an_endpoint_that_costs_money(deployed: Deployment) -> None:
    assert endpoints(deployed) == {"s3": "Gateway", "dynamodb": "Gateway", "bedrock-runtime": "Interface"}
    (paid,) = [found for found in deployed.all("AWS::EC2::VPCEndpoint") if found["VpcEndpointType"] == "Interface"]
    assert len(paid["SubnetIds"]) == 1
    assert paid["PrivateDnsEnabled"] is True


def test_functions_leave_by_ipv6_and_nothing_comes_in(deployed: Deployment) -> None:
    assert not deployed.all("AWS::EC2::InternetGateway")
    assert not deployed.all("AWS::EC2::NatGateway")
    routes = deployed.all("AWS::EC2::Route")
    assert len(routes) == 2
    assert all(route["DestinationIpv6CidrBlock"] == "::/0" for route in routes)
    assert all("EgressOnlyInternetGatewayId" in route for route in routes)
    assert not any(subnet.get("MapPublicIpOnLaunch") for subnet in deployed.all("AWS::EC2::Subnet"))


def test_a_nat_is_an_option_that_replaces_the_endpoint(varied: Deployment) -> None:
    assert len(varied.all("AWS::EC2::NatGateway")) == 1
    assert endpoints(varied) == {"s3": "Gateway", "dynamodb": "Gateway"}


def test_security_groups_open_two_ports(deployed: Deployment) -> None:
    out = [
        rule
        for group in deployed.all("AWS::EC2::SecurityGroup")
        for rule in group.get("SecurityGroupEgress", [])
        if rule["CidrIp" if "CidrIp" in rule else "CidrIpv6"] != "255.255.255.255/32"  # CDK's way to say none
    ]
    ports = {rule["ToPort"] for rule in (*out, *deployed.all("AWS::EC2::SecurityGroupEgress"))}
    assert ports == {443, 5432}


def test_rejected_traffic_is_logged(deployed: Deployment) -> None:
    (log,) = deployed.all("AWS::EC2::FlowLog")
    assert log["TrafficType"] == "REJECT"
