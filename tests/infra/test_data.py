"""What outlives a deployment: encrypted, closed, pausing, and kept where it matters."""

import json

import pytest

from infra.constructs.surroundings import UPLOADS_QUEUE
from infra.constructs.uploads import ATTACHMENT_DAYS
from infra.permissions import resolve
from local.objects import UPLOADS_QUEUE as LOCAL_UPLOADS_QUEUE
from local.postgres_programs import POSTGRES_MAJOR
from rolecall.conversations.attachments.keys import PREFIX as ATTACHMENTS
from rolecall.knowledge.documents import KEY_PREFIX
from tests.infra.conftest import Deployment


def test_the_database_pauses_and_is_of_the_local_version(deployed: Deployment) -> None:
    (cluster,) = deployed.all("AWS::RDS::DBCluster")
    scaling = cluster["ServerlessV2ScalingConfiguration"]
    assert scaling["MinCapacity"] == 0
    assert scaling["SecondsUntilAutoPause"] == 300
    assert cluster["Engine"] == "aurora-postgresql"
    assert cluster["EngineVersion"].partition(".")[0] == str(POSTGRES_MAJOR)


def test_the_database_lets_in_by_token_over_tls_and_from_the_functions_alone(deployed: Deployment) -> None:
    (cluster,) = deployed.all("AWS::RDS::DBCluster")
    (parameters,) = deployed.all("AWS::RDS::DBClusterParameterGroup")
    assert cluster["EnableIAMDatabaseAuthentication"] is True
    assert parameters["Parameters"]["rds.force_ssl"] == "1"
    assert all(not instance.get("PubliclyAccessible") for instance in deployed.all("AWS::RDS::DBInstance"))
    group = next(found for found in deployed.all("AWS::EC2::SecurityGroup") if found["GroupDescription"] == "Aurora")
    assert "SecurityGroupIngress" not in group
    rules = [rule for rule in deployed.all("AWS::EC2::SecurityGroupIngress") if rule["ToPort"] == 5432]
    assert len(rules) == 1
    assert "SourceSecurityGroupId" in rules[0]


def test_no_password_is_in_a_template(deployed: Deployment) -> None:
    (cluster,) = deployed.all("AWS::RDS::DBCluster")
    assert "{{resolve:secretsmanager:" in json.dumps(cluster["MasterUserPassword"])
    for function in deployed.functions().values():
        assert "resolve:secretsmanager" not in json.dumps(function)


def test_everything_is_encrypted(deployed: Deployment) -> None:
    assert all(cluster["StorageEncrypted"] is True for cluster in deployed.all("AWS::RDS::DBCluster"))
    assert all(table["SSESpecification"]["SSEEnabled"] is True for table in deployed.all("AWS::DynamoDB::Table"))
    assert all(queue["SqsManagedSseEnabled"] is True for queue in deployed.all("AWS::SQS::Queue"))
    assert all("KmsMasterKeyId" in topic for topic in deployed.all("AWS::SNS::Topic"))
    buckets = deployed.all("AWS::S3::Bucket")
    assert len(buckets) == 2
    assert all("BucketEncryption" in bucket for bucket in buckets)


@pytest.mark.parametrize("kind", ["AWS::S3::BucketPolicy", "AWS::SQS::QueuePolicy", "AWS::SNS::TopicPolicy"])
def test_nothing_is_reached_without_tls(deployed: Deployment, kind: str) -> None:
    owners = {"AWS::S3::BucketPolicy": "AWS::S3::Bucket", "AWS::SQS::QueuePolicy": "AWS::SQS::Queue"}
    policies = deployed.all(kind)
    assert len(policies) == len(deployed.all(owners.get(kind, "AWS::SNS::Topic")))
    for policy in policies:
        assert any(
            statement["Effect"] == "Deny" and statement.get("Condition") == {"Bool": {"aws:SecureTransport": "false"}}
            for statement in policy["PolicyDocument"]["Statement"]
        )


