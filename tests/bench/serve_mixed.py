"""Half an hour of everything that comes to a server: good, bad and aborted requests.

python -m tests.bench.serve_mixed [--minutes 30] [--clients 16] [--pause 0.05]

Each client draws a request, waits for its answer (or goes away), and draws the next after
a pause. A line a minute: answers by kind and status, the server's memory. At the end what
was wrong: an error 500, an answer that the independent check refuses, work left behind.
"""

import asyncio
import json
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from tests.bench.arguments import arguments
from tests.vrpcore.serve.process import GOOD, ServerProcess
from vrpcore.api import read_instances
from vrpcore.bench.problem_set import generated_set
from vrpcore.formats.solutions import read_solutions
from vrpcore.formats.write import instance_to_line
from vrpcore.referee.referee import check_solution

_HEAD = re.compile(rb"HTTP/1.1 (\d+)")
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)
_BAD = {**GOOD, "capacity": -4}
_PARTS = {
    "good": 0.4, "several": 0.1, "one bad": 0.1, "all bad": 0.05, "no JSON": 0.05,
    "wrong query": 0.05, "too large": 0.03, "half a body": 0.05, "goes away": 0.07,
    "job": 0.05, "no such thing": 0.05,
}  # fmt: skip


def drawn_instances():
    """Instances as JSON texts, of 10 to 100 customers."""
    sets = [generated_set(f"uniform{size}", 60, 7).instances for size in (10, 20, 50, 100)]
    return [instance_to_line(instance) for group in sets for instance in group]


class Client:
    """Sends one request after the other, each over a connection of its own.

    Attributes:
        seen: How often each (kind, status) came back.
        wrong: What should never have come back.
    """

    def __init__(self, port, texts, number):
        self._port, self._texts, self._rng = port, texts, np.random.default_rng(number)
        self.seen, self.wrong = Counter(), []

    async def run(self, end, pause):
        """Until the end."""
        kinds, weights = list(_PARTS), list(_PARTS.values())
        while time.monotonic() < end:
            kind = self._rng.choice(kinds, p=weights)
            try:
                status = await asyncio.wait_for(self._one(kind), 120)
            except Exception as error:  # whatever it is, it is a finding
                status = type(error).__name__
                self.wrong.append(f"{kind}: {error!r}")
            self.seen[kind, status] += 1
            if isinstance(status, int) and status >= 500:
                self.wrong.append(f"{kind}: {status}")
            await asyncio.sleep(pause)

    async def _one(self, kind):
        text = str(self._rng.choice(self._texts))
        if kind == "good":
            return await self._solve([text])
        if kind == "several":
            return await self._solve(list(self._rng.choice(self._texts, 8)))
        if kind == "one bad":
            return await self._solve([text, json.dumps(_BAD)])
        if kind == "all bad":
            return (await self._ask("POST", "/v1/solve", json.dumps(_BAD)))[0]
        if kind == "no JSON":
            return (await self._ask("POST", "/v1/solve", text[: len(text) // 2]))[0]
        if kind == "wrong query":
            return (await self._ask("POST", "/v1/solve?improve=best&time_limit=nan", text))[0]
        if kind == "too large":
            return (await self._ask("POST", "/v1/solve", text, length=2**40))[0]
        if kind == "half a body":
            return await self._leave("/v1/solve", text, len(text) // 2)
        if kind == "goes away":
            return await self._leave("/v1/solve?improve=deep", text, len(text))
        if kind == "job":
            return await self._job(list(self._rng.choice(self._texts, 20)))
        path = self._rng.choice(["/nothing", "/page/../../etc/passwd", "/v1/jobs/none"])
        return (await self._ask("GET", path, ""))[0]

    async def _solve(self, texts):
        status, answer = await self._ask("POST", "/v1/solve", "\n".join(texts))
        if status == 200:
            self._check(texts, answer)
        return status

    def _check(self, texts, answer):
        items = read_instances("\n".join(texts).encode())
        for instance, solution in zip(items, read_solutions(answer), strict=True):
            if solution.status == "solved" and check_solution(instance, solution).ok:
                continue
            if solution.status != "invalid" or hasattr(instance, "coords"):
                self.wrong.append(f"{instance.name}: {solution.status}")

    async def _job(self, texts):
        status, answer = await self._ask("POST", "/v1/jobs?improve=none", "\n".join(texts))
        if status != 202:
            return status
        place = f"/v1/jobs/{json.loads(answer)['id']}"
        if self._rng.random() < 0.7:
            while True:
                job = json.loads((await self._ask("GET", place, ""))[1])
                if job["status"] == "done":
                    self._check(texts, json.dumps(job["answer"]).encode())
                    break
                await asyncio.sleep(0.2)
        return (await self._ask("DELETE", place, ""))[0]

    async def _ask(self, method, path, text, length=None):
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        body = text.encode()
        head = f"{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        writer.write(f"{head}content-length: {length or len(body)}\r\n\r\n".encode() + body)
        told = await reader.readuntil(b"\r\n\r\n")
        size = _LENGTH.search(told)
        answer = await reader.readexactly(int(size[1])) if size else b""
        writer.close()
        return int(_HEAD.match(told)[1]), answer

    async def _leave(self, path, text, sent):
        _, writer = await asyncio.open_connection("127.0.0.1", self._port)
        body = text.encode()
        head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body[:sent])
        await writer.drain()
        await asyncio.sleep(self._rng.random() * 0.05)
        writer.transport.abort()
        return "left"


async def traffic(server, clients, args):
    """All clients, and a line a minute."""
    end = time.monotonic() + 60 * args.minutes
    working = [asyncio.create_task(client.run(end, args.pause)) for client in clients]
    minute = 0
    while any(not task.done() for task in working):
        await asyncio.wait(working, timeout=60)
        minute += 1
        count = sum(sum(client.seen.values()) for client in clients)
        print(f"{minute:3d} min  {count} requests  {server.memory_mb} MB", flush=True)
    await asyncio.gather(*working)


def main():
    args = arguments(
        __doc__,
        minutes=30.0,
        clients=16,
        pause={"type": float, "default": 0.05, "help": "seconds after each answer"},
    )
    with tempfile.TemporaryDirectory() as name:
        server = ServerProcess(Path(name), quiet=True)
        texts = drawn_instances()
        clients = [Client(server.port, texts, number) for number in range(args.clients)]
        asyncio.run(traffic(server, clients, args))
        time.sleep(2)  # what was left behind is taken back
        gauge = re.search(r"^vrp_queue_customers (\S+)", server.text("/metrics"), re.M)[1]
        code = server.end(signal.SIGTERM)
    for (kind, status), count in sorted(
        sum((client.seen for client in clients), Counter()).items(), key=str
    ):
        print(f"{kind:14} {status!s:5} {count}")
    wrong = [each for client in clients for each in client.wrong]
    wrong += [line for line in server.lines if line.startswith("{")]
    print(f"customers left {gauge}, exit code {code}, wrong: {len(wrong)}")
    print("\n".join(wrong[:20]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
