"""Secrets that a function reads for itself, so that no configuration holds them."""

from rolecall.aws import clients


def read_secret(arn: str) -> str:
    """Read a secret's text as it is now."""
    return clients.secrets().get_secret_value(SecretId=arn)["SecretString"]
