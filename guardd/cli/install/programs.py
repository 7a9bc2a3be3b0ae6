"""Where this installation's programs are, as settings files of others have to name them."""

import shlex
import shutil
import sys
from pathlib import Path

from guardd.cli.errors import Failure


def program(name: str) -> Path:
    """The absolute path of `guardctl` or `guardd`: the one beside this Python, else the one on the `PATH`.

    Raises:
        Failure: There is none.
    """
    beside = Path(sys.executable).absolute().with_name(name)
    if beside.is_file():
        return beside
    found = shutil.which(name)
    if found is None:
        raise Failure(f"there is no program {name} beside {sys.executable}, nor on the PATH")
    return Path(found).absolute()


def hook_command(agent: str, socket: str | None) -> str:
    """The shell command that an agent runs for each event."""
    words = [str(program("guardctl")), "hook", agent]
    return shlex.join([*words, "--socket", socket] if socket else words)
