"""Converse requests from a seed: legal ones, and damage of every kind to them."""

from copy import deepcopy
from random import Random
from typing import Any

TEXTS = ("hello", "What now?", "ok ", "räksmörgås 🙂", "x" * 300, "[Turn] a [/Turn]")
BLANKS = ("", " ", "\n\n", "\u200b\u00a0", "\u200b", "\ufeff", "\x00")
NAMES = ("search", "get_me", "list_documents", "update-cv")
BAD_NAMES = ("browser.tabs.open", "$READFILE", "", "n" * 70, "sök", "a b")
BAD_IDS = ("call_" + "x" * 70, "a|b", "", "é", " ")
FILES = ("cv", "report", "John s CV (2)", "a-b")
BAD_FILES = ("a_b", "a  b", "a\u3000b", "", "x" * 300, "../../x", "report.pdf", "履歴書", "CV")
JUNK = (
    None,
    1,
    -1.5,
    float("nan"),
    True,
    "text",
    "\ud83d",
    b"bytes",
    [],
    {},
    [1, 2],
    {"a": {"b": [None]}},
    ["x", {}],
    {1, 2},
)


def junk(rng: Random) -> Any:
    """Something that does not belong there; each time an object of its own, since damage changes what it finds."""
    return deepcopy(rng.choice(JUNK))


def a_request(rng: Random) -> dict[str, Any]:
    """A legal request: some turns, rounds of tools, files, reasoning where the model thinks."""
    thinks = rng.random() < 0.4
    state = _State(rng, thinks)
    messages: list[dict[str, Any]] = []
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
        messages += state.turn(last=False)
    messages += state.turn(last=True)
    request: dict[str, Any] = {"messages": _joined(messages)}
    if rng.random() < 0.8:
        request["system"] = [{"text": "Be kind."}] + (
            [{"cachePoint": {"type": "default"}}] if rng.random() < 0.3 else []
        )
    if state.calls or rng.random() < 0.5:
        request["toolConfig"] = {"tools": [a_tool(name) for name in rng.sample(NAMES, 2)]}
    request["inferenceConfig"] = {"maxTokens": 4096}
    if thinks:
        thinking = {"type": "enabled", "budget_tokens": 1024} if rng.random() < 0.5 else {"type": "adaptive"}
        request["additionalModelRequestFields"] = {"thinking": thinking}
    elif rng.random() < 0.5:
        request["inferenceConfig"]["temperature"] = 0.5
    return request


class _State:
    """Ids and names that a conversation has used."""

    def __init__(self, rng: Random, thinks: bool) -> None:
        self.rng, self.thinks = rng, thinks
        self.calls = self.documents = self.images = 0

    def turn(self, *, last: bool) -> list[dict[str, Any]]:
        rng = self.rng
        messages = [{"role": "user", "content": [{"text": rng.choice(TEXTS)}, *self.files()]}]
        for number in range(rng.choice((0, 0, 1, 2))):
            messages += self.round(thought=number == 0)
        if (last and len(messages) == 1) or (last and rng.random() < 0.5):
            return messages
        answer = {"role": "assistant", "content": [*self.thought(), {"text": rng.choice(TEXTS)}]}
        return [*messages, answer] if not last else [*messages, answer, {"role": "user", "content": [{"text": "And?"}]}]

    def round(self, *, thought: bool) -> list[dict[str, Any]]:
        rng = self.rng
        content: list[dict[str, Any]] = self.thought() if thought or rng.random() < 0.5 else []
        if rng.random() < 0.5:
            content.append({"text": rng.choice(TEXTS)})
        results = []
        for _ in range(rng.choice((1, 1, 2, 3))):
            self.calls += 1
            call = f"t{self.calls}"
            content.append({"toolUse": {"toolUseId": call, "name": rng.choice(NAMES), "input": {"q": self.calls}}})
            results.append({"toolResult": {"toolUseId": call, **self.output()}})
        if rng.random() < 0.2:
            rng.shuffle(results)
        return [{"role": "assistant", "content": content}, {"role": "user", "content": results}]

    def thought(self) -> list[dict[str, Any]]:
        if not self.thinks:
            return []
        if self.rng.random() < 0.1:
            return [{"reasoningContent": {"redactedContent": b"hidden"}}]
        return [{"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "sig"}}}]

    def output(self) -> dict[str, Any]:
        if self.rng.random() < 0.5:
            return {"content": [{"json": {"rows": [self.calls]}}], "status": "success"}
        return {"content": [{"text": self.rng.choice(TEXTS)}]}

    def files(self) -> list[dict[str, Any]]:
        rng, files = self.rng, []
        if rng.random() < 0.15 and self.documents < 5:
            self.documents += 1
            files.append(a_document(f"{rng.choice(FILES)} {self.documents}"))
        if rng.random() < 0.1 and self.images < 20:
            self.images += 1
            files.append({"image": {"format": "png", "source": {"bytes": b"png"}}})
        return files


def a_document(name: str, size: int = 10) -> dict[str, Any]:
    """A document's block."""
    return {"document": {"format": "pdf", "name": name, "source": {"bytes": b"x" * size}}}


def a_tool(name: str) -> dict[str, Any]:
    """A tool that the model may call."""
    schema = {"json": {"type": "object", "properties": {"q": {"type": "integer"}}}}
    return {"toolSpec": {"name": name, "description": "Does it.", "inputSchema": schema}}


def _joined(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    merged: list[dict[str, Any]] = []
    for message in messages:
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1]["content"] += message["content"]
        else:
            merged.append({"role": message["role"], "content": list(message["content"])})
    return merged
