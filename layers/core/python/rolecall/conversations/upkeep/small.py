"""The small model of a conversation, as side calls use it."""

from dataclasses import dataclass

from rolecall.llm.access import Access
from rolecall.llm.once import Completion, complete_text
from rolecall.llm.specs import ModelSpec


@dataclass(frozen=True, slots=True)
class Small:
    """Which model it is and how it is reached."""

    spec: ModelSpec
    access: Access

    def complete(self, *, system: str, prompt: str, max_tokens: int, seconds: float) -> Completion:
        """Ask it for a text.

        Raises:
            ModelError: it gave none.
        """
        return complete_text(
            self.spec,
            system=system,
            prompt=prompt,
            max_tokens=max_tokens,
            access=self.access,
            read_timeout=20,
            seconds=seconds,
        )
