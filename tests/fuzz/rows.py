"""Stored conversations from a seed: turns that ended in any of their ways, and damage to their rows."""

from copy import deepcopy
from datetime import UTC, datetime
from random import Random
from typing import Any
from uuid import UUID

from rolecall.conversations.mend import ToolOutputs
from rolecall.conversations.models import Message
from tests.fuzz.requests import BAD_IDS, BAD_NAMES, BLANKS, NAMES, TEXTS

CONVERSATION = UUID(int=7)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
FILENAMES = (
    "report.pdf",
    "report.docx",
    "Report.pdf",
    "../../x",
    "履歴書.pdf",
    "ra\u030apport.pdf",
    "y" * 900 + ".pdf",
)
JUNK = (None, 1, -1.5, True, "said", [], {}, [1], {"a": 1}, float("inf"))
SEGMENT_FIELDS = ("type", "text", "hop", "toolCallId", "signature", "redacted", "id", "content")
CALL_FIELDS = ("toolCallId", "toolName", "input", "success", "output", "status", "hop", "id", "name")


class History:
    """Rows of a conversation, the flat outputs beside them, and what was said."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.rows: list[Message] = []
        self.outputs: dict[tuple[UUID, str], tuple[str, bool]] = {}
        for _ in range(rng.choice((0, 1, 1, 2, 2, 3))):
            self._turn()

    def _row(self, role: str, content: str, **columns: Any) -> Message:
        row_id = UUID(int=self.rng.getrandbits(128))
        row = Message.new(row_id, CONVERSATION, role, content=content, created_at=NOW, **columns)  # type: ignore[arg-type]
        self.rows.append(row)
        return row

    def _turn(self) -> None:
        rng = self.rng
        files = [self._file(i) for i in range(rng.randint(1, 3))] if rng.random() < 0.1 else []
        self._row("USER", rng.choice((*TEXTS, *BLANKS[:3])), attachments=files, status="COMPLETED")
        hops = rng.choice((1, 1, 2, 3))
        segments: list[dict[str, Any]] = []
        calls: list[dict[str, Any]] = []
        crash = rng.choice(("none", "none", "none", "begun", "saved", "run", "cut"))
        for hop in range(1, hops + 1):
            if crash == "begun" and hop == hops:
                break
            segments += self._said(hop)
            if hop < hops or crash in ("saved", "run"):
                made = [self._call(hop, i) for i in range(rng.choice((1, 1, 2, 4)))]
                segments += [{"type": "tool_call", "toolCallId": call["toolCallId"], "hop": hop} for call in made]
                calls += made if hop == hops else [self._ended(call) for call in made]
        status = "COMPLETED" if crash == "none" else rng.choice(("STREAMING", "FAILED", "AWAITING_APPROVAL"))
        content = "\n\n".join(segment["text"] for segment in segments if segment["type"] == "text")
        row = self._row(
            "ASSISTANT",
            content,
            content_segments=segments,
            tool_calls=calls,
            status=status,
            error_code="STREAM_TIMEOUT" if status == "FAILED" else None,
            origin=rng.choice(("user", "user", "user", "heartbeat")),
        )
        if crash == "run":
            self.outputs.update({(row.id, call["toolCallId"]): ("done", True) for call in calls if rng.random() < 0.5})

    def _said(self, hop: int) -> list[dict[str, Any]]:
        rng = self.rng
        thought = [{"type": "reasoning", "text": "Hm.", "signature": "sig", "hop": hop}] if rng.random() < 0.3 else []
        text = rng.choice((*TEXTS, *BLANKS[:2]))
        return [*thought, {"type": "text", "text": text, "hop": hop}]

    def _call(self, hop: int, number: int) -> dict[str, Any]:
        call_id = f"t{hop}{number}" if self.rng.random() < 0.95 else self.rng.choice(BAD_IDS)
        name = self.rng.choice(NAMES) if self.rng.random() < 0.95 else self.rng.choice(BAD_NAMES)
        return {"toolCallId": call_id, "toolName": name, "input": {"q": hop}, "hop": hop, "status": "PENDING"}

    def _ended(self, call: dict[str, Any]) -> dict[str, Any]:
        output = self.rng.choice(({"rows": [1]}, "text", "", None, [1], 42))
        return {**call, "status": "SUCCEEDED", "success": self.rng.random() < 0.8, "output": output}

    def _file(self, position: int) -> dict[str, Any]:
        return {
            "id": str(UUID(int=self.rng.getrandbits(128))),
            "position": position,
            "key": "k",
            "filename": self.rng.choice(FILENAMES),
            "mime_type": "application/pdf",
            "size_bytes": 9,
        }


def damage(history: History, rng: Random) -> None:
    """Damage the JSON of one row, lose a row, repeat one, or cut the window."""
    if not history.rows:
        return
    at = rng.randrange(len(history.rows))
    row = history.rows[at]
    match rng.randrange(8):
        case 0:
            del history.rows[at]
        case 1:
            history.rows.insert(rng.randint(0, len(history.rows)), row)
        case 2:
            del history.rows[: rng.randint(1, len(history.rows))]
        case 3:
            row.content_segments[:] = rng.choice(
                ([], deepcopy([*JUNK]), [*row.content_segments, *row.content_segments])
            )
        case 4:
            row.tool_calls[:] = rng.choice(([], deepcopy([*JUNK]), row.tool_calls * 2))
        case 5:
            _spoil(row.content_segments, SEGMENT_FIELDS, rng)
        case 6:
            _spoil(row.tool_calls, CALL_FIELDS, rng)
        case 7:
            row.content_segments.append({"type": rng.choice(("text", "hologram", "tool_call", "")), "text": "Seen"})


def _spoil(entries: list[Any], fields: tuple[str, ...], rng: Random) -> None:
    if not entries:
        entries.append(deepcopy(rng.choice(JUNK)))
        return
    at = rng.randrange(len(entries))
    if isinstance(entries[at], dict) and rng.random() < 0.8:
        entry = dict(entries[at])
        field = rng.choice(fields)
        if rng.random() < 0.3:
            entry.pop(field, None)
        else:
            entry[field] = rng.choice((deepcopy(rng.choice(JUNK)), *BLANKS, *BAD_IDS))
        entries[at] = entry
    else:
        entries[at] = deepcopy(rng.choice(JUNK))


def outputs_of(history: History) -> ToolOutputs:
    """The flat results of a history."""
    return history.outputs
