"""What the public port serves to a browser, and to whom."""

import json

import jwt
import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request

from local.demo import DEMO_RECRUITER
from local.gateway.pages import answer
from local.page import Page

HOST = "127.0.0.1:8700"
SECRET = "a secret that is long enough for HS256"


@pytest.fixture
def page(tmp_path):
    folder = tmp_path / "dist"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html>the page")
    (folder / "assets" / "index-abc123.js").write_text("run()")
    (folder / "assets" / "type-abc.woff2").write_bytes(b"wOF2")
    (folder / "favicon.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("secret")
    return Page(
        token_secret=lambda: SECRET,
        uploads_url=lambda: "http://127.0.0.1:9000",
        model="bedrock:rolecall.offline-v1",
        offline=True,
        folder=folder,
    )


def get(page, path, *, host=HOST, **headers):
    sent = Headers({"Host": host})
    for name, value in headers.items():
        sent[name.replace("_", "-")] = value
    return answer(Request(path, sent), page)


@pytest.mark.parametrize(
    ("path", "mime", "cache"),
    [
        ("/", "text/html; charset=utf-8", "no-store"),
        ("/index.html?x=1", "text/html; charset=utf-8", "no-store"),
        ("/assets/index-abc123.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"),
        ("/assets/type-abc.woff2", "font/woff2", "public, max-age=31536000, immutable"),
        ("/favicon.svg", "image/svg+xml", "no-store"),
    ],
)
def test_a_file_comes_with_its_type_and_is_kept_only_if_its_name_is_hashed(page, path, mime, cache):
    response = get(page, path)

    assert response.status_code == 200
    assert response.headers["Content-Type"] == mime
    assert response.headers["Cache-Control"] == cache
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert int(response.headers["Content-Length"]) == len(response.body)


def test_the_policy_lets_the_page_reach_its_socket_and_the_uploads_and_nothing_else(page):
    policy = get(page, "/").headers["Content-Security-Policy"]

    assert "default-src 'none'" in policy
    assert "connect-src 'self' ws://127.0.0.1:8700 http://127.0.0.1:9000;" in policy
    assert "unsafe" not in policy


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/assets/../../secret.txt",
        "/%2e%2e/secret.txt",
        "/..%2fsecret.txt",
        "//secret.txt",
        "/assets",
        "/assets/",
        "/assets/%00",
        "/\\..\\secret.txt",
        "/nothing",
    ],
)
def test_a_path_that_names_no_file_of_the_page_is_not_found(page, path):
    assert get(page, path).status_code == 404


def test_without_a_build_the_page_says_what_to_do(page, tmp_path):
    bare = Page(page.token_secret, page.uploads_url, page.model, offline=True, folder=tmp_path / "none")

    assert b"make web" in get(bare, "/").body
    assert not bare.built
    assert page.built


def test_the_page_gets_a_token_for_the_person_it_names(page):
    got = json.loads(get(page, "/local/session?as=recruiter", Sec_Fetch_Site="same-origin").body)

    claims = jwt.decode(got["token"], SECRET, algorithms=["HS256"], audience="rolecall")
    assert claims["sub"] == str(DEMO_RECRUITER.user_id)
    assert claims["company_id"] == str(DEMO_RECRUITER.company_id)
    assert got["url"] == f"ws://{HOST}"
    assert get(page, "/local/session?as=root").status_code == 404


def test_before_signing_in_the_page_learns_who_there_is_and_no_token(page):
    response = get(page, "/local/session")

    people = json.loads(response.body)
    assert [person["as"] for person in people["people"]] == ["recruiter", "job-seeker"]
    assert people["model"] == {"name": "bedrock:rolecall.offline-v1", "offline": True}
    assert b"token" not in response.body
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8700", "127.0.0.1.evil.example", "localhost@evil.example", "", "10.0.0.1:8700"],
)
def test_a_foreign_name_for_this_machine_gets_nothing(page, host):
    for path in ("/", "/local/session?as=recruiter"):
        assert get(page, path, host=host).status_code == 403


def test_two_hosts_are_refused(page):
    headers = Headers([("Host", HOST), ("Host", "evil.example")])

    assert answer(Request("/local/session?as=recruiter", headers), page).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "none"},
    ],
)
def test_another_page_of_the_browser_gets_no_token(page, headers):
    response = get(page, "/local/session?as=recruiter", **headers)

    assert response.status_code == 403
    assert b"ey" not in response.body
    assert "Access-Control-Allow-Origin" not in response.headers


def test_localhost_and_our_own_origin_are_welcome(page):
    response = get(page, "/local/session?as=job-seeker", host="localhost:8700", Origin="http://localhost:8700")

    assert response.status_code == 200
    assert json.loads(response.body)["url"] == "ws://localhost:8700"
