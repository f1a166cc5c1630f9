"""Messages, history and prompts."""
