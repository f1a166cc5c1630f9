-- Titles that a model makes, what requests weighed, and tasks that work in steps.

-- Titles that are there may have been given by hand, so they stay.
ALTER TABLE agent_conversation ADD COLUMN title_source text NOT NULL DEFAULT 'user'
    CHECK (title_source IN ('first_line', 'model', 'user'));
ALTER TABLE agent_conversation ALTER COLUMN title_source SET DEFAULT 'first_line';
-- The message_count when a model made the title.
ALTER TABLE agent_conversation ADD COLUMN titled_count integer CHECK (titled_count >= 0);
GRANT UPDATE (title_source, titled_count) ON agent_conversation TO rolecall_app;

-- Input tokens of a turn's requests, cached ones included, as they had been estimated.
ALTER TABLE agent_message ADD COLUMN estimated_tokens integer NOT NULL DEFAULT 0 CHECK (estimated_tokens >= 0);
GRANT UPDATE (estimated_tokens) ON agent_message TO rolecall_app;

-- 'sequential': analyse, then rounds of tools, then synthesise; max_iterations counts all of them.
ALTER TABLE agent_task_config ADD COLUMN mode text NOT NULL DEFAULT 'chat' CHECK (mode IN ('chat', 'sequential'));
ALTER TABLE agent_task_config ADD COLUMN max_iterations smallint NOT NULL DEFAULT 10
    CHECK (max_iterations BETWEEN 2 AND 10);
GRANT UPDATE (mode, max_iterations) ON agent_task_config TO rolecall_app;
