-- What happened, what waits to be done, and what was used.

CREATE TABLE agent_activity (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- No foreign key on the agent: its history outlives it.
    agent_id uuid,
    company_id uuid REFERENCES company ON DELETE CASCADE,
    user_id uuid REFERENCES app_user ON DELETE CASCADE,
    conversation_id uuid,
    message_id uuid,
    document_id uuid,
    activity_type text NOT NULL CHECK (activity_type IN (
        'AGENT_CREATED', 'AGENT_UPDATED', 'AGENT_ENABLED', 'AGENT_DISABLED',
        'TASK_CONFIG_CREATED', 'TASK_CONFIG_UPDATED', 'DATABASE_CONFIG_UPDATED',
        'CONVERSATION_STARTED', 'CONVERSATION_RESUMED', 'CONVERSATION_ARCHIVED',
        'MESSAGE_SENT', 'MESSAGE_RECEIVED',
        'TOOL_EXECUTED', 'TOOL_FAILED',
        'DOCUMENT_UPLOADED', 'DOCUMENT_PROCESSED', 'DOCUMENT_DELETED', 'DOCUMENT_RAG_ENABLED',
        'DOCUMENT_RAG_DISABLED',
        'RAG_SEARCH_PERFORMED', 'DATABASE_QUERY_EXECUTED',
        'CONTEXT_SUMMARIZED', 'STREAMING_STARTED', 'STREAMING_COMPLETED', 'ERROR_OCCURRED', 'FEEDBACK_RECEIVED'
    )),
    -- Ids, counts and codes; never a text that a person wrote.
    details jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(details) = 'object'),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX agent_activity_user_idx ON agent_activity (user_id, created_at DESC);
CREATE INDEX agent_activity_company_idx ON agent_activity (company_id, created_at DESC);
CREATE INDEX agent_activity_agent_idx ON agent_activity (agent_id, created_at DESC);

