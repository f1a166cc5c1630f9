-- Keys of model providers, sealed by the application: the database never has a plain one. And an agent's small model.

ALTER TABLE agent ADD COLUMN small_llm_model text CHECK (char_length(small_llm_model) <= 300);
GRANT INSERT (small_llm_model), UPDATE (small_llm_model) ON agent TO rolecall_app;

CREATE TABLE model_credential (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    company_id uuid REFERENCES company ON DELETE CASCADE,
    -- The person whose key it is; NULL where it is a company's.
    user_id uuid REFERENCES app_user ON DELETE CASCADE,
    provider text NOT NULL CHECK (provider ~ '^[a-z][a-z0-9-]{0,39}$'),
    -- AES-256-GCM, tag included, bound to owner, provider and address. NULL: a server that asks for no key.
    ciphertext bytea CHECK (octet_length(ciphertext) BETWEEN 17 AND 8192),
    nonce bytea CHECK (octet_length(nonce) = 12),
    -- Which master key opens it.
    key_version text CHECK (char_length(key_version) BETWEEN 1 AND 40),
    base_url text CHECK (char_length(base_url) <= 500),
    -- The key's last characters, to tell keys apart.
    hint text NOT NULL DEFAULT '' CHECK (char_length(hint) <= 4),
    updated_by uuid REFERENCES app_user ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT model_credential_key UNIQUE NULLS NOT DISTINCT (company_id, user_id, provider),
    CONSTRAINT model_credential_one_owner CHECK ((company_id IS NULL) <> (user_id IS NULL)),
    CONSTRAINT model_credential_whole CHECK (
        (ciphertext IS NULL) = (nonce IS NULL) AND (ciphertext IS NULL) = (key_version IS NULL)
    ),
    CONSTRAINT model_credential_says_something CHECK (ciphertext IS NOT NULL OR base_url IS NOT NULL)
);
CREATE INDEX model_credential_user_idx ON model_credential (user_id);
CREATE INDEX model_credential_updated_by_idx ON model_credential (updated_by);

ALTER TABLE model_credential ENABLE ROW LEVEL SECURITY;
ALTER TABLE model_credential FORCE ROW LEVEL SECURITY;

-- A member's turn uses the company's key, so members read it, sealed; those who lead the company change it.
CREATE POLICY scope_reads ON model_credential FOR SELECT TO rolecall_app USING (
    company_id = (SELECT app.company_id())
    OR (user_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
CREATE POLICY leaders_make ON model_credential FOR INSERT TO rolecall_app WITH CHECK (
    (
        (company_id = (SELECT app.company_id()) AND (SELECT app.leads_company()))
        OR (user_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
    )
    AND updated_by = (SELECT app.user_id())
);
CREATE POLICY leaders_change ON model_credential FOR UPDATE TO rolecall_app USING (
    (company_id = (SELECT app.company_id()) AND (SELECT app.leads_company()))
    OR (user_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
CREATE POLICY leaders_delete ON model_credential FOR DELETE TO rolecall_app USING (
    (company_id = (SELECT app.company_id()) AND (SELECT app.leads_company()))
    OR (user_id = (SELECT app.user_id()) AND (SELECT app.company_id()) IS NULL)
);
GRANT SELECT, DELETE ON model_credential TO rolecall_app;
GRANT INSERT (
    company_id, user_id, provider, ciphertext, nonce, key_version, base_url, hint, updated_by
) ON model_credential TO rolecall_app;
GRANT UPDATE (ciphertext, nonce, key_version, base_url, hint, updated_by, updated_at) ON model_credential
TO rolecall_app;
