"""Numbers of the services and of the protocol. `infra` and `local` read them from here."""

from typing import Final

# API Gateway WebSocket (service quotas; none can be raised)
FRAME_BYTES: Final = 32 * 1024
MESSAGE_BYTES: Final = 128 * 1024
IDLE_SECONDS: Final = 10 * 60
CONNECTION_SECONDS: Final = 2 * 60 * 60
INTEGRATION_SECONDS: Final = 29

# Lambda
SYNC_PAYLOAD_BYTES: Final = 6 * 1024 * 1024
EVENT_PAYLOAD_BYTES: Final = 1024 * 1024

# Step Functions
STATE_BYTES: Final = 256 * 1024

# Protocol
SUBPROTOCOL: Final = "rolecall.v1"
MESSAGE_CHARACTERS: Final = 10_000
MESSAGE_TEXT_BYTES: Final = 24 * 1024
MAX_ATTACHMENTS: Final = 5
WATCHERS_PER_TURN: Final = 10
POST_BYTES: Final = 30 * 1024
"""Our own cap for one posted frame; leaves room under FRAME_BYTES."""

# Turns
TOOL_ROUNDS: Final = 3
WORKFLOW_ITERATIONS: Final = 10
"""Most hops of a turn, where its task is a sequential workflow."""
CALLS_PER_ROUND: Final = 10
TOOL_OUTPUT_BYTES: Final = 50 * 1024
TOKEN_LEEWAY_SECONDS: Final = 30
"""Clock difference tolerated between the token's issuer and us."""
