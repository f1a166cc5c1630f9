"""What a turn costs before its first word, over the whole answer, and in posts. Prints ratios; asserts nothing.

Beside it stands raw boto3 against the same model endpoint in the same run, so that the machine's speed cancels out.
The stores are the local ones; their own latency is measured in the same run and shown apart.

    .venv/bin/python -m bench.turn_overhead
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from local.bedrock.answer import Say
from local.client import Client
from local.demo import DEMO_RECRUITER
from local.stack import Stack
from local.tokens import token_for

TURNS = 30
DELTAS = 200
PROBE = Path(__file__).with_name("_turn_probe.py")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="rolecall-bench-") as folder, Stack(Path(folder), port=0) as stack:
        stack.bedrock.chunk_delay = 0.0
        with Client(stack.ws_url, token_for(DEMO_RECRUITER, stack.token_secret)) as client:
            conversation = client.request("createConversation")["conversation"]["conversationId"]
            list(client.chat(conversation, "Hello"))  # warm
            inside(stack, conversation)
            outside(stack, client, conversation)
            posts(stack, client, conversation)


def environment(stack: Stack) -> dict[str, str]:
    return {**os.environ, **stack.lambdas.pools["rolecall-turn"].spec.env}


def inside(stack: Stack, conversation: str) -> None:
    """Run the handler itself in a process of its own, counting its round trips and its CPU."""
    done = subprocess.run(
        [sys.executable, str(PROBE), conversation, str(TURNS)],
        env=environment(stack),
        capture_output=True,
        text=True,
        check=True,
    )
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    print(f"before the first delta, {TURNS} turns (median):")
    print(f"  serial round trips        {report['trips']:>6}   limit 6")
    print(f"  own CPU                   {report['cpu_ms']:>6.1f} ms limit 15 ms")
    print(
        f"  wall                      {report['wall_ms']:>6.1f} ms of which waiting for stores and model {report['waiting_ms']:.1f} ms"
    )
    print(f"  {report['names']}")


def outside(stack: Stack, client: Client, conversation: str) -> None:
    """An answer of 200 deltas, from the message to its end, beside the same answer by raw boto3."""
    ours, raw = [], []
    text = "word " * DELTAS
    for _ in range(10):
        stack.bedrock.script.push(Say(text))
        began = time.perf_counter()
        list(client.chat(conversation, "Go"))
        ours.append(time.perf_counter() - began)
        stack.bedrock.script.push(Say(text))
        raw.append(raw_answer(stack))
    one, other = statistics.median(ours), statistics.median(raw)
    print(f"an answer of {DELTAS} deltas at full speed (median of 10):")
    print(
        f"  Rolecall, socket to socket {one * 1000:>6.0f} ms   raw boto3 {other * 1000:.0f} ms   ratio {one / other:.2f}"
    )


def raw_answer(stack: Stack) -> float:
    import boto3

    client = boto3.client(
        "bedrock-runtime",
        endpoint_url=stack.bedrock.url,
        region_name="eu-north-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
    )
    began = time.perf_counter()
    reply = client.converse_stream(
        modelId="rolecall.offline-v1", messages=[{"role": "user", "content": [{"text": "Go"}]}]
    )
    for _ in reply["stream"]:
        pass
    return time.perf_counter() - began


def posts(stack: Stack, client: Client, conversation: str) -> None:
    """Count the frames of an answer at 70 tokens a second."""
    stack.bedrock.chunk_delay = 1 / 70
    stack.bedrock.script.push(Say("word " * 700))
    frames = [event for event in client.chat(conversation, "Go") if event["type"] == "ChatChunk"]
    print("posts at 70 tokens a second, 700 tokens:")
    print(f"  {len(frames)} posts, {700 / len(frames):.1f} tokens a post   limit 10")


if __name__ == "__main__":
    main()
