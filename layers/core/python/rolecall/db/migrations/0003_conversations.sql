-- Conversations and their messages: private to one person within the company (or none) they act for.

CREATE TABLE agent_conversation (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    company_id uuid REFERENCES company ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    agent_id uuid NOT NULL REFERENCES agent ON DELETE CASCADE,
    title text CHECK (char_length(title) <= 200),
    status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'ARCHIVED', 'DELETED')),
    task_code text CHECK (char_length(task_code) <= 200),
    origin text NOT NULL DEFAULT 'user' CHECK (origin IN ('user', 'heartbeat', 'channel', 'action')),
    context_summary text,
    -- The position of the last message that the summary covers.
    summarized_until bigint,
    message_count integer NOT NULL DEFAULT 0 CHECK (message_count >= 0),
    total_input_tokens bigint NOT NULL DEFAULT 0 CHECK (total_input_tokens >= 0),
    total_output_tokens bigint NOT NULL DEFAULT 0 CHECK (total_output_tokens >= 0),
    feedback_rating smallint CHECK (feedback_rating BETWEEN 1 AND 5),
    feedback_comment text CHECK (char_length(feedback_comment) <= 5000),
    last_message_at timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX agent_conversation_newest_idx ON agent_conversation (user_id, last_message_at DESC, id DESC);
CREATE INDEX agent_conversation_agent_idx ON agent_conversation (agent_id);
CREATE INDEX agent_conversation_company_idx ON agent_conversation (company_id);
CREATE TRIGGER touch BEFORE UPDATE ON agent_conversation FOR EACH ROW EXECUTE FUNCTION app.touch();

CREATE TABLE agent_message (
    -- A turn's id is the id of the ASSISTANT row that it writes.
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- The order of a conversation; times may be equal.
    position bigint GENERATED ALWAYS AS IDENTITY,
    conversation_id uuid NOT NULL REFERENCES agent_conversation ON DELETE CASCADE,
    company_id uuid REFERENCES company ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    agent_id uuid NOT NULL,
    role text NOT NULL CHECK (role IN ('USER', 'ASSISTANT', 'SYSTEM', 'TOOL')),
    status text NOT NULL DEFAULT 'COMPLETED'
        CHECK (status IN ('STREAMING', 'AWAITING_APPROVAL', 'COMPLETED', 'FAILED')),
    origin text NOT NULL DEFAULT 'user' CHECK (origin IN ('user', 'heartbeat', 'channel', 'action')),
    content text NOT NULL DEFAULT '',
    content_segments jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(content_segments) = 'array'),
    tool_calls jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(tool_calls) = 'array'),
    tool_call_id text CHECK (char_length(tool_call_id) <= 200),
    -- A TOOL row's ASSISTANT row; an ASSISTANT row's USER row.
    parent_message_id uuid,
    sources jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(sources) = 'array'),
    rag_context jsonb,
    page_context jsonb,
    model text CHECK (char_length(model) <= 300),
    stop_reason text CHECK (char_length(stop_reason) <= 100),
    error_code text CHECK (char_length(error_code) <= 100),
    error_message text,
    input_tokens integer NOT NULL DEFAULT 0 CHECK (input_tokens >= 0),
    output_tokens integer NOT NULL DEFAULT 0 CHECK (output_tokens >= 0),
    cached_tokens integer NOT NULL DEFAULT 0 CHECK (cached_tokens >= 0),
    total_time_ms integer CHECK (total_time_ms >= 0),
    last_seq integer NOT NULL DEFAULT 0 CHECK (last_seq >= 0),
    feedback_rating smallint CHECK (feedback_rating BETWEEN 1 AND 5),
    feedback_comment text CHECK (char_length(feedback_comment) <= 5000),
    feedback_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    completed_at timestamptz,
    UNIQUE (conversation_id, id),
    FOREIGN KEY (conversation_id, parent_message_id) REFERENCES agent_message (conversation_id, id)
        ON DELETE CASCADE,
    -- Only TOOL rows have a call's id, one for each call.
    UNIQUE (parent_message_id, tool_call_id),
    CONSTRAINT agent_message_tool_row CHECK ((role = 'TOOL') = (tool_call_id IS NOT NULL)),
    CONSTRAINT agent_message_tool_row_has_a_parent CHECK (role <> 'TOOL' OR parent_message_id IS NOT NULL),
    CONSTRAINT agent_message_open_row CHECK (role = 'ASSISTANT' OR status IN ('COMPLETED', 'FAILED')),
    CONSTRAINT agent_message_failure_has_a_code
        CHECK (status <> 'FAILED' OR role <> 'ASSISTANT' OR error_code IS NOT NULL)
);
CREATE UNIQUE INDEX agent_message_page_idx ON agent_message (conversation_id, position DESC);
CREATE INDEX agent_message_parent_idx ON agent_message (conversation_id, parent_message_id);
CREATE INDEX agent_message_open_idx ON agent_message (created_at) WHERE status = 'STREAMING';
CREATE INDEX agent_message_company_idx ON agent_message (company_id);
CREATE INDEX agent_message_user_idx ON agent_message (user_id);
CREATE TRIGGER touch BEFORE UPDATE ON agent_message FOR EACH ROW EXECUTE FUNCTION app.touch();

