"""The words of docs/protocol.md that no model holds: how the pieces work together."""

from typing import Final

INTRODUCTION: Final = """\
# The WebSocket protocol

Generated from `rolecall.protocol` by `make docs`; do not edit. The same as JSON Schema is in
[protocol.schema.json](protocol.schema.json), as TypeScript in `web/src/protocol.ts`.
"""

CONNECTING: Final = """\
## Connecting

Offer two subprotocols: `rolecall.v1` and the caller's token (a JWT). The server chooses `rolecall.v1`. A client that
cannot offer subprotocols gives the token as the query parameter `token`. A connection that is refused gets HTTP 401
and no socket.

A connection is closed after 10 minutes of silence and after 2 hours in any case. Send `ping` every 4 minutes and
connect anew before the 2 hours are over. The token is checked again with each message: after its end every request is
answered with `UNAUTHORIZED`.
"""

REQUESTS: Final = """\
## Requests and replies

A request is one JSON object in a text frame: `action` names it, `requestId` (any text of up to 100 characters) comes
back with its answer. Unknown fields are ignored. The answer is one of

- `{"type": "Reply", "requestId": …, "data": {…}}`
- `{"type": "Error", "requestId": …, "code": …, "message": …, "recoveryHint": …}`: nothing was changed.

For `agentChat` an `Error` with the same `requestId` may follow the `Reply`: the message has become no turn (another
turn runs in the conversation, say) and may be sent again under the same `messageId`. Answers come in any order. A reply
may be lost with its socket; every action but `createConversation` and `requestUpload` may be sent again.

**Files with a message.** Ask `requestUpload` with `purpose: "attachment"` for a form, post the file to it, and give the
reply's `key` with the file's name and type to `agentChat`. What the file is is judged by its bytes when the message is
sent: a declared type that is wrong is put right, a file that no model can read ends the turn with a `ChatError` of the
code `ATTACHMENT_FAILED` that names it, and nothing of the message is kept; send it again without the file, or with
another. JPEG, PNG, GIF and WebP have up to 3.75 MiB and 8,000 pixels a side; PDF, Word, Excel, text, Markdown, HTML and
CSV up to 4.5 MB; a message takes 5 files of 20 MB together. `content` may be empty then. Later turns show the model the
newest files again, and name those that no longer fit or are gone.

Should a function of ours fail outright, API Gateway itself answers with an object that has no `type`:
`{"message": …, "connectionId": …, "requestId": …}`; that `requestId` is not yours.
"""

EVENTS: Final = """\
Every event has `type`, `turnId` and `seq`. The numbers of a turn begin with 1 and have no gaps; exactly one event,
`ChatComplete` or `ChatError`, ends it and has the greatest number.

- **Order.** Frames may arrive out of order, twice, or not at all. Keep what is early, drop what you have, deliver by
  `seq`.
- **Gaps.** If a number stays missing for more than a second, send `resumeTurn` with `afterSeq`, the last number that
  you delivered. It replays what is kept and lets your connection watch what is still to come. Do the same after a new
  connection, and when a turn has been silent for 10 seconds.
- **After a reload**, or to see a turn that runs elsewhere, resume from `afterSeq` 0. A message whose `status` is
  `STREAMING` belongs to such a turn; its `turnId` is its `messageId`.
- **Long over.** Once a turn's events are gone (a day after its end), `resumeTurn` sends its terminal event alone, under
  the number `afterSeq` + 1.
- **Healing.** `ChatSkipped` stands for an event that was lost for good. The deltas of all `ChatChunk`s are the answer;
  `ChatComplete.content` is all of it. If they differ, the latter is right; `conversationMessages` has the whole turn,
  reasoning and tool calls too.
- **Citations.** `[n]` in the answer's text is the source with that `n` in `ChatSources` and in `ChatComplete`.
"""

PARTS: Final = """\
## Parts

A reply that does not fit a frame comes as `Part`s. Collect them by `partOf`; when the one with `last` and all indexes
before it are there, join their `text` in order of `index` and read the result as a frame.
"""
