"""What a new process costs before it can take its first event: import and first init, beside agent frameworks.

Ours: each handler's import, its settings, and the clients that its first event uses. Theirs: the import and a Bedrock
model object with its client. All by fresh processes in one run, in turn, on the same interpreter version.

    .venv/bin/python -m bench.cold_start
"""

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench import peers

ROUNDS = 9
ENV = {
    "AWS_REGION": "eu-north-1",
    "AWS_DEFAULT_REGION": "eu-north-1",
    "AWS_ACCESS_KEY_ID": "x",
    "AWS_SECRET_ACCESS_KEY": "x",
    "CONNECTIONS_URL": "http://localhost:1",
}
CLIENTS = "from rolecall.aws import clients; clients.dynamodb()"
SPEAKS = f"{CLIENTS}; clients.connections('http://localhost:1')"
MODEL = "from rolecall.llm.providers import bedrock; bedrock.runtime_client('eu-north-1', 60.0)"
OURS = {
    "authorize": "import functions.chat.authorize as m; m.settings().tokens",
    "front": f"import functions.chat.front as m; m._live(); {CLIENTS}; clients.lambdas()",
    "actions": f"import functions.chat.actions as m; m._runtime(); {SPEAKS}",
    "turn": f"import functions.chat.turn as m; m._runtime(); {SPEAKS}; {MODEL}",
    "tools": f"import functions.tools.executor as m; m._runtime(); {SPEAKS}",
}
THEIRS = {
    "strands": "import strands; from strands.models import BedrockModel; BedrockModel()",
    "pydantic-ai": (
        "import pydantic_ai; from pydantic_ai.models.bedrock import BedrockConverseModel as M; "
        "M('eu.anthropic.claude-sonnet-4-6')"
    ),
    "langgraph + langchain-aws": (
        "import langgraph.graph; from langchain_aws import ChatBedrockConverse as M; "
        "M(model='eu.anthropic.claude-sonnet-4-6')"
    ),
}


def seconds(python: Path, code: str) -> float:
    began = time.perf_counter()
    subprocess.run([python, "-c", code], check=True, env={**os.environ, **ENV}, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    other = peers.python()
    ours = Path(sys.executable)
    runs: dict[str, list[float]] = {name: [] for name in ["(python itself)", *OURS, *THEIRS]}
    for _ in range(ROUNDS):
        runs["(python itself)"].append(seconds(ours, "pass"))
        for name, code in OURS.items():
            runs[name].append(seconds(ours, code))
        for name, code in THEIRS.items():
            runs[name].append(seconds(other, code))
    medians = {name: statistics.median(times[1:]) for name, times in runs.items()}
    strands = medians["strands"]
    print(f"import + first init, median of {ROUNDS - 1} fresh processes; peers: {peers.versions()}")
    for name, median in medians.items():
        print(f"  {name:28} {median:6.2f} s   {median / strands:5.2f} × strands")


if __name__ == "__main__":
    main()
