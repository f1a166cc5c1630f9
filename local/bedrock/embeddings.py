"""Titan Text Embeddings V2 on this machine: wordllama's vectors in Titan's shape."""

import threading
from functools import cache
from pathlib import Path
from typing import Any

from local.bedrock.requests import invalid
from local.bedrock.tokens import count

OWN_DIMENSIONS = 256
TITAN_DIMENSIONS = (256, 512, 1024)

_lock = threading.Lock()


def invoke(body: dict[str, Any]) -> dict[str, Any]:
    """Answer an InvokeModel body as Titan does."""
    text, dimensions = body.get("inputText"), body.get("dimensions", 1024)
    if not isinstance(text, str) or not text.strip():
        raise invalid(
            "Malformed input request: expected minLength: 1, actual: 0, please reformat your input and try again."
        )
    if dimensions not in TITAN_DIMENSIONS:
        raise invalid("Malformed input request: dimensions must be 256, 512 or 1024.")
    vector = _vector(text) + [0.0] * (dimensions - OWN_DIMENSIONS)
    return {
        "embedding": vector,
        "embeddingsByType": {"float": vector},
        "inputTextTokenCount": count(text),
    }


def _vector(text: str) -> list[float]:
    with _lock:  # the tokenizer is shared, and loading must happen once
        raw = _model().embed([text.encode("utf-8", "replace").decode()])[0]
    length = float((raw * raw).sum()) ** 0.5
    if length == 0:
        return [1.0] + [0.0] * (OWN_DIMENSIONS - 1)  # no word is known; a vector of length 1 all the same
    return [float(number) / length for number in raw]


@cache
def _model() -> Any:
    import wordllama  # type: ignore[import-untyped]  # lazily: it loads numpy and its weights

    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(cache_dir=folder, dim=OWN_DIMENSIONS, disable_download=True)
