"""Uploads become text, chunks and vectors: S3 → SQS → function. The queue is beside the bucket, in `data`."""

from collections.abc import Iterable, Mapping
from typing import Any

from aws_cdk import Stack
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from functions.manifest import Function
from infra.constructs.house_function import HouseFunction, Place
from infra.constructs.surroundings import Surroundings


class Ingest(Stack):
    """Functions that read the uploads queue, in batches whose failures come back one by one."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        functions: Iterable[Function],
        at: Surroundings,
        place: Place,
        queues: Mapping[str, sqs.IQueue],
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, id, **kwargs)
        for function in functions:
            HouseFunction(self, function, at=at, place=place, reads=queues[str(function.reads_queue)])
