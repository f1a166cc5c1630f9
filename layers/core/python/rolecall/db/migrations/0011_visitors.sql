-- Agents that people without an account may talk to.
--
-- A visitor is nobody: app.user_id() and app.company_id() are NULL, so every other policy refuses. The unit of work
-- says so by set_config('app.visitor', 'on', true).

ALTER TABLE agent ADD COLUMN public boolean NOT NULL DEFAULT false;
CREATE INDEX agent_public_idx ON agent (lower(name)) WHERE public;
GRANT UPDATE (public) ON agent TO rolecall_app;

CREATE FUNCTION app.is_visitor() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(current_setting('app.visitor', true), '') = 'on'
    AND app.claimed_user() IS NULL AND app.claimed_company() IS NULL;
GRANT EXECUTE ON FUNCTION app.is_visitor() TO rolecall_app;

CREATE POLICY visitors_read ON agent FOR SELECT TO rolecall_app
    USING (public AND status = 'ACTIVE' AND (SELECT app.is_visitor()));

-- Opening a company's agent to the world is for those who lead the company.
CREATE FUNCTION app.leaders_publish() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF app.claimed_user() IS NOT NULL AND NEW.company_id IS NOT NULL AND NOT app.leads_company() THEN
        RAISE insufficient_privilege USING MESSAGE = 'only those who lead the company make its agents public';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER leaders_publish BEFORE UPDATE OF public ON agent
    FOR EACH ROW WHEN (OLD.public IS DISTINCT FROM NEW.public) EXECUTE FUNCTION app.leaders_publish();

-- A visitor's turn is counted for whoever made the agent public. Runs as the owner, which sees only what it needs.
CREATE POLICY owner_sees_public ON agent FOR SELECT TO rolecall_owner
    USING (public AND (SELECT app.is_visitor()));
CREATE POLICY owner_counts ON agent_token_usage TO rolecall_owner
    USING ((SELECT app.is_visitor())) WITH CHECK ((SELECT app.is_visitor()));
CREATE FUNCTION app.count_visit(agent_id uuid, input_tokens integer, output_tokens integer, cached_tokens integer)
RETURNS void LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    INSERT INTO public.agent_token_usage AS usage
        (agent_id, company_id, user_id, period, message_count, input_tokens, output_tokens, cached_tokens)
    SELECT a.id, a.company_id, CASE WHEN a.company_id IS NULL THEN a.created_by_id END,
           (now() AT TIME ZONE 'UTC')::date, 1, count_visit.input_tokens, count_visit.output_tokens,
           count_visit.cached_tokens
    FROM public.agent AS a
    WHERE a.id = count_visit.agent_id AND a.public AND app.is_visitor()
    ON CONFLICT (agent_id, period) DO UPDATE
    SET message_count = usage.message_count + 1,
        input_tokens = usage.input_tokens + excluded.input_tokens,
        output_tokens = usage.output_tokens + excluded.output_tokens,
        cached_tokens = usage.cached_tokens + excluded.cached_tokens;
END;
GRANT EXECUTE ON FUNCTION app.count_visit(uuid, integer, integer, integer) TO rolecall_app;
