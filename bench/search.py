"""Hybrid search over many chunks: recall of the indexed path against the exact one, and times of both.

Chunks are random directions around a few hundred topics, in a fiftieth of the tenants each; the searched tenant holds
the share that is asked for. Sizes by argument (default: 10,000 and 100,000).

    .venv/bin/python -m bench.search [CHUNKS …]
"""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import numpy as np
import psycopg
from psycopg.conninfo import make_conninfo

from local.postgres import EmbeddedPostgres
from rolecall.db import Database
from rolecall.db.bootstrap import DATABASE
from rolecall.db.migrate import migrate
from rolecall.identity import Caller
from rolecall.ids import CompanyId, UserId
from rolecall.knowledge import search as module
from rolecall.knowledge.embed import literal

DIMENSIONS, TOPICS, QUERIES, TENANTS = 1024, 400, 40, 50
EMBEDDER = "bench"
WORDS = [f"word{n}" for n in range(3000)]


def main(sizes: list[int]) -> None:
    rng = np.random.default_rng(7)
    topics = rng.normal(size=(TOPICS, DIMENSIONS)).astype("float32")
    with tempfile.TemporaryDirectory(prefix="rolecall-bench-") as folder:
        server = EmbeddedPostgres(Path(folder), fsync=False)
        server.start()
        try:
            migrate(server.url("owner"))
            admin = make_conninfo(server.superuser_url, dbname=DATABASE)
            total = 0
            for size in sizes:
                callers = fill(admin, topics, rng, size - total, total == 0)
                total = size
                report(server.url("app"), callers, topics, rng, size)
        finally:
            server.stop()


PEOPLE: list[Caller] = []


def fill(admin: str, topics: np.ndarray, rng: np.random.Generator, count: int, first: bool) -> list[Caller]:
    """Add chunks, spread over all tenants alike: each holds a fiftieth, so 2 %."""
    with psycopg.connect(admin, autocommit=True) as conn:
        if first:
            conn.execute("SET maintenance_work_mem = '1GB'")
            for n in range(TENANTS):
                company, user = uuid4(), uuid4()
                conn.execute("INSERT INTO company (id) VALUES (%s)", [company])
                conn.execute("INSERT INTO company_profile (company_id, name) VALUES (%s, 'C')", [company])
                conn.execute(
                    "INSERT INTO app_user (id, email, first_name, last_name) VALUES (%s, %s, 'A', 'B')",
                    [user, f"{n}@example.com"],
                )
                conn.execute(
                    "INSERT INTO user_company_role (user_id, company_id, role) VALUES (%s, %s, 'OWNER')",
                    [user, company],
                )
                PEOPLE.append(Caller(UserId(user), CompanyId(company)))
        began = time.perf_counter()
        conn.execute("DROP INDEX IF EXISTS agent_document_chunk_embedding_idx")
        for person in PEOPLE:
            _fill_tenant(conn, person, topics, rng, count // TENANTS)
        conn.execute("SET max_parallel_maintenance_workers = 2")
        conn.execute(
            "CREATE INDEX agent_document_chunk_embedding_idx ON agent_document_chunk USING hnsw (embedding halfvec_cosine_ops)"
        )
        conn.execute("ANALYZE")
    print(f"filled {count:,} chunks and built the index in {time.perf_counter() - began:.0f} s")
    return PEOPLE


def _fill_tenant(
    conn: psycopg.Connection, person: Caller, topics: np.ndarray, rng: np.random.Generator, count: int
) -> None:
    document = uuid4()
    conn.execute(
        "INSERT INTO agent_document (id, company_id, created_by_id, filename, mime_type, size_bytes, storage_key,"
        " status, completed_at, chunk_count) VALUES (%s, %s, %s, 'f', 'text/plain', 1, %s, 'COMPLETED', now(), %s)",
        [document, person.company_id, person.user_id, f"uploads/{document}/f", count],
    )
    copy = (
        "COPY agent_document_chunk (document_id, company_id, created_by_id, chunk_index, content, content_hash,"
        " embedding, embedder) FROM STDIN"
    )
    with conn.cursor() as cursor, cursor.copy(copy) as rows:
        for index, vector in _vectors(topics, rng, count):
            text = " ".join(random.choices(WORDS, k=30))
            rows.write_row(
                [document, person.company_id, person.user_id, index * 5, text, "0" * 64, literal(vector), EMBEDDER]
            )


def _vectors(topics: np.ndarray, rng: np.random.Generator, count: int) -> Iterator[tuple[int, list[float]]]:
    chosen = topics[rng.integers(0, TOPICS, count)] + rng.normal(scale=0.8, size=(count, DIMENSIONS)).astype("float32")
    chosen /= np.linalg.norm(chosen, axis=1, keepdims=True)
    for index, vector in enumerate(chosen):
        yield index, vector.tolist()


def report(url: str, callers: list[Caller], topics: np.ndarray, rng: np.random.Generator, size: int) -> None:
    database = Database(url)
    exact: list[list[UUID]] = []
    times: dict[str, list[float]] = {"exact": [], "indexed": []}
    found: list[list[UUID]] = []
    questions = [
        (random.choice(callers), vector, " ".join(random.choices(WORDS, k=4)))
        for _, vector in _vectors(topics, rng, QUERIES)
    ]
    for name, limit, results in (("exact", 10**9, exact), ("indexed", 0, found)):
        module.EXACT_CHUNKS = limit  # type: ignore[misc]
        for caller, vector, words in [*questions[:3], *questions]:
            began = time.perf_counter()
            with database.transaction(caller) as conn:
                passages = module.search(conn, caller, words, vector, embedder=EMBEDDER, top_k=10, min_score=0.0)
            times[name].append(time.perf_counter() - began)
            results.append([passage.chunk_id for passage in passages])
    recall = statistics.mean(len(set(a) & set(b)) / max(len(a), 1) for a, b in zip(exact[3:], found[3:], strict=True))
    print(
        f"{size:,} chunks, tenant with {size // TENANTS:,} (2 %): recall@10 of the indexed path against exact {recall:.3f}"
    )
    for name, each in times.items():
        warm = sorted(each[3:])
        print(
            f"  {name:8} median {statistics.median(warm) * 1000:6.1f} ms   p95 {warm[int(len(warm) * 0.95)] * 1000:6.1f} ms"
        )
    print(f"  the product takes the {'exact' if size // TENANTS <= 20_000 else 'indexed'} path for this tenant")


if __name__ == "__main__":
    random.seed(7)
    main([int(size) for size in sys.argv[1:]] or [10_000, 100_000])
