"""Throw-away Lambda handlers with which the local AWS is tested."""

import contextlib
import json
import os
import sys
import threading
import time
from pathlib import Path


def echo(event, context):
    """Return the event and some facts of the context."""
    return {
        "event": event,
        "function": context.function_name,
        "arn": context.invoked_function_arn,
        "requestId": context.aws_request_id,
        "remaining": context.get_remaining_time_in_millis(),
        "pid": os.getpid(),
        "env": {name: value for name, value in os.environ.items() if name.startswith("PROBE")},
    }


def obey(event, context):
    """Do what the event says: sleep, raise, exit, leave a thread, answer something."""
    if "touch" in event:
        with Path(event["touch"]).open("a") as file:
            file.write(f"{os.getpid()} {event.get('mark', '')}\n")
    time.sleep(event.get("sleep", 0))
    if "raise" in event:
        raise ValueError(event["raise"])
    if "exit" in event:
        sys.exit(event["exit"])
    if "leave" in event:
        threading.Thread(target=time.sleep, args=(event["leave"],), name="left-behind", daemon=True).start()
    if "bytes" in event:
        return "x" * event["bytes"]
    if "set" in event:
        return {1, 2}
    return event.get("answer", event)


def policy(effect, resource):
    """Build a policy about connecting."""
    statement = {"Action": "execute-api:Invoke", "Effect": effect, "Resource": resource}
    return {"Version": "2012-10-17", "Statement": [statement]}


def allow(event, context):
    """Allow who gives `token=…`; deny, raise or talk nonsense when the token says so."""
    token = (event.get("queryStringParameters") or {}).get("token", "")
    if token in {"", "none"}:
        raise Exception("Unauthorized")  # noqa: TRY002 - as API Gateway documents it
    if token == "broken":
        raise RuntimeError("broken")
    if token == "nonsense":
        return {"principalId": "someone"}
    effect = "Deny" if token == "deny" else "Allow"
    return {
        "principalId": "person-1",
        "policyDocument": policy(effect, event["methodArn"]),
        "context": {"companyId": "c1", "admin": True, "exp": 17},
    }


def front(event, context):
    """Answer a message with the event that it came in; obey its `do`."""
    route = event["requestContext"]["routeKey"]
    if os.environ.get("PROBE_LOG"):
        with Path(os.environ["PROBE_LOG"]).open("a") as file:
            file.write(json.dumps(event) + "\n")
    if route == "$connect":
        return on_connect(event)
    if route == "$disconnect":
        return {"statusCode": 200}
    do = {}
    with contextlib.suppress(ValueError, AttributeError, RecursionError):
        do = json.loads(event["body"]).get("do", {})
    time.sleep(do.get("sleep", 0))
    if "raise" in do:
        raise ValueError(do["raise"])
    return {"statusCode": do.get("status", 200), "body": do.get("body", json.dumps(event))}


def on_connect(event):
    """Refuse, or choose the subprotocol that was offered first; try to post first if asked to."""
    query = event.get("queryStringParameters") or {}
    if query.get("refuse"):
        return {"statusCode": int(query["refuse"])}
    if query.get("post"):
        import boto3

        client = boto3.client("apigatewaymanagementapi")
        try:
            client.post_to_connection(ConnectionId=event["requestContext"]["connectionId"], Data=b"early")
        except client.exceptions.GoneException:
            return {"statusCode": 410}
    offered = event["headers"].get("Sec-WebSocket-Protocol", "").split(",")[0].strip()
    return {"statusCode": 200, "headers": {"Sec-WebSocket-Protocol": offered} if offered else {}}


def batch(event, context):
    """Fail the messages whose body says so; note every body that came."""
    with Path(os.environ["PROBE_LOG"]).open("a") as file:
        for record in event["Records"]:
            file.write(json.dumps(record) + "\n")
    bad = [record["messageId"] for record in event["Records"] if "bad" in record["body"]]
    return {"batchItemFailures": [{"itemIdentifier": identifier} for identifier in bad]}


def note(event, context):
    """Write the event down."""
    with Path(os.environ["PROBE_LOG"]).open("a") as file:
        file.write(json.dumps(event) + "\n")
