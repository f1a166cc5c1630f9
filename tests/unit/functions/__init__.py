"""Handlers, beside what they call."""
