-- What an agent is, and what overrides it. A company's agent belongs to its members, a person's to that person.

-- The closed list of tool types; columns check against it, so that a new tool changes one function.
CREATE FUNCTION app.tool_types() RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN ARRAY[
    'RAG_SEARCH', 'DATABASE_QUERY', 'TALENT_SEARCH', 'JOB_SEARCH', 'COMPANY_INFO', 'CANDIDATE_SEARCH',
    'PIPELINE_OVERVIEW', 'INTERVIEW_SCHEDULE', 'MEETING_LIST', 'GET_TALENT_CV_DETAILS', 'CV_READ',
    'GET_MATCH_SCORES', 'GET_MEETING_INSIGHT',
    'CREATE_TALENT', 'UPDATE_TALENT', 'UPDATE_CANDIDATE_STATUS', 'EDIT_CANDIDATE', 'ADD_CANDIDATE_TO_JOB',
    'ADD_TALENT_NOTE', 'CONTACT_TALENT', 'EDIT_JOB', 'DUPLICATE_JOB', 'CV_UPDATE',
    'GET_ME', 'GET_MY_STATS', 'GET_MY_SUBSCRIPTION', 'GET_MY_RECENT_ACTIVITY', 'UPDATE_MY_PROFILE',
    'CV_EXTRACTION', 'JOB_PARSING', 'RECOMMEND_TALENTS_FOR_JOB', 'RECOMMEND_JOBS_FOR_TALENT', 'CV_ANALYSIS',
    'GENERATE_JOB_DESCRIPTION', 'COMPARE_CANDIDATES',
    'HIRING_ANALYTICS', 'TALENT_POOL_INSIGHTS', 'SHORTLIST_CANDIDATES',
    'CUSTOM'
];
GRANT EXECUTE ON FUNCTION app.tool_types() TO rolecall_app, rolecall_seed, rolecall_janitor;

CREATE TABLE agent (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    company_id uuid REFERENCES company ON DELETE CASCADE,
    created_by_id uuid REFERENCES app_user ON DELETE CASCADE,
    external_id text CHECK (char_length(external_id) <= 200),
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    description text CHECK (char_length(description) <= 2000),
    type text NOT NULL DEFAULT 'RECRUITMENT_ASSISTANT' CHECK (type IN (
        'RECRUITMENT_ASSISTANT', 'TALENT_SEARCH', 'JOB_MATCHING', 'INTERVIEW_PREP', 'DATA_ANALYST', 'CUSTOM'
    )),
    -- Decides capabilities, and only the server assigns it: the application's role cannot write it.
    kind text NOT NULL DEFAULT 'standard' CHECK (kind ~ '^[a-z_]{1,40}$'),
    is_system boolean NOT NULL DEFAULT false,
    status text NOT NULL DEFAULT 'ACTIVE'
        CHECK (status IN ('ACTIVE', 'DISABLED', 'ARCHIVED', 'MAINTENANCE', 'DEPRECATED')),
    status_before text CHECK (status_before IN ('ACTIVE', 'DISABLED', 'ARCHIVED', 'DEPRECATED')),
    llm_provider text NOT NULL DEFAULT 'bedrock' CHECK (char_length(llm_provider) <= 50),
    llm_model text CHECK (char_length(llm_model) <= 300),
    temperature double precision NOT NULL DEFAULT 0.7 CHECK (temperature BETWEEN 0 AND 2),
    max_tokens integer NOT NULL DEFAULT 4096 CHECK (max_tokens BETWEEN 1 AND 200000),
    -- The persona: AS' systemPrompt, a package's SOUL.md. user_doc, heartbeat and config are the package's
    -- other files; `json` keeps their bytes where jsonb would not.
    system_prompt text CHECK (char_length(system_prompt) <= 100000),
    user_doc text CHECK (char_length(user_doc) <= 100000),
    heartbeat text CHECK (char_length(heartbeat) <= 100000),
    config json NOT NULL DEFAULT '{}',
    rag_enabled boolean NOT NULL DEFAULT false,
    rag_top_k integer NOT NULL DEFAULT 5 CHECK (rag_top_k BETWEEN 1 AND 100),
    rag_min_score double precision NOT NULL DEFAULT 0.15 CHECK (rag_min_score BETWEEN 0 AND 1),
    embedding_model text NOT NULL DEFAULT 'amazon.titan-embed-text-v2:0'
        CHECK (char_length(embedding_model) <= 300),
    embedding_dimension integer NOT NULL DEFAULT 1024 CHECK (embedding_dimension BETWEEN 1 AND 1024),
    enabled_tools text[] NOT NULL DEFAULT '{}' CHECK (enabled_tools <@ app.tool_types()),
    max_context_messages integer NOT NULL DEFAULT 20 CHECK (max_context_messages BETWEEN 1 AND 500),
    max_messages_per_minute integer NOT NULL DEFAULT 20 CHECK (max_messages_per_minute BETWEEN 1 AND 1000),
    max_tokens_per_day bigint NOT NULL DEFAULT 100000 CHECK (max_tokens_per_day >= 0),
    runtime_profile text NOT NULL DEFAULT 'none'
        CHECK (runtime_profile IN ('none', 'light', 'browser', 'heavy', 'warm')),
    prompt_log_enabled boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT agent_name_key UNIQUE NULLS NOT DISTINCT (company_id, created_by_id, name),
    CONSTRAINT agent_has_an_owner CHECK (company_id IS NOT NULL OR created_by_id IS NOT NULL),
    CONSTRAINT agent_maintenance_lifts_back CHECK ((status = 'MAINTENANCE') = (status_before IS NOT NULL))
);
CREATE INDEX agent_created_by_idx ON agent (created_by_id);
CREATE UNIQUE INDEX agent_one_concierge ON agent (company_id) WHERE kind = 'concierge';
CREATE UNIQUE INDEX agent_external_key ON agent (company_id, created_by_id, external_id) NULLS NOT DISTINCT
    WHERE external_id IS NOT NULL;
