"""What can happen to a request between the store and the model; each kind by its name."""

from collections.abc import Callable
from random import Random
from typing import Any

from tests.fuzz.requests import BAD_FILES, BAD_IDS, BAD_NAMES, BLANKS, TEXTS, a_document, junk

Request = dict[str, Any]


def damaged(request: Request, rng: Random, times: int) -> list[str]:
    """Damage a request in place; return the kinds of damage that were tried."""
    kinds = [rng.choice(KINDS) for _ in range(times)]
    for kind in kinds:
        kind(request, rng)
    return [kind.__name__ for kind in kinds]


def _blocks(request: Request, kind: str | None = None) -> list[tuple[list[Any], int]]:
    return [
        (message["content"], i)
        for message in request["messages"]
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for i, block in enumerate(message["content"])
        if isinstance(block, dict)
        and (kind is None or isinstance(block.get(kind), dict) or (kind == "text" and kind in block))
    ]


def _pick(request: Request, rng: Random, kind: str | None = None) -> tuple[list[Any], int] | None:
    found = _blocks(request, kind)
    return rng.choice(found) if found else None


def trim_window(request: Request, rng: Random) -> None:
    del request["messages"][: rng.randint(1, 3)]


def cut_end(request: Request, rng: Random) -> None:
    del request["messages"][max(0, len(request["messages"]) - rng.randint(1, 3)) :]


def lose_message(request: Request, rng: Random) -> None:
    if request["messages"]:
        del request["messages"][rng.randrange(len(request["messages"]))]


def repeat_message(request: Request, rng: Random) -> None:
    if request["messages"]:
        message = rng.choice(request["messages"])
        request["messages"].insert(rng.randint(0, len(request["messages"])), message)


def swap_messages(request: Request, rng: Random) -> None:
    rng.shuffle(request["messages"])


def lose_block(request: Request, rng: Random) -> None:
    if found := _pick(request, rng):
        del found[0][found[1]]


def move_block(request: Request, rng: Random) -> None:
    if found := _pick(request, rng):
        block = found[0].pop(found[1])
        into = rng.choice(
            [m["content"] for m in request["messages"] if isinstance(m, dict) and isinstance(m.get("content"), list)]
        )
        into.insert(rng.randint(0, len(into)), block)


def lose_result(request: Request, rng: Random) -> None:
    if found := _pick(request, rng, "toolResult"):
        del found[0][found[1]]


def repeat_block(request: Request, rng: Random) -> None:
    if found := _pick(request, rng):
        found[0].append(found[0][found[1]])


def blank_text(request: Request, rng: Random) -> None:
    if found := _pick(request, rng):
        found[0].insert(found[1], {"text": rng.choice(BLANKS)})


def blank_result(request: Request, rng: Random) -> None:
    if found := _pick(request, rng, "toolResult"):
        found[0][found[1]]["toolResult"]["content"] = rng.choice(([], [{"text": rng.choice(BLANKS)}]))


def odd_result(request: Request, rng: Random) -> None:
    if found := _pick(request, rng, "toolResult"):
        found[0][found[1]]["toolResult"]["content"] = [{"json": junk(rng)}]


def odd_status(request: Request, rng: Random) -> None:
    if found := _pick(request, rng, "toolResult"):
        found[0][found[1]]["toolResult"]["status"] = rng.choice(("failed", "ok", None, 1))


def odd_name(request: Request, rng: Random) -> None:
    if found := _pick(request, rng, "toolUse"):
        found[0][found[1]]["toolUse"]["name"] = rng.choice(BAD_NAMES)


def odd_id(request: Request, rng: Random) -> None:
    if found := _pick(request, rng, rng.choice(("toolUse", "toolResult"))):
        block = found[0][found[1]]
        block[next(iter(block))]["toolUseId"] = rng.choice((*BAD_IDS, "t1"))


def odd_input(request: Request, rng: Random) -> None:
    if found := _pick(request, rng, "toolUse"):
        found[0][found[1]]["toolUse"]["input"] = rng.choice((junk(rng), '{"q": 1}'))


def add_documents(request: Request, rng: Random) -> None:
    for message in request["messages"]:
        if isinstance(message, dict) and isinstance(message.get("content"), list) and rng.random() < 0.7:
            names = rng.choices(BAD_FILES, k=rng.randint(1, 3))
            message["content"] += [a_document(name, rng.choice((0, 10))) for name in names]


def document_alone(request: Request, rng: Random) -> None:
    document = a_document("cv")
    document["document"]["format"] = rng.choice(("pdf", "docx", "exe"))
    request["messages"].append({"role": rng.choice(("user", "assistant")), "content": [document]})


def document_in_result(request: Request, rng: Random) -> None:
    if found := _pick(request, rng, "toolResult"):
        found[0][found[1]]["toolResult"]["content"] = [a_document(rng.choice(BAD_FILES))]


