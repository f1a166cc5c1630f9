"""IAM tokens: where they are used, and that they are RDS' own."""

import datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import boto3
import botocore.auth
import pytest
from psycopg.conninfo import conninfo_to_dict

from rolecall.db.connect import _conninfo
from rolecall.db.iam import token

HOST = "data.cluster-abc.eu-north-1.rds.amazonaws.com"
URL = f"postgresql://rolecall_app@{HOST}:5432/rolecall?sslmode=require"


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "key")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_SESSION_TOKEN", "session")
    moment = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    monkeypatch.setattr(botocore.auth, "get_current_datetime", lambda *_, **__: moment)


def test_the_token_is_the_one_that_boto3_makes() -> None:
    # The default session keeps what it was first given.
    client: Any = boto3.Session().client("rds", region_name="eu-north-1")
    theirs = client.generate_db_auth_token(DBHostname=HOST, Port=5432, DBUsername="rolecall_app")
    assert token({"host": HOST, "port": "5432", "user": "rolecall_app"}) == theirs


def test_rds_without_a_password_is_reached_with_a_token_of_the_region_in_its_name() -> None:
    query = parse_qs(urlsplit(f"https://{conninfo_to_dict(_conninfo(URL))['password']}").query)
    assert query["DBUser"] == ["rolecall_app"]
    assert "/eu-north-1/rds-db/" in query["X-Amz-Credential"][0]


@pytest.mark.parametrize(
    ("url", "password"),
    [
        (URL.replace("@", ":given@"), "given"),
        ("postgresql://rolecall_app@localhost/rolecall", None),
    ],
)
def test_a_password_stays_and_a_server_elsewhere_gets_no_token(url: str, password: str | None) -> None:
    assert conninfo_to_dict(_conninfo(url)).get("password") == password
