"""API Gateway's WebSocket API on one machine."""
