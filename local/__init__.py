"""AWS on one machine: the same handlers behind local endpoints."""
