"""The prompt cache: which prefixes of requests were sent before, so that usage says what was read and what written."""

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from local.bedrock.tokens import count_request
from rolecall.llm.capabilities import capabilities

TTL_SECONDS: Final = 300


@dataclass(frozen=True)
class CacheUse:
    """Tokens of a prompt: read from the cache, written to it, and neither."""

    read: int
    written: int
    fresh: int

    def usage(self, output: int) -> dict[str, int]:
        """Render as Bedrock's usage."""
        used = {
            "inputTokens": self.fresh,
            "outputTokens": output,
            "totalTokens": self.read + self.written + self.fresh + output,
        }
        cached = {"cacheReadInputTokens": self.read, "cacheWriteInputTokens": self.written}
        return used | cached if any(cached.values()) else used


class PromptCache:
    """What was cached in the last minutes, by model."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}
        self._lock = threading.Lock()

    def use(self, model_id: str, body: dict[str, Any]) -> CacheUse:
        """Read and write the prefixes of a request that its cache points ask for."""
        total = count_request(body)
        known = capabilities(model_id)
        prefixes = list(_prefixes(model_id, body))
        points = [
            at for at, prefix in enumerate(prefixes) if prefix.is_point and prefix.tokens >= known.min_cache_tokens
        ]
        if not points or known.caching == "none":
            return CacheUse(0, 0, total)
        cacheable = prefixes[: points[-1] + 1]
        now = time.monotonic()
        with self._lock:
            read = max((each.tokens for each in cacheable if self._until.get(each.digest, 0) > now), default=0)
            self._until |= dict.fromkeys((prefixes[at].digest for at in points), now + TTL_SECONDS)
        upto = cacheable[-1].tokens
        return CacheUse(read, upto - read, max(0, total - upto))


@dataclass(frozen=True)
class _Prefix:
    digest: str
    tokens: int
    is_point: bool


def _prefixes(model_id: str, body: dict[str, Any]) -> Iterator[_Prefix]:
    """Every beginning of a request in the order in which a model reads it: tools, system, messages."""
    digest, tokens = hashlib.sha256(model_id.encode()), 0
    for role, block in _blocks(body):
        is_point = "cachePoint" in block
        if not is_point:
            digest.update(json.dumps([role, block], sort_keys=True, default=repr).encode())
            tokens += count_request(block)
        yield _Prefix(digest.hexdigest(), tokens, is_point)


def _blocks(body: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for tool in (body.get("toolConfig") or {}).get("tools") or []:
        yield "tools", tool
    for block in body.get("system") or []:
        yield "system", block
    for message in body.get("messages") or []:
        for block in message.get("content") or []:
            yield message["role"], block
