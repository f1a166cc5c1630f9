"""Builds what turns work with, from the settings; an entry point does it once a process."""

from rolecall.aws.live import LiveTable
from rolecall.aws.sockets import Sockets
from rolecall.db import Database
from rolecall.settings import Settings
from rolecall.turns.models import Runtime


def build_runtime(settings: Settings) -> Runtime:
    """Connect nothing yet: every store is reached at its first use."""
    return Runtime(
        db=Database(settings.database_url.get_secret_value()),
        live=LiveTable(settings.live_table),
        sockets=Sockets(settings.connections_url),
        settings=settings,
    )
