"""The wire: what a client may send, what it gets back, and the limits of both."""
