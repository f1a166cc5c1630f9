"""Credits and token usage."""