CREATE TRIGGER touch BEFORE UPDATE ON agent FOR EACH ROW EXECUTE FUNCTION app.touch();

CREATE TABLE agent_task_config (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    agent_id uuid NOT NULL REFERENCES agent ON DELETE CASCADE,
    company_id uuid REFERENCES company ON DELETE CASCADE,
    created_by_id uuid REFERENCES app_user ON DELETE CASCADE,
    task_code text NOT NULL CHECK (char_length(task_code) BETWEEN 1 AND 200),
    name text CHECK (char_length(name) <= 200),
    description text CHECK (char_length(description) <= 2000),
    -- NULL: the agent's own value holds.
    system_prompt text CHECK (char_length(system_prompt) <= 100000),
    llm_model text CHECK (char_length(llm_model) <= 300),
    temperature double precision CHECK (temperature BETWEEN 0 AND 2),
    max_tokens integer CHECK (max_tokens BETWEEN 1 AND 200000),
    rag_enabled boolean,
    rag_top_k integer CHECK (rag_top_k BETWEEN 1 AND 100),
    rag_min_score double precision CHECK (rag_min_score BETWEEN 0 AND 1),
    rag_document_tags text[] NOT NULL DEFAULT '{}',
    enabled_tools text[] CHECK (enabled_tools <@ app.tool_types()),
    few_shot_examples jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(few_shot_examples) = 'array'),
    output_format text CHECK (char_length(output_format) <= 10000),
    output_schema jsonb CHECK (jsonb_typeof(output_schema) = 'object'),
    max_response_length integer CHECK (max_response_length > 0),
    required_fields text[] NOT NULL DEFAULT '{}',
    forbidden_topics text[] NOT NULL DEFAULT '{}',
    is_active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (agent_id, task_code)
);
CREATE INDEX agent_task_config_company_idx ON agent_task_config (company_id);
CREATE INDEX agent_task_config_created_by_idx ON agent_task_config (created_by_id);
CREATE TRIGGER touch BEFORE UPDATE ON agent_task_config FOR EACH ROW EXECUTE FUNCTION app.touch();

CREATE TABLE agent_database_config (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    agent_id uuid NOT NULL UNIQUE REFERENCES agent ON DELETE CASCADE,
    company_id uuid REFERENCES company ON DELETE CASCADE,
    created_by_id uuid REFERENCES app_user ON DELETE CASCADE,
    access_level text NOT NULL DEFAULT 'READ_ONLY' CHECK (access_level IN ('NONE', 'READ_ONLY', 'READ_WRITE')),
    allowed_tables text[] NOT NULL DEFAULT '{}',
    denied_tables text[] NOT NULL DEFAULT '{}',
    max_rows_per_query integer NOT NULL DEFAULT 100 CHECK (max_rows_per_query BETWEEN 1 AND 500),
    query_timeout_ms integer NOT NULL DEFAULT 5000 CHECK (query_timeout_ms BETWEEN 1 AND 30000),
    allow_joins boolean NOT NULL DEFAULT true,
    allow_aggregations boolean NOT NULL DEFAULT true,
    allow_subqueries boolean NOT NULL DEFAULT false,
    table_permissions jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(table_permissions) = 'object'),
    column_restrictions jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(column_restrictions) = 'object'),
    mask_pii boolean NOT NULL DEFAULT true,
    hide_salary_data boolean NOT NULL DEFAULT true,
    hide_personal_notes boolean NOT NULL DEFAULT true,
    query_templates jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(query_templates) = 'array'),
    log_all_queries boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX agent_database_config_company_idx ON agent_database_config (company_id);
CREATE INDEX agent_database_config_created_by_idx ON agent_database_config (created_by_id);
CREATE TRIGGER touch BEFORE UPDATE ON agent_database_config FOR EACH ROW EXECUTE FUNCTION app.touch();

