-- Who is who: companies, people, their roles, and the functions that every policy asks for the caller.
--
-- A unit of work names its caller by set_config('app.user_id' | 'app.company_id', …, true). Afterwards the
-- setting is '' and not NULL, hence NULLIF. Policies call the functions as (SELECT app.user_id()), so that
-- each runs once a statement and not once a row.

CREATE SCHEMA app;
GRANT USAGE ON SCHEMA app TO rolecall_app, rolecall_seed, rolecall_janitor, rolecall_ingest, rolecall_accounts;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

CREATE FUNCTION app.touch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END
$$;

CREATE TABLE app_user (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    email text NOT NULL CHECK (char_length(email) <= 320 AND email ~ '^[^@\s]+@[^@\s]+$'),
    first_name text CHECK (char_length(first_name) <= 100),
    last_name text CHECK (char_length(last_name) <= 100),
    phone text CHECK (char_length(phone) <= 50),
    title text CHECK (char_length(title) <= 200),
    location text CHECK (char_length(location) <= 200),
    biography text CHECK (char_length(biography) <= 5000),
    linkedin_url text CHECK (char_length(linkedin_url) <= 500),
    portfolio_url text CHECK (char_length(portfolio_url) <= 500),
    is_super_admin boolean NOT NULL DEFAULT false,
    locale text NOT NULL DEFAULT 'en' CHECK (char_length(locale) <= 20),
    timezone text CHECK (char_length(timezone) <= 100),
    active_cv_id uuid,
    email_verified_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX app_user_email_key ON app_user (lower(email));

CREATE FUNCTION app.unverify_new_email() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.email_verified_at := NULL;
    RETURN NEW;
END
$$;
CREATE TRIGGER touch BEFORE UPDATE ON app_user FOR EACH ROW EXECUTE FUNCTION app.touch();
CREATE TRIGGER unverify_new_email BEFORE UPDATE OF email ON app_user
    FOR EACH ROW WHEN (lower(OLD.email) <> lower(NEW.email)) EXECUTE FUNCTION app.unverify_new_email();

-- What only the company itself sees. The public fields are company_profile's.
CREATE TABLE company (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    billing_owner_id uuid REFERENCES app_user ON DELETE SET NULL,
    settings jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(settings) = 'object'),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX company_billing_owner_idx ON company (billing_owner_id);
CREATE TRIGGER touch BEFORE UPDATE ON company FOR EACH ROW EXECUTE FUNCTION app.touch();

CREATE TABLE company_profile (
    company_id uuid PRIMARY KEY REFERENCES company ON DELETE CASCADE,
    name text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    website text CHECK (char_length(website) <= 500),
    description text CHECK (char_length(description) <= 10000),
    industry text CHECK (char_length(industry) <= 200),
    size text CHECK (char_length(size) <= 50),
    location text CHECK (char_length(location) <= 200),
    logo_url text CHECK (char_length(logo_url) <= 1000),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER touch BEFORE UPDATE ON company_profile FOR EACH ROW EXECUTE FUNCTION app.touch();

CREATE TABLE user_company_role (
    user_id uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    company_id uuid NOT NULL REFERENCES company ON DELETE CASCADE,
    role text NOT NULL CHECK (role IN ('OWNER', 'ADMIN', 'RECRUITER', 'HIRING_MANAGER', 'MEMBER')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, company_id)
);
CREATE INDEX user_company_role_company_idx ON user_company_role (company_id, user_id);
CREATE TRIGGER touch BEFORE UPDATE ON user_company_role FOR EACH ROW EXECUTE FUNCTION app.touch();

CREATE TABLE subscription (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    company_id uuid UNIQUE REFERENCES company ON DELETE CASCADE,
    user_id uuid UNIQUE REFERENCES app_user ON DELETE CASCADE,
    plan text NOT NULL DEFAULT 'FREE' CHECK (plan IN ('FREE', 'PRO', 'ENTERPRISE')),
    billing_mode text NOT NULL DEFAULT 'PREPAID' CHECK (billing_mode IN ('PREPAID', 'POSTPAID')),
    status text NOT NULL DEFAULT 'ACTIVE'
        CHECK (status IN ('ACTIVE', 'TRIALING', 'PAST_DUE', 'PAUSED', 'CANCELLED', 'INACTIVE')),
    credits_per_month integer NOT NULL DEFAULT 0 CHECK (credits_per_month >= 0),
    price numeric(12, 2) NOT NULL DEFAULT 0 CHECK (price >= 0),
    currency text NOT NULL DEFAULT 'USD' CHECK (currency ~ '^[A-Z]{3}$'),
    interval text NOT NULL DEFAULT 'MONTH' CHECK (interval IN ('MONTH', 'YEAR')),
    trial_end timestamptz,
    end_date timestamptz,
    -- One credit is one US cent.
    credit_balance numeric(16, 4) NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT subscription_one_owner CHECK ((company_id IS NULL) <> (user_id IS NULL))
);
CREATE TRIGGER touch BEFORE UPDATE ON subscription FOR EACH ROW EXECUTE FUNCTION app.touch();

-- The caller ------------------------------------------------------------------------------------------------

CREATE FUNCTION app.claimed_user() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.user_id', true), '')::uuid;

CREATE FUNCTION app.claimed_company() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN nullif(current_setting('app.company_id', true), '')::uuid;

-- The caller's role in the company that they claim to act for; NULL where they have none (left, or forged).
-- Runs as the owner, whose policy below lets it look at memberships and at nothing else.
CREATE FUNCTION app.company_role() RETURNS text LANGUAGE sql STABLE PARALLEL SAFE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT m.role FROM public.user_company_role m
    WHERE m.user_id = app.claimed_user() AND m.company_id = app.claimed_company();
END;

-- The company that the caller acts for, if they may.
CREATE FUNCTION app.company_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN app.company_role() IS NOT NULL THEN app.claimed_company() END;

-- The caller. A false company claim makes them nobody: it must not turn a recruiter into a job seeker either.
CREATE FUNCTION app.user_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
RETURN CASE WHEN app.claimed_company() IS NULL OR app.company_role() IS NOT NULL THEN app.claimed_user() END;

-- Whether the caller decides for the company that they act for.
CREATE FUNCTION app.leads_company() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN coalesce(app.company_role() IN ('OWNER', 'ADMIN'), false);

-- Every company of the caller, the acting one or not: to show its name and to switch to it.
CREATE FUNCTION app.own_companies() RETURNS uuid[] LANGUAGE sql STABLE PARALLEL SAFE
SECURITY DEFINER SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT coalesce(array_agg(m.company_id), '{}') FROM public.user_company_role m
    WHERE m.user_id = app.user_id();
END;

GRANT EXECUTE ON FUNCTION
    app.claimed_user(), app.claimed_company(), app.company_role(), app.company_id(), app.user_id(),
    app.leads_company(), app.own_companies()
TO rolecall_app;

-- Policies --------------------------------------------------------------------------------------------------

ALTER TABLE app_user ENABLE ROW LEVEL SECURITY;
ALTER TABLE app_user FORCE ROW LEVEL SECURITY;
ALTER TABLE company ENABLE ROW LEVEL SECURITY;
ALTER TABLE company FORCE ROW LEVEL SECURITY;
ALTER TABLE company_profile ENABLE ROW LEVEL SECURITY;
ALTER TABLE company_profile FORCE ROW LEVEL SECURITY;
ALTER TABLE user_company_role ENABLE ROW LEVEL SECURITY;
ALTER TABLE user_company_role FORCE ROW LEVEL SECURITY;
ALTER TABLE subscription ENABLE ROW LEVEL SECURITY;
ALTER TABLE subscription FORCE ROW LEVEL SECURITY;

CREATE POLICY membership_check ON user_company_role FOR SELECT TO rolecall_owner USING (true);

-- People make, and leave, through rolecall_accounts (sign-up, invitations, demo); it sees nothing of agents.
GRANT SELECT, INSERT, UPDATE, DELETE ON app_user, company, company_profile, user_company_role, subscription
TO rolecall_accounts;
CREATE POLICY accounts ON app_user TO rolecall_accounts USING (true) WITH CHECK (true);
CREATE POLICY accounts ON company TO rolecall_accounts USING (true) WITH CHECK (true);
CREATE POLICY accounts ON company_profile TO rolecall_accounts USING (true) WITH CHECK (true);
CREATE POLICY accounts ON user_company_role TO rolecall_accounts USING (true) WITH CHECK (true);
CREATE POLICY accounts ON subscription TO rolecall_accounts USING (true) WITH CHECK (true);

GRANT SELECT ON app_user, company, company_profile, user_company_role, subscription TO rolecall_app;

CREATE POLICY own_roles_and_mates ON user_company_role FOR SELECT TO rolecall_app
    USING (user_id = (SELECT app.user_id()) OR company_id = (SELECT app.company_id()));

CREATE POLICY oneself ON app_user FOR SELECT TO rolecall_app USING (id = (SELECT app.user_id()));
CREATE POLICY role_mates ON app_user FOR SELECT TO rolecall_app
    USING (id IN (SELECT m.user_id FROM user_company_role m WHERE m.company_id = (SELECT app.company_id())));
CREATE POLICY change_oneself ON app_user FOR UPDATE TO rolecall_app USING (id = (SELECT app.user_id()));
GRANT UPDATE (
    email, first_name, last_name, phone, title, location, biography, linkedin_url, portfolio_url, locale, timezone
) ON app_user TO rolecall_app;

CREATE POLICY members ON company FOR SELECT TO rolecall_app USING (id = (SELECT app.company_id()));
CREATE POLICY leaders_change ON company FOR UPDATE TO rolecall_app
    USING (id = (SELECT app.company_id()) AND (SELECT app.leads_company()));
GRANT UPDATE (settings) ON company TO rolecall_app;

CREATE POLICY own_companies ON company_profile FOR SELECT TO rolecall_app
    USING (company_id = ANY ((SELECT app.own_companies())::uuid[]));
CREATE POLICY leaders_change ON company_profile FOR UPDATE TO rolecall_app
    USING (company_id = (SELECT app.company_id()) AND (SELECT app.leads_company()));
GRANT UPDATE (name, website, description, industry, size, location, logo_url) ON company_profile TO rolecall_app;

CREATE POLICY acting_owner ON subscription FOR SELECT TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (user_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
