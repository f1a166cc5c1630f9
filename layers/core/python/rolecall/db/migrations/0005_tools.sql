-- Tool definitions (global rows, and what a company changes of them) and the log of executions.

CREATE TABLE agent_tool_definition (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tool_type text NOT NULL CHECK (tool_type = ANY (app.tool_types())),
    tool_code text NOT NULL UNIQUE CHECK (tool_code ~ '^[a-z][a-z0-9_]{0,63}$'),
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    -- What the model calls it; Bedrock allows 64 characters.
    function_name text NOT NULL UNIQUE CHECK (function_name ~ '^[a-zA-Z][a-zA-Z0-9_]{0,63}$'),
    description text NOT NULL CHECK (char_length(description) BETWEEN 1 AND 10000),
    search_queries text NOT NULL DEFAULT '' CHECK (char_length(search_queries) <= 5000),
    category text NOT NULL CHECK (char_length(category) BETWEEN 1 AND 50),
    always_include boolean NOT NULL DEFAULT false,
    requires_approval boolean NOT NULL DEFAULT false,
    requires_write boolean NOT NULL DEFAULT false,
    requires_corpus boolean NOT NULL DEFAULT false,
    runs_in text NOT NULL DEFAULT 'brain' CHECK (runs_in IN ('brain', 'worker')),
    parameters_schema jsonb NOT NULL DEFAULT '{"type": "object"}'
        CHECK (jsonb_typeof(parameters_schema) = 'object'),
    is_system boolean NOT NULL DEFAULT true,
    is_active boolean NOT NULL DEFAULT true,
    is_customized boolean NOT NULL DEFAULT false,
    version integer NOT NULL DEFAULT 1 CHECK (version >= 1),
    embedding halfvec(1024),
    embedder text CHECK (char_length(embedder) <= 300),
    -- The version that was embedded last; 0: never.
    embedding_version integer NOT NULL DEFAULT 0 CHECK (embedding_version >= 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER touch BEFORE UPDATE ON agent_tool_definition FOR EACH ROW EXECUTE FUNCTION app.touch();

-- A company's own switch and wording; NULL: the definition's. Seeding never touches it.
CREATE TABLE agent_tool_overlay (
    company_id uuid NOT NULL REFERENCES company ON DELETE CASCADE,
    tool_definition_id uuid NOT NULL REFERENCES agent_tool_definition ON DELETE CASCADE,
    is_active boolean,
    name text CHECK (char_length(name) BETWEEN 1 AND 200),
    description text CHECK (char_length(description) BETWEEN 1 AND 10000),
    requires_approval boolean,
    version integer NOT NULL DEFAULT 1 CHECK (version >= 1),
    updated_by_id uuid REFERENCES app_user ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (company_id, tool_definition_id)
);
CREATE INDEX agent_tool_overlay_definition_idx ON agent_tool_overlay (tool_definition_id);
CREATE TRIGGER touch BEFORE UPDATE ON agent_tool_overlay FOR EACH ROW EXECUTE FUNCTION app.touch();

CREATE TABLE agent_tool_execution (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- No foreign key: a turn that is not stored has no message, and its executions are logged all the same.
    turn_id uuid NOT NULL,
    tool_call_id text NOT NULL CHECK (char_length(tool_call_id) BETWEEN 1 AND 200),
    conversation_id uuid REFERENCES agent_conversation ON DELETE CASCADE,
    agent_id uuid NOT NULL,
    company_id uuid REFERENCES company ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    -- The hop that asked, and the call's place among that hop's calls, from 0.
    hop smallint NOT NULL CHECK (hop >= 0),
    position smallint NOT NULL CHECK (position >= 0),
    -- What the model named; the codes are unknown where no such tool exists.
    function_name text NOT NULL CHECK (char_length(function_name) <= 1000),
    tool_code text CHECK (char_length(tool_code) <= 64),
    tool_type text CHECK (tool_type = ANY (app.tool_types())),
    status text NOT NULL DEFAULT 'PENDING' CHECK (status IN (
        'PENDING', 'AWAITING_APPROVAL', 'RUNNING', 'SUCCEEDED', 'FAILED', 'REJECTED', 'CANCELLED'
    )),
    input jsonb,
    output jsonb,
    output_text text,
    error_code text CHECK (char_length(error_code) <= 100),
    error_message text,
    attempts smallint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    execution_time_ms integer CHECK (execution_time_ms >= 0),
    sql_query text,
    rag_metadata jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (turn_id, tool_call_id)
);
CREATE INDEX agent_tool_execution_conversation_idx ON agent_tool_execution (conversation_id);
CREATE INDEX agent_tool_execution_agent_idx ON agent_tool_execution (agent_id, created_at DESC);
CREATE INDEX agent_tool_execution_company_idx ON agent_tool_execution (company_id);
CREATE INDEX agent_tool_execution_user_idx ON agent_tool_execution (user_id);
CREATE INDEX agent_tool_execution_open_idx ON agent_tool_execution (created_at)
    WHERE status IN ('PENDING', 'RUNNING');
CREATE TRIGGER touch BEFORE UPDATE ON agent_tool_execution FOR EACH ROW EXECUTE FUNCTION app.touch();

-- Policies --------------------------------------------------------------------------------------------------

ALTER TABLE agent_tool_definition ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_tool_definition FORCE ROW LEVEL SECURITY;
ALTER TABLE agent_tool_overlay ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_tool_overlay FORCE ROW LEVEL SECURITY;
ALTER TABLE agent_tool_execution ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_tool_execution FORCE ROW LEVEL SECURITY;

-- Definitions hold nothing of any tenant: every caller reads them, and the deploy's seeding writes them.
CREATE POLICY everyone_reads ON agent_tool_definition FOR SELECT TO rolecall_app USING (true);
GRANT SELECT ON agent_tool_definition TO rolecall_app;
CREATE POLICY seed ON agent_tool_definition TO rolecall_seed USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON agent_tool_definition TO rolecall_seed;

CREATE POLICY members_read ON agent_tool_overlay FOR SELECT TO rolecall_app
    USING (company_id = (SELECT app.company_id()));
CREATE POLICY leaders_make ON agent_tool_overlay FOR INSERT TO rolecall_app WITH CHECK (
    company_id = (SELECT app.company_id()) AND (SELECT app.leads_company())
    AND updated_by_id = (SELECT app.user_id())
);
CREATE POLICY leaders_change ON agent_tool_overlay FOR UPDATE TO rolecall_app
    USING (company_id = (SELECT app.company_id()) AND (SELECT app.leads_company()))
    WITH CHECK (company_id = (SELECT app.company_id()) AND updated_by_id = (SELECT app.user_id()));
CREATE POLICY leaders_delete ON agent_tool_overlay FOR DELETE TO rolecall_app
    USING (company_id = (SELECT app.company_id()) AND (SELECT app.leads_company()));
GRANT SELECT, INSERT, DELETE ON agent_tool_overlay TO rolecall_app;
GRANT UPDATE (is_active, name, description, requires_approval, version, updated_by_id) ON agent_tool_overlay
TO rolecall_app;

CREATE POLICY own_reads ON agent_tool_execution FOR SELECT TO rolecall_app USING (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
);
CREATE POLICY own_writes ON agent_tool_execution FOR INSERT TO rolecall_app WITH CHECK (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND EXISTS (SELECT FROM agent a WHERE a.id = agent_id)
    AND (conversation_id IS NULL OR EXISTS (SELECT FROM agent_conversation c WHERE c.id = conversation_id))
);
CREATE POLICY own_changes ON agent_tool_execution FOR UPDATE TO rolecall_app USING (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
);
GRANT SELECT, INSERT ON agent_tool_execution TO rolecall_app;
GRANT UPDATE (
    status, input, output, output_text, error_code, error_message, attempts, execution_time_ms, sql_query,
    rag_metadata, started_at, finished_at
) ON agent_tool_execution TO rolecall_app;

GRANT SELECT (
    id, turn_id, tool_call_id, conversation_id, agent_id, company_id, user_id, hop, status, attempts, created_at,
    started_at, updated_at
) ON agent_tool_execution TO rolecall_janitor;
GRANT UPDATE (status, error_code, error_message, finished_at) ON agent_tool_execution TO rolecall_janitor;
CREATE POLICY janitor_reads ON agent_tool_execution FOR SELECT TO rolecall_janitor
    USING (status NOT IN ('SUCCEEDED', 'REJECTED'));
CREATE POLICY janitor_ends ON agent_tool_execution FOR UPDATE TO rolecall_janitor
    USING (status IN ('PENDING', 'RUNNING', 'AWAITING_APPROVAL')) WITH CHECK (status IN ('FAILED', 'CANCELLED'));
