"""The offline model's answers."""

from typing import Any

from local.bedrock.answer import Answer, Part, Say, Think


def respond(body: dict[str, Any], *, thinking: bool) -> Answer:
    """Answer a Converse body."""
    thoughts: list[Part] = [Think("There is nothing to look up.")] if thinking else []
    asked = "a message" if body["messages"] else "nothing"
    return Answer.of([*thoughts, Say(f"I am the offline model, and I got {asked}.")])
