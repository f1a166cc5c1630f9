"""Amazon Bedrock through boto3's Converse stream; credentials and endpoint are boto3's own business."""

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from rolecall.llm.access import Access
from rolecall.llm.errors import ModelError, ModelErrorKind, from_exception
from rolecall.llm.stream import StreamEvent, assemble
from rolecall.llm.types import ConverseRequest

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime.client import BedrockRuntimeClient

CONNECT_TIMEOUT = 5.0

_clients: dict[tuple[str, float], "BedrockRuntimeClient"] = {}
_lock = threading.Lock()


def runtime_client(region: str, read_timeout: float) -> "BedrockRuntimeClient":
    """Return the process's client for a region; boto3's own retries are off, since ours know what was yielded."""
    import boto3  # lazily: it is slow to import, and not every importer calls a model
    from botocore.config import Config

    with _lock:
        client = _clients.get((region, read_timeout))
        if client is None:
            config = Config(
                parameter_validation=False,  # the contract is checked before; botocore would check each block again
                connect_timeout=CONNECT_TIMEOUT,
                read_timeout=read_timeout,
                retries={"total_max_attempts": 1},
                max_pool_connections=20,
                tcp_keepalive=True,
            )
            client = boto3.Session().client("bedrock-runtime", region_name=region, config=config)
            _clients[region, read_timeout] = client
        return client


def forget_clients() -> None:
    """Close all clients; the next call reads credentials and endpoint anew."""
    with _lock:
        for client in _clients.values():
            client.close()
        _clients.clear()


def translated(exc: Exception, model: str) -> Exception:
    """Return the ModelError that stands for an error of boto3's, or the error itself if it is another's."""
    error = from_exception(exc)
    if error is None:
        return exc
    if error.kind is ModelErrorKind.VALIDATION and "model identifier is invalid" in error.detail:
        return ModelError(error.kind, message=f"Bedrock knows no model {model!r}.", detail=error.detail)
    return error


class BedrockStream:
    """An open Converse stream."""

    def __init__(self, model: str, response: dict[str, Any]) -> None:
        self._model = model
        self._events = response["stream"]
        self._closed = threading.Event()

    def __iter__(self) -> Iterator[StreamEvent]:
        try:
            yield from assemble(self._events)
        except Exception as exc:
            if self._closed.is_set():
                return  # the reader was cut off by `close`, which is no failure
            error = translated(exc, self._model)
            if error is exc:
                raise
            raise error from exc
        finally:
            self._events.close()

    def close(self) -> None:
        """Wake the reading thread by shutting its socket down; that thread then frees the connection."""
        self._closed.set()
        # EventStream.close() waits for the lock that a blocked reader holds; shutting down does not. The errors mean
        # that the answer had arrived whole and the connection was given back already.
        with contextlib.suppress(ValueError, RuntimeError, OSError):
            self._events._raw_stream.shutdown()  # noqa: SLF001


def open_stream(model: str, request: ConverseRequest, *, access: Access, read_timeout: float) -> BedrockStream:
    """Send the request to ConverseStream; raise ModelError when it is refused."""
    try:
        arguments: dict[str, Any] = {**request}
        response: Any = runtime_client(access.region, read_timeout).converse_stream(modelId=model, **arguments)
    except Exception as exc:
        error = translated(exc, model)
        if error is exc:
            raise
        raise error from exc
    return BedrockStream(model, response)
