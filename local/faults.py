"""What a real service does to asynchronous invocations now and then, by a seeded rule."""

import random
import threading
from collections import Counter
from dataclasses import dataclass, field

MAX_DELAY_SECONDS = 0.2
DUPLICATES = 0.1


@dataclass
class DeliveryRule:
    """Delays, reorders and duplicates events. The n-th event of a function fares the same in every run."""

    seed: int
    max_delay_seconds: float = MAX_DELAY_SECONDS
    duplicates: float = DUPLICATES
    """Share of events that are delivered twice."""
    _seen: Counter[str] = field(default_factory=Counter, init=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def delays(self, function: str) -> list[float]:
        """Return the delay in seconds of each delivery of the function's next event."""
        with self._lock:
            number = self._seen[function]
            self._seen[function] += 1
        chance = random.Random(f"{self.seed}:{function}:{number}")  # noqa: S311 - no secret depends on it
        copies = 2 if chance.random() < self.duplicates else 1
        return [chance.uniform(0, self.max_delay_seconds) for _ in range(copies)]
