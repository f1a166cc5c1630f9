"""The CDK context as plain values, and the periods that EventBridge knows."""

import pytest

from functions.manifest import Function
from infra.config import Config
from infra.schedules import _period
from rolecall.settings import Settings


def test_an_empty_context_is_the_cheapest_deployment_with_the_settings_defaults() -> None:
    config = Config.from_context({}.get)
    assert config == Config()
    assert (config.stage, config.nat, config.region) == ("dev", False, "eu-north-1")
    assert config.model == Settings().model


def test_context_values_are_text_and_are_read_as_what_they_are() -> None:
    given = {"stage": "prod", "nat": "true", "gatewayLogs": "false", "maxAcu": "8", "uploadOrigins": "https://a, b"}
    config = Config.from_context(given.get)
    assert (config.keeps_data, config.nat, config.gateway_logs, config.max_acu) == (True, True, False, 8.0)
    assert config.upload_origins == ("https://a", "b")


def test_an_unknown_stage_is_refused() -> None:
    with pytest.raises(ValueError, match="no stage 'live'"):
        Config.from_context({"stage": "live"}.get)


@pytest.mark.parametrize("seconds", [30, 90])
def test_a_period_is_whole_minutes(seconds: int) -> None:
    with pytest.raises(ValueError, match="whole minutes"):
        _period(Function(name="x", handler="x", timeout_seconds=1, every_seconds=seconds))
