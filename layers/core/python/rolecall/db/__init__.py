"""Postgres: the connection, transactions that carry their caller, and migrations."""

from rolecall.db.connect import CommitUnknown, DatabaseUnavailable
from rolecall.db.connection import Database

__all__ = ["CommitUnknown", "Database", "DatabaseUnavailable"]
