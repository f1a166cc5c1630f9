"""Writes the generated files that are missing or stale, and names them."""

from local.docs import generated
from local.paths import CHECKOUT


def main() -> None:
    """Write what changed."""
    for path, text in generated().items():
        if not path.exists() or path.read_text() != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"wrote {path.relative_to(CHECKOUT)}")


if __name__ == "__main__":
    main()
