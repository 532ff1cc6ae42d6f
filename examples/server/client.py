"""Has each instance of a file solved by `vrp serve`: one request each, several at a time.

    python client.py http://127.0.0.1:8000 week.json answers.json

Needs only Python's standard library. A key is taken from the variable VRP_API_KEY.
"""

import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

PATIENCE_S = 60.0
AT_ONCE = 4
NO_ROOM = 429


def wait_until_ready(server: str) -> None:
    """Returns when the server says that it is ready; it says 503 while it starts."""
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urlopen(f"{server}/v2/health/ready", timeout=PATIENCE_S):
                return
        except (URLError, ConnectionError) as error:
            if time.monotonic() > until:
                sys.exit(f"{server} is not ready: {error}")
            time.sleep(0.1)


def solve(server: str, instance: dict[str, Any]) -> dict[str, Any]:
    """The answer to one instance; a server without room is asked again when it says so."""
    headers = {"Content-Type": "application/json", "X-API-Key": os.environ.get("VRP_API_KEY", "")}
    request = Request(f"{server}/v1/solve", json.dumps(instance).encode(), headers)
    until = time.monotonic() + PATIENCE_S
    while True:
        try:
            with urlopen(request, timeout=PATIENCE_S) as response:
                return json.load(response)["solutions"][0]
        except HTTPError as error:
            pause = float(error.headers.get("Retry-After", 1))
            if error.code != NO_ROOM or time.monotonic() + pause > until:
                sys.exit(f"{instance['name']}: {error.code} {error.read().decode()}")
            print(f"{instance['name']}: no room, again in {pause:g} s", file=sys.stderr)
            time.sleep(pause)


def main() -> None:
    """Reads the instances, asks for all of them, and writes the answers in their order."""
    server, source, target = sys.argv[1:]
    instances = json.loads(Path(source).read_text())
    wait_until_ready(server)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(lambda instance: solve(server, instance), instances))
    Path(target).write_text(json.dumps(answers))
    for answer in answers:
        print(answer["name"], answer["status"], len(answer.get("routes", ())), "routes")


main()
