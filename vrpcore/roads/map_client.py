"""Questions about a map on this machine: Valhalla's own program answers each, in a process."""

import json
import subprocess
import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from vrpcore.errors import InstanceError, RoadsError
from vrpcore.roads.map_tiles import CONFIG, NEAR_M, last_line, program, tiles_of
from vrpcore.roads.road_client import shown
from vrpcore.roads.road_options import OSM, Address, Say, silent
from vrpcore.roads.services import KNOWN, Ask, Reply, parse_reply

_REFUSING = 1  # the exit status where the reply is an error


class MapClient:
    """Asks about the roads of one map, as `Client` asks a routing service.

    Args:
        address: Of the map.
        timeout_s: Seconds for one question.
        at_a_time: Processes; further threads wait.
        say: Called with a message before what takes long.

    Raises:
        VrpError: As for `tiles_of`.

    Attributes:
        address: Tells this state of the map from others.
        at_a_time: The same.
    """

    def __init__(
        self, address: Address, timeout_s: float, at_a_time: int = 1, say: Say = silent
    ) -> None:
        file = Path(address.where)
        # Clients of a server read its errors: no path.
        self._name, self._timeout_s = f"{OSM}={file.name}", timeout_s
        self._program = program("valhalla_service")
        self._tiles = tiles_of(file, say)
        self._free, self.at_a_time = threading.BoundedSemaphore(at_a_time), at_a_time
        self.address = Address(OSM, self._tiles.name)

    def close(self) -> None:
        """Ends nothing: no process outlives its answer."""

    def ask(self, ask: Ask, limit: int) -> Reply:
        """Asks and returns the reply.

        Args:
            ask: The question, as a service of Valhalla takes it.
            limit: Most bytes of the reply.

        Raises:
            InstanceError: Something is wrong with the question (code ROADS).
            RoadsError: There is no answer, or another than expected.
        """
        body = ask.body or {}
        value, found = parse_reply(self._answer(ask.path, body, limit))
        if value is None:
            self.fail(f"the reply is {found}")
        refusal = KNOWN[OSM].refusal(value)
        if refusal is None:
            return value
        far = self._without_road(body, limit)
        if far is not None:
            near = f"within {NEAR_M // 1000} km of coordinate {far}"
            refusal = f"no road of the map for {body['costing']} {near}"
        raise InstanceError(f"{self._name}: {shown(refusal)}", code="ROADS")

    def fail(self, problem: str) -> NoReturn:
        """Raises a RoadsError that names the map."""
        raise RoadsError(f"{self._name}: {problem}")

    def _answer(self, path: str, body: Mapping[str, object], limit: int) -> bytes:
        """The file for the program's reply, which no other user of the machine can read."""
        if not (self._tiles / CONFIG).is_file():
            self.fail("its tiles are gone; if the map was prepared again, start again")
        try:
            with self._free, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as log:
                done = subprocess.run(  # noqa: S603 - a program of an installed package
                    [self._program, CONFIG, path.removeprefix("/"), "/dev/stdin"],
                    cwd=self._tiles,
                    input=json.dumps(body).encode(),
                    stdout=output,
                    stderr=log,
                    timeout=self._timeout_s,
                    check=False,
                )
                if done.returncode not in (0, _REFUSING):
                    self.fail(f"Valhalla ended with status {done.returncode}: {last_line(log)}")
                output.seek(0)
                data = output.read(limit + 1)
        except subprocess.TimeoutExpired:
            advice = "give --matrix-timeout more, or --matrix-block less"
            self.fail(f"no answer within {self._timeout_s:g} s; {advice}")
        except OSError as error:
            problem = f"{self._program.name} cannot be run, or temporary files not be written"
            self.fail(f"{problem}: {error.strerror}")
        if len(data) > limit:
            self.fail(f"the reply has more than {limit} bytes")
        return data

    def _without_road(self, body: Mapping[str, object], limit: int) -> int | None:
        """The first coordinate of a question that no road is near; None: not known."""
        question = {"locations": _points(body), "costing": body["costing"]}
        try:
            found = json.loads(self._answer("/locate", question, limit))
            return [bool(each["edges"]) for each in found].index(False)
        except (ValueError, LookupError, TypeError):  # none, or it refuses this question, too
            return None


def _points(body: Mapping[str, object]) -> list[object]:
    """The points of a question, as `Piece.points` has them."""
    parts = [body.get(key) for key in ("locations", "sources", "targets")]
    lists = [part for part in parts if isinstance(part, list)]
    if len(lists) > 1 and lists[0] == lists[1]:
        del lists[1]
    return [point for part in lists for point in part]
