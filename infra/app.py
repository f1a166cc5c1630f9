"""The CDK app. `python -m infra.app` writes the templates to `cdk.out`, without a network call, git or Docker."""

import os
import sys
from pathlib import Path

if not __package__:  # run as a file, whose folder would hide the library `constructs` behind infra/constructs
    sys.path[0] = str(Path(__file__).parent.parent)

from infra.assembly import build, new_app
from infra.config import Config


def main() -> None:
    """Synthesise; the CDK command line says where to."""
    app = new_app(Path(os.environ.get("CDK_OUTDIR", "cdk.out")))
    try:
        build(app, Config.from_context(app.node.try_get_context))
    except ValueError as error:
        sys.exit(str(error))
    assembly = app.synth()
    print(f"{len(assembly.stacks)} stacks in {assembly.directory}", file=sys.stderr)


if __name__ == "__main__":
    main()
