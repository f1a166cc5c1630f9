"""What documents say to a question, for the turn: passages in a fenced block, and their sources."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any
from uuid import UUID

from psycopg import Connection

from rolecall.identity import Caller
from rolecall.ids import AgentId
from rolecall.knowledge import search
from rolecall.knowledge.models import DocumentId
from rolecall.knowledge.sources import context_block, sources_of
from rolecall.llm.credentials import embedding_access
from rolecall.llm.errors import ModelError
from rolecall.settings import Settings
from rolecall.telemetry import log
from rolecall.turns.opening import Opening
from rolecall.turns.setting import Setting

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


def answers_from_documents(opening: Opening, named: Sequence[UUID]) -> bool:
    """Say whether the turn looks into documents: some were named, or the agent does so and there are any."""
    return bool(named) or (opening.setting.rag_enabled and opening.has_documents)


def question_vector(question: str, settings: Settings) -> list[float] | None:
    """Embed a question; None where that fails: words alone decide then."""
    try:
        return search.embed_query(question, settings.embedding_model, embedding_access(settings))
    except ModelError as error:
        log.warning("question was not embedded", extra={"kind": error.kind})
        return None


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for: the words, their vector (None: words alone decide), and the documents that were named."""

    text: str
    vector: list[float] | None
    embedder: str
    document_ids: Sequence[UUID] = ()


def retrieve(conn: Connection[Any], caller: Caller, setting: Setting, question: Question) -> Retrieved:
    """Find passages for a question and fence them by a delimiter of this request's own.

    Named documents give their best passages, however far those are from the question.
    """
    named = [DocumentId(document) for document in question.document_ids]
    passages = search.search(
        conn,
        caller,
        question.text,
        question.vector,
        embedder=question.embedder,
        agent_id=AgentId(setting.agent.id),
        top_k=setting.rag_top_k,
        min_score=0.0 if named else setting.rag_min_score,
        tags=setting.rag_tags,
        document_ids=named or None,
    )
    sources = [source.wire() for source in sources_of(passages)]
    return Retrieved(context_block(passages, delimiter=token_hex(8)), sources)
