"""The machine that figures were measured on."""

import os
import platform
from pathlib import Path

from vrpcore.version import VERSION


def machine() -> dict[str, object]:
    """What the figures depend on."""
    return {
        "vrp": VERSION,
        "python": platform.python_version(),
        "processor": _processor(),
        "cores": os.cpu_count(),
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except (OSError, UnicodeDecodeError):
        pass
    return platform.processor() or platform.machine()
