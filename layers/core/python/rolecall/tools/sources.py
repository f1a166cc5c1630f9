"""A tool's sources become the turn's: numbered after those that are there, each passage once."""

from collections.abc import Sequence

from rolecall.knowledge.sources import Source
from rolecall.tools.models import ToolContext


def add_sources(context: ToolContext, found: Sequence[Source]) -> list[int]:
    """Give each source its number in the turn; new ones are added to the turn's row and announced.

    The row is locked until the call ends, so that parallel searches do not give out a number twice.

    Returns:
        The numbers, in the order of `found`.
    """
    known = context.book.lock_sources(context.conn, context.turn_id)
    numbers = {source["chunkId"]: int(source["n"]) for source in known}
    for source in found:
        if str(source.chunk_id) not in numbers:
            numbers[str(source.chunk_id)] = len(numbers) + 1
            context.sources.append(source.model_copy(update={"n": len(numbers)}).wire())
    if context.sources:
        context.book.set_sources(context.conn, context.turn_id, [*known, *context.sources])
    return [numbers[str(source.chunk_id)] for source in found]
