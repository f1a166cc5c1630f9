"""Anthropic's Messages API, with thinking blocks whose signatures it checks."""

import re
from collections.abc import Iterator
from typing import Any

from local.bedrock.answer import Answer, CallTool, Say, Think, pieces, signature
from tests.fakes.model_servers.server import Asked, Refused, sse

STOPS = {"content_filtered": "refusal"}
ID = re.compile(r"[a-zA-Z0-9_-]+")


class Anthropic:
    """The API; thinking text carries the signature of `local.bedrock`."""

    def __init__(self, *models: str) -> None:
        self.models = models or ("claude-sonnet-4-6", "claude-haiku-4-5")

    def key(self, headers: dict[str, str]) -> str | None:
        return headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")

    def error(self, refused: Refused) -> dict[str, Any]:
        kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error", 529: "overloaded_error"}
        kind = kinds.get(refused.status, "invalid_request_error" if refused.status < 500 else "api_error")
        return {"type": "error", "error": {"type": kind, "message": refused.message}}

    def stream_error(self, message: str) -> bytes:
        return sse({"type": "error", "error": {"type": "overloaded_error", "message": message}}, "error")

    def plain(self, asked: Asked) -> Any:
        if asked.path.startswith("/v1/models"):
            return {"data": [{"id": name, "type": "model"} for name in self.models], "has_more": False}
        if asked.path.partition("?")[0] != "/v1/messages":
            raise Refused(404, "Not found")
        return None

    def converse(self, asked: Asked) -> dict[str, Any]:
        body = asked.body
        if "anthropic-version" not in asked.headers:
            raise Refused(400, "anthropic-version: header is required")
        if body["model"] not in self.models:
            raise Refused(404, f"model: {body['model']}")
        if "max_tokens" not in body:
            raise Refused(400, "max_tokens: Field required")
        thinking = body.get("thinking") or {}
        if thinking.get("type") == "enabled":
            if thinking["budget_tokens"] >= body["max_tokens"]:
                raise Refused(400, "`max_tokens` must be greater than `thinking.budget_tokens`.")
            if body.get("temperature", 1) != 1:
                raise Refused(400, "`temperature` may only be set to 1 when thinking is enabled.")
        messages = _turns(body["messages"], thinks=bool(thinking))
        tools = [
            {
                "toolSpec": {
                    "name": t["name"],
                    "description": t["description"],
                    "inputSchema": {"json": t["input_schema"]},
                }
            }
            for t in body.get("tools", [])
        ]
        return {
            "messages": messages,
            **({"toolConfig": {"tools": tools}} if tools else {}),
            "inferenceConfig": {"maxTokens": body["max_tokens"]},
        }

    def frames(self, answer: Answer, asked: Asked, tokens: tuple[int, int]) -> Iterator[tuple[bytes, bool]]:
        def event(kind: str, **body: Any) -> bytes:
            return sse({"type": kind, **body}, kind)

        usage = {"input_tokens": tokens[0], "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3}
        message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": asked.body["model"]}
        start = {**message, "stop_reason": None, "stop_sequence": None, "usage": {**usage, "output_tokens": 1}}
        yield event("message_start", message=start), False
        yield event("ping"), False
        for index, part in enumerate(answer.parts):
            for delta in self._block(part):
                if "start" in delta:
                    yield event("content_block_start", index=index, content_block=delta["start"]), False
                else:
                    yield event("content_block_delta", index=index, delta=delta), True
            yield event("content_block_stop", index=index), False
        stop = {"stop_reason": STOPS.get(answer.stop_reason, answer.stop_reason), "stop_sequence": None}
        yield event("message_delta", delta=stop, usage={**usage, "output_tokens": tokens[1]}), True
        yield event("message_stop"), False

    def _block(self, part: Any) -> Iterator[dict[str, Any]]:
        match part:
            case Say():
                yield {"start": {"type": "text", "text": ""}}
                yield from ({"type": "text_delta", "text": piece} for piece in pieces(part.text))
            case Think():
                yield {"start": {"type": "thinking", "thinking": "", "signature": ""}}
                yield from ({"type": "thinking_delta", "thinking": piece} for piece in pieces(part.text))
                yield {"type": "signature_delta", "signature": signature(part.text)}
            case CallTool():
                yield {"start": {"type": "tool_use", "id": part.call_id, "name": part.name, "input": {}}}
                yield from ({"type": "input_json_delta", "partial_json": piece} for piece in pieces(part.text))


def _turns(messages: list[dict[str, Any]], *, thinks: bool) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []
    for at, message in enumerate(messages):
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        turn = [_read(block, f"messages.{at}") for block in blocks]
        if turns and turns[-1]["role"] == message["role"]:
            turns[-1]["content"] += turn
        else:
            turns.append({"role": message["role"], "content": turn})
    if not turns or turns[0]["role"] != "user":
        raise Refused(400, 'messages: first message must use the "user" role')
    _check_pairs(turns)
    last = next((turn for turn in reversed(turns) if turn["role"] == "assistant"), None)
    in_round = any("toolResult" in block for block in turns[-1]["content"])
    if thinks and in_round and last and "reasoningContent" not in last["content"][0]:
        raise Refused(400, "Expected `thinking` or `redacted_thinking`, but found `tool_use`.")
    return turns


def _check_pairs(turns: list[dict[str, Any]]) -> None:
    open_calls: set[str] = set()
    for turn in turns:
        answered = {block["toolResult"]["toolUseId"] for block in turn["content"] if "toolResult" in block}
        if extra := answered - open_calls:
            raise Refused(400, f"unexpected `tool_use_id` found in `tool_result` blocks: {extra}.")
        if missing := open_calls - answered:
            raise Refused(400, f"`tool_use` ids were found without `tool_result` blocks immediately after: {missing}.")
        kinds = ["toolResult" in block for block in turn["content"]]
        if kinds != sorted(kinds, reverse=True):
            raise Refused(400, "`tool_result` blocks must come first.")
        open_calls = {block["toolUse"]["toolUseId"] for block in turn["content"] if "toolUse" in block}
    if open_calls:
        raise Refused(400, "`tool_use` ids were found without `tool_result` blocks immediately after.")


def _read(block: dict[str, Any], where: str) -> dict[str, Any]:
    match block["type"]:
        case "text":
            if not block["text"].strip():
                raise Refused(400, f"{where}: text content blocks must be non-empty")
            return {"text": block["text"]}
        case "thinking":
            if block["signature"] != signature(block["thinking"]):
                raise Refused(400, f"{where}: Invalid `signature` in `thinking` block")
            return {"reasoningContent": {"reasoningText": {"text": block["thinking"], "signature": block["signature"]}}}
        case "redacted_thinking":
            return {"reasoningContent": {"redactedContent": block["data"].encode()}}
        case "tool_use":
            if not ID.fullmatch(block["id"]):
                raise Refused(400, f"{where}: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'")
            return {"toolUse": {"toolUseId": block["id"], "name": block["name"], "input": block["input"]}}
        case "tool_result":
            content = block.get("content") or "-"
            texts = [content] if isinstance(content, str) else [part.get("text", "(a file)") for part in content]
            result = {"toolUseId": block["tool_use_id"], "content": [{"text": text} for text in texts]}
            return {"toolResult": {**result, "status": "error" if block.get("is_error") else "success"}}
        case "image" | "document":
            return {"text": f"({block['source']['media_type']})"}
    raise Refused(400, f"{where}: unknown block {block['type']}")
