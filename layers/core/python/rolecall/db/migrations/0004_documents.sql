-- Documents of a company (shared by its members) or of a person, and their chunks with vectors.

CREATE TABLE agent_document (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    company_id uuid REFERENCES company ON DELETE CASCADE,
    created_by_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    -- The agent it was dropped on; none: the company's own documents.
    agent_id uuid REFERENCES agent ON DELETE SET NULL,
    filename text NOT NULL CHECK (char_length(filename) BETWEEN 1 AND 1000),
    title text CHECK (char_length(title) <= 500),
    mime_type text NOT NULL CHECK (char_length(mime_type) <= 200),
    size_bytes bigint NOT NULL CHECK (size_bytes >= 0),
    storage_key text NOT NULL UNIQUE CHECK (char_length(storage_key) BETWEEN 1 AND 1024),
    -- The object that `status` is about, and the place of its event in the order of events on this key.
    etag text CHECK (char_length(etag) <= 200),
    sequencer text COLLATE "C" CHECK (char_length(sequencer) <= 64),
    -- Who reads it now: the queue's message and which receive of it. Over, it may be taken by anyone.
    claim text CHECK (char_length(claim) <= 200),
    claimed_until timestamptz,
    -- content_hash, embedder, the counts and completed_at are those of the version that searches find.
    content_hash text CHECK (content_hash ~ '^[0-9a-f]{64}$'),
    status text NOT NULL DEFAULT 'PENDING'
        CHECK (status IN ('PENDING', 'PROCESSING', 'CHUNKING', 'EMBEDDING', 'COMPLETED', 'FAILED')),
    error_code text CHECK (char_length(error_code) <= 100),
    error_message text CHECK (char_length(error_message) <= 2000),
    attempts smallint NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND 10),
    rag_enabled boolean NOT NULL DEFAULT true,
    tags text[] NOT NULL DEFAULT '{}',
    category text CHECK (char_length(category) <= 200),
    metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    chunking text NOT NULL DEFAULT 'recursive' CHECK (chunking IN ('recursive', 'token', 'markdown')),
    embedder text CHECK (char_length(embedder) <= 300),
    page_count integer CHECK (page_count >= 0),
    chunk_count integer NOT NULL DEFAULT 0 CHECK (chunk_count >= 0),
    token_count integer NOT NULL DEFAULT 0 CHECK (token_count >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    completed_at timestamptz
);
CREATE INDEX agent_document_company_idx ON agent_document (company_id, created_at DESC);
CREATE INDEX agent_document_created_by_idx ON agent_document (created_by_id);
CREATE INDEX agent_document_agent_idx ON agent_document (agent_id);
CREATE INDEX agent_document_open_idx ON agent_document (updated_at) WHERE status NOT IN ('COMPLETED', 'FAILED');
CREATE TRIGGER touch BEFORE UPDATE ON agent_document FOR EACH ROW EXECUTE FUNCTION app.touch();

CREATE TABLE agent_document_chunk (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    document_id uuid NOT NULL REFERENCES agent_document ON DELETE CASCADE,
    company_id uuid REFERENCES company ON DELETE CASCADE,
    created_by_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    chunk_index integer NOT NULL CHECK (chunk_index >= 0),
    content text NOT NULL CHECK (content <> ''),
    content_hash text NOT NULL CHECK (content_hash ~ '^[0-9a-f]{64}$'),
    -- What stands around the chunk (title, section): embedded with it, never quoted as its text.
    banner text,
    section text CHECK (char_length(section) <= 500),
    page_from integer CHECK (page_from >= 1),
    page_to integer CHECK (page_to >= page_from),
    char_from integer CHECK (char_from >= 0),
    char_to integer CHECK (char_to >= char_from),
    token_count integer NOT NULL DEFAULT 0 CHECK (token_count >= 0),
    metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    embedding halfvec(1024),
    embedder text CHECK (char_length(embedder) <= 300),
    -- NFKC, so that ligatures and full-width letters match; queries are normalised alike. Bounded, as a tsvector is.
    tsv tsvector GENERATED ALWAYS AS (to_tsvector('simple', normalize(left(content, 100000), NFKC))) STORED,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (document_id, chunk_index),
    CONSTRAINT agent_document_chunk_names_its_embedder CHECK ((embedding IS NULL) = (embedder IS NULL))
)
-- A search reads vector and words of many rows: in the row itself, not compressed, they cost no second look-up each.
WITH (toast_tuple_target = 8160);
CREATE INDEX agent_document_chunk_company_idx ON agent_document_chunk (company_id);
CREATE INDEX agent_document_chunk_created_by_idx ON agent_document_chunk (created_by_id);
CREATE INDEX agent_document_chunk_embedding_idx ON agent_document_chunk
    USING hnsw (embedding halfvec_cosine_ops);
CREATE INDEX agent_document_chunk_tsv_idx ON agent_document_chunk USING gin (tsv);

-- Policies --------------------------------------------------------------------------------------------------

ALTER TABLE agent_document ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_document FORCE ROW LEVEL SECURITY;
ALTER TABLE agent_document_chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_document_chunk FORCE ROW LEVEL SECURITY;

CREATE POLICY scope_reads ON agent_document FOR SELECT TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
CREATE POLICY scope_makes ON agent_document FOR INSERT TO rolecall_app WITH CHECK (
    company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND created_by_id = (SELECT app.user_id())
    AND (agent_id IS NULL OR EXISTS (SELECT FROM agent a WHERE a.id = agent_id))
);
CREATE POLICY scope_changes ON agent_document FOR UPDATE TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
CREATE POLICY maker_or_leader_deletes ON agent_document FOR DELETE TO rolecall_app USING (
    company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND (created_by_id = (SELECT app.user_id()) OR (SELECT app.leads_company()))
);
GRANT SELECT, DELETE ON agent_document TO rolecall_app;
GRANT INSERT (
    id, company_id, created_by_id, agent_id, filename, title, mime_type, size_bytes, storage_key, rag_enabled, tags,
    category, metadata, chunking
) ON agent_document TO rolecall_app;
GRANT UPDATE (title, rag_enabled, tags, category, metadata) ON agent_document TO rolecall_app;

CREATE POLICY scope_reads ON agent_document_chunk FOR SELECT TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
GRANT SELECT ON agent_document_chunk TO rolecall_app;

-- Ingest works for all tenants, on documents alone.
GRANT SELECT, UPDATE ON agent_document TO rolecall_ingest;
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_document_chunk TO rolecall_ingest;
CREATE POLICY ingest ON agent_document TO rolecall_ingest USING (true) WITH CHECK (true);
CREATE POLICY ingest ON agent_document_chunk TO rolecall_ingest USING (true) WITH CHECK (
    EXISTS (
        SELECT FROM agent_document d
        WHERE d.id = document_id AND d.created_by_id = agent_document_chunk.created_by_id
            AND d.company_id IS NOT DISTINCT FROM agent_document_chunk.company_id
    )
);

GRANT SELECT (id, company_id, created_by_id, status, attempts, created_at, updated_at) ON agent_document
TO rolecall_janitor;
GRANT UPDATE (status, error_code, error_message) ON agent_document TO rolecall_janitor;
CREATE POLICY janitor_reads ON agent_document FOR SELECT TO rolecall_janitor USING (status <> 'COMPLETED');
CREATE POLICY janitor_ends ON agent_document FOR UPDATE TO rolecall_janitor
    USING (status NOT IN ('COMPLETED', 'FAILED')) WITH CHECK (status IN ('PENDING', 'FAILED'));
