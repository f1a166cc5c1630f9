"""What a tool thinks with: the turn's reasoning model, whose thoughts go to the turn's watchers as they come."""

from dataclasses import replace

from rolecall.llm.capabilities import capabilities, with_thinking
from rolecall.llm.client import converse_stream
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.specs import parse_spec
from rolecall.llm.stream import Finished, ReasoningDelta, Restarted, StreamEvent, Usage
from rolecall.llm.types import ConverseRequest
from rolecall.tools.models import CallDiscarded
from rolecall.turns import lease
from rolecall.turns.books import book_of
from rolecall.turns.log import Fenced
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.opening import Place
from rolecall.turns.pump import EndOfStream, Pump
from rolecall.turns.sender import Sender
from rolecall.turns.setting import Setting


class TurnThinker:
    """One call's; see `rolecall.tools.models.Thinker`. It numbers, posts and keeps its own events under the turn's
    fence, whoever else does so at the same time, and renews the lease; it stops as soon as the turn has ended."""

    def __init__(self, runtime: Runtime, turn: TurnRef, tool_call_id: str) -> None:
        self._runtime, self._turn = runtime, turn
        self._sender = Sender(
            runtime.live,
            runtime.sockets,
            turn,
            ttl=runtime.ttl(turn),
            silence=lease.TOOL_SECONDS,
            tool_call_id=tool_call_id,
        )
        self._setting: Setting | None = None
        self._deltas: list[str] = []
        self.thoughts: list[str] = []
        self.usage = Usage()

    def __call__(self, request: ConverseRequest) -> Finished:
        """Ask the model; no transaction is open meanwhile.

        Raises:
            ModelError: the model failed.
            CallDiscarded: the turn has ended, or is another's.
        """
        if self._setting is None:
            self._setting = reasoning(self._read_setting())
        setting = self._setting
        request = with_thinking(request, setting.spec.model, budget=setting.thinking_budget)
        self._deltas.clear()
        self._sender.new_pass()
        try:
            finished = self._listen(setting, request)
        except Fenced:
            raise CallDiscarded from None
        if self._deltas:
            self.thoughts.append("".join(self._deltas))
        self.usage += finished.usage
        return finished

    def _listen(self, setting: Setting, request: ConverseRequest) -> Finished:
        stream = converse_stream(setting.spec, request, access=setting.access)
        with Pump(stream) as pump:
            while True:
                try:
                    event = pump.get(self._sender.wait())
                except EndOfStream:
                    raise ModelError(ModelErrorKind.STREAM) from None
                if isinstance(event, Finished):
                    self._sender.settle()
                    return event
                self._pass_on(event)

    def _pass_on(self, event: StreamEvent | None) -> None:
        match event:
            case ReasoningDelta(text):
                self._deltas.append(text)
                self._sender.reasoning(text)
            case Restarted():
                self._deltas.clear()
                self._sender.new_pass()
            case _:
                self._sender.tick()

    def _read_setting(self) -> Setting:
        book = book_of(self._runtime, self._turn)
        with self._runtime.db.transaction(self._turn.caller) as conn:
            said = book.said(conn)
            page = (said.page_context if said else None) or {}
            place = Place(self._turn.conversation_id, page.get("taskCode"), more_rows=2, model=page.get("model"))
            return book.opening(conn, place, self._runtime.settings, with_user=False).setting


def reasoning(setting: Setting) -> Setting:
    """The setting itself, or with the settings' main model where the turn's own does not reason and that does."""
    main = parse_spec(setting.credentials.settings.model)
    if capabilities(setting.spec.model).thinking != "none" or capabilities(main.model).thinking == "none":
        return setting
    return replace(setting, spec=main, access=setting.credentials.access_for(main.provider))
