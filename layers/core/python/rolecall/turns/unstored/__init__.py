"""Turns that are not stored: items of the live table, which expire. No text of them reaches Postgres."""
