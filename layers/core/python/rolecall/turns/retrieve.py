"""What documents say to a question, for the turn: passages in a fenced block, and their sources."""

from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any

from psycopg import Connection

from rolecall.identity import Caller
from rolecall.ids import AgentId
from rolecall.knowledge import search
from rolecall.knowledge.sources import context_block, sources_of
from rolecall.llm.errors import ModelError
from rolecall.settings import Settings
from rolecall.telemetry import log
from rolecall.turns.material import Setting

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What was found: the block that the model reads, and its sources as they go over the wire."""

    block: str = ""
    sources: list[dict[str, Any]] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        """Tokens of the block, estimated."""
        return len(self.block) // CHARACTERS_PER_TOKEN


def has_documents(conn: Connection[Any], caller: Caller, setting: Setting) -> bool:
    """Say whether the agent answers from documents and there is any that it may search."""
    return setting.rag_enabled and search.is_searchable(conn, caller, AgentId(setting.agent.id))


def question_vector(question: str, settings: Settings) -> list[float] | None:
    """Embed a question; None where that fails: words alone decide then."""
    try:
        return search.embed_query(question, settings.embedding_model, settings.bedrock_region)
    except ModelError as error:
        log.warning("question was not embedded", extra={"kind": error.kind})
        return None


def retrieve(
    conn: Connection[Any], caller: Caller, setting: Setting, question: str, vector: list[float] | None, embedder: str
) -> Retrieved:
    """Find passages for a question and fence them by a delimiter of this request's own."""
    passages = search.search(
        conn,
        caller,
        question,
        vector,
        embedder=embedder,
        agent_id=AgentId(setting.agent.id),
        top_k=setting.rag_top_k,
        min_score=setting.rag_min_score,
        tags=setting.rag_tags,
    )
    sources = [source.wire() for source in sources_of(passages)]
    return Retrieved(context_block(passages, delimiter=token_hex(8)), sources)
