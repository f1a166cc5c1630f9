"""`python -m tests.fuzz`: histories from a seed, in as many processes as there are processors; figures at the end."""

import argparse
import gc
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from multiprocessing import Pool

from tests.fuzz.one import Broken, run

CHUNK = 1_000


class Figures:
    """What all histories came to."""

    def __init__(self) -> None:
        self.histories = self.damaged = self.repaired = self.mended = self.broken = self.crashes = 0
        self.rules: Counter[str] = Counter()
        self.failures: list[str] = []

    def add(self, other: "Figures") -> None:
        """Add those of a chunk."""
        for name in ("histories", "damaged", "repaired", "mended", "broken", "crashes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.rules += other.rules
        self.failures += other.failures

    def line(self, seconds: float) -> str:
        """Render them in one line."""
        rules = " ".join(f"{rule}={times}" for rule, times in self.rules.most_common())
        return (
            f"histories={self.histories} damaged={self.damaged} repaired={self.repaired} rows_mended={self.mended} "
            f"violations_after_repair={self.broken} crashes={self.crashes} seconds={seconds:.0f} "
            f"repairs={self.rules.total()} by rule: {rules}"
        )


def chunk(task: tuple[int, int, int]) -> Figures:
    """Run some histories."""
    seed, first, count = task
    figures = Figures()
    gc.collect()  # between chunks only: a history leaves next to no cycles
    for number in range(first, first + count):
        figures.histories += 1
        try:
            outcome = run(seed, number)
        except Broken as broken:
            figures.broken += 1
            figures.failures.append(f"--seed {seed} --first {number} --count 1: {broken}")
        except Exception:  # noqa: BLE001 - whatever it is, it is counted and told with its seed
            figures.crashes += 1
            figures.failures.append(f"--seed {seed} --first {number} --count 1: {traceback.format_exc()}")
        else:
            figures.damaged += outcome.damaged
            figures.repaired += bool(outcome.rules)
            figures.mended += outcome.mended
            figures.rules += outcome.rules
    return figures


def tasks(seed: int, first: int, count: int) -> Iterator[tuple[int, int, int]]:
    """Cut the work into chunks."""
    for start in range(first, first + count, CHUNK):
        yield seed, start, min(CHUNK, first + count - start)


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="how many histories")
    parser.add_argument("--seed", type=int, default=1, help="which million")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    started, figures = time.monotonic(), Figures()
    with Pool(given.processes, initializer=gc.disable) as pool:
        for done in pool.imap_unordered(chunk, tasks(given.seed, given.first, given.count)):
            for failure in done.failures:
                print("FAILED", failure, flush=True)
            figures.add(done)
            if figures.histories % 50_000 == 0:
                print(
                    figures.histories, "histories", f"{time.monotonic() - started:.0f} s", file=sys.stderr, flush=True
                )
    print(figures.line(time.monotonic() - started))
    return 1 if figures.failures else 0


if __name__ == "__main__":
    sys.exit(main())
