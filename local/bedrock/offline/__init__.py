"""The offline model: no weights; it picks tools by their words and quotes what it is given."""

from local.bedrock.offline.model import respond

__all__ = ["respond"]
