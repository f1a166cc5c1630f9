"""The vendor layers, built from their locks as for a deploy: for this machine, this libc, this Python, this size."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from functions.manifest import FUNCTIONS, Function
from infra import layers
from infra.config import ROOT, Config
from infra.constructs.house_function import layers_of

AARCH64 = 0xB7
GLIBC = (2, 34)
"""Of Amazon Linux 2023, which Lambda's Python 3.13 runs on."""
CHAT_BYTES = 60_000_000
LAMBDA_BYTES = 250_000_000
UNREACHABLE = ("error sending request", "Failed to fetch", "dns error", "timed out", "Could not connect")


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Every layer, built once."""
    into = tmp_path_factory.mktemp("layers")
    try:
        return {name: layers.build(name, into) for name in layers.names()}
    except layers.LayerError as error:
        if any(reason in str(error) for reason in UNREACHABLE):
            pytest.skip(f"the package registry cannot be reached: {error}")
        raise


def libraries(built: dict[str, Path]) -> Iterator[Path]:
    for folder in built.values():
        for path in folder.rglob("*"):
            if path.is_file() and path.read_bytes()[:4] == b"\x7fELF":
                yield path


def test_there_are_the_layers_that_the_manifest_names() -> None:
    assert {name for function in FUNCTIONS for name in function.layers} <= set(layers.names())


def test_every_library_is_for_arm64_and_the_runtimes_libc(built: dict[str, Path]) -> None:
    found = list(libraries(built))
    assert len(found) > 10
    for path in found:
        content = path.read_bytes()
        assert int.from_bytes(content[18:20], "little") == AARCH64, path
        wanted = {(int(major), int(minor)) for major, minor in re.findall(rb"GLIBC_(\d+)\.(\d+)", content)}
        assert max(wanted, default=(0, 0)) <= GLIBC, path


def test_extension_modules_are_for_the_runtimes_python(built: dict[str, Path]) -> None:
    modules = [path.name for path in libraries(built) if ".cpython-" in path.name or ".abi3." in path.name]
    assert modules
    assert all(".cpython-313-" in name or ".abi3." in name for name in modules)


def test_new_and_old_manylinux_wheels_are_both_taken(built: dict[str, Path]) -> None:
    tags = "".join(path.read_text() for path in built["base"].glob("python/*.dist-info/WHEEL"))
    assert "manylinux_2_28_aarch64" in tags
    assert "manylinux2014_aarch64" in tags


def test_every_pin_came_in_its_release(built: dict[str, Path]) -> None:
    for name, folder in built.items():
        layers._check_pins(layers.LOCKS / f"{name}.lock", folder / "python")


def test_another_release_than_the_pin_is_refused(built: dict[str, Path], tmp_path: Path) -> None:
    lock = tmp_path / "base.lock"
    lock.write_text((layers.LOCKS / "base.lock").read_text().replace("pyjwt==", "pyjwt==9"))
    with pytest.raises(layers.LayerError, match="does not pin what was installed: pyjwt"):
        layers._check_pins(lock, built["base"] / "python")


def test_a_pin_without_a_wheel_for_lambda_fails_the_build(tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    lock.write_text("pyjwt==0.0.1 --hash=sha256:" + "0" * 64 + "\n")
    with pytest.raises(layers.LayerError, match="cannot be installed"):
        layers._install(lock, tmp_path / "python")


def test_all_that_chat_gets_is_small(built: dict[str, Path]) -> None:
    ours = layers.unzipped_bytes(ROOT / "layers" / "core") + layers.unzipped_bytes(ROOT / "functions")
    assert layers.unzipped_bytes(built["base"]) + ours <= CHAT_BYTES


def test_a_function_with_every_layer_is_within_lambdas_limit(built: dict[str, Path]) -> None:
    ours = layers.unzipped_bytes(ROOT / "layers" / "core") + layers.unzipped_bytes(ROOT / "functions")
    assert sum(map(layers.unzipped_bytes, built.values())) + ours <= LAMBDA_BYTES


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_no_function_has_a_package_twice(built: dict[str, Path], function: Function) -> None:
    names = layers_of(function, Config(model_providers=True))
    tops = [{path.name for path in (built[name] / "python").iterdir()} for name in names if name != "core"]
    assert sum(map(len, tops)) == len(set().union(*tops))


def test_the_trimmed_boto3_makes_every_client_that_the_code_asks_for(built: dict[str, Path]) -> None:
    asked = set(clients_of(ROOT / "layers" / "core")) | set(clients_of(ROOT / "functions"))
    assert asked, "the code asks for clients in another way; change this test"
    assert asked <= layers.BOTO3_SERVICES
    script = "import boto3, sys\nfor name in sys.argv[1:]: boto3.client(name, region_name='x')\nprint(boto3.__file__)"
    done = subprocess.run(
        [sys.executable, "-c", script, *sorted(layers.BOTO3_SERVICES)],
        env={"PYTHONPATH": str(built["base"] / "python"), "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert str(built["base"]) in done.stdout


def clients_of(folder: Path) -> Iterator[str]:
    """Names given to `client(…)` or `_client(…)`."""
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and node.args and isinstance(first := node.args[0], ast.Constant):
                called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                if called in {"client", "_client"} and isinstance(first.value, str):
                    yield first.value


def test_a_layer_is_stale_once_its_lock_has_changed(built: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layers, "BUILT", built["base"].parent)
    assert layers.built("base") == built["base"]
    monkeypatch.setattr(layers, "_recipe", lambda _: "another")
    assert layers.built("base") is None
