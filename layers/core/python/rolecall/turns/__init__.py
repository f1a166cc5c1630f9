"""One turn from message to terminal event: lease, log, hop, resume."""
