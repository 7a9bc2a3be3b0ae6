"""What `/proc` says of processes."""

from pathlib import Path


def processes_of(place: Path) -> list[str]:
    """The command lines that name something in a folder."""
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = file.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if f"{place}/" in command:
            found.append(command)
    return found


def cpu_seconds(pid: int) -> float:
    """The time that a process has been on a processor, all its threads, by `schedstat` of proc(5)."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text(encoding="ascii").split()[0]) for thread in threads) / 1e9
