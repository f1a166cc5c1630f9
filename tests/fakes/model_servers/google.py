"""Google's Gemini API: streamed generateContent, and embeddings as OpenAI has them."""

import re
from collections.abc import Iterator
from typing import Any

from local.bedrock.answer import Answer, CallTool, Say, Think, pieces
from tests.fakes.model_servers.openai import OpenAI
from tests.fakes.model_servers.server import Asked, Refused, sse

COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
ORDER = "Please ensure that function response turn comes immediately after a function call turn."
STOPS = {"end_turn": "STOP", "tool_use": "STOP", "max_tokens": "MAX_TOKENS", "content_filtered": "SAFETY"}


class Google:
    """The API; models of the third generation want their signature on each call of the turn."""

    def __init__(self, *models: str) -> None:
        self.models = models or ("gemini-2.5-flash", "gemini-3-pro-preview")
        self._openai = OpenAI("gemini-embedding-001")

    def key(self, headers: dict[str, str]) -> str | None:
        return headers.get("x-goog-api-key") or headers.get("authorization", "").removeprefix("Bearer ")

    def error(self, refused: Refused) -> dict[str, Any]:
        kinds = {401: "UNAUTHENTICATED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
        kind = kinds.get(refused.status, "INVALID_ARGUMENT" if refused.status < 500 else "INTERNAL")
        return {"error": {"code": refused.status, "message": refused.message, "status": kind}}

    def stream_error(self, message: str) -> bytes:
        return sse({"error": {"code": 503, "message": message, "status": "UNAVAILABLE"}})

    def plain(self, asked: Asked) -> Any:
        if asked.path == "/v1beta/openai/embeddings":
            body = {**asked.body, "model": "text-embedding-3", "dimensions": asked.body.get("dimensions", 1536)}
            return self._openai._embeddings(body)
        if asked.path.startswith("/v1beta/models?") or asked.path == "/v1beta/models":
            return {"models": [{"name": f"models/{name}"} for name in self.models]}
        return None

    def converse(self, asked: Asked) -> dict[str, Any]:
        found = re.fullmatch(r"/v1beta/models/([^:]+):streamGenerateContent\?alt=sse", asked.path)
        if not found or found[1] not in self.models:
            raise Refused(404, f"models/{found[1] if found else asked.path} is not found for API version v1beta.")
        body = asked.body
        messages = _turns(body["contents"], signed=found[1].startswith("gemini-3"))
        declared = [f for tool in body.get("tools", []) for f in tool.get("functionDeclarations", [])]
        tools = [
            {
                "toolSpec": {
                    "name": f["name"],
                    "description": f["description"],
                    "inputSchema": {
                        "json": f.get("parametersJsonSchema") or f.get("parameters_json_schema") or f["parameters"]
                    },
                }
            }
            for f in declared
        ]
        limit = body.get("generationConfig", {}).get("maxOutputTokens")
        return {
            "messages": messages,
            **({"toolConfig": {"tools": tools}} if tools else {}),
            "inferenceConfig": {"maxTokens": limit} if limit else {},
        }

    def frames(self, answer: Answer, asked: Asked, tokens: tuple[int, int]) -> Iterator[tuple[bytes, bool]]:
        def chunk(parts: list[dict[str, Any]], **more: Any) -> bytes:
            candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **more.pop("candidate", {})}
            return sse({"candidates": [candidate], "modelVersion": "gemini", "responseId": "r1", **more})

        for part in answer.parts:
            match part:
                case Say():
                    for piece in pieces(part.text):
                        yield chunk([{"text": piece}]), True
                case Think():
                    for piece in pieces(part.text):
                        yield chunk([{"text": piece, "thought": True}]), True
                case CallTool():
                    call = {"name": part.name, "args": part.input, "id": part.call_id}
                    yield chunk([{"functionCall": call, "thoughtSignature": "c2lnbmVk"}]), True
        usage = {
            "promptTokenCount": tokens[0],
            "candidatesTokenCount": tokens[1],
            "totalTokenCount": sum(tokens),
            "cachedContentTokenCount": 4,
        }
        finish = {"finishReason": STOPS[answer.stop_reason]}
        yield chunk([{"text": ""}], candidate=finish, usageMetadata=usage), True


def _turns(contents: list[dict[str, Any]], *, signed: bool) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for content in contents:
        parts = content["parts"]
        answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if answers and not calls:
            raise Refused(400, ORDER)
        if len(answers) != len(calls):
            raise Refused(400, COUNT)
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        first = next((part for part in parts if "functionCall" in part), None)
        if signed and first and not {"thoughtSignature", "thought_signature"} & first.keys():
            raise Refused(400, "Function call is missing a thought_signature in functionCall parts.")
        role = "assistant" if content["role"] == "model" else "user"
        turns.append({"role": role, "content": [_read(part) for part in parts]})
    if calls:
        raise Refused(400, COUNT)
    if not turns or turns[-1]["role"] != "user":
        raise Refused(400, "Please ensure that single turn requests end with a user role.")
    return turns


def _read(part: dict[str, Any]) -> dict[str, Any]:
    if "functionCall" in part:
        call = part["functionCall"]
        return {"toolUse": {"toolUseId": call.get("id", call["name"]), "name": call["name"], "input": call["args"]}}
    if "functionResponse" in part:
        answer = part["functionResponse"]
        known = {"toolUseId": answer.get("id", answer["name"]), "content": [{"json": answer["response"]}]}
        return {"toolResult": known}
    if "inlineData" in part:
        data = part["inlineData"]
        return {"text": f"({data.get('mimeType') or data['mime_type']})"}
    if not part.get("text", "").strip():
        raise Refused(400, "Unable to submit request because it must have a text parameter.")
    return {"text": part["text"]}
