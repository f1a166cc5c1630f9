"""Tools that search documents."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints

from rolecall.agents.models import ToolType
from rolecall.errors import ToolFailed
from rolecall.ids import AgentId
from rolecall.knowledge import search
from rolecall.knowledge.models import Passage
from rolecall.knowledge.sources import defused, sources_of
from rolecall.llm.credentials import embedding_access
from rolecall.llm.errors import ModelError
from rolecall.tools.declare import Arguments, tool
from rolecall.tools.models import ToolContext
from rolecall.tools.sources import add_sources

MOST = 20


class RagSearch(Arguments):
    """What to look for."""

    query: Annotated[
        str, StringConstraints(min_length=1, max_length=2000), Field(description="What to look for, in plain words")
    ]
    top_k: Annotated[int, Field(description="How many passages at most")] = 5
    document_tags: Annotated[
        list[Annotated[str, StringConstraints(max_length=100)]] | None,
        Field(max_length=20, description="Only documents with one of these tags"),
    ] = None


@tool(
    type=ToolType.RAG_SEARCH,
    name="Search documents",
    search_queries="search the knowledge base, find in documents, what does the file say, look up a policy",
    category="data",
    arguments=RagSearch,
    always_include=True,
)
def rag_search(context: ToolContext, asked: RagSearch) -> dict[str, Any]:
    """Search the uploaded documents (knowledge base, files, handbook, policy) for passages that answer a query. Returns
    numbered passages with filename, page and score; cite the ones you use as [n]."""
    settings = context.settings
    try:
        vector = search.embed_query(asked.query, settings.embedding_model, embedding_access(settings))
    except ModelError as error:
        raise ToolFailed(f"The search is not available right now. {error.message}") from error
    passages = search.search(
        context.conn,
        context.caller,
        asked.query,
        vector,
        embedder=settings.embedding_model,
        agent_id=AgentId(context.agent_id),
        top_k=max(1, min(asked.top_k, MOST)),
        tags=asked.document_tags,
    )
    numbers = add_sources(context, sources_of(passages))
    return {"results": [_shown(n, passage) for n, passage in zip(numbers, passages, strict=True)]}


def _shown(n: int, passage: Passage) -> dict[str, Any]:
    return {
        "n": n,
        "filename": passage.filename,
        "page": passage.page_from,
        "section": passage.section,
        "content": defused(passage.content),
        "score": round(passage.score, 3),
    }