-- Policies --------------------------------------------------------------------------------------------------

ALTER TABLE agent ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent FORCE ROW LEVEL SECURITY;
ALTER TABLE agent_task_config ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_task_config FORCE ROW LEVEL SECURITY;
ALTER TABLE agent_database_config ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_database_config FORCE ROW LEVEL SECURITY;

CREATE POLICY scope_reads ON agent FOR SELECT TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
-- A system agent of a company has no creator; any other row is made in the maker's own name.
CREATE POLICY scope_makes ON agent FOR INSERT TO rolecall_app WITH CHECK (
    company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND (created_by_id = (SELECT app.user_id()) OR (created_by_id IS NULL AND is_system))
    AND (SELECT app.user_id()) IS NOT NULL
    AND status <> 'MAINTENANCE'
);
-- MAINTENANCE is an operator's.
CREATE POLICY scope_changes ON agent FOR UPDATE TO rolecall_app USING (
    (
        company_id = (SELECT app.company_id())
        OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
    )
    AND status <> 'MAINTENANCE'
);
CREATE POLICY maker_or_leader_deletes ON agent FOR DELETE TO rolecall_app USING (
    company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND (created_by_id = (SELECT app.user_id()) OR (SELECT app.leads_company()))
    AND NOT is_system
    AND kind = 'standard'
);
GRANT SELECT, DELETE ON agent TO rolecall_app;
GRANT INSERT (
    id, company_id, created_by_id, external_id, name, description, type, is_system, status, llm_provider, llm_model,
    temperature, max_tokens, system_prompt, user_doc, heartbeat, config, rag_enabled, rag_top_k, rag_min_score,
    embedding_model, embedding_dimension, enabled_tools, max_context_messages, max_messages_per_minute,
    max_tokens_per_day, runtime_profile, prompt_log_enabled
) ON agent TO rolecall_app;
GRANT UPDATE (
    external_id, name, description, type, status, llm_provider, llm_model, temperature, max_tokens, system_prompt,
    user_doc, heartbeat, config, rag_enabled, rag_top_k, rag_min_score, embedding_model, embedding_dimension,
    enabled_tools, max_context_messages, max_messages_per_minute, max_tokens_per_day, runtime_profile,
    prompt_log_enabled
) ON agent TO rolecall_app;

CREATE POLICY scope_reads ON agent_task_config FOR SELECT TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
-- A child's tenant keys must be those of an agent that the caller sees.
CREATE POLICY scope_makes ON agent_task_config FOR INSERT TO rolecall_app WITH CHECK (
    company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND created_by_id = (SELECT app.user_id())
    AND EXISTS (SELECT FROM agent a WHERE a.id = agent_id AND a.company_id IS NOT DISTINCT FROM
        agent_task_config.company_id)
);
CREATE POLICY scope_changes ON agent_task_config FOR UPDATE TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
CREATE POLICY scope_deletes ON agent_task_config FOR DELETE TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
GRANT SELECT, INSERT, DELETE ON agent_task_config TO rolecall_app;
GRANT UPDATE (
    name, description, system_prompt, llm_model, temperature, max_tokens, rag_enabled, rag_top_k, rag_min_score,
    rag_document_tags, enabled_tools, few_shot_examples, output_format, output_schema, max_response_length,
    required_fields, forbidden_topics, is_active
) ON agent_task_config TO rolecall_app;

-- Opening the database to an agent is for those who lead the company, or for the person whose agent it is.
CREATE POLICY scope_reads ON agent_database_config FOR SELECT TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
CREATE POLICY leader_makes ON agent_database_config FOR INSERT TO rolecall_app WITH CHECK (
    company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND created_by_id = (SELECT app.user_id())
    AND (company_id IS NULL OR (SELECT app.leads_company()))
    AND EXISTS (SELECT FROM agent a WHERE a.id = agent_id AND a.company_id IS NOT DISTINCT FROM
        agent_database_config.company_id)
);
CREATE POLICY leader_changes ON agent_database_config FOR UPDATE TO rolecall_app USING (
    (company_id = (SELECT app.company_id()) AND (SELECT app.leads_company()))
    OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
CREATE POLICY leader_deletes ON agent_database_config FOR DELETE TO rolecall_app USING (
    (company_id = (SELECT app.company_id()) AND (SELECT app.leads_company()))
    OR (company_id IS NULL AND created_by_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
GRANT SELECT, INSERT, DELETE ON agent_database_config TO rolecall_app;
GRANT UPDATE (
    access_level, allowed_tables, denied_tables, max_rows_per_query, query_timeout_ms, allow_joins,
    allow_aggregations, allow_subqueries, table_permissions, column_restrictions, mask_pii, hide_salary_data,
    hide_personal_notes, query_templates, log_all_queries
) ON agent_database_config TO rolecall_app;
