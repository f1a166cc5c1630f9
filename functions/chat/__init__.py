"""The WebSocket: who may connect, what a message starts, and one model hop."""
