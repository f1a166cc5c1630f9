"""A queue with its dead-letter queue, and an alarm on what lands there."""

from typing import Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import Construct

RECEIVES: Final = 3
"""Deliveries of a message before it is put aside."""


class HouseQueue(sqs.Queue):
    """Encrypted, TLS only; after three receives a message goes to `{name}-dlq`."""

    def __init__(
        self,
        scope: Construct,
        name: str,
        *,
        reader_seconds: int = 30,
        dead_reader_seconds: int = 30,
        alarms_to: sns.ITopic | None = None,
    ) -> None:
        """Make both queues.

        Args:
            scope: Where.
            name: The queue's name.
            reader_seconds: Time limit of the function that reads it; AWS wants six of them before a message is
                shown again.
            dead_reader_seconds: The same for its dead-letter queue.
            alarms_to: Who hears of a message that was put aside.
        """
        dead = sqs.Queue(
            scope,
            f"{name}-dlq",
            queue_name=f"{name}-dlq",
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(14),
            visibility_timeout=Duration.seconds(6 * dead_reader_seconds),
            removal_policy=RemovalPolicy.DESTROY,
        )
        super().__init__(
            scope,
            name,
            queue_name=name,
            encryption=sqs.QueueEncryption.SQS_MANAGED,
            enforce_ssl=True,
            retention_period=Duration.days(4),
            visibility_timeout=Duration.seconds(6 * reader_seconds),
            dead_letter_queue=sqs.DeadLetterQueue(queue=dead, max_receive_count=RECEIVES),
            removal_policy=RemovalPolicy.DESTROY,
        )
        self.dead = dead
        alarm = dead.metric_approximate_number_of_messages_visible().create_alarm(
            scope,
            f"{name}-alarm",
            alarm_name=f"{name}-dlq",
            alarm_description=f"Messages of {name} were put aside: see the runbook.",
            threshold=1,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        if alarms_to:
            alarm.add_alarm_action(actions.SnsAction(alarms_to))
