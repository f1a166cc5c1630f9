"""The live table: small items changed by one conditional statement each. Rebuildable from Postgres.

Keys are `pk` and `sk`. `expires_at` (seconds since the epoch) is DynamoDB's TTL; deletion may be late, so
readers that care test it themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from rolecall.aws import clients

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Item = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Write:
    """One conditional write, alone or in a transaction. Names and values are DynamoDB's placeholders."""

    verb: Literal["Put", "Update", "Delete"]
    key: tuple[str, str]
    item: Mapping[str, Any] = field(default_factory=dict)
    update: str = ""
    condition: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)


class LiveTable:
    """Typed access to the table; every method is one round trip (a query: one a page)."""

    def __init__(self, name: str, client: "DynamoDBClient | None" = None) -> None:
        from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

        self._name = name
        self._given = client
        self._encode = TypeSerializer().serialize
        self._decode = TypeDeserializer().deserialize

    @property
    def _client(self) -> "DynamoDBClient":
        return self._given or clients.dynamodb()

    def get(self, pk: str, sk: str) -> Item | None:
        """Read one item, consistently."""
        reply = self._client.get_item(TableName=self._name, Key=self._key(pk, sk), ConsistentRead=True)
        return self._plain(reply["Item"]) if "Item" in reply else None

    def write(self, write: Write) -> Item | None:
        """Do one write.

        Returns:
            The item as it is afterwards (for an update), an empty dict for others, None where the condition
            did not hold.
        """
        arguments = self._arguments(write)
        client = self._client
        try:
            if write.verb == "Update":
                reply = client.update_item(**arguments, ReturnValues="ALL_NEW")
                return self._plain(reply["Attributes"])
            call = client.put_item if write.verb == "Put" else client.delete_item
            call(**arguments)
        except client.exceptions.ConditionalCheckFailedException:
            return None
        return {}

    def transact(self, writes: Sequence[Write]) -> list[bool] | None:
        """Do all writes or none.

        Returns:
            None when they were done; otherwise, for each write, whether its own condition held.
        """
        client = self._client
        try:
            client.transact_write_items(
                TransactItems=[{write.verb: self._arguments(write)} for write in writes]  # type: ignore[misc]
            )
        except client.exceptions.TransactionCanceledException as error:
            reasons: Sequence[Any] = error.response.get("CancellationReasons", [])
            codes = [reason.get("Code", "None") for reason in reasons]
            if set(codes) - {"None", "ConditionalCheckFailed", "TransactionConflict"}:
                raise
            return [code == "None" for code in codes]
        return None

    def query(self, pk: str, *, first: str, last: str, consistent: bool = True) -> Iterator[Item]:
        """Items of one partition whose `sk` lies between `first` and `last`, in order."""
        pages = self._client.get_paginator("query").paginate(
            TableName=self._name,
            KeyConditionExpression="pk = :pk AND sk BETWEEN :first AND :last",
            ExpressionAttributeValues={
                ":pk": {"S": pk},
                ":first": {"S": first},
                ":last": {"S": last},
            },
            ConsistentRead=consistent,
        )
        for page in pages:
            yield from (self._plain(item) for item in page["Items"])

    def _arguments(self, write: Write) -> dict[str, Any]:
        pk, sk = write.key
        arguments: dict[str, Any] = {"TableName": self._name}
        if write.verb == "Put":
            arguments["Item"] = self._wire({**write.item, "pk": pk, "sk": sk})
        else:
            arguments["Key"] = self._key(pk, sk)
        if write.update:
            arguments["UpdateExpression"] = write.update
        if write.condition:
            arguments["ConditionExpression"] = write.condition
        if write.names:
            arguments["ExpressionAttributeNames"] = dict(write.names)
        if write.values:
            arguments["ExpressionAttributeValues"] = self._wire(write.values)
        return arguments

    @staticmethod
    def _key(pk: str, sk: str) -> dict[str, Any]:
        return {"pk": {"S": pk}, "sk": {"S": sk}}

    def _wire(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._encode(value) for name, value in values.items() if value is not None}

    def _plain(self, item: Mapping[str, Any]) -> Item:
        return {name: _number(self._decode(value)) for name, value in item.items()}


def _number(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value
