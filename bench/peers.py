"""Installs what the benchmarks compare with into an environment of its own; the product never gets any of it."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / ".bench"
PACKAGES = ("strands-agents", "pydantic-ai-slim[bedrock]", "langgraph", "langchain-aws")


def python() -> Path:
    """Return the interpreter that has the peers, installing them once."""
    found = FOLDER / "bin" / "python"
    stamp = FOLDER / ".installed"
    if not stamp.exists():
        print("installing peers …", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
        uv = Path(sys.executable).with_name("uv")
        subprocess.run([str(uv), "pip", "install", "-q", "--python", str(found), *PACKAGES], check=True)
        stamp.touch()
    return found


def versions() -> str:
    """Name the peers' versions."""
    code = "from importlib.metadata import version as v; print(', '.join(f'{n} {v(n)}' for n in %r))"
    names = tuple(package.split("[")[0] for package in PACKAGES)
    return subprocess.run([python(), "-c", code % (names,)], capture_output=True, text=True, check=True).stdout.strip()
