"""`guardd.notify`: a command of the operator's is run on events, after they are committed and never in a verdict's way.

Programs are started by a thread: it takes a tenth of a millisecond, however large the daemon is, since `subprocess`
uses vfork, which copies nothing; but on a machine that is overloaded it takes some, and the loop goes on meanwhile.
(uvloop's own way uses fork, on the loop, and takes five.) The event is handed over as a file in memory, so that a
command that does not read it hurts nobody.
"""

import asyncio
import contextlib
import logging
import math
import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from guardd.config.settings import NotifySettings
from guardd.daemon.answers import event_of
from guardd.daemon.logs import fields
from guardd.daemon.metrics import Metrics, Notification
from guardd.guard import Event
from guardd.protocol import jsonrpc

logger = logging.getLogger("guardd.notifying")

MOST_WAITING = 100
"""Events that wait for a command to end; what comes on top is dropped."""
GRACE_SECONDS = 1.0
"""How long a command that was told to end may take for that, before it is killed."""
STOP_SECONDS = 2.0
"""How long a stop of the daemon waits for commands, before they are told to end."""

_LONGEST_LOOK = 0.05  # seconds between two looks at a command that runs
_SHORTEST_LOOK = 0.002
_TO_THE_DAEMON = frozenset(
    {
        "NOTIFY_SOCKET",
        "WATCHDOG_USEC",
        "WATCHDOG_PID",
        "JOURNAL_STREAM",
        "LISTEN_PID",
        "LISTEN_FDS",
        "LISTEN_FDNAMES",
        "LISTEN_PIDFDID",
    }
)  # what a service manager says to us alone


