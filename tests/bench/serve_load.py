"""Load on `vrp serve`: clients with one instance a request, everything on this machine.

python -m tests.bench.serve_load [--clients 1 16 128 512] [--sizes 20 50] [--room 5000]
    [--variant vrptw]

Starts a server, lets the clients send one request after the other over connections that
stay open, and then checks every answer with the independent checker. A line a setting:
requests a second, latencies, answers by status, the server's memory before and after. Last,
`vrp solve --improve fast` of the same instances in one file, for comparison.
"""

import asyncio
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from tests.bench.arguments import arguments
from tests.vrpcore.serve.process import ServerProcess
from vrpcore.api import read_instances
from vrpcore.bench.problem_set import generated_set
from vrpcore.formats.solutions import read_solutions
from vrpcore.formats.write import instance_to_line
from vrpcore.instance.generator import random_problems, usual_capacity
from vrpcore.instance.variant_generator import VARIANTS, instances_of
from vrpcore.referee.referee import check_solution

_HEAD = re.compile(rb"HTTP/1.1 (\d+).*?content-length: (\d+)", re.DOTALL | re.IGNORECASE)
_INSTANCES = 512


def documents(size, variant):
    """Instances of a size, each as a JSON line; plain ones without a variant."""
    drawn = generated_set(f"uniform{size}", _INSTANCES, 99).instances
    if variant is not None:
        rng = np.random.default_rng(99)
        problems = random_problems("uniform", (_INSTANCES, size), usual_capacity(size), rng)
        drawn = instances_of([VARIANTS[variant]] * _INSTANCES, problems, variant, rng)
    return [instance_to_line(instance).encode() for instance in drawn]


async def client(port, bodies, number, end, found):
    """One connection; appends (instance, status, seconds, answer)."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    place = number
    while time.perf_counter() < end:
        place = (place + 7) % len(bodies)
        body = bodies[place]
        head = f"POST /v1/solve HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
        started = time.perf_counter()
        writer.write(head.encode() + body)
        told = await reader.readuntil(b"\r\n\r\n")
        status, length = _HEAD.search(told).groups()
        answer = await reader.readexactly(int(length))
        found.append((place, int(status), time.perf_counter() - started, answer))
        if int(status) == 429:
            await asyncio.sleep(0.5)
    writer.close()


async def load(port, bodies, clients, seconds):
    """All that the clients got."""
    found, end = [], time.perf_counter() + seconds
    await asyncio.gather(*(client(port, bodies, number, end, found) for number in range(clients)))
    return found


def wrong_answers(bodies, found):
    """How many solved answers the independent check refuses."""
    instances = [read_instances(body)[0] for body in bodies]
    wrong = 0
    for place, status, _, answer in found:
        if status == 200:
            (solution,) = read_solutions(answer)
            wrong += (
                solution.status != "solved" or not check_solution(instances[place], solution).ok
            )
    return wrong


def file_rate(bodies, folder):
    """Instances a second of one `vrp solve` of all instances."""
    (folder / "all.jsonl").write_bytes(b"\n".join(bodies * 4))
    command = [sys.executable, "-m", "vrpcore.cli", "solve", str(folder / "all.jsonl")]
    subprocess.run([*command, "-q", "-o", str(folder / "out.json")], check=True)
    return json.loads((folder / "out.json").read_text())["summary"]["instances_per_second"]


def main():
    args = arguments(
        __doc__,
        clients=[1, 16, 128, 512],
        sizes=[20, 50],
        seconds=60.0,
        room={"type": int, "help": "of the server; too small a one gives 429s"},
        variant={"choices": VARIANTS, "help": "of the instances; default: plain"},
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in args.sizes:
            bodies = documents(size, args.variant)
            room = ["--room", str(args.room)] if args.room else []
            server = ServerProcess(folder, *room, quiet=True)
            for clients in args.clients:
                before, started = server.memory_mb, time.perf_counter()
                found = asyncio.run(load(server.port, bodies, clients, args.seconds))
                seconds = time.perf_counter() - started
                times = np.array([1000 * each[2] for each in found if each[1] == 200])
                p50, p95, p99 = np.percentile(times, (50, 95, 99))
                print(
                    f"N={size} clients={clients:<4} {len(times) / seconds:7.1f} requests/s  "
                    f"p50 {p50:.0f} p95 {p95:.0f} p99 {p99:.0f} ms  "
                    f"{dict(Counter(each[1] for each in found))}  "
                    f"wrong {wrong_answers(bodies, found)}  "
                    f"{before} -> {server.memory_mb} MB",
                    flush=True,
                )
            server.end(signal.SIGTERM)
            print(f"N={size} in one file {file_rate(bodies, folder):.1f} instances/s", flush=True)


if __name__ == "__main__":
    main()
