"""Vectors of texts, from Titan Text Embeddings V2 or from the provider that a spec names."""

import json
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeVar

from rolecall.llm import embedding_api
from rolecall.llm.access import Access
from rolecall.llm.client import backoff
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.providers import bedrock
from rolecall.llm.specs import DEFAULT_PROVIDER, ModelSpec, parse_spec
from rolecall.llm.text import is_blank

DIMENSIONS: Final = 1024
READ_TIMEOUT: Final = 30.0
ATTEMPTS: Final = 4

Vector = list[float]
T = TypeVar("T")


def embed(texts: Sequence[str], *, model: str, access: Access) -> list[Vector]:
    """Return one vector of 1,024 numbers and length 1 for each text, in order.

    Args:
        texts: none blank. Titan takes one of at most 8,192 tokens or 50,000 characters a call, other providers take
            them all in one.
        model: a spec; without a provider it is Bedrock's.
        access: how the provider is reached.

    Raises:
        ModelError: the service failed or refused a text, or its vectors have another length.
    """
    spec = parse_spec(model)
    if spec.provider == DEFAULT_PROVIDER:
        return [_patiently(partial(_titan, text, spec.model, access)) for text in texts]
    if not texts:
        return []
    return _patiently(partial(_by_api, texts, spec, access))


def together(model: str) -> int:
    """Return how many texts go into one call."""
    return 1 if parse_spec(model).provider == DEFAULT_PROVIDER else 10


def _patiently(call: Callable[[], T]) -> T:
    for attempt in range(1, ATTEMPTS):
        try:
            return call()
        except ModelError as error:
            if not error.retryable:
                raise
        time.sleep(backoff(attempt))
    return call()


def _titan(text: str, model: str, access: Access) -> Vector:
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
    return _checked(answer["embedding"], model)


def _by_api(texts: Sequence[str], spec: ModelSpec, access: Access) -> list[Vector]:
    if any(is_blank(text) for text in texts):
        raise ModelError(ModelErrorKind.VALIDATION, detail="a blank text")
    made = embedding_api.vectors(texts, spec, access, dimensions=DIMENSIONS, timeout=READ_TIMEOUT)
    return [_unit(_checked(vector, str(spec))) for vector in made]


def _checked(vector: Vector, model: str) -> Vector:
    if len(vector) != DIMENSIONS:
        raise ModelError(
            ModelErrorKind.VALIDATION,
            message=f"{model} makes vectors of {len(vector)} numbers; {DIMENSIONS} are needed.",
            hint="Choose an embedding model that makes them, as text-embedding-3-small or mxbai-embed-large.",
        )
    return vector


def _unit(vector: Vector) -> Vector:
    length = math.hypot(*vector)
    if not math.isfinite(length) or length == 0:
        raise ModelError(ModelErrorKind.VALIDATION, detail="a vector without a direction")
    return [number / length for number in vector]