class Notifying:
    """The events that wait, and the commands that run."""

    def __init__(self, loop: asyncio.AbstractEventLoop, settings: NotifySettings, metrics: Metrics) -> None:
        """Notify of nothing yet.

        Args:
            loop: where to run.
            settings: what to run, and on which events.
            metrics: where to count.
        """
        self._loop = loop
        self._settings = settings
        self._metrics = metrics
        self._waiting: deque[Event] = deque()
        self._running: set[asyncio.Task[None]] = set()
        self._is_dropping = False
        self._complaint: tuple[object, ...] | None = None
        self._starter = ThreadPoolExecutor(1, "notifying")

    def configure(self, settings: NotifySettings) -> None:
        """Take other settings, for all that is not started yet."""
        self._settings = settings
        self._complaint = None
        self._waiting = deque(filter(self._is_wanted, self._waiting))
        if settings.command is None:
            self._drop_waiting("events were not told of, since guardd.notify.command was taken away")
        self._start()

    def take(self, events: Iterable[Event]) -> None:
        """Take events that were committed; one that was only observed counts as what it would have been."""
        if self._settings.command is None:
            return
        for event in events:
            if self._is_wanted(event):
                self._put(event)
        self._start()

    async def close(self) -> None:
        """Give commands a moment, then end them; what was not started by then is dropped."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_SECONDS):
                while self._running:  # as these end, those that wait are started
                    await asyncio.wait(self._running)
        self._drop_waiting("events were not told of, since guardd stops")
        for task in self._running:
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=2 * GRACE_SECONDS)
        self._starter.shutdown(wait=False)

    def _is_wanted(self, event: Event) -> bool:
        return event.verdict.meant.word in self._settings.on

    def _drop_waiting(self, why: str) -> None:
        if self._waiting:
            self._metrics.notifications[Notification.DROPPED] += len(self._waiting)
            logger.warning(why, extra=fields(events=len(self._waiting)))
            self._waiting.clear()

    def _put(self, event: Event) -> None:
        if len(self._waiting) < MOST_WAITING:
            self._waiting.append(event)
            return
        self._metrics.notifications[Notification.DROPPED] += 1
        if not self._is_dropping:
            self._is_dropping = True
            logger.warning(
                "guardd.notify: events come faster than the command takes them; the newest are dropped until it "
                "has caught up (make it quicker, let it hand the work on, or raise atOnce)",
                extra=fields(waiting=MOST_WAITING),
            )

    def _start(self) -> None:
        """Run the command for as many events as may be worked on at once."""
        while self._waiting and len(self._running) < self._settings.at_once:
            task = self._loop.create_task(self._notify(self._waiting.popleft(), self._settings))
            self._running.add(task)
            task.add_done_callback(self._ended)
        if not self._waiting:
            self._is_dropping = False

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (fault := task.exception()) is not None:
            logger.error("an event was not told of; this is a bug", exc_info=fault)
        self._start()

    async def _notify(self, event: Event, settings: NotifySettings) -> None:
        """Run the command for an event, and see that nothing of it is left."""
        assert settings.command is not None
        try:
            process = await self._started(settings.command, jsonrpc.encode(event_of(event)) + b"\n")
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            self._failed(
                Notification.FAILED,
                "guardd.notify: the command cannot be started; guardd.notify.command must begin with a program "
                "that the daemon's user may run",
                program=settings.command[0],
                reason=reason,
            )
            return
        try:
            in_time = await _ends_within(process, settings.timeout_seconds)
        finally:
            await _end(process)
        if not in_time:
            self._failed(
                Notification.TIMEOUT,
                "guardd.notify: the command took too long, and was killed; make it quicker, or raise "
                "guardd.notify.timeoutSeconds",
                seconds=settings.timeout_seconds,
            )
        elif process.returncode != 0:
            self._failed(
                Notification.FAILED,
                "guardd.notify: the command failed; try it by hand on a line of guardctl events --follow --json",
                program=settings.command[0],
                **_ending(process.returncode),
            )
        else:
            self._metrics.notifications[Notification.OK] += 1
            self._complaint = None

    async def _started(self, command: Sequence[str], line: bytes) -> subprocess.Popen[bytes]:
        """Start a command; one that nobody waits for any more is ended as soon as it is started."""
        starting = self._loop.run_in_executor(self._starter, _spawn, command, line)
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            await _end(await starting)
            raise

    def _failed(self, result: Notification, message: str, **about: object) -> None:
        """Count a failure, and log it, but not over and over while it stays the same."""
        self._metrics.notifications[result] += 1
        if self._complaint != (message, about):
            self._complaint = message, about
            logger.warning(message, extra=fields(**about))


def _spawn(command: Sequence[str], line: bytes) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, with nothing of the daemon's but its user.

    Raises:
        OSError: it cannot be started.
        ValueError: the same.
    """
    event = os.memfd_create("guardd-event")
    try:
        os.pwrite(event, line, 0)
        return subprocess.Popen(  # noqa: S603 - the operator's own words, and no shell
            command,
            stdin=event,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            env={name: value for name, value in os.environ.items() if name not in _TO_THE_DAEMON},
            start_new_session=True,
        )
    finally:
        os.close(event)


async def _ends_within(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for a process to end, but do not take it out of the process table: its number stays its group's."""
    pause = _SHORTEST_LOOK
    deadline = time.monotonic() + seconds
    while not _has_ended(process):
        left = deadline - time.monotonic()
        if left <= 0:
            return False
        await asyncio.sleep(min(pause, left))
        pause = min(2 * pause, _LONGEST_LOOK)
    return True


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # the kernel has done away with it, as it does where SIGCHLD is ignored
        return True


async def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process that has not ended by itself, and whatever it has left behind in its group."""
    try:
        if not _has_ended(process):
            _signal(process, signal.SIGTERM)
            await _ends_within(process, GRACE_SECONDS)
    finally:
        _signal(process, signal.SIGKILL)
    await _ends_within(process, math.inf)
    process.wait()


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left, or became another user
        os.killpg(process.pid, number)


def _ending(code: int) -> dict[str, object]:
    return {"exit": code} if code > 0 else {"signal": -code}