CREATE TABLE agent_background_task (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    company_id uuid REFERENCES company ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    agent_id uuid REFERENCES agent ON DELETE CASCADE,
    document_id uuid REFERENCES agent_document ON DELETE CASCADE,
    task_type text NOT NULL CHECK (task_type IN (
        'DOCUMENT_PROCESSING', 'EMBEDDING_GENERATION', 'TITLE_GENERATION', 'CONTEXT_SUMMARY', 'MEMORY_CURATION'
    )),
    status text NOT NULL DEFAULT 'PENDING'
        CHECK (status IN ('PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
    progress smallint NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    attempts smallint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    max_attempts smallint NOT NULL DEFAULT 3 CHECK (max_attempts >= 1),
    input jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(input) = 'object'),
    result jsonb,
    error_code text CHECK (char_length(error_code) <= 100),
    error_message text CHECK (char_length(error_message) <= 2000),
    run_after timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz
);
CREATE INDEX agent_background_task_open_idx ON agent_background_task (run_after)
    WHERE status IN ('PENDING', 'RUNNING');
CREATE INDEX agent_background_task_user_idx ON agent_background_task (user_id);
CREATE INDEX agent_background_task_company_idx ON agent_background_task (company_id);
CREATE INDEX agent_background_task_agent_idx ON agent_background_task (agent_id);
CREATE INDEX agent_background_task_document_idx ON agent_background_task (document_id);
CREATE TRIGGER touch BEFORE UPDATE ON agent_background_task FOR EACH ROW EXECUTE FUNCTION app.touch();

CREATE TABLE agent_token_usage (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    agent_id uuid NOT NULL,
    company_id uuid REFERENCES company ON DELETE CASCADE,
    -- The person whose agent it is; NULL where the agent is a company's.
    user_id uuid REFERENCES app_user ON DELETE CASCADE,
    -- The day, in UTC.
    period date NOT NULL,
    message_count integer NOT NULL DEFAULT 0 CHECK (message_count >= 0),
    tool_call_count integer NOT NULL DEFAULT 0 CHECK (tool_call_count >= 0),
    input_tokens bigint NOT NULL DEFAULT 0 CHECK (input_tokens >= 0),
    output_tokens bigint NOT NULL DEFAULT 0 CHECK (output_tokens >= 0),
    cached_tokens bigint NOT NULL DEFAULT 0 CHECK (cached_tokens >= 0),
    cost numeric(16, 4) NOT NULL DEFAULT 0 CHECK (cost >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (agent_id, period),
    CONSTRAINT agent_token_usage_one_owner CHECK ((company_id IS NULL) <> (user_id IS NULL))
);
CREATE INDEX agent_token_usage_company_idx ON agent_token_usage (company_id, period DESC);
CREATE INDEX agent_token_usage_user_idx ON agent_token_usage (user_id);
CREATE TRIGGER touch BEFORE UPDATE ON agent_token_usage FOR EACH ROW EXECUTE FUNCTION app.touch();

-- Policies --------------------------------------------------------------------------------------------------

ALTER TABLE agent_activity ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_activity FORCE ROW LEVEL SECURITY;
ALTER TABLE agent_background_task ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_background_task FORCE ROW LEVEL SECURITY;
ALTER TABLE agent_token_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_token_usage FORCE ROW LEVEL SECURITY;

-- One's own history; those who lead a company read all of the company's. It is only ever added to.
CREATE POLICY own_reads ON agent_activity FOR SELECT TO rolecall_app USING (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
);
CREATE POLICY leaders_read ON agent_activity FOR SELECT TO rolecall_app
    USING (company_id = (SELECT app.company_id()) AND (SELECT app.leads_company()));
CREATE POLICY own_writes ON agent_activity FOR INSERT TO rolecall_app WITH CHECK (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
);
GRANT SELECT, INSERT ON agent_activity TO rolecall_app;

-- Ingest and the janitor note what they did for somebody.
CREATE POLICY ingest_writes ON agent_activity FOR INSERT TO rolecall_ingest
    WITH CHECK (activity_type IN ('DOCUMENT_PROCESSED', 'ERROR_OCCURRED'));
CREATE POLICY janitor_writes ON agent_activity FOR INSERT TO rolecall_janitor
    WITH CHECK (activity_type = 'ERROR_OCCURRED');
GRANT INSERT ON agent_activity TO rolecall_ingest, rolecall_janitor;

CREATE POLICY own_reads ON agent_background_task FOR SELECT TO rolecall_app USING (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
);
CREATE POLICY own_writes ON agent_background_task FOR INSERT TO rolecall_app WITH CHECK (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND (agent_id IS NULL OR EXISTS (SELECT FROM agent a WHERE a.id = agent_id))
    AND (document_id IS NULL OR EXISTS (SELECT FROM agent_document d WHERE d.id = document_id))
);
CREATE POLICY own_changes ON agent_background_task FOR UPDATE TO rolecall_app USING (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
);
GRANT SELECT, INSERT ON agent_background_task TO rolecall_app;
GRANT UPDATE (status, progress, attempts, result, error_code, error_message, started_at, finished_at)
ON agent_background_task TO rolecall_app;
CREATE POLICY ingest ON agent_background_task TO rolecall_ingest USING (true) WITH CHECK (true);
GRANT SELECT ON agent_background_task TO rolecall_ingest;
GRANT UPDATE (status, progress, attempts, result, error_code, error_message, run_after, started_at, finished_at)
ON agent_background_task TO rolecall_ingest;
CREATE POLICY janitor ON agent_background_task TO rolecall_janitor USING (true) WITH CHECK (true);
GRANT SELECT (
    id, company_id, user_id, task_type, status, attempts, max_attempts, run_after, created_at, updated_at, started_at
) ON agent_background_task TO rolecall_janitor;
GRANT UPDATE (status, error_code, error_message, run_after, finished_at) ON agent_background_task
TO rolecall_janitor;

CREATE POLICY scope_reads ON agent_token_usage FOR SELECT TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (user_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
CREATE POLICY scope_makes ON agent_token_usage FOR INSERT TO rolecall_app WITH CHECK (
    (
        company_id = (SELECT app.company_id())
        OR (user_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
    )
    AND EXISTS (SELECT FROM agent a WHERE a.id = agent_id)
);
CREATE POLICY scope_changes ON agent_token_usage FOR UPDATE TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (user_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
GRANT SELECT, INSERT ON agent_token_usage TO rolecall_app;
GRANT UPDATE (message_count, tool_call_count, input_tokens, output_tokens, cached_tokens, cost)
ON agent_token_usage TO rolecall_app;
