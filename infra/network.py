"""The network of the functions that open Postgres. Why it looks like this: docs/adr/0009."""

from typing import Any

from aws_cdk import RemovalPolicy, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.config import Config
from infra.constructs.house_function import Place, log_retention


class Network(Stack):
    """Dual-stack subnets: out by IPv6 or through endpoints, in from nowhere."""

    def __init__(self, scope: Construct, id: str, *, config: Config, **kwargs: Any) -> None:
        super().__init__(scope, id, **kwargs)
        self.vpc = self._vpc(config)
        functions, self.database_group = self._groups()
        self.database_subnets = ec2.SubnetSelection(subnet_group_name="database")
        self.place = Place(
            vpc=self.vpc, subnets=ec2.SubnetSelection(subnet_group_name="functions"), security_group=functions
        )
        self._endpoints(config, functions)

    def _vpc(self, config: Config) -> ec2.Vpc:
        public = [ec2.SubnetConfiguration(name="public", subnet_type=ec2.SubnetType.PUBLIC, cidr_mask=28)]
        flow_logs = logs.LogGroup(
            self, "flow-logs", retention=log_retention(config.log_days), removal_policy=RemovalPolicy.DESTROY
        )
        return ec2.Vpc(
            self,
            "vpc",
            ip_protocol=ec2.IpProtocol.DUAL_STACK,
            max_azs=2,
            nat_gateways=1 if config.nat else 0,
            create_internet_gateway=config.nat,
            subnet_configuration=[
                ec2.SubnetConfiguration(name="functions", subnet_type=ec2.SubnetType.PRIVATE_WITH_EGRESS, cidr_mask=22),
                ec2.SubnetConfiguration(name="database", subnet_type=ec2.SubnetType.PRIVATE_ISOLATED, cidr_mask=26),
                *(public if config.nat else []),
            ],
            flow_logs={
                "rejected": ec2.FlowLogOptions(
                    destination=ec2.FlowLogDestination.to_cloud_watch_logs(flow_logs),
                    traffic_type=ec2.FlowLogTrafficType.REJECT,
                )
            },
        )

    def _groups(self) -> tuple[ec2.SecurityGroup, ec2.SecurityGroup]:
        functions = ec2.SecurityGroup(
            self,
            "functions",
            vpc=self.vpc,
            description="Functions that open Postgres",
            allow_all_outbound=False,
            allow_all_ipv6_outbound=False,
        )
        database = ec2.SecurityGroup(self, "database", vpc=self.vpc, description="Aurora", allow_all_outbound=False)
        functions.add_egress_rule(ec2.Peer.any_ipv6(), ec2.Port.HTTPS, "AWS and model providers")
        functions.add_egress_rule(
            ec2.Peer.any_ipv4(), ec2.Port.HTTPS, "Endpoints of the VPC, and the NAT if there is one"
        )
        functions.connections.allow_to(database, ec2.Port.POSTGRES, "Postgres")
        return functions, database

    def _endpoints(self, config: Config, functions: ec2.SecurityGroup) -> None:
        everywhere = [self.place.subnets]
        for name, service in {
            "s3": ec2.GatewayVpcEndpointAwsService.S3,
            "dynamodb": ec2.GatewayVpcEndpointAwsService.DYNAMODB,
        }.items():
            self.vpc.add_gateway_endpoint(name, service=service, subnets=everywhere)
        if config.nat:
            return
        guard = ec2.SecurityGroup(
            self, "bedrock", vpc=self.vpc, description="Endpoint of Bedrock", allow_all_outbound=False
        )
        guard.connections.allow_from(functions, ec2.Port.HTTPS, "Functions")
        self.vpc.add_interface_endpoint(
            "bedrock-runtime",
            service=ec2.InterfaceVpcEndpointAwsService.BEDROCK_RUNTIME,
            # One zone: an endpoint costs by zone, and both zones reach it.
            subnets=ec2.SubnetSelection(subnets=[self.vpc.select_subnets(subnet_group_name="functions").subnets[0]]),
            security_groups=[guard],
            open=False,
        )
