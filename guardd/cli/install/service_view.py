"""What the service of the whole machine gets to see: it runs as a user of its own, in its unit's sandbox."""

import os
import stat
from pathlib import Path
from typing import Final

OWN_OR_EMPTY: Final = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")  # noqa: S108 - nothing is made there
"""What `ProtectHome=yes` and `PrivateTmp=yes` put something else in place of (systemd.exec(5))."""


def kept_from(path: Path, *, program: bool = False) -> str:
    """Say what keeps the service from using a file or directory; empty where nothing does, or nothing is there.

    Args:
        path: An absolute path; both it and what it leads to are looked at.
        program: Whether the file is to be run, and not only read.
    """
    for place in dict.fromkeys((path, Path(os.path.realpath(path)))):
        for hidden in OWN_OR_EMPTY:
            if place.is_relative_to(hidden):
                return f"{place} is in {hidden}, of which the service sees nothing"
        for step in (*reversed(place.parents), place):
            try:
                mode = step.stat().st_mode
            except OSError:
                break  # where there is nothing, nothing keeps the service from it
            wanted = stat.S_IROTH if step == place else 0  # to pass through, a directory need not be listed
            wanted |= stat.S_IXOTH if program or stat.S_ISDIR(mode) else 0
            if mode & wanted != wanted:
                return f"{step} has mode {stat.S_IMODE(mode):04o}"
    return ""
