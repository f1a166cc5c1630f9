import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.stream import Finished, ReasoningDelta, TextDelta, ToolUseStarted, Usage, assemble


def start(index, call_id, name):
    return {
        "contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": {"toolUseId": call_id, "name": name}}}
    }


def delta(index, **body):
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": body}}


def arguments(index, text):
    return delta(index, toolUse={"input": text})


def stop(reason):
    return {"messageStop": {"stopReason": reason}}


def test_two_calls_keep_their_own_arguments_and_no_text_block_needs_a_start():
    events = [
        {"messageStart": {"role": "assistant"}},
        delta(0, text="Let me "),
        delta(0, text="look."),
        start(1, "t1", "search"),
        arguments(1, '{"q":'),
        start(2, "t2", "list_documents"),
        arguments(1, '"a"}'),
        arguments(2, ""),
        {"contentBlockStop": {"contentBlockIndex": 1}},
        stop("tool_use"),
        {
            "metadata": {
                "usage": {"inputTokens": 5, "outputTokens": 7, "cacheReadInputTokens": 2, "cacheWriteInputTokens": 3},
                "metrics": {"latencyMs": 40},
            }
        },
    ]
    assert list(assemble(events)) == [
        TextDelta("Let me "),
        TextDelta("look."),
        ToolUseStarted("t1", "search"),
        ToolUseStarted("t2", "list_documents"),
        Finished(
            "tool_use",
            [
                {"text": "Let me look."},
                {"toolUse": {"toolUseId": "t1", "name": "search", "input": {"q": "a"}}},
                {"toolUse": {"toolUseId": "t2", "name": "list_documents", "input": {}}},
            ],
            Usage(5, 7, 2, 3),
            40,
        ),
    ]


def test_reasoning_keeps_its_signature_and_redacted_content_its_bytes():
    events = [
        delta(0, reasoningContent={"text": "Hm"}),
        delta(0, reasoningContent={"text": "."}),
        delta(0, reasoningContent={"signature": "si"}),
        delta(0, reasoningContent={"signature": "gn"}),
        delta(1, reasoningContent={"redactedContent": b"\x00\x01"}),
        delta(2, text="Yes"),
        stop("end_turn"),
    ]
    *deltas, last = assemble(events)
    assert deltas == [ReasoningDelta("Hm"), ReasoningDelta("."), TextDelta("Yes")]
    assert last.content == [
        {"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "sign"}}},
        {"reasoningContent": {"redactedContent": b"\x00\x01"}},
        {"text": "Yes"},
    ]


@pytest.mark.parametrize(
    "text", ["[1]", '"x"', "null", "{", '{"a": NaN}', "{'a': 1}", '{"sql": "SELECT', "[" * 100_000]
)
def test_arguments_that_are_no_json_object_are_an_invalid_call_with_a_reason(text):
    *_, last = assemble([start(0, "t1", "search"), arguments(0, text), stop("tool_use")])
    assert last.content == [{"toolUse": {"toolUseId": "t1", "name": "search", "input": {}}}]
    assert last.invalid_calls["t1"].startswith("The arguments ")


@pytest.mark.parametrize("text", ["{}", '{"path": "a"}', '{"sql": "SELECT id FROM x'])
@pytest.mark.parametrize(
    "reason",
    [
        "max_tokens",
        "model_context_window_exceeded",
        "malformed_tool_use",
        "guardrail_intervened",
        "content_filtered",
        "end_turn",
        "something_new",
    ],
)
def test_no_call_is_valid_when_the_answer_stopped_for_another_reason(text, reason):
    *_, last = assemble([start(0, "t1", "search"), arguments(0, text), stop(reason)])
    assert last.stop_reason == reason
    assert last.invalid_calls.keys() == {"t1"}
    assert last.content[0]["toolUse"]["input"] == {}


def test_a_blank_text_block_is_left_out_of_the_content():
    *deltas, last = assemble([delta(0, text="\n\n"), start(1, "t1", "get_me"), stop("tool_use")])
    assert deltas == [TextDelta("\n\n"), ToolUseStarted("t1", "get_me")]
    assert [next(iter(block)) for block in last.content] == ["toolUse"]


def test_a_stream_without_an_end_raises():
    with pytest.raises(ModelError) as caught:
        list(assemble([delta(0, text="half")]))
    assert caught.value.kind is ModelErrorKind.STREAM


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("throttlingException", ModelErrorKind.THROTTLED),
        ("modelStreamErrorException", ModelErrorKind.STREAM),
        ("internalServerException", ModelErrorKind.UNAVAILABLE),
        ("serviceUnavailableException", ModelErrorKind.UNAVAILABLE),
        ("validationException", ModelErrorKind.VALIDATION),
    ],
)
def test_an_error_event_raises_what_it_says(name, kind):
    with pytest.raises(ModelError) as caught:
        list(assemble([delta(0, text="half"), {name: {"message": "why"}}]))
    assert (caught.value.kind, caught.value.detail) == (kind, "why")


json_values = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
calls_ = st.lists(st.dictionaries(st.text(max_size=5), json_values, max_size=3), min_size=1, max_size=3)


@given(calls=calls_, size=st.integers(1, 7), order=st.randoms(use_true_random=False))
def test_however_the_arguments_are_cut_and_interleaved_they_come_out_whole(calls, size, order):
    queues = []
    for i, call in enumerate(calls):
        text = json.dumps(call, ensure_ascii=False)
        cuts = [arguments(i, text[at : at + size]) for at in range(0, len(text), size)]
        queues.append([start(i, f"t{i}", "search"), *cuts])
    events = []
    while queues:
        queue = order.choice(queues)
        events.append(queue.pop(0))
        queues = [queue for queue in queues if queue]
    *_, last = assemble([*events, stop("tool_use")])
    assert [block["toolUse"]["input"] for block in last.content] == calls
    assert last.invalid_calls == {}
