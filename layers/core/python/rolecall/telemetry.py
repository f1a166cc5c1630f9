"""Structured logs. A message is lower case with facts as keys: never a prompt, a text, a token, a person."""

from aws_lambda_powertools.logging import Logger

log = Logger(service="rolecall", use_rfc3339=True)
"""The process's logger. Give ids, counts, codes and durations as `extra`."""
