"""After a turn has ended: the older part of its conversation is summarized, and the conversation gets its title.

Done as often as anybody likes, at the same time too: each result is stored only onto what it was made from.
"""

import time
from collections.abc import Sequence
from typing import Final

from rolecall.agents import store as agents
from rolecall.agents.models import ActivityType
from rolecall.aws.sockets import connections_of
from rolecall.conversations import store as conversations
from rolecall.conversations.models import Message, MessageStatus, Role
from rolecall.conversations.upkeep import store
from rolecall.conversations.upkeep.small import Small
from rolecall.conversations.upkeep.store import Rolled
from rolecall.conversations.upkeep.summary import summarize
from rolecall.conversations.upkeep.titles import is_due, make_title
from rolecall.db import DatabaseUnavailable
from rolecall.errors import RolecallError
from rolecall.llm.credentials import Credentials
from rolecall.llm.resolve import resolve
from rolecall.llm.vault import store as vault
from rolecall.protocol.events import ConversationUpdated
from rolecall.telemetry import log
from rolecall.turns.material import past_messages
from rolecall.turns.models import Runtime, TurnRef

BATCH_ROWS: Final = 40
"""Most messages that one call of the small model summarizes."""
SECONDS: Final = 60.0
"""No further batch is begun after so long; the next turn's run goes on."""
TITLE_ROWS: Final = 10
OPEN: Final = frozenset({MessageStatus.STREAMING, MessageStatus.AWAITING_APPROVAL})


def tidy(runtime: Runtime, turn: TurnRef) -> None:
    """Summarize and name a turn's conversation, where that is due. A model that fails is asked after the next turn."""
    for what, work in (("title", _name), ("summary", _summarize)):
        try:
            if small := _small(runtime, turn):
                work(runtime, turn, small)
        except DatabaseUnavailable:
            raise
        except RolecallError as error:
            facts = {"what": what, "code": error.code, "conversation_id": str(turn.conversation_id)}
            log.warning("small model gave nothing", extra=facts)


def _small(runtime: Runtime, turn: TurnRef) -> Small | None:
    """The small model as the conversation's agent and the caller's keys have it; None: the conversation is gone."""
    with runtime.db.transaction(turn.caller, read_only=True) as conn:
        standing = store.standing(conn, turn.conversation_id)
        credentials = Credentials(turn.caller, runtime.settings, vault.ask(conn, turn.caller).get())
    if standing is None:
        return None
    spec = resolve(None, None, standing.small_llm_model, None, runtime.settings.small_model)
    return Small(spec, credentials.access_for(spec.provider))


def kept_rows(window: int) -> int:
    """How many of the newest messages stay as they are once the others are summarized.

    Fewer than the window, so that the next turns add to a history whose beginning stays the same (and is cached).
    """
    return max(2, window - window // 4)


def whole_turns(rows: Sequence[Message]) -> list[Message]:
    """As many of the oldest messages as make whole turns that have ended."""
    ended = list(rows)
    for at, row in enumerate(ended):
        if row.status in OPEN:
            ended = ended[:at]
            break
    while ended and ended[-1].role == Role.USER:
        ended.pop()
    return ended


def _summarize(runtime: Runtime, turn: TurnRef, small: Small) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline and _summarize_more(runtime, turn, small):
        pass


def _summarize_more(runtime: Runtime, turn: TurnRef, small: Small) -> bool:
    """Roll the summary forward by a batch. False: there is nothing (more) to do, or somebody else does it."""
    with runtime.db.transaction(turn.caller, read_only=True) as conn:
        standing = store.standing(conn, turn.conversation_id)
        if standing is None or standing.uncovered <= standing.max_context_messages:
            return False
        after, keep = standing.summarized_until, kept_rows(standing.max_context_messages)
        oldest = store.oldest_uncovered(conn, turn.conversation_id, after=after, keep=keep, most=BATCH_ROWS)
        rows = whole_turns(oldest)
        if not rows:
            return False
        messages = past_messages(conn, turn.conversation_id, rows)
    done = summarize(small, standing.context_summary, messages)
    rolled = Rolled(done.text, after, rows[-1].position, len(rows), done.usage)
    with runtime.db.transaction(turn.caller) as conn:
        if not store.set_summary(conn, turn.conversation_id, rolled):
            return False
        agents.note(
            conn,
            turn.caller,
            ActivityType.CONTEXT_SUMMARIZED,
            agent_id=standing.agent_id,
            conversation_id=turn.conversation_id,
            details={"messages": len(rows), "until": rolled.until},
        )
    log.info("conversation summarized", extra={"conversation_id": str(turn.conversation_id), "messages": len(rows)})
    return True


def _name(runtime: Runtime, turn: TurnRef, small: Small) -> None:
    with runtime.db.transaction(turn.caller, read_only=True) as conn:
        standing = store.standing(conn, turn.conversation_id)
        if standing is None or standing.title_source == "user":
            return
        if not is_due(standing.message_count, standing.titled_count):
            return
        rows = conversations.newest_messages(conn, turn.conversation_id, limit=TITLE_ROWS)
        messages = past_messages(conn, turn.conversation_id, rows)
    title, done = make_title(small, standing.context_summary, messages)
    with runtime.db.transaction(turn.caller) as conn:
        named = store.set_title(
            conn,
            turn.conversation_id,
            title,
            before=standing.titled_count,
            count=standing.message_count,
            usage=done.usage,
        )
    if named and named != standing.title:
        frame = ConversationUpdated(conversation_id=str(turn.conversation_id), title=named)
        for connection_id in connections_of(runtime.live, turn.user_id):
            runtime.sockets.send(connection_id, frame)
