"""What a service manager is told: sd_notify(3) and its watchdog, without libsystemd.

Nothing here waits or raises: a daemon does not fail because its manager does not listen.
"""

import logging
import os
import socket
import time
from collections.abc import MutableMapping
from typing import Self

logger = logging.getLogger(__name__)


class Notifier:
    """Sends the daemon's state to the service manager; without one it does nothing.

    Args:
        address: the manager's datagram socket, a path or `@name` for an abstract one (`$NOTIFY_SOCKET`).
        watchdog_interval: seconds between two calls of `alive`, None when nobody waits for them.
    """

    def __init__(self, address: str | None = None, watchdog_interval: float | None = None) -> None:
        self.watchdog_interval = watchdog_interval
        self._address = _encoded(address)
        self._socket: socket.socket | None = None
        self._complained = False

    @classmethod
    def from_environment(cls, environ: MutableMapping[str, str] = os.environ) -> Self:
        """Read what the manager asks for, and take it out of the environment: it is not for our children.

        The interval is half of what the manager allows, as sd_watchdog_enabled(3) recommends.
        """
        address = environ.pop("NOTIFY_SOCKET", None)
        microseconds = environ.pop("WATCHDOG_USEC", "")
        process = environ.pop("WATCHDOG_PID", str(os.getpid()))
        interval = None
        if microseconds.isascii() and microseconds.isdigit() and process == str(os.getpid()):
            interval = int(microseconds) / 1_000_000 / 2 or None
        return cls(address, interval)

    def ready(self, status: str = "") -> None:
        """Say that the daemon serves: after its start, and after each reload.

        Args:
            status: a line for people, shown by `systemctl status`.
        """
        self._send("READY=1", status)

    def reloading(self) -> None:
        """Say that a reload has begun; `ready` ends it, whatever came of it."""
        # The time lets the manager tell this reload from one that it asked for later.
        microseconds = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
        self._send(f"RELOADING=1\nMONOTONIC_USEC={microseconds}")

    def stopping(self) -> None:
        """Say that the daemon is about to end."""
        self._send("STOPPING=1")

    def alive(self) -> None:
        """Feed the watchdog. Call it only from what would hang if the daemon hung."""
        self._send("WATCHDOG=1")

    def close(self) -> None:
        """Close the socket; a later message opens it again."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _send(self, state: str, status: str = "") -> None:
        if self._address is None:
            return
        if status:
            state += "\nSTATUS=" + " ".join(status.split())  # a line break would begin another assignment
        try:
            if self._socket is None:
                self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                self._socket.setblocking(False)
            self._socket.sendto(state.encode("utf-8", "replace"), self._address)
        except OSError as error:
            self._complain(error)

    def _complain(self, error: OSError) -> None:
        """Log the first failure only: the watchdog's would come for ever."""
        if not self._complained:
            self._complained = True
            logger.warning("the service manager cannot be told: %s", error)


def _encoded(address: str | None) -> bytes | None:
    """Give the form of an address that the kernel takes; None when it is of no kind that we can send to."""
    if address is None or not address.startswith(("/", "@")):
        return None
    name = os.fsencode(address)
    return b"\0" + name[1:] if address.startswith("@") else name
