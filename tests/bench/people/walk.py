"""A person's way: what is typed, the seconds that takes, and what comes of it in a line."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from vrpcore.client import Client

PORT = "8000"  # as typed; each server gets one that is free
PATIENCE_S = 120.0
DRAINING_S = 0.5  # after SIGTERM
# Runs blocks of Python one after another, as a notebook does; tells seconds and last values.
SESSION = """
import ast, json, sys, time
space = {}
for text in json.load(sys.stdin):
    tree = ast.parse(text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    begun = time.perf_counter()
    exec(compile(tree, "block", "exec"), space)
    value = eval(compile(ast.Expression(last.value), "block", "eval"), space) if last else None
    print(json.dumps([time.perf_counter() - begun, "" if value is None else str(value)]))
"""


class Walk:
    """What one person does in a folder.

    Args:
        person: Who it is, in a few words.
        folder: With the files that this person brings; what is written stays there.

    Attributes:
        rows: Of each step the person, what is typed, the seconds by the clock, and a line.
    """

    def __init__(self, person, folder):
        self.person, self.folder = person, folder
        self.rows = []
        self._port, self._server = PORT, None
        folder.mkdir(parents=True, exist_ok=True)

    def types(self, line, told=None, shown=None):
        """Runs a line in a shell, and keeps what it comes to.

        Args:
            line: What is typed; it must succeed.
            told: Makes a line of stdout, or where that is empty of stderr; None: the last line.
            shown: How the table has the line; None: as it is.

        Returns:
            What stdout says.
        """
        begun = time.perf_counter()
        done = subprocess.run(
            ["sh", "-c", line.replace(PORT, self._port)],
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
        )
        seconds = time.perf_counter() - begun
        if done.returncode:
            raise SystemExit(f"{self.person}: {line}\n{done.stdout}{done.stderr}")
        said = (told or last_line)(done.stdout or done.stderr)
        self._keep(f"`{shown or line}`", seconds, said)
        return done.stdout

    def runs(self, blocks):
        """Runs blocks of Python in one process; lines of --- stand between them."""
        texts = blocks.split("---\n")
        done = subprocess.run(
            [sys.executable, "-c", SESSION],
            input=json.dumps(texts),
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(f"{self.person}: {done.stderr}")
        for text, line in zip(texts, done.stdout.splitlines(), strict=True):
            seconds, value = json.loads(line)
            typed = "<br>".join(f"`{each}`" for each in text.strip().splitlines())
            self._keep(typed, seconds, f"`{value}`" if value else "")

    def serves(self, line):
        """Starts a server, and waits until it is ready."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = str(free.getsockname()[1])
        begun = time.perf_counter()
        words = [sys.executable, "-m", "vrpcore.cli", *line.split()[1:], "--port", self._port]
        log = self.folder / "log"
        with log.open("wb") as stderr:
            self._server = subprocess.Popen(words, cwd=self.folder, stderr=stderr)
        client = Client(f"http://127.0.0.1:{self._port}")
        while not client.is_ready():
            if time.perf_counter() - begun > PATIENCE_S or self._server.poll() is not None:
                raise SystemExit(f"{line}: not ready\n{log.read_text()}")
            time.sleep(0.05)
        self._keep(f"`{line}`", time.perf_counter() - begun, "ready")

    def ends(self, meanwhile=None):
        """Ends the server by SIGTERM, and types something before it has ended."""
        begun = time.perf_counter()
        self._server.send_signal(signal.SIGTERM)
        if meanwhile is not None:
            time.sleep(DRAINING_S)
            self.types(meanwhile)
        status = self._server.wait(PATIENCE_S)
        self._keep("SIGTERM", time.perf_counter() - begun, f"the server ends with {status}")

    def close(self):
        """Ends a server that still runs."""
        if self._server is not None and self._server.poll() is None:
            self._server.kill()
            self._server.wait()

    def wrote(self, name):
        """What tells the size of a file, and before that what `vrp solve` says of its answer."""

        def told(text):
            found = dict(line.split(maxsplit=1) for line in text.splitlines() if " " in line)
            said = [f"{key} {found[key]}" for key in ("solved", "routes", "cost") if key in found]
            size = (self.folder / name).stat().st_size / 1000
            return "; ".join([*said, f"`{name}` has {size:.0f} kB"])

        return told

    def _environment(self):
        """In which `vrp` and `python` are those that run this."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return os.environ | {"PATH": path, "COLUMNS": "200"}

    def _keep(self, typed, seconds, said):
        self.rows.append([self.person, typed, seconds, said])
        print(f"{self.person}: {typed}: {said} ({seconds:.2f} s)", file=sys.stderr, flush=True)


def last_line(text):
    """The last line of a text."""
    return text.strip().splitlines()[-1]
