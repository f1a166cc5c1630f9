"""Vectors from an API like OpenAI's; over plain HTTP, since ingest needs no SDK for one request."""

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from rolecall.llm.access import Access
from rolecall.llm.addresses import openai_compatible
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.known import about
from rolecall.llm.specs import ModelSpec

if TYPE_CHECKING:
    from urllib3 import PoolManager

CONNECT_TIMEOUT: Final = 5.0
_SHORTENABLE: Final = re.compile(r"text-embedding-3|gemini-embedding")
"""Models that make vectors of the length that is asked for; others refuse to be asked."""


@cache
def _pool() -> "PoolManager":
    from urllib3 import PoolManager  # comes with boto3, and like it is imported where it is used

    return PoolManager()


def vectors(
    texts: Sequence[str], spec: ModelSpec, access: Access, *, dimensions: int, timeout: float
) -> list[list[float]]:
    """Return a vector for each text, in order, as the model made it.

    Raises:
        ModelError: the service failed or refused.
    """
    body: dict[str, Any] = {"model": spec.model, "input": [*texts], "encoding_format": "float"}
    if _SHORTENABLE.search(spec.model):
        body["dimensions"] = dimensions
    answer = _post(spec, access, body, timeout)
    try:
        data = sorted(answer["data"], key=lambda entry: entry["index"])
        made = [[float(number) for number in entry["embedding"]] for entry in data]
    except (KeyError, TypeError, ValueError) as exc:
        raise ModelError(ModelErrorKind.UNKNOWN, detail="no vectors in the answer") from exc
    if len(made) != len(texts):
        raise ModelError(ModelErrorKind.UNKNOWN, detail=f"{len(made)} vectors for {len(texts)} texts")
    return made


def _post(spec: ModelSpec, access: Access, body: dict[str, Any], timeout: float) -> dict[str, Any]:
    from urllib3 import Timeout
    from urllib3.exceptions import HTTPError, NewConnectionError, ReadTimeoutError

    address = openai_compatible(spec.provider, access.base_url)
    headers = {"content-type": "application/json"}
    if access.api_key:
        headers["authorization"] = f"Bearer {access.api_key.get_secret_value()}"
    try:
        response = _pool().request(
            "POST",
            f"{address}/embeddings",
            body=json.dumps(body).encode(),
            headers=headers,
            timeout=Timeout(connect=CONNECT_TIMEOUT, read=timeout),
            retries=False,
            redirect=False,
        )
    except ReadTimeoutError:
        raise ModelError(ModelErrorKind.TIMEOUT) from None
    except HTTPError as exc:
        where = "cannot be reached" if isinstance(exc, NewConnectionError) else "broke the connection"
        message = f"{about(spec.provider).title} {where}."
        raise ModelError(ModelErrorKind.UNAVAILABLE, message=message, detail=type(exc).__name__) from None
    if response.status != 200:
        raise _refusal(spec, response.status)
    return _read(response.data)


def _read(data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise ModelError(ModelErrorKind.UNKNOWN, detail="the answer is no JSON object")
    return answer


def _refusal(spec: ModelSpec, status: int) -> ModelError:
    known, detail = about(spec.provider), str(status)
    match status:
        case 401 | 403:
            hint = f"Check the API key of {known.title} ({known.variable})."
            message = f"{known.title} refused the API key."
            return ModelError(ModelErrorKind.ACCESS, message=message, detail=detail, hint=hint)
        case 404:
            message = f"{known.title} knows no embedding model {spec.model!r}."
            return ModelError(ModelErrorKind.VALIDATION, message=message, detail=detail)
        case 429:
            return ModelError(ModelErrorKind.THROTTLED, detail=detail)
    return ModelError(ModelErrorKind.UNAVAILABLE if status >= 500 else ModelErrorKind.VALIDATION, detail=detail)
