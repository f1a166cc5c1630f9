"""A request that is too long is told apart from one that is wrong, whichever provider refuses it."""

import pytest

from rolecall.errors import ErrorCode
from rolecall.llm.errors import ModelError, ModelErrorKind


@pytest.mark.parametrize(
    "detail",
    [
        "Input is too long for requested model.",
        "The model returned the following errors: prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 204798",
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.",
        "context_length_exceeded",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "Too many input tokens. Max input tokens: 300000",
    ],
)
def test_a_refusal_for_length_is_one_of_its_own(detail):
    error = ModelError(ModelErrorKind.VALIDATION, detail=detail)
    assert (error.kind, error.code) == (ModelErrorKind.TOO_LONG, ErrorCode.CONTEXT_EXHAUSTED)
    assert not error.retryable


@pytest.mark.parametrize(
    "detail",
    [
        "The text field in the ContentBlock object at messages.0.content.0 is blank.",
        "The document name is too long.",
        "max_tokens: 999999 > 64000, which is the maximum allowed number of output tokens",
    ],
)
def test_other_refusals_stay_what_they_are(detail):
    assert ModelError(ModelErrorKind.VALIDATION, detail=detail).kind is ModelErrorKind.VALIDATION


def test_a_busy_model_is_not_a_long_request():
    error = ModelError(ModelErrorKind.THROTTLED, detail="Too many tokens, please wait before trying again.")
    assert error.kind is ModelErrorKind.THROTTLED
