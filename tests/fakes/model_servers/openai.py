"""OpenAI's Chat Completions, embeddings and models; and Ollama's, which speaks them too."""

import base64
import json
import re
from collections.abc import Iterator
from typing import Any

from local.bedrock import embeddings
from local.bedrock.answer import Answer, CallTool, Say, Think, pieces
from tests.fakes.model_servers.server import Asked, Refused, sse

NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ORPHAN = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
UNANSWERED = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'."
)
STOPS = {"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "content_filtered": "content_filter"}


class OpenAI:
    """OpenAI's own."""

    thinking_field = "reasoning_content"

    def __init__(self, *models: str) -> None:
        self.models = models or ("gpt-4.1", "gpt-5-mini", "text-embedding-3-small", "text-embedding-ada-002")

    def key(self, headers: dict[str, str]) -> str | None:
        return headers.get("authorization", "").removeprefix("Bearer ")

    def error(self, refused: Refused) -> dict[str, Any]:
        return {
            "error": {"message": refused.message, "type": "invalid_request_error", "param": None, "code": refused.code}
        }

    def stream_error(self, message: str) -> bytes:
        return sse({"error": {"message": message, "type": "server_error", "code": None}})

    def plain(self, asked: Asked) -> Any:
        match asked.path:
            case "/v1/models":
                return {"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]}
            case "/v1/embeddings":
                self._known(asked.body["model"])
                return self._embeddings(asked.body)
            case "/v1/chat/completions":
                return None
        raise Refused(404, f"Invalid URL (POST {asked.path})")

    def _known(self, model: str) -> None:
        if model not in self.models:
            raise Refused(404, f"The model `{model}` does not exist.", "model_not_found")

    def _embeddings(self, body: dict[str, Any]) -> Any:
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        if not texts or not all(texts):
            raise Refused(400, "'$.input' is invalid.")
        if "dimensions" in body and not body["model"].startswith("text-embedding-3"):
            raise Refused(400, "This model does not support specifying dimensions.")
        size = body.get("dimensions", 1536)
        vectors = [(embeddings.invoke({"inputText": text})["embedding"] * 2)[:size] for text in texts]
        data = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        return {"object": "list", "data": data[::-1], "model": body["model"], "usage": {"prompt_tokens": 1}}

    def converse(self, asked: Asked) -> dict[str, Any]:
        body = asked.body
        self._known(body["model"])
        if re.match(r"gpt-5|o\d", body["model"]):
            for unsupported in ("max_tokens", "temperature", "top_p"):
                if unsupported in body:
                    raise Refused(400, f"Unsupported parameter: '{unsupported}' is not supported with this model.")
        if "tools" in body and not body["tools"]:
            raise Refused(400, "Invalid 'tools': empty array.")
        messages = _turns(body["messages"])
        tools = [_tool(entry["function"]) for entry in body.get("tools", [])]
        limit = body.get("max_completion_tokens", body.get("max_tokens"))
        return {
            "system": [{"text": m["content"]} for m in body["messages"] if m["role"] in ("system", "developer")],
            "messages": messages,
            **({"toolConfig": {"tools": tools}} if tools else {}),
            "inferenceConfig": {"maxTokens": limit} if limit else {},
        }

    def frames(self, answer: Answer, asked: Asked, tokens: tuple[int, int]) -> Iterator[tuple[bytes, bool]]:
        base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": asked.body["model"]}

        def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
            return sse({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

        yield chunk({"role": "assistant", "content": ""}), False
        calls = -1
        for part in answer.parts:
            if isinstance(part, CallTool):
                calls += 1
                start = {"name": part.name, "arguments": ""}
                yield (
                    chunk(
                        {"tool_calls": [{"index": calls, "id": part.call_id, "type": "function", "function": start}]}
                    ),
                    True,
                )
            for piece in pieces(part.text):
                match part:
                    case Say():
                        yield chunk({"content": piece}), True
                    case Think():
                        yield chunk({self.thinking_field: piece}), True
                    case CallTool():
                        yield chunk({"tool_calls": [{"index": calls, "function": {"arguments": piece}}]}), True
        yield chunk({}, STOPS[answer.stop_reason]), True
        if asked.body.get("stream_options", {}).get("include_usage"):
            usage = {
                "prompt_tokens": tokens[0],
                "completion_tokens": tokens[1],
                "total_tokens": sum(tokens),
                "prompt_tokens_details": {"cached_tokens": 7},
            }
            yield sse({**base, "choices": [], "usage": usage}), False
        yield sse("[DONE]"), False


class Ollama(OpenAI):
    """Ollama: no key, its own list of models, reasoning in a field of its own name."""

    thinking_field = "reasoning"

    def __init__(self, *models: str) -> None:
        super().__init__(*(models or ("qwen3", "llama3.2", "mxbai-embed-large")))

    def key(self, headers: dict[str, str]) -> str | None:
        return None

    def plain(self, asked: Asked) -> Any:
        if asked.path == "/api/tags":
            return {"models": [{"name": f"{name}:latest", "model": f"{name}:latest"} for name in self.models]}
        return super().plain(asked)

    def _known(self, model: str) -> None:
        if model.removesuffix(":latest") not in self.models:
            raise Refused(404, f'model "{model}" not found, try pulling it first')

    def _embeddings(self, body: dict[str, Any]) -> Any:
        body = {name: value for name, value in body.items() if name != "dimensions"}
        return super()._embeddings({**body, "model": "text-embedding-3", "dimensions": 1024})


def _tool(function: dict[str, Any]) -> dict[str, Any]:
    if not NAME.fullmatch(function["name"]) or function["parameters"].get("type") != "object":
        raise Refused(400, f"Invalid tool {function['name']!r}.")
    spec = {"name": function["name"], "description": function["description"] or "-"}
    return {"toolSpec": {**spec, "inputSchema": {"json": function["parameters"]}}}


def _turns(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages as Converse's, paired and checked as OpenAI checks them."""
    open_calls: list[str] = []
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in open_calls:
                raise Refused(400, f"Invalid parameter: {ORPHAN}")
            open_calls.remove(message["tool_call_id"])
            _add(turns, "user", [_result(message)])
            continue
        if open_calls:
            raise Refused(400, f"{UNANSWERED} The following tool_call_ids did not have response messages: {open_calls}")
        if message["role"] == "user":
            _add(turns, "user", _user(message["content"]))
        elif message["role"] == "assistant":
            _add(turns, "assistant", [*_assistant(message)])
            open_calls = [call["id"] for call in message.get("tool_calls") or []]
        elif message["role"] not in ("system", "developer"):
            raise Refused(400, f"Invalid value: '{message['role']}'.")
    if open_calls:
        raise Refused(400, UNANSWERED)
    return turns


def _add(turns: list[dict[str, Any]], role: str, content: list[dict[str, Any]]) -> None:
    if turns and turns[-1]["role"] == role:
        turns[-1]["content"] += content
    else:
        turns.append({"role": role, "content": content})


def _result(message: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(message["content"], str):
        raise Refused(400, "Invalid type for 'content'.")
    content = [{"text": message["content"] or "-"}]
    return {"toolResult": {"toolUseId": message["tool_call_id"], "content": content}}


def _assistant(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    calls = message.get("tool_calls")
    if not message.get("content") and not calls:
        raise Refused(400, "Invalid value for 'content': expected a string, got null.")
    if "tool_calls" in message and not calls:
        raise Refused(400, "Invalid 'tool_calls': empty array.")
    if message.get("content"):
        yield {"text": message["content"]}
    for call in calls or []:
        if len(call["id"]) > 40:
            raise Refused(
                400, f"Invalid 'tool_calls[0].id': string too long. Maximum length 40, got {len(call['id'])}."
            )
        yield {
            "toolUse": {
                "toolUseId": call["id"],
                "name": call["function"]["name"],
                "input": json.loads(call["function"]["arguments"]),
            }
        }


def _user(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"text": content}]
    blocks: list[dict[str, Any]] = []
    for part in content:
        match part["type"]:
            case "text":
                blocks.append({"text": part["text"]})
            case "image_url":
                head, _, data = part["image_url"]["url"].partition(";base64,")
                image = {"format": head.removeprefix("data:image/"), "source": {"bytes": base64.b64decode(data)}}
                blocks.append({"image": image})
            case "file":
                if not part["file"]["file_data"].startswith("data:application/pdf;base64,"):
                    raise Refused(400, "Invalid file data: only PDF files are supported.")
                blocks.append({"text": "(a file)"})
    return blocks
