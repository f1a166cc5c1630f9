"""Where things are unless somebody says otherwise."""

from pathlib import Path
from typing import Final

CHECKOUT: Final = Path(__file__).resolve().parents[1]
DEFAULT_DATA: Final = CHECKOUT / ".rolecall"
