"""The machine that figures are of."""

import os
import platform
import sqlite3
from pathlib import Path


def describe(folder: Path) -> dict[str, str | float]:
    """What decides about figures: the processor, the interpreter, SQLite, and the disk of a folder."""
    return {
        "cpu": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "fileSystem": _file_system(folder),
        "load": round(os.getloadavg()[0], 1),
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def _file_system(folder: Path) -> str:
    """The type of the file system that a folder is on, by the mount point nearest to it."""
    nearest, kind = "", "unknown"
    for line in Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines():
        _, point, mounted, *_ = line.split(" ")
        if folder.resolve().is_relative_to(point) and len(point) >= len(nearest):
            nearest, kind = point, mounted
    return kind
