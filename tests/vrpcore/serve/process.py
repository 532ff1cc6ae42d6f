"""`vrp serve` as a process of its own."""

import json
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

GOOD = {"capacity": 9, "depot": [0, 0], "coords": [[1, 0], [2, 0]], "demands": [3, 4]}
SOON = 60.0


def until(reached):
    """Waits until something holds."""
    end = time.monotonic() + SOON
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.02)


class ServerProcess:
    """A server process of the command line, on a free port.

    Args:
        folder: For its jobs.
        *arguments: More of them.
        quiet: Lines of requests are not kept.
        before: Python that is run first.

    Attributes:
        url: Its address.
        lines: What it wrote, but for the lines of requests where `quiet`.
    """

    def __init__(self, folder, *arguments, quiet=False, before=""):
        command = [sys.executable, "-c", f"{before}\nfrom vrpcore.cli.main import run\nrun()"]
        command += ["serve", "--port", "0", "--device", "cpu"]
        command += ["--jobs", str(folder / "jobs.sqlite"), *arguments]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.lines, self.url, self._quiet = [], None, quiet
        started = threading.Event()
        self._reader = threading.Thread(target=self._read, args=(started,), daemon=True)
        self._reader.start()
        assert started.wait(SOON), self.lines
        assert self.url, self.lines

    def _read(self, started):
        for line in self.process.stderr:
            if not (self._quiet and '"event": "request"' in line):
                self.lines.append(line)
            if found := re.search(r"serving on (http://\S+)", line):
                self.url = found[1]
                started.set()
        started.set()

    @property
    def port(self):
        return int(self.url.rpartition(":")[2])

    @property
    def memory_mb(self):
        """Resident megabytes."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) // 1024

    def ask(self, path, content=None, method=None):
        """What a request gives, parsed."""
        body = None if content is None else json.dumps(content).encode()
        return json.loads(self.text(path, body, method) or "null")

    def text(self, path, body=None, method=None):
        """What a request gives."""
        request = urllib.request.Request(self.url + path, body, method=method)  # noqa: S310
        with urllib.request.urlopen(request, timeout=SOON) as answer:  # noqa: S310
            return answer.read().decode()

    def status(self, path, text=None):
        """The status of a request's answer."""
        body = None if text is None else text.encode()
        try:
            self.text(path, body)
        except urllib.error.HTTPError as error:
            error.close()
            return error.code
        return 200

    def end(self, number):
        """Sends a signal; the exit code."""
        self.process.send_signal(number)
        code = self.process.wait(SOON)
        self._reader.join(SOON)
        self.process.stderr.close()
        return code
