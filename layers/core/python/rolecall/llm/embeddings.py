"""Vectors of texts, from Titan Text Embeddings V2."""

import json
import time
from collections.abc import Sequence
from typing import Any, Final

from rolecall.llm.access import Access
from rolecall.llm.client import backoff
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.providers import bedrock

DIMENSIONS: Final = 1024
READ_TIMEOUT: Final = 30.0
ATTEMPTS: Final = 4


def embed(texts: Sequence[str], *, model: str, access: Access) -> list[list[float]]:
    """Return one vector of 1,024 numbers and length 1 for each text, in order.

    Titan takes one text a call, of at most 8,192 tokens or 50,000 characters, and none that is blank.

    Raises:
        ModelError: the service failed or refused a text.
    """
    return [_embed_one(text, model, access) for text in texts]


def _embed_one(text: str, model: str, access: Access) -> list[float]:
    for attempt in range(1, ATTEMPTS):
        try:
            return _invoke(text, model, access)
        except ModelError as error:
            if not error.retryable:
                raise
        time.sleep(backoff(attempt))
    return _invoke(text, model, access)


def _invoke(text: str, model: str, access: Access) -> list[float]:
    body = {"inputText": text, "dimensions": DIMENSIONS, "normalize": True}
    try:
        client = bedrock.runtime_client(access.region, READ_TIMEOUT)
        response = client.invoke_model(
            modelId=model, body=json.dumps(body), accept="application/json", contentType="application/json"
        )
        answer: dict[str, Any] = json.loads(response["body"].read())
    except Exception as exc:
        error = bedrock.translated(exc, model)
        if error is exc:
            raise
        raise error from exc
    vector: list[float] = answer["embedding"]
    if len(vector) != DIMENSIONS:
        raise ModelError(ModelErrorKind.VALIDATION, detail=f"{model} returned {len(vector)} dimensions")
    return vector