def add_images(request: Request, rng: Random) -> None:
    image = {"image": {"format": rng.choice(("png", "tiff")), "source": {"bytes": b"png"}}}
    request["messages"].append({"role": "user", "content": [{"text": "See"}, *[image] * rng.randint(1, 23)]})


def add_reasoning(request: Request, rng: Random) -> None:
    if found := _pick(request, rng):
        thought = {"text": "Hm.", "signature": rng.choice(("", "sig"))}
        found[0].insert(rng.randint(0, len(found[0])), {"reasoningContent": {"reasoningText": thought}})


def lose_reasoning(request: Request, rng: Random) -> None:
    if found := _pick(request, rng, "reasoningContent"):
        del found[0][found[1]]


def add_cache_points(request: Request, rng: Random) -> None:
    for _ in range(rng.randint(1, 6)):
        if found := _pick(request, rng):
            found[0].insert(found[1], {"cachePoint": {"type": rng.choice(("default", "default", "ephemeral"))}})


def lose_tools(request: Request, rng: Random) -> None:
    request.pop("toolConfig", None)


def odd_tools(request: Request, rng: Random) -> None:
    spec = {
        "name": rng.choice((*BAD_NAMES, "search")),
        "description": rng.choice(BLANKS),
        "inputSchema": {"json": junk(rng)},
    }
    config = request.get("toolConfig")
    tools = config["tools"] if isinstance(config, dict) and isinstance(config.get("tools"), list) else []
    choice = rng.choice(({}, {"toolChoice": {"any": {}}}, {"toolChoice": {"tool": {"name": rng.choice(BAD_NAMES)}}}))
    request["toolConfig"] = {"tools": rng.choice(([], [*tools, {"toolSpec": spec}])), **choice}


def odd_parameters(request: Request, rng: Random) -> None:
    names = ("maxTokens", "temperature", "topP", "stopSequences")
    values = (0, -1, 1.5, 0.3, float("nan"), 900, 1500, [" "], None, "1")
    request["inferenceConfig"] = {name: rng.choice(values) for name in rng.sample(names, rng.randint(1, 4))}


def odd_thinking(request: Request, rng: Random) -> None:
    thinking = rng.choice(
        ({"type": "enabled"}, {"type": "enabled", "budget_tokens": 5000}, {"type": "adaptive"}, None, 1)
    )
    request["additionalModelRequestFields"] = rng.choice(({"thinking": thinking}, [1], {"thinking": thinking, "x": 1}))


def odd_system(request: Request, rng: Random) -> None:
    blocks = [{"text": rng.choice((*BLANKS, *TEXTS))}, {"cachePoint": {"type": "default"}}, "text", None]
    rng.shuffle(blocks)
    request["system"] = rng.choice((blocks, "text", 1, []))


def odd_role(request: Request, rng: Random) -> None:
    if request["messages"]:
        message = rng.choice(request["messages"])
        if isinstance(message, dict):
            message["role"] = rng.choice(("user", "assistant", "system", "ASSISTANT", "tool", None))


def junk_field(request: Request, rng: Random) -> None:
    request[rng.choice(("messages", "modelId", "system", "toolConfig", "inferenceConfig", "x"))] = junk(rng)
    if not isinstance(request["messages"], list):
        request["messages"] = [request["messages"]]


def junk_message(request: Request, rng: Random) -> None:
    request["messages"].insert(rng.randint(0, len(request["messages"])), junk(rng))


def junk_content(request: Request, rng: Random) -> None:
    if request["messages"] and isinstance(message := rng.choice(request["messages"]), dict):
        message["content"] = junk(rng)


def junk_block(request: Request, rng: Random) -> None:
    if found := _pick(request, rng):
        block = found[0][found[1]]
        if block and rng.random() < 0.5:
            block[rng.choice((*block, "type", "text"))] = junk(rng)
        else:
            found[0][found[1]] = junk(rng)


def junk_inside(request: Request, rng: Random) -> None:
    if found := _pick(request, rng, rng.choice(("toolUse", "toolResult", "document", "image", "reasoningContent"))):
        for inner in found[0][found[1]].values():
            if isinstance(inner, dict) and inner:
                inner[rng.choice((*inner, "extra"))] = junk(rng)


KINDS: tuple[Callable[[Request, Random], None], ...] = (
    trim_window,
    cut_end,
    lose_message,
    repeat_message,
    swap_messages,
    lose_block,
    move_block,
    lose_result,
    repeat_block,
    blank_text,
    blank_result,
    odd_result,
    odd_status,
    odd_name,
    odd_id,
    odd_input,
    add_documents,
    document_alone,
    document_in_result,
    add_images,
    add_reasoning,
    lose_reasoning,
    add_cache_points,
    lose_tools,
    odd_tools,
    odd_parameters,
    odd_thinking,
    odd_system,
    odd_role,
    junk_field,
    junk_message,
    junk_content,
    junk_block,
    junk_inside,
)
