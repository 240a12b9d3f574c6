"""What the machine is, how busy others keep it, and how much memory a piece of work takes."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

__all__ = ["CpuClock", "PeakMemory", "busiest_processes", "describe", "foreign_load"]

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class CpuClock:
    """Processor seconds used so far, by everybody on the processors that we may use, and by us."""

    wall: float
    everybody: float
    ourselves: float

    @classmethod
    def read(cls) -> CpuClock:
        """Read both; "us" is this process and its children that have ended and been waited for."""
        per_cpu = psutil.cpu_times(percpu=True)
        busy = 0.0
        for cpu in psutil.Process().cpu_affinity():
            times = per_cpu[cpu]
            # Stolen time counts: what the host takes is missing like what a neighbour takes.
            busy += sum(times) - times.idle - getattr(times, "iowait", 0.0)
            # The kernel counts guests twice.
            busy -= getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)
        own = os.times()
        mine = own.user + own.system + own.children_user + own.children_system
        return cls(time.monotonic(), busy, mine)

    def foreign_since(self, earlier: CpuClock) -> float:
        """Return how many processors others kept busy on average since an earlier reading."""
        wall = max(self.wall - earlier.wall, 1e-9)
        ours = self.ourselves - earlier.ourselves
        # The clock of the kernel ticks 100 times a second: of short work little can be said.
        uncertain = 0.04 * psutil.cpu_count()
        return max(0.0, self.everybody - earlier.everybody - ours - uncertain) / wall


def foreign_load(seconds: float = 1.0) -> float:
    """Watch for a moment and return how many processors others keep busy."""
    before = CpuClock.read()
    time.sleep(seconds)
    return CpuClock.read().foreign_since(before)


def busiest_processes(seconds: float = 0.5, n: int = 3) -> list[str]:
    """Name the processes that use most of the processors, for a message."""
    processes = [p for p in psutil.process_iter() if p.pid != os.getpid()]
    for process in processes:
        _usage(process)
    time.sleep(seconds)
    usage = sorted(((_usage(process), process) for process in processes), key=lambda pair: -pair[0])
    return [
        f"{process.pid} {_name(process)} ({percent:.0f} %)"
        for percent, process in usage[:n]
        if percent > 1
    ]


def _usage(process: psutil.Process) -> float:
    try:
        return process.cpu_percent()
    except psutil.Error:
        return 0.0


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return "ended"


class PeakMemory:
    """Peak resident memory above what is resident when the measurement begins, in bytes.

    Linux forgets the old peak when told so. Elsewhere there is only the peak of the whole life of
    the process: ``exact`` says which.
    """

    def __init__(self) -> None:
        _return_free_memory()
        self.exact = True
        try:
            Path("/proc/self/clear_refs").write_text("5")
        except OSError:
            self.exact = False
        self.before = psutil.Process().memory_info().rss

    def read(self) -> int:
        """Return the peak since the beginning."""
        return max(0, _peak() - self.before)


def _peak() -> int:
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    except (OSError, StopIteration):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak


def _return_free_memory() -> None:
    # Freed pages that the allocator keeps would be used again and not be seen as growth.
    with contextlib.suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


def describe() -> dict[str, str]:
    """Describe machine and commit, for the head of a report."""
    return {
        "processor": _processor(),
        "processors": str(len(psutil.Process().cpu_affinity())),
        "memory": f"{psutil.virtual_memory().total / 2**30:.0f} GiB",
        "system": platform.platform(),
        "Python": platform.python_version(),
        "commit": _commit(),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _commit() -> str:
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
