"""Every family of tools. To add a tool, declare it in its family's module; to add a family, name it here."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from functions.tools import ai_tools, knowledge_tools, self_tools
from rolecall.tools.declare import Tool, catalogue

CATALOGUE: Final[Mapping[str, Tool]] = MappingProxyType(catalogue([self_tools, knowledge_tools, ai_tools]))
"""Tools by code."""
