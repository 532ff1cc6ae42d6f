"""The examples as examples/README.md has them: their folders and their commands.

`python -m tests.examples.sections [NAME...]` runs them and puts their pictures into
docs/examples/. Without a name: all of them.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
PICTURES = ROOT / "docs" / "examples"
README = (EXAMPLES / "README.md").read_text(encoding="utf-8")
_TIME_LIMIT_S = 600


def sections():
    """Text of each example, by its folder."""
    parts = re.split(r"^## (\w+): .*\n", README, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def commands(name):
    """What a reader types, in the example's folder."""
    (block,) = re.findall(r"^```sh\n(.*?)^```", sections()[name], re.MULTILINE | re.DOTALL)
    return block


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return unused.getsockname()[1]


def run(name, folder):
    """Runs an example in a copy of its folder; that copy, and what was said."""
    place = Path(shutil.copytree(EXAMPLES / name, Path(folder) / name))
    own = Path(sys.executable).parent  # where `vrp` is
    environment = {
        **os.environ,
        "PATH": f"{own}{os.pathsep}{os.environ['PATH']}",
        "PORT": str(free_port()),
        "XDG_STATE_HOME": str(place / "state"),
    }
    process = subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", commands(name)],
        cwd=place, env=environment, text=True, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        said, _ = process.communicate(timeout=_TIME_LIMIT_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, said
    return place, said


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for example in sys.argv[1:] or sections():
        with tempfile.TemporaryDirectory() as temporary:
            found, _ = run(example, temporary)
            shutil.copy(found / f"{example}.svg", PICTURES)
