"""Structured logs. A message is lower case with facts as keys: never a prompt, a text, a token, a person."""

from traceback import extract_tb

from aws_lambda_powertools.logging import Logger

log = Logger(service="rolecall", use_rfc3339=True)
"""The process's logger. Give ids, counts, codes and durations as `extra`."""


def log_failure(message: str, error: BaseException, **facts: object) -> None:
    """Log an unexpected error: its type and where it came from, but not its text, which may hold people's data."""
    frames = extract_tb(error.__traceback__)[-8:]
    places = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames]
    known = {"error": type(error).__name__, "sqlstate": getattr(error, "sqlstate", None), "places": places}
    log.error(message, extra=known | facts)
