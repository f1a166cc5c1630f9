"""The local endpoint's prompt cache."""

from local.bedrock.cache import PromptCache

MODEL = "rolecall.offline-v1"
POINT = {"cachePoint": {"type": "default"}}
LONG = "word " * 1000


def body(system, *texts):
    content = [{"text": text} if isinstance(text, str) else text for text in texts]
    return {"system": [{"text": system}, POINT], "messages": [{"role": "user", "content": content}]}


def test_a_prefix_is_written_once_and_then_read():
    cache = PromptCache()
    first, second = cache.use(MODEL, body(LONG, "one")), cache.use(MODEL, body(LONG, "two"))
    assert (first.read, second.written) == (0, 0)
    assert first.written == second.read > 1000
    usage = second.usage(5)
    assert usage["totalTokens"] == usage["inputTokens"] + usage["cacheReadInputTokens"] + 5


def test_a_longer_prefix_reads_the_shorter_one_and_writes_the_rest():
    cache = PromptCache()
    short = cache.use(MODEL, body(LONG, "one"))
    longer = cache.use(MODEL, body(LONG, "one", LONG, POINT, "two"))
    assert longer.read == short.written
    assert longer.written > 1000


def test_another_prefix_model_or_order_reads_nothing():
    cache = PromptCache()
    cache.use(MODEL, body(LONG, "one"))
    assert cache.use(MODEL, body(f"x{LONG}", "one")).read == 0
    assert cache.use("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", body(LONG, "one")).read == 0


def test_a_short_prefix_and_a_model_that_caches_nothing_use_no_cache():
    cache = PromptCache()
    for _ in range(2):
        assert cache.use(MODEL, body("short", "one")).read == 0
        assert cache.use("anthropic.claude-3-haiku-20240307-v1:0", body(LONG, "one")).read == 0
    assert "cacheReadInputTokens" not in cache.use(MODEL, body("short", "one")).usage(1)