def test_buckets_are_private_and_take_forms_from_the_pages_named(varied: Deployment) -> None:
    for bucket in varied.all("AWS::S3::Bucket"):
        assert set(bucket["PublicAccessBlockConfiguration"].values()) == {True}
    uploads = next(bucket for bucket in varied.all("AWS::S3::Bucket") if "CorsConfiguration" in bucket)
    (rule,) = uploads["CorsConfiguration"]["CorsRules"]
    assert rule["AllowedOrigins"] == ["https://a.example", "https://b.example"]
    assert "POST" in rule["AllowedMethods"]
    (kept_for,) = [rule for rule in uploads["LifecycleConfiguration"]["Rules"] if rule.get("Prefix") == ATTACHMENTS]
    assert kept_for["ExpirationInDays"] == ATTACHMENT_DAYS


def test_a_new_object_is_told_to_the_uploads_queue(deployed: Deployment) -> None:
    template = deployed.stack("data")
    uploads = next(bucket for bucket in deployed.all("AWS::S3::Bucket") if "NotificationConfiguration" in bucket)
    (told,) = uploads["NotificationConfiguration"]["QueueConfigurations"]
    assert told["Event"] == "s3:ObjectCreated:*"
    assert told["Filter"]["S3Key"]["Rules"] == [{"Name": "prefix", "Value": KEY_PREFIX}]
    assert resolve(told["Queue"], template, {}).endswith(f":{UPLOADS_QUEUE}")
    allowed = [
        statement
        for policy in deployed.all("AWS::SQS::QueuePolicy")
        for statement in policy["PolicyDocument"]["Statement"]
        if statement.get("Principal") == {"Service": "s3.amazonaws.com"}
    ]
    name = resolve(uploads["BucketName"], template, {})
    (statement,) = allowed
    source = resolve(statement["Condition"]["ArnLike"]["aws:SourceArn"], template, {})
    assert source == f"arn:aws:s3:::{name}"
    assert UPLOADS_QUEUE == LOCAL_UPLOADS_QUEUE


def test_every_queue_puts_bad_messages_aside_and_an_alarm_says_so(varied: Deployment) -> None:
    queues = {queue["QueueName"]: queue for queue in varied.all("AWS::SQS::Queue")}
    alarms = {alarm["AlarmName"]: alarm for alarm in varied.all("AWS::CloudWatch::Alarm")}
    live = {name for name in queues if not name.endswith("-dlq")}
    assert {f"{name}-dlq" for name in live} == queues.keys() - live
    for name in live:
        assert queues[name]["RedrivePolicy"]["maxReceiveCount"] == 3
        assert alarms[f"{name}-dlq"]["Threshold"] == 1


def test_alarms_reach_the_mailbox_if_there_is_one(deployed: Deployment, varied: Deployment) -> None:
    (mailbox,) = deployed.all("AWS::SNS::Subscription")
    assert mailbox["Endpoint"] == "alarms@example.com"
    assert all(alarm["AlarmActions"] for alarm in deployed.all("AWS::CloudWatch::Alarm"))
    assert not varied.all("AWS::SNS::Topic")


def test_the_live_table_forgets_by_its_own_attribute(deployed: Deployment) -> None:
    (table,) = deployed.all("AWS::DynamoDB::Table")
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert [(key["AttributeName"], key["KeyType"]) for key in table["KeySchema"]] == [("pk", "HASH"), ("sk", "RANGE")]
    assert table["BillingMode"] == "PAY_PER_REQUEST"


def test_what_is_not_to_be_kept_is_in_no_backup(deployed: Deployment) -> None:
    (table,) = deployed.all("AWS::DynamoDB::Table")
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": False}
    assert "StreamSpecification" not in table


def test_production_keeps_its_data_and_a_trial_can_be_deleted(deployed: Deployment, varied: Deployment) -> None:
    for deployment, kept in ((deployed, True), (varied, False)):
        (cluster,) = deployment.resources("AWS::RDS::DBCluster")
        (table,) = deployment.resources("AWS::DynamoDB::Table")
        assert cluster["Properties"]["DeletionProtection"] is kept
        assert table["Properties"]["DeletionProtectionEnabled"] is kept
        policies = {found["DeletionPolicy"] for found in (cluster, table, *deployment.resources("AWS::S3::Bucket"))}
        assert policies == {"Retain" if kept else "Delete"}
