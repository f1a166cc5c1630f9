"""Whose key a model is called with: stored rows, the environment behind them, and a master key that changes."""

import logging
import threading

import pytest
from pydantic import SecretStr

from rolecall.errors import RolecallError
from rolecall.llm.credentials import Credentials, sealed_for
from rolecall.llm.vault import store
from rolecall.settings import Settings
from tests.fakes import builders as build

OLD, NEW = "o" * 40, "n" * 40
BEFORE = Settings(credential_keys=SecretStr(f"v1:{OLD}"), allow_private_model_urls=True)
AFTER = BEFORE.model_copy(update={"credential_keys": SecretStr(f"v2:{NEW},v1:{OLD}")})
LOST = BEFORE.model_copy(update={"credential_keys": SecretStr(f"v2:{NEW}")})
ELSEWHERE = {"openai_api_key": SecretStr("sk-environment"), "openai_base_url": None}


@pytest.fixture
def ann(admin):
    return build.a_user(admin, company=build.a_company(admin, name="Acme"), role="OWNER")


def put(db, caller, key="sk-stored", provider="openai", base_url=None, settings=BEFORE):
    sealed = sealed_for(caller, provider, base_url, key, settings)
    with db.transaction(caller) as conn:
        return store.write(conn, caller, provider=provider, sealed=sealed, base_url=base_url, hint=key[-4:])


def credentials(db, caller, settings=BEFORE):
    with db.transaction(caller) as conn:
        return Credentials(caller, settings, store.ask(conn, caller).get())


def key(db, caller, settings=BEFORE, provider="openai"):
    access = credentials(db, caller, settings).access_for(provider)
    return access.api_key.get_secret_value() if access.api_key else None


def with_environment(settings):
    return settings.model_copy(update=ELSEWHERE)


def test_a_stored_key_wins_over_the_environments_which_is_used_without_one(db, ann):
    assert key(db, ann, with_environment(BEFORE)) == "sk-environment"
    put(db, ann)
    assert key(db, ann, with_environment(BEFORE)) == "sk-stored"


def test_a_key_that_is_changed_is_the_next_callers(db, ann):
    put(db, ann, "sk-one")
    assert key(db, ann) == "sk-one"
    put(db, ann, "sk-two")
    assert key(db, ann) == "sk-two"


def test_without_any_key_the_error_says_which_is_missing_and_where_it_goes(db, ann):
    with pytest.raises(RolecallError, match="no key for Anthropic") as caught:
        key(db, ann, provider="anthropic")
    assert "ANTHROPIC_API_KEY" in caught.value.recovery_hint


def test_bedrock_and_a_server_of_ones_own_need_none(db, ann):
    assert key(db, ann, provider="bedrock") is None
    assert key(db, ann, provider="ollama") is None


def test_the_environments_key_is_never_sent_to_an_address_that_a_tenant_gave(db, ann):
    with db.transaction(ann) as conn:
        store.write(conn, ann, provider="openai", sealed=None, base_url="http://tenant.example/v1", hint="")
    access = credentials(db, ann, with_environment(BEFORE)).access_for("openai")
    assert (access.api_key, access.base_url) == (None, "http://tenant.example/v1")


def test_an_address_that_is_not_allowed_here_stops_the_call(db, ann):
    put(db, ann, base_url="http://127.0.0.1:1/v1")
    strict = with_environment(BEFORE).model_copy(update={"allow_private_model_urls": False})
    with pytest.raises(RolecallError, match="stored for OpenAI has to begin with https"):
        key(db, ann, strict)


@pytest.mark.parametrize("settings", [LOST, Settings(), BEFORE.model_copy(update={"credential_keys": SecretStr("x")})])
def test_a_key_that_does_not_open_degrades_to_the_environments_with_a_warning(db, ann, settings, caplog):
    put(db, ann)
    with caplog.at_level(logging.WARNING):
        assert key(db, ann, with_environment(settings)) == "sk-environment"
    with pytest.raises(RolecallError, match="stored key of OpenAI cannot be opened"):
        key(db, ann, settings)


def test_a_row_that_was_tampered_with_does_not_open(db, ann, admin):
    put(db, ann, base_url="http://one.example")
    admin.execute("UPDATE model_credential SET base_url = 'http://thief.example'")
    with pytest.raises(RolecallError, match="cannot be opened"):
        key(db, ann)


def test_a_row_of_another_company_does_not_open_even_if_it_is_read(db, ann, admin):
    rex = build.a_user(admin, company=build.a_company(admin, name="Rival"), role="OWNER")
    stolen = put(db, rex)
    with pytest.raises(RolecallError, match="cannot be opened"):
        Credentials(ann, BEFORE, [stolen]).access_for("openai")


def test_two_tenants_never_see_each_others_keys(db, ann, admin):
    rex = build.a_user(admin, company=build.a_company(admin, name="Rival"), role="OWNER")
    callers = [ann, rex, ann.as_job_seeker(), build.a_user(admin)]
    for at, caller in enumerate(callers):
        put(db, caller, f"sk-{at}")
    assert [key(db, caller) for caller in callers] == ["sk-0", "sk-1", "sk-2", "sk-3"]


def versions(admin):
    return [version for (version,) in admin.execute("SELECT key_version FROM model_credential").fetchall()]


def test_a_key_is_sealed_anew_when_it_is_used_after_the_master_key_changed(db, ann, admin):
    put(db, ann)
    used = credentials(db, ann, AFTER)
    assert used.access_for("openai").api_key
    with db.transaction(ann) as conn:
        used.reseal(conn)
    assert versions(admin) == ["v2"]
    assert key(db, ann, LOST) == "sk-stored", "the old master key may go now"


def test_a_member_uses_a_key_under_the_old_master_key_and_changes_nothing(db, ann, admin):
    ben = build.a_user(admin, company=ann.company_id, role="MEMBER")
    put(db, ann)
    used = credentials(db, ben, AFTER)
    assert used.access_for("openai").api_key
    with db.transaction(ben) as conn:
        used.reseal(conn)
    assert versions(admin) == ["v1"]


def test_sealing_anew_takes_nothing_back_that_was_stored_meanwhile(db, ann):
    put(db, ann, "sk-one")
    used = credentials(db, ann, AFTER)
    used.access_for("openai")
    put(db, ann, "sk-two", settings=AFTER)
    with db.transaction(ann) as conn:
        used.reseal(conn)
    assert key(db, ann, AFTER) == "sk-two"


def test_sealing_anew_waits_for_nobody(db, ann, postgres):
    from rolecall.db import Database

    put(db, ann)
    used = credentials(db, ann, AFTER)
    used.access_for("openai")
    other = Database(postgres.url("app"), wait_seconds=5)
    with other.transaction(ann) as holding:
        holding.execute("SELECT id FROM model_credential FOR UPDATE")
        with db.transaction(ann) as conn:
            conn.execute("SET LOCAL lock_timeout TO 1000")
            used.reseal(conn)
    other.close()
    assert key(db, ann, AFTER) == "sk-stored"


def test_of_many_that_store_a_key_at_once_one_whole_one_stays(db, ann, postgres, admin):
    from rolecall.db import Database

    def one(at):
        own = Database(postgres.url("app"), wait_seconds=5)
        put(own, ann, f"sk-{at}-{at}", base_url=f"http://server-{at}.example")
        own.close()

    threads = [threading.Thread(target=one, args=(at,)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (row,) = credentials(db, ann).stored
    access = credentials(db, ann).access_for("openai")
    at = row.hint[-1]
    assert (access.api_key.get_secret_value(), access.base_url) == (f"sk-{at}-{at}", f"http://server-{at}.example")
