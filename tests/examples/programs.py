"""Runs what the documents let readers type, as they would: in a folder of its own, with bash."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

_TIME_LIMIT_S = 600


def _free_port():
    """A port that nobody listens on."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]


def run_commands(commands, folder):
    """Runs commands in a folder; what they printed. Each must succeed."""
    own = Path(sys.executable).parent  # where `vrp` is
    environment = {
        **os.environ,
        "PATH": f"{own}{os.pathsep}{os.environ['PATH']}",
        "PORT": str(_free_port()),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    process = subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", commands],
        cwd=folder, env=environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=_TIME_LIMIT_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, said
    return said
