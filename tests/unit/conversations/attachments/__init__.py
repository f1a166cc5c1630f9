"""Files of messages, without a stack."""
