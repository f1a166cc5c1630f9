"""Structured logs, and metrics of what is rare.

A message is lower case with facts as keys: never a prompt, a text, a token, a person.
"""

from traceback import extract_tb
from typing import Final

from aws_lambda_powertools.logging import Logger

NAMESPACE: Final = "Rolecall"
"""Of all metrics; house_function.py in infra says the same to Powertools."""

log = Logger(service="rolecall", use_rfc3339=True)
"""The process's logger. Give ids, counts, codes and durations as `extra`."""


def log_failure(message: str, error: BaseException, **facts: object) -> None:
    """Log an unexpected error: its type and where it came from, but not its text, which may hold people's data."""
    frames = extract_tb(error.__traceback__)[-8:]
    places = [f"{frame.filename.rsplit('/', 1)[-1]}:{frame.lineno} {frame.name}" for frame in frames]
    known = {"error": type(error).__name__, "sqlstate": getattr(error, "sqlstate", None), "places": places}
    log.error(message, extra=known | facts)


def count(metric: str, times: int = 1, **dimensions: str) -> None:
    """Count something that happens rarely, as a CloudWatch metric written to the log.

    Args:
        metric: its name, such as `ModelRequestRepaired`.
        times: how often it happened.
        dimensions: what tells its series apart; few values each, and nothing of a person's.
    """
    from aws_lambda_powertools.metrics import MetricUnit, single_metric  # lazily: most invocations count nothing

    with single_metric(name=metric, unit=MetricUnit.Count, value=times, namespace=NAMESPACE) as series:
        for name, value in dimensions.items():
            series.add_dimension(name=name, value=value)
