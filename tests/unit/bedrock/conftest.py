"""An endpoint without pace, and the real client that talks to it."""

import pytest

from local.bedrock.server import BedrockServer
from rolecall.llm import client
from rolecall.llm.providers import bedrock


@pytest.fixture(scope="session")
def _endpoint():
    with BedrockServer(chunk_delay=0) as server:
        yield server


@pytest.fixture
def endpoint(_endpoint, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", _endpoint.url)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    monkeypatch.setattr(client, "FIRST_DELAY_SECONDS", 0.001)
    _endpoint.requests.clear()
    _endpoint.script.clear()
    yield _endpoint
    bedrock.forget_clients()
    assert len(_endpoint.script) == 0, "a scripted step was never reached"
