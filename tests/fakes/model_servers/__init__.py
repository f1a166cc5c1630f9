"""Servers that speak the APIs of model providers over HTTP and refuse what those refuse."""

from tests.fakes.model_servers.anthropic import Anthropic
from tests.fakes.model_servers.google import Google
from tests.fakes.model_servers.openai import Ollama, OpenAI
from tests.fakes.model_servers.server import RIGHT_KEY, ModelServer

__all__ = ["RIGHT_KEY", "Anthropic", "Google", "ModelServer", "Ollama", "OpenAI"]
