"""The generated files: the protocol's schema, reference and types, and the settings. `python -m local.docs`."""

from pathlib import Path

from local.docs import reference, schema, settings_pages, typescript
from local.paths import CHECKOUT


def generated() -> dict[Path, str]:
    """Return what each generated file must hold."""
    return {
        CHECKOUT / "docs" / "protocol.schema.json": schema.text(),
        CHECKOUT / "docs" / "protocol.md": reference.text(),
        CHECKOUT / "web" / "src" / "protocol.ts": typescript.text(),
        CHECKOUT / "docs" / "settings.md": settings_pages.reference(),
        CHECKOUT / ".env.example": settings_pages.example(),
    }