CREATE TABLE agent_message_attachment (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    message_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    company_id uuid REFERENCES company ON DELETE CASCADE,
    user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    position smallint NOT NULL DEFAULT 0 CHECK (position BETWEEN 0 AND 4),
    key text NOT NULL CHECK (char_length(key) BETWEEN 1 AND 1024),
    filename text NOT NULL CHECK (char_length(filename) BETWEEN 1 AND 1000),
    mime_type text NOT NULL CHECK (char_length(mime_type) <= 200),
    size_bytes bigint CHECK (size_bytes BETWEEN 0 AND 20971520),
    document_name text CHECK (char_length(document_name) <= 200),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (message_id, position),
    FOREIGN KEY (conversation_id, message_id) REFERENCES agent_message (conversation_id, id) ON DELETE CASCADE
);
CREATE INDEX agent_message_attachment_conversation_idx ON agent_message_attachment (conversation_id);
CREATE INDEX agent_message_attachment_company_idx ON agent_message_attachment (company_id);
CREATE INDEX agent_message_attachment_user_idx ON agent_message_attachment (user_id);

-- Policies --------------------------------------------------------------------------------------------------

ALTER TABLE agent_conversation ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_conversation FORCE ROW LEVEL SECURITY;
ALTER TABLE agent_message ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_message FORCE ROW LEVEL SECURITY;
ALTER TABLE agent_message_attachment ENABLE ROW LEVEL SECURITY;
ALTER TABLE agent_message_attachment FORCE ROW LEVEL SECURITY;

-- Foreign keys look past policies, so the parent's visibility is checked here.
CREATE POLICY own ON agent_conversation TO rolecall_app USING (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
) WITH CHECK (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND EXISTS (SELECT FROM agent a WHERE a.id = agent_id)
);
GRANT SELECT, INSERT, DELETE ON agent_conversation TO rolecall_app;
GRANT UPDATE (
    title, status, task_code, context_summary, summarized_until, message_count, total_input_tokens,
    total_output_tokens, feedback_rating, feedback_comment, last_message_at
) ON agent_conversation TO rolecall_app;

CREATE POLICY own_reads ON agent_message FOR SELECT TO rolecall_app USING (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
);
CREATE POLICY own_writes ON agent_message FOR INSERT TO rolecall_app WITH CHECK (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND EXISTS (SELECT FROM agent_conversation c WHERE c.id = conversation_id AND
        c.agent_id = agent_message.agent_id)
);
CREATE POLICY own_changes ON agent_message FOR UPDATE TO rolecall_app USING (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
);
GRANT SELECT, INSERT ON agent_message TO rolecall_app;
GRANT UPDATE (
    status, content, content_segments, tool_calls, sources, rag_context, page_context, model, stop_reason,
    error_code, error_message, input_tokens, output_tokens, cached_tokens, total_time_ms, last_seq, feedback_rating,
    feedback_comment, feedback_at, completed_at
) ON agent_message TO rolecall_app;

CREATE POLICY own_reads ON agent_message_attachment FOR SELECT TO rolecall_app USING (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
);
CREATE POLICY own_writes ON agent_message_attachment FOR INSERT TO rolecall_app WITH CHECK (
    user_id = (SELECT app.user_id()) AND company_id IS NOT DISTINCT FROM (SELECT app.company_id())
    AND EXISTS (SELECT FROM agent_message m WHERE m.id = message_id AND
        m.conversation_id = agent_message_attachment.conversation_id)
);
GRANT SELECT, INSERT ON agent_message_attachment TO rolecall_app;

-- The janitor ends what nobody works on. It reads no text: only the columns that it judges by.
GRANT SELECT (id, conversation_id, company_id, user_id, agent_id, role, status, created_at, updated_at, last_seq)
ON agent_message TO rolecall_janitor;
GRANT UPDATE (status, error_code, error_message, completed_at) ON agent_message TO rolecall_janitor;
CREATE POLICY janitor_reads ON agent_message FOR SELECT TO rolecall_janitor
    USING (role = 'ASSISTANT' AND status <> 'COMPLETED');
CREATE POLICY janitor_ends ON agent_message FOR UPDATE TO rolecall_janitor
    USING (status = 'STREAMING') WITH CHECK (status = 'FAILED');
