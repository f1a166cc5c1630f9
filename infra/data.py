"""What outlives a deployment: the database, the uploads, the live table, the queues and the secrets."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from aws_cdk import Aws, Duration, RemovalPolicy, Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_rds as rds
from aws_cdk import aws_secretsmanager as secretsmanager
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from functions.manifest import LIVE_TABLE, QUEUES, UPLOADS_BUCKET, Function
from infra.config import Config
from infra.constructs.alarms import AlarmTopic
from infra.constructs.house_queue import HouseQueue
from infra.constructs.reasons import accept
from infra.constructs.surroundings import UPLOADS_QUEUE, Surroundings
from infra.constructs.uploads import Uploads
from infra.network import Network
from rolecall.db.bootstrap import POSTGRES_MAJOR

POSTGRES_MINOR: Final = 4
PAUSE_MINUTES: Final = 5
"""Aurora pauses after this long without a connection; functions drop theirs after a minute."""


class Data(Stack):
    """Aurora PostgreSQL that pauses, one bucket, one table."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        network: Network,
        functions: Iterable[Function],
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, id, **kwargs)
        self._config = config
        self.alarms_to = AlarmTopic(self, config.alarm_email).topic if config.alarm_email else None
        self.queues = self._queues({reader.reads_queue: reader.timeout_seconds for reader in functions})
        bucket_name = f"{UPLOADS_BUCKET}-{Aws.ACCOUNT_ID}-{config.region}"
        Uploads(
            self,
            name=bucket_name,
            queue=self.queues[UPLOADS_QUEUE],
            origins=config.upload_origins,
            keep=config.keeps_data,
        )
        self._live_table()
        cluster = self._database(network)
        self.surroundings = Surroundings(
            config=config,
            table_name=LIVE_TABLE,
            bucket_name=bucket_name,
            database_host=cluster.cluster_endpoint.hostname,
            database_id=cluster.cluster_resource_identifier,
            token_secret_arn=self._token_secret().secret_arn,
            credential_keys_arn=self._credential_keys().secret_arn,
            master_secret_arn=self._master_secret(cluster).secret_arn,
        )

    def _queues(self, reader_seconds: Mapping[str | None, int]) -> dict[str, sqs.IQueue]:
        """Every queue and dead-letter queue by name; time limits of functions by the queue that they read."""
        found: dict[str, sqs.IQueue] = {}
        for name in (*QUEUES, UPLOADS_QUEUE):
            queue = HouseQueue(
                self,
                name,
                reader_seconds=reader_seconds.get(name, 30),
                dead_reader_seconds=reader_seconds.get(f"{name}-dlq", 30),
                alarms_to=self.alarms_to,
            )
            found |= {name: queue, f"{name}-dlq": queue.dead}
        return found

    @property
    def _removal(self) -> RemovalPolicy:
        return RemovalPolicy.RETAIN if self._config.keeps_data else RemovalPolicy.DESTROY

    def _live_table(self) -> None:
        keep = self._config.keeps_data
        table = dynamodb.Table(
            self,
            "live",
            table_name=LIVE_TABLE,
            partition_key=dynamodb.Attribute(name="pk", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="sk", type=dynamodb.AttributeType.STRING),
            time_to_live_attribute="expires_at",
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.AWS_MANAGED,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=False
            ),
            deletion_protection=keep,
            removal_policy=self._removal,
        )
        why = "A backup would keep what people asked not to be kept; the rest is rebuilt from Postgres."
        accept(table, {"DDB3": why})

    def _database(self, network: Network) -> rds.DatabaseCluster:
        keep = self._config.keeps_data
        engine = rds.DatabaseClusterEngine.aurora_postgres(
            version=rds.AuroraPostgresEngineVersion.of(f"{POSTGRES_MAJOR}.{POSTGRES_MINOR}", str(POSTGRES_MAJOR))
        )
        cluster = rds.DatabaseCluster(
            self,
            "database",
            engine=engine,
            writer=rds.ClusterInstance.serverless_v2("writer", enable_performance_insights=False),
            serverless_v2_min_capacity=0,
            serverless_v2_max_capacity=self._config.max_acu,
            serverless_v2_auto_pause_duration=Duration.minutes(PAUSE_MINUTES),
            vpc=network.vpc,
            vpc_subnets=network.database_subnets,
            security_groups=[network.database_group],
            credentials=rds.Credentials.from_generated_secret("rolecall_master"),
            iam_authentication=True,
            storage_encrypted=True,
            parameter_group=self._parameters(engine),
            backup=rds.BackupProps(retention=Duration.days(14 if keep else 1)),
            copy_tags_to_snapshot=True,
            deletion_protection=keep,
            removal_policy=RemovalPolicy.RETAIN if keep else RemovalPolicy.DESTROY,
        )
        accept(
            cluster,
            {
                "RDS11": "Only the functions' security group reaches it; an unusual port hides nothing.",
                "SMG4": "Deploys alone use the master's password; rotating it would wake the database.",
            },
        )
        if not keep:
            accept(cluster, {"RDS10": "A stage to try things on: it must be possible to delete it."})
        return cluster

    def _parameters(self, engine: rds.IClusterEngine) -> rds.ParameterGroup:
        # A statement in the log would bring people's data into it.
        return rds.ParameterGroup(
            self,
            "parameters",
            engine=engine,
            description="Rolecall",
            parameters={"rds.force_ssl": "1", "log_min_error_statement": "panic"},
        )

    def _master_secret(self, cluster: rds.DatabaseCluster) -> secretsmanager.ISecret:
        secret = cluster.secret
        if secret is None:
            raise ValueError("the cluster has no generated secret")
        return secret

    def _token_secret(self) -> secretsmanager.Secret:
        secret = secretsmanager.Secret(
            self,
            "token-secret",
            description="What Rolecall's tokens are signed with, where no issuer's key set is given",
            generate_secret_string=secretsmanager.SecretStringGenerator(password_length=64, exclude_punctuation=True),
            removal_policy=self._removal,
        )
        accept(
            secret,
            {"SMG4": "A new secret signs everyone out, so people decide when; an issuer's keys rotate themselves."},
        )
        return secret

    def _credential_keys(self) -> secretsmanager.Secret:
        secret = secretsmanager.Secret(
            self,
            "credential-keys",
            description="Master keys that seal the keys of model providers; how to rotate them: docs/models.md",
            generate_secret_string=secretsmanager.SecretStringGenerator(password_length=64, exclude_punctuation=True),
            # What it seals is kept with the database, and is lost without it.
            removal_policy=self._removal,
        )
        accept(
            secret,
            {"SMG4": "A new key is put before the old one by an operator; the old one has to stay while rows need it."},
        )
        return secret
