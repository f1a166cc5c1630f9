"""`rolecall smoke`: on a deployed stack (or the local one) does what the functional tests do, and says what held."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final
from uuid import uuid4

import typer
from rich.markup import escape

from local.client import Client, Json, RequestFailed
from local.paths import DEFAULT_DATA
from local.terminal import DataOption, PersonOption, connected, fail, out
from local.uploads import upload

PLANTED: Final = "The old pear tree in the smoke test's garden was planted in 1911."


class Failed(Exception):
    """A check did not hold; the message says what was seen."""


def smoke(
    stack: Annotated[
        str | None, typer.Option(help="Name of the deployed realtime stack; none: the stack of this machine.")
    ] = None,
    region: Annotated[str, typer.Option(help="The stack's region.")] = "eu-north-1",
    token: Annotated[
        str, typer.Option(envvar="ROLECALL_TOKEN", help="A person's token for the deployed stack.", show_default=False)
    ] = "",
    person: PersonOption = "recruiter",
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Check a running stack from outside: requests, a streamed turn, a tool, a document, resume, cancel, bad input."""
    if stack is None:
        with connected(data, person) as client:
            failed = run(client)
    else:
        if not token:
            fail("Give a person's token by --token or ROLECALL_TOKEN: the checks act as that person.")
        with Client(_socket_url(stack, region), token) as client:
            failed = run(client)
    if failed:
        raise typer.Exit(1)


def run(client: Client) -> int:
    """Run every check and print how it went; return how many failed."""
    failed = 0
    place: Json = {}
    for name, check in CHECKS.items():
        began = time.perf_counter()
        try:
            check(client, place)
        except (Failed, RequestFailed, TimeoutError, OSError) as error:
            failed += 1
            out.print(f"[red]✗[/red] {name}: {escape(str(error) or type(error).__name__)}")
        else:
            out.print(f"[green]✓[/green] {name} [dim]{(time.perf_counter() - began) * 1000:.0f} ms[/dim]")
    out.print(f"{len(CHECKS) - failed} of {len(CHECKS)} held.")
    return failed


def _socket_url(stack: str, region: str) -> str:
    import boto3

    described = boto3.client("cloudformation", region_name=region).describe_stacks(StackName=stack)
    outputs = {each["OutputKey"]: each["OutputValue"] for each in described["Stacks"][0].get("Outputs", [])}
    if "SocketUrl" not in outputs:
        fail(f"The stack {stack} has no output SocketUrl; name the realtime stack.")
    return str(outputs["SocketUrl"])


def _require(held: bool, seen: object) -> None:
    if not held:
        raise Failed(str(seen)[:300])


def _who(client: Client, place: Json) -> None:
    place["me"] = client.request("whoAmI")
    _require(bool(place["me"].get("agents")), place["me"])


def _conversation(client: Client, place: Json) -> None:
    place["conversation"] = client.request("createConversation", title="Smoke test")["conversation"]["conversationId"]


def _turn(client: Client, place: Json) -> None:
    events = list(client.chat(place["conversation"], "Hello, who are you?"))
    text = "".join(event["delta"] for event in events if event["type"] == "ChatChunk")
    _require(events[-1]["type"] == "ChatComplete", events[-1])
    _require([event["seq"] for event in events] == list(range(1, len(events) + 1)), "numbers have a gap")
    _require(text == events[-1]["content"] != "", "the deltas are not the answer")


def _tool(client: Client, place: Json) -> None:
    events = list(client.chat(place["conversation"], "Who am I? Use the tool that returns my profile."))
    results = [event for event in events if event["type"] == "ChatToolResult"]
    _require(any(result["success"] for result in results), [event["type"] for event in events])


def _document(client: Client, place: Json) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"smoke-{uuid4().hex[:8]}.txt"
        path.write_text(PLANTED)
        place["document"] = upload(client, path, lambda *_: None, timeout=300).document_id
    question = "When was the old pear tree planted?"
    events = list(client.chat(place["conversation"], question, documentIds=[place["document"]]))
    _require("1911" in events[-1].get("content", ""), events[-1])
    _require(any(each["documentId"] == place["document"] for each in events[-1].get("sources", [])), "no source")


def _resume(client: Client, place: Json) -> None:
    stream = client.chat(place["conversation"], "Say a few words about interviews.")
    first = next(stream)
    client.connect()
    rest = list(client.resume(first["turnId"], first["seq"]))
    _require(rest[-1]["type"] == "ChatComplete", rest[-1])
    _require([event["seq"] for event in rest] == list(range(2, len(rest) + 2)), "numbers have a gap")


def _cancel(client: Client, place: Json) -> None:
    stream = client.chat(place["conversation"], "Write as long a text as you can about recruiting.")
    turn_id = next(stream)["turnId"]
    client.request("cancelTurn", turnId=turn_id)
    last = list(stream)[-1]
    _require(last["type"] in {"ChatError", "ChatComplete"}, last)


def _bad_input(client: Client, _: Json) -> None:
    for action, fields, code in (
        ("noSuchAction", {}, "UNKNOWN_ACTION"),
        ("agentChat", {"conversationId": "x", "content": "x"}, "INVALID_REQUEST"),
        ("conversationMessages", {"conversationId": str(uuid4())}, "CONVERSATION_NOT_FOUND"),
    ):
        try:
            client.request(action, **fields)
        except RequestFailed as error:
            _require(error.code == code, error.code)
        else:
            raise Failed(f"{action} was answered")


def _clean_up(client: Client, place: Json) -> None:
    if "document" in place:
        client.request("deleteDocument", documentId=place["document"])
    client.request("deleteConversation", conversationId=place["conversation"])


CHECKS: Final[dict[str, Callable[[Client, Json], None]]] = {
    "the caller is known and has an agent": _who,
    "a conversation opens": _conversation,
    "an answer streams, whole and in order": _turn,
    "a tool runs through the state machine": _tool,
    "a file is read and answered from, with its source": _document,
    "an answer is resumed on another socket": _resume,
    "an answer is stopped": _cancel,
    "bad input gets typed errors": _bad_input,
    "what was made is deleted": _clean_up,
}
