"""Builds the vendor layers from their locks for Lambda's Python 3.13 on arm64, without Docker.

`python -m infra.layers` writes `build/layers/NAME/python`. boto3 comes along and the runtime's own is not used:
what was tested is what runs. It is cut to the services that the product calls; whole it takes 28 MB more.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent
LOCKS: Final = ROOT / "layers" / "vendor"
BUILT: Final = ROOT / "build" / "layers"
PYTHON: Final = "3.13"
PLATFORM: Final = "aarch64-manylinux_2_28"
"""uv takes wheels of every older manylinux under this name, manylinux2014 among them; pip would need both named."""

BOTO3_SERVICES: Final = frozenset(
    {
        "apigatewaymanagementapi",
        "bedrock-runtime",
        "dynamodb",
        "lambda",
        "s3",
        "secretsmanager",
        "sqs",
        "stepfunctions",
    }
)
"""Services whose descriptions stay. A client of another one fails in AWS, and a test says so here."""

_PIN: Final = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)", re.MULTILINE)
_USELESS: Final = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", "uv_cache.json")
_TESTS: Final = {"tests", "test", "__pycache__"}


class LayerError(Exception):
    """A layer cannot be built as its lock says."""


def names() -> list[str]:
    """Every layer that has a lock."""
    return sorted(lock.stem for lock in LOCKS.glob("*.lock"))


def built(name: str) -> Path | None:
    """Return the folder of a layer that was built from the lock as it is now."""
    folder = BUILT / name
    stamp = BUILT / f"{name}.sha256"
    return folder if stamp.exists() and stamp.read_text() == _recipe(name) else None


def build(name: str, into: Path = BUILT) -> Path:
    """Install a lock's wheels and cut away what no function reads.

    Raises:
        LayerError: a pinned release has no wheel for the platform, or something else than the pins came.
    """
    folder, stamp = into / name, into / f"{name}.sha256"
    stamp.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    target = folder / "python"
    _install(LOCKS / f"{name}.lock", target)
    _check_pins(LOCKS / f"{name}.lock", target)
    _trim(target)
    stamp.write_text(_recipe(name))
    return folder


def unzipped_bytes(folder: Path) -> int:
    """Size of a folder's files, as Lambda counts them."""
    return sum(path.stat().st_size for path in _files(folder))


def zipped_bytes(folder: Path) -> int:
    """Size of a folder's files as one archive."""
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for path in _files(folder):
            file.write(path, path.relative_to(folder))
    return archive.tell()


def _recipe(name: str) -> str:
    """Digest of all that a built layer depends on."""
    parts = ((LOCKS / f"{name}.lock").read_bytes(), Path(__file__).read_bytes())
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def _install(lock: Path, target: Path) -> None:
    from uv import find_uv_bin

    done = subprocess.run(  # noqa: S603 - a fixed program, our own arguments
        [
            *(find_uv_bin(), "pip", "install", "--quiet", "--no-config", "--require-hashes", "--no-deps"),
            *("--only-binary", ":all:", "--python-platform", PLATFORM, "--python-version", PYTHON),
            *("--target", str(target), "--requirement", str(lock)),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise LayerError(f"{lock.name} cannot be installed for {PLATFORM}: {done.stderr.strip()}")


def _check_pins(lock: Path, target: Path) -> None:
    """A pin with a marker may be left out; nothing may come in another release than its pin's."""
    text = lock.read_text()
    pins = {_plain(name): version for name, version in _PIN.findall(text)}
    optional = {_plain(line.partition("==")[0]) for line in text.splitlines() if _PIN.match(line) and " ; " in line}
    found = {_plain(name): version for name, version in _installed(target)}
    if wrong := {name for name, version in found.items() if pins.get(name) != version}:
        raise LayerError(f"{lock.name} does not pin what was installed: {', '.join(sorted(wrong))}")
    if missing := pins.keys() - found.keys() - optional:
        raise LayerError(f"{lock.name} has pins that were not installed: {', '.join(sorted(missing))}")


def _installed(target: Path) -> Iterator[tuple[str, str]]:
    for folder in target.glob("*.dist-info"):
        name, _, version = folder.name.removesuffix(".dist-info").rpartition("-")
        yield name, version


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _trim(target: Path) -> None:
    for path in sorted(target.rglob("*"), reverse=True):
        if path.is_dir() and path.name in _TESTS:
            shutil.rmtree(path)
        elif path.name in _USELESS and path.parent.name.endswith(".dist-info"):
            path.unlink()
    shutil.rmtree(target / "bin", ignore_errors=True)
    (target / ".lock").unlink(missing_ok=True)
    _trim_boto3(target)


def _trim_boto3(target: Path) -> None:
    for useless in (target / "boto3" / "data", target / "boto3" / "examples"):  # of boto3.resource, which nobody uses
        shutil.rmtree(useless, ignore_errors=True)
    services = target / "botocore" / "data"
    for service in services.iterdir() if services.is_dir() else ():
        if service.is_dir() and service.name not in BOTO3_SERVICES:
            shutil.rmtree(service)
    for examples in services.rglob("examples-*.json*"):
        examples.unlink()


def _files(folder: Path) -> list[Path]:
    return sorted(
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.relative_to(folder).parts
    )


def main(wanted: Iterable[str]) -> int:
    """Build the named layers, or all, and print their sizes."""
    for name in wanted or names():
        try:
            folder = build(name)
        except LayerError as error:
            print(error, file=sys.stderr)
            return 1
        print(f"{name}: {_megabytes(unzipped_bytes(folder))} unzipped, {_megabytes(zipped_bytes(folder))} zipped")
    return 0


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
