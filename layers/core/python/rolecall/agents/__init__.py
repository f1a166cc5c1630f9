"""What an agent is and may do."""
