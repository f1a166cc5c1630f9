"""The uploads bucket, which tells a queue of every new document; files of messages lie beside them."""

from collections.abc import Sequence
from typing import Final

from aws_cdk import Aws, CfnResource, Duration, RemovalPolicy
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.constructs.reasons import accept
from rolecall.conversations.attachments.keys import PREFIX as ATTACHMENTS
from rolecall.knowledge.documents import KEY_PREFIX

ATTACHMENT_DAYS: Final = 365
"""Then a message's file goes, sent or not; its conversation goes on and names it."""


class Uploads(Construct):
    """Private, TLS only, encrypted; browsers send forms to it that a function has signed."""

    def __init__(self, scope: Construct, *, name: str, queue: sqs.IQueue, origins: Sequence[str], keep: bool) -> None:
        super().__init__(scope, "uploads")
        self._keep = keep
        bucket = self._bucket("bucket", name=name, cors=_cors(origins), access_logs=self._access_logs())
        queue.add_to_resource_policy(
            iam.PolicyStatement(
                principals=[iam.ServicePrincipal("s3.amazonaws.com")],
                actions=["sqs:SendMessage"],
                resources=[queue.queue_arn],
                conditions={
                    # By its name: the bucket waits for this policy, so the policy cannot refer to the bucket.
                    "ArnLike": {"aws:SourceArn": f"arn:{Aws.PARTITION}:s3:::{name}"},
                    "StringEquals": {"aws:SourceAccount": Aws.ACCOUNT_ID},
                },
            )
        )
        told = bucket.node.default_child
        if isinstance(told, s3.CfnBucket):
            told.notification_configuration = s3.CfnBucket.NotificationConfigurationProperty(
                queue_configurations=[
                    s3.CfnBucket.QueueConfigurationProperty(
                        event="s3:ObjectCreated:*", queue=queue.queue_arn, filter=_only(KEY_PREFIX)
                    )
                ]
            )
            policy = queue.node.find_child("Policy").node.default_child
            if isinstance(policy, CfnResource):
                told.add_resource_dependency(policy)

    def _access_logs(self) -> s3.Bucket:
        bucket = s3.Bucket(
            self,
            "access-logs",
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            lifecycle_rules=[s3.LifecycleRule(expiration=Duration.days(90))],
            removal_policy=self._removal,
        )
        accept(bucket, {"S1": "It holds the access logs itself."})
        return bucket

    def _bucket(self, id: str, *, name: str, cors: s3.CorsRule, access_logs: s3.IBucket) -> s3.Bucket:
        return s3.Bucket(
            self,
            id,
            bucket_name=name,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            encryption=s3.BucketEncryption.S3_MANAGED,
            enforce_ssl=True,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            versioned=self._keep,
            cors=[cors],
            lifecycle_rules=[
                s3.LifecycleRule(
                    abort_incomplete_multipart_upload_after=Duration.days(1),
                    noncurrent_version_expiration=Duration.days(30),
                ),
                s3.LifecycleRule(prefix=ATTACHMENTS, expiration=Duration.days(ATTACHMENT_DAYS)),
            ],
            server_access_logs_bucket=access_logs,
            server_access_logs_prefix="uploads/",
            removal_policy=self._removal,
        )

    @property
    def _removal(self) -> RemovalPolicy:
        return RemovalPolicy.RETAIN if self._keep else RemovalPolicy.DESTROY


def _only(prefix: str) -> s3.CfnBucket.NotificationFilterProperty:
    rule = s3.CfnBucket.FilterRuleProperty(name="prefix", value=prefix)
    return s3.CfnBucket.NotificationFilterProperty(s3_key=s3.CfnBucket.S3KeyFilterProperty(rules=[rule]))


def _cors(origins: Sequence[str]) -> s3.CorsRule:
    return s3.CorsRule(
        allowed_methods=[s3.HttpMethods.POST, s3.HttpMethods.GET],
        allowed_origins=list(origins),
        allowed_headers=["*"],
        exposed_headers=["ETag"],
        max_age=3600,
    )
