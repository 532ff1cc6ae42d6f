"""A stand-in for routing services on this machine, made from their published descriptions.

Roads lead due east and north, and journeys west take longer, so that no matrix is symmetric.
"""

import contextlib
import itertools
import json
import re
import threading
import time
from collections import deque
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from vrpcore.instance.polyline import encode_polyline

MAX_LOCATIONS = 20
MAX_COORDINATES, MAX_PAIRS, MAX_ROUTES = 100, 2500, 3500
PACE = {"bike": 3.0, "bicycle": 3.0, "cycling-regular": 3.0}  # times as slow as a car


def metres(start, end):
    """Length of the road from one place to another, a whole number of metres."""
    east, north = end[0] - start[0], end[1] - start[1]
    return float(round(100_000 * (abs(north) + (1.0 if east > 0 else 1.5) * abs(east))))


def seconds(start, end, profile="car"):
    """Time for it."""
    return round(metres(start, end) / 12.5 * PACE.get(profile, 1.0), 1)


def way(points):
    """The way by some places: east or west first, then north or south."""
    found = [points[0]]
    for start, end in itertools.pairwise(points):
        found += [(end[0], start[1]), end]
    return [point for point, _ in itertools.groupby(found)]


class Standin:
    """A server in a thread; use it in a `with` statement.

    Attributes:
        faults: What it does wrong next, one entry a request; None: nothing.
        islands: Locations that no road leads to or from.
        paths: Of the requests, in order.
        bodies: The JSON texts sent.
        headers: Of the last request.
        connections: How many were opened.
    """

    def __init__(self):
        self.faults, self.islands = deque(), set()
        self.paths, self.bodies, self.headers, self.connections = [], [], {}, 0
        standin = self

        class Handler(_Handler):
            server_of = standin

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # a client that gave up is no news
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def tables(self, sources, targets, profile):
        """Durations and distances, null from and to islands."""

        def table(measure):
            return [
                [
                    None if start != end and self.islands & {start, end} else measure(start, end)
                    for end in targets
                ]
                for start in sources
            ]

        return table(lambda *pair: seconds(*pair, profile)), table(metres)

    def osrm(self, path, query):
        found = re.fullmatch(r"/table/v1/([^/]+)/([-0-9.,;]+)", path)
        if not found:
            return 400, {"code": "InvalidUrl", "message": "URL string malformed"}
        points = [tuple(map(float, text.split(","))) for text in found[2].split(";")]
        if len(points) > MAX_COORDINATES:
            return 400, {"code": "TooBig", "message": "Too many table coordinates"}
        if (0.0, 0.0) in points:
            where = points.index((0.0, 0.0))
            text = f"Could not find a matching segment for coordinate {where}"
            return 400, {"code": "NoSegment", "message": text}

        def chosen(name):
            listed = query.get(name, ["all"])[0]
            return points if listed == "all" else [points[int(i)] for i in listed.split(";")]

        durations, distances = self.tables(chosen("sources"), chosen("destinations"), found[1])
        reply = {"code": "Ok", "durations": durations}
        if query.get("annotations") == ["duration,distance"]:
            reply["distances"] = distances
        return 200, reply

    def osrm_route(self, path, query):
        found = re.fullmatch(r"/route/v1/[^/]+/([-0-9.,;]+)", path)
        points = [tuple(map(float, text.split(","))) for text in found[1].split(";")]
        if len(points) > MAX_COORDINATES:
            return 400, {"code": "TooBig", "message": "Too many coordinates"}
        if self.islands & set(points):
            return 400, {"code": "NoRoute", "message": "Impossible route between points"}
        assert query == {"overview": ["full"], "geometries": ["polyline6"]}
        return 200, {"code": "Ok", "routes": [{"geometry": encode_polyline(way(points), 6)}]}

    @staticmethod
    def valhalla_route(body):
        points = [(place["lon"], place["lat"]) for place in body["locations"]]
        if len(points) > MAX_LOCATIONS:
            text = "Exceeded max locations"
            return 400, {"error_code": 150, "error": text, "status_code": 400}
        legs = [{"shape": encode_polyline(way(pair), 6)} for pair in itertools.pairwise(points)]
        return 200, {"trip": {"legs": legs, "status": 0}}

    @staticmethod
    def ors_directions(body):
        points = [tuple(place) for place in body["coordinates"]]
        return 200, {"routes": [{"geometry": encode_polyline(way(points))}]}

    def valhalla(self, body):
        sources, targets = (
            [(place["lon"], place["lat"]) for place in body[name]]
            for name in ("sources", "targets")
        )
        if len(sources) * len(targets) > MAX_PAIRS:
            text = "Exceeded max location pairs"
            return 400, {"error_code": 157, "error": text, "status_code": 400}
        if body["costing"] not in ("auto", "bicycle", "pedestrian", "truck"):
            text = f"No costing method found: '{body['costing']}'"
            return 400, {"error_code": 125, "error": text, "status_code": 400}
        durations, distances = self.tables(sources, targets, body["costing"])
        rows = [
            [
                {
                    "from_index": row,
                    "to_index": column,
                    "time": durations[row][column],
                    "distance": None if length is None else round(length / 1000, 3),
                }
                for column, length in enumerate(lengths)
            ]
            for row, lengths in enumerate(distances)
        ]
        return 200, {"sources_to_targets": rows, "units": body["units"]}

    def ors(self, path, body, key):
        if key == "wrong":
            return 403, {"error": "Access to this API has been disallowed"}
        points = [tuple(place) for place in body["locations"]]
        sources, targets = (
            [points[int(index)] for index in body[name]] for name in ("sources", "destinations")
        )
        if len(sources) * len(targets) > MAX_ROUTES:
            text = "Request parameters exceed the server configuration limits."
            return 400, {"error": {"code": 6004, "message": text}, "info": {}}
        durations, distances = self.tables(sources, targets, path.rpartition("/")[2])
        assert body["units"] == "m"
        both = {"duration": ("durations", durations), "distance": ("distances", distances)}
        return 200, dict(both[metric] for metric in body["metrics"])


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server_of = None

    def setup(self):
        super().setup()
        self.server_of.connections += 1

    def log_message(self, *_):
        """Nobody reads it."""

    def do_GET(self):
        parts = urlsplit(self.path)
        server, query = self.server_of, parse_qs(parts.query)
        tell = server.osrm_route if parts.path.startswith("/route/") else server.osrm
        self._answer(lambda: tell(parts.path, query))

    def do_POST(self):
        text = self.rfile.read(int(self.headers["content-length"])).decode()
        self.server_of.bodies.append(text)
        body = json.loads(text)
        if self.path == "/sources_to_targets":
            self._answer(lambda: self.server_of.valhalla(body))
        elif self.path == "/route":
            self._answer(lambda: self.server_of.valhalla_route(body))
        elif self.path.startswith("/v2/directions/"):
            self._answer(lambda: self.server_of.ors_directions(body))
        else:
            key = self.headers.get("authorization")
            self._answer(lambda: self.server_of.ors(self.path, body, key))

    def _answer(self, right):
        standin = self.server_of
        standin.paths.append(self.path)
        standin.headers = dict(self.headers)
        fault = standin.faults.popleft() if standin.faults else None
        if fault is None:
            status, reply = right()
            self.send(status, json.dumps(reply).encode())
        else:
            fault(self, right)

    def send(self, status, data, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def status(code, content=b"{}", **headers):
    """A fault: this status."""
    return lambda handler, _right: handler.send(code, content, **headers)


def changed(change):
    """A fault: the right reply, changed."""

    def answer(handler, right):
        code, reply = right()
        handler.send(code, json.dumps(change(reply)).encode())

    return answer


def dropped(handler, _right):
    """A fault: the connection ends without an answer."""
    handler.close_connection = True


def half(handler, right):
    """A fault: the connection ends in the middle of the answer."""
    data = json.dumps(right()[1]).encode()
    handler.send_response(200)
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data[: len(data) // 2])
    handler.close_connection = True


def slow(pause):
    """A fault: nothing comes for so many seconds."""

    def answer(handler, _right):
        time.sleep(pause)
        handler.close_connection = True

    return answer


def unending(data, pause):
    """A fault: these bytes again and again, with a pause behind each time."""

    def answer(handler, _right):
        handler.send_response(200)
        handler.end_headers()
        handler.close_connection = True
        with contextlib.suppress(OSError):
            while True:
                handler.wfile.write(data)
                time.sleep(pause)

    return answer


dripping, endless = unending(b" ", 0.02), unending(b" " * 65536, 0.0)
