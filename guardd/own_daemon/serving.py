"""The process of an own daemon: `guardd serve` in a folder, for as long as the demo or the benchmark lives.

Its stdin is a pipe that the command holds open and never writes to. When that ends, whatever ended it, there
is nobody left to stop the daemon and to remove the folder, so both are done here.
"""

import os
import shutil
import signal
import sys
import threading
from pathlib import Path

SOCKET = "guardd.sock"
DATABASE = "guardd.db"
CONFIG = "guardd.json5"


def main(folder: Path, *, keep: bool) -> None:
    """Serve until told to stop.

    Args:
        folder: Where its files are; it has a configuration.
        keep: Whether the folder stays when the command is gone.
    """
    from guardd.cli.guardd import program  # noqa: PLC0415 - only this process runs it

    abandoned = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())  # until the daemon has a handler of its own
    threading.Thread(target=_watch, args=(abandoned,), daemon=True).start()
    files = {"--socket": SOCKET, "--db": DATABASE, "--config": CONFIG}
    try:
        program.main(
            ["serve", *(word for option, name in files.items() for word in (option, str(folder / name)))]
        )
    finally:
        if abandoned.is_set() and not keep:
            shutil.rmtree(folder, ignore_errors=True)


def _watch(abandoned: threading.Event) -> None:
    os.read(sys.stdin.fileno(), 1)  # not through `sys.stdin`, whose lock would be held when Python ends
    abandoned.set()
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main(Path(sys.argv[1]), keep=sys.argv[2] == "keep")
