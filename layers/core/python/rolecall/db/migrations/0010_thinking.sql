-- How long an agent's model may think (NULL: as long as the settings say), and what a turn wrote into a prompt cache.

ALTER TABLE agent ADD COLUMN thinking_budget integer CHECK (thinking_budget BETWEEN 0 AND 100000);
GRANT INSERT (thinking_budget), UPDATE (thinking_budget) ON agent TO rolecall_app;

ALTER TABLE agent_message
    ADD COLUMN cache_write_tokens integer NOT NULL DEFAULT 0 CHECK (cache_write_tokens >= 0);
GRANT UPDATE (cache_write_tokens) ON agent_message TO rolecall_app;
