"""Where alarms go: an encrypted topic with one mailbox."""

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct


class AlarmTopic(Construct):
    """Has a key of its own, since alarms cannot publish under AWS' key for SNS."""

    def __init__(self, scope: Construct, email: str) -> None:
        super().__init__(scope, "alarms")
        key = kms.Key(self, "key", enable_key_rotation=True, pending_window=Duration.days(7))
        key.grant(iam.ServicePrincipal("cloudwatch.amazonaws.com"), "kms:Decrypt", "kms:GenerateDataKey")
        self.topic = sns.Topic(self, "topic", master_key=key, enforce_ssl=True)
        self.topic.grant_publish(iam.ServicePrincipal("cloudwatch.amazonaws.com"))
        self.topic.add_subscription(subscriptions.EmailSubscription(email))
