"""Throw-away Lambda handlers with which the local AWS is tested."""

import os
import sys
import threading
import time


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
        with open(event["touch"], "a") as file:
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
