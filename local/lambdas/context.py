"""The context object that a handler gets, as Lambda's Python runtime makes it."""

import time
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class LambdaContext:
    """Facts of one invocation, under the names that Lambda gives them."""

    function_name: str
    function_version: str
    invoked_function_arn: str
    memory_limit_in_mb: str
    aws_request_id: str
    log_group_name: str
    log_stream_name: str
    deadline: float
    """Unix time at which the invocation is killed."""
    identity: None = None
    client_context: dict[str, Any] | None = field(default=None)
    tenant_id: None = None

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds left before the invocation is killed; never negative."""
        return max(0, int((self.deadline - time.time()) * 1000))
