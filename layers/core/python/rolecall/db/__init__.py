"""Postgres: the connection, transactions that carry their caller, and migrations."""
