"""What API Gateway makes of a Lambda proxy integration's answer."""

import base64
import binascii
import json
from dataclasses import dataclass, field

from local.lambdas.model import Outcome


@dataclass(frozen=True)
class Answer:
    """A well-formed proxy answer."""

    status: int
    body: str | bytes = ""
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the integration succeeded."""
        return 200 <= self.status < 300

    def header(self, name: str) -> str | None:
        """Return a header, its name in any case."""
        return {key.lower(): value for key, value in self.headers.items()}.get(name.lower())


def read(outcome: Outcome) -> Answer | None:
    """Return the function's answer; nothing if it failed or answered no proxy result."""
    if outcome.error or outcome.condition != "done":
        return None
    content = json.loads(outcome.payload)
    if not isinstance(content, dict):
        return None
    status, body, headers = content.get("statusCode"), content.get("body") or "", content.get("headers") or {}
    status = int(status) if isinstance(status, str) and status.isdecimal() else status
    if not isinstance(status, int) or not 100 <= status <= 599:
        return None
    if not isinstance(body, str) or not isinstance(headers, dict):
        return None
    texts = {str(name): str(value) for name, value in headers.items()}
    if not content.get("isBase64Encoded"):
        return Answer(status, body, texts)
    try:
        return Answer(status, base64.b64decode(body, validate=True), texts)
    except binascii.Error:
        return None
