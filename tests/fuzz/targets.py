"""What is fuzzed: each target takes any bytes and raises only where there is a bug."""

import asyncio
import dataclasses
import gzip
import hashlib
import io
import json
import math
import struct
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import torch

from vrpcore.api import Solver
from vrpcore.cli.pairs import vroom_documents
from vrpcore.config.sections import PolicyConfig
from vrpcore.cost.check_vroom import check_vroom
from vrpcore.errors import VrpError
from vrpcore.formats.jsonio import Reading, read_sources
from vrpcore.formats.sheets.options import SheetOptions
from vrpcore.formats.sheets.routes import AnswerTable
from vrpcore.formats.sheets.sheet import SheetInstance
from vrpcore.formats.sheets.template import TEMPLATE
from vrpcore.formats.solutionformats import with_own_ids
from vrpcore.formats.solutionio import read_solutions, solutions_to_json
from vrpcore.formats.vroom_answer import answer_to_dict
from vrpcore.formats.writer import instance_to_line
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution, Unserved
from vrpcore.instance.vroom import VroomInstance, VroomSolution, is_vrooms
from vrpcore.policy.checkpoint import (
    FORMAT,
    checkpoint_identity,
    load_checkpoint,
    policy_from_checkpoint,
)
from vrpcore.policy.policy import build_policy
from vrpcore.roads.cache import Cache
from vrpcore.roads.services import KNOWN, Block, parse_reply
from vrpcore.serve.app import build_app
from vrpcore.serve.desk import Desk
from vrpcore.serve.jobs import JobStore
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.answer import refused
from vrpcore.solve.backend import info_from_metadata
from vrpcore.train.labels import read_labels

_FOLDER = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))  # noqa: S108


def instances(data: bytes) -> None:
    """JSON, JSON Lines, VROOM's, CVRPLIB, gzip; what is valid is written and read as the same."""
    for item in read_sources(data).items:
        if isinstance(item, Instance):
            try:
                line = instance_to_line(item).encode()
            except VrpError as error:
                assert error.code == "NOT_WRITABLE", error
                continue
            (again,) = read_sources(line).items
            assert isinstance(again, Instance), again
            assert instance_to_line(again).encode() == line


def sheets(data: bytes) -> None:
    """CSV of stops and, behind a line with a NUL, of a fleet; what is read is answered in kind."""
    stops, _, fleet = data.partition(b"\0\n")
    path = _FOLDER / "vans.csv"
    path.write_bytes(fleet)
    many, one = {"fleet": str(path)}, {"depot": (1.0, 2.0), "capacity": (9.0,)}
    for reading in (
        Reading(sheet=SheetOptions(**many, speed=30.0)),
        Reading(sheet=SheetOptions(**many), roads=True),
        Reading(sheet=SheetOptions(**one, speed=30.0)),
    ):
        for item in read_sources(stops, reading=reading).items:
            answer = Solution(name=item.name, status="partial", code="A", error="b")
            if isinstance(item, SheetInstance):
                unserved = tuple(Unserved(name, "FLEET") for name in item.ids)
                answer = dataclasses.replace(answer, unserved=unserved)
            text = AnswerTable().text(item, answer).removeprefix("\ufeff")
            rows = 1 + max(1, item.num_customers if isinstance(item, SheetInstance) else 1)
            assert len(text.splitlines()) == rows, text


def solutions(data: bytes) -> None:
    """`vrp-solutions/1` and `.sol`; what is read is written and read as the same."""
    try:
        found = read_solutions(data)
    except VrpError:
        return
    if any(answer.cost is None and answer.status == "solved" for answer in found) or any(
        not route.states_load for answer in found for route in answer.routes
    ):
        return  # a .sol file, which states no loads and may state no cost
    if any(isinstance(answer, VroomSolution) for answer in found):
        return  # written in the names of its problem
    text = solutions_to_json(found, {}, {}).encode()
    assert solutions_to_json(read_solutions(text), {}, {}).encode() == text


def vroom(data: bytes) -> None:
    """VROOM's problem on the first line, an answer to it on the next."""
    first, _, second = data.partition(b"\n")
    items = read_sources(first).items
    for item in items:
        if is_vrooms(item) and not isinstance(item, VroomInstance):
            assert answer_to_dict(item, refused(item))["code"] == 2
    try:
        found = read_solutions(second)
    except VrpError:
        return
    if not items or len(items) != len(found):
        return
    documents = list(vroom_documents(first, second))
    for item, answer, both in zip(items, found, documents, strict=True):
        if isinstance(item, VroomInstance) and isinstance(answer, VroomSolution):
            with_own_ids(item, answer)
            if answer.has_routes:
                check_vroom(*both)


def labels(data: bytes) -> None:
    """Labelled `.npz`."""
    path = _FOLDER / "labels.npz"
    path.write_bytes(data)
    try:
        read_labels(str(path), needs_routes=False)
    except VrpError:
        return


def arrays(data: bytes) -> None:
    """Well-formed `.npz` of any arrays: two bytes choose each name and kind, one the shape."""
    names = ("coords", "demand", "capacity", "num_customers", "tour", "cost", "other")
    kinds = ("f4", "f8", "i8", "u2", "i1", "U3", "c8", "?")
    shapes = ((), (2,), (2, 3), (2, 3, 2), (0,), (0, 3, 2), (1, 1, 1, 1), (2, 0))
    found, place = {}, 0
    while place + 3 <= len(data) and len(found) < len(names):
        name, kind, shape = (data[place + number] for number in range(3))
        chosen, size = np.dtype(kinds[kind % 8]), math.prod(shapes[shape % 8])
        content = data[place + 3 : place + 3 + size].ljust(size, b"\1")
        values = np.frombuffer(content, np.int8).astype(np.int64)
        found[names[name % 7]] = values.astype(chosen).reshape(shapes[shape % 8])
        place += 3 + size
    file = io.BytesIO()
    np.savez(file, **found)
    labels(file.getvalue())


def _small_checkpoint() -> bytes:
    config = PolicyConfig(embed_dim=2, num_heads=1, num_layers=1, feedforward_dim=1)
    content = {
        "format": FORMAT, "name": "a", "train_sizes": [1, 2],
        "config": {"policy": dataclasses.asdict(config)},
        "policy": build_policy(config, 1).state_dict(),
    }  # fmt: skip
    file = io.BytesIO()
    torch.save(content, file)
    return file.getvalue()


class Pickle:
    """Checkpoints that are whole archives: the bytes are their `data.pkl`."""

    def __init__(self) -> None:
        with zipfile.ZipFile(io.BytesIO(_small_checkpoint())) as archive:
            self._members = {name: archive.read(name) for name in archive.namelist()}

    def __call__(self, data: bytes) -> None:
        """One checkpoint."""
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w") as archive:
            for name, content in self._members.items():
                archive.writestr(name, data if name.endswith("/data.pkl") else content)
        checkpoint(file.getvalue())

    def whole(self) -> bytes:
        """The `data.pkl` to begin with."""
        return next(part for name, part in self._members.items() if name.endswith("/data.pkl"))


def checkpoint(data: bytes) -> None:
    """Checkpoints."""
    path = _FOLDER / "checkpoint.pt"
    path.write_bytes(data)
    try:
        content = load_checkpoint(path)
        policy_from_checkpoint(content, "checkpoint")
        checkpoint_identity(content, "checkpoint")
    except VrpError:
        return


def manifest(data: bytes) -> None:
    """What an exported model says about itself."""
    try:
        content = json.loads(data)
    except (ValueError, RecursionError):
        return
    if isinstance(content, dict):
        texts = {str(key): str(value) for key, value in content.items()}
        try:
            info_from_metadata(texts, "model", "onnx", "cpu")
        except VrpError:
            return


def replies(data: bytes) -> None:
    """What a routing service answers."""
    reply, _ = parse_reply(data)
    if reply is None:
        return
    for service in KNOWN.values():
        service.refusal(reply)
        try:
            block = service.read(reply, (1, 2))
        except ValueError:
            continue
        assert all(part.shape == (1, 2) and not (part < 0).any() for part in block)


def blocks(data: bytes) -> None:
    """Files of the cache of routing services, as they are and with the hash that they need."""
    cache, key = Cache(_FOLDER / "blocks"), "0" * 64
    cache.put(key, Block(np.zeros((1, 2)), np.zeros((1, 2))))
    (path,) = (_FOLDER / "blocks").rglob("*.block")
    for content in (data, b"vrproad1" + hashlib.sha256(data).digest() + data):
        path.write_bytes(content)
        found = cache.get(key, (1, 2))
        assert found is None or found.durations.shape == (1, 2)


class Http:
    """Requests: the first line says method, path and query, the rest is the body."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        solver = Solver(device="cpu")
        settings = ServeSettings(jobs=_FOLDER / "jobs.sqlite", max_body_bytes=2**16, max_jobs=3)
        self._session = solver.session()
        desk = Desk(self._session, solver.model, settings)
        self._store = JobStore(settings.jobs)
        self._app = build_app(desk, self._store, Metrics(), lambda: True)

    def close(self) -> None:
        """Ends its threads."""
        self._session.close(wait=True)
        self._store.close()
        self._loop.close()

    def __call__(self, data: bytes) -> None:
        """One request; never a bug."""
        head, _, body = data.partition(b"\n")
        method, _, target = head.partition(b" ")
        path, _, query = target.partition(b"?")
        query = query.replace(b"improve=fast", b"").replace(b"improve=deep", b"")
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
            "method": method.decode("latin-1") or "GET", "path": "/" + path.decode("latin-1"),
            "raw_path": b"/" + path, "query_string": query + b"&improve=none", "root_path": "",
            "headers": [(b"host", b"x")], "client": ("127.0.0.1", 1), "server": ("x", 80),
        }  # fmt: skip
        status = self._loop.run_until_complete(self._ask(scope, body))
        assert status != 500, (head, body)

    async def _ask(self, scope: dict[str, object], body: bytes) -> int:
        sent, status, whole = False, 0, asyncio.Event()

        async def receive() -> dict[str, object]:
            nonlocal sent
            if sent:
                await whole.wait()
                return {"type": "http.disconnect"}
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, object]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(str(message["status"]))
            elif not message.get("more_body"):
                whole.set()

        await self._app(scope, receive, send)  # type: ignore[arg-type]
        return status


_PROBLEM = (
    b'{"vehicles": [{"id": 1, "start_index": 0, "end_index": 0, "capacity": [4], "skills": [1], '
    b'"costs": {"fixed": 1}, "time_window": [0, 99], "steps": [{"type": "job", "id": 7}]}], '
    b'"jobs": [{"id": 7, "location_index": 1, "service": 3, "delivery": [1], "skills": [1], '
    b'"time_windows": [[3, 72]], "priority": 2, "description": "a"}], '
    b'"shipments": [{"amount": [1], '
    b'"pickup": {"id": 4, "location_index": 1, "location": [2, 48]}, '
    b'"delivery": {"id": 5, "location_index": 0}}], '
    b'"matrices": {"car": {"durations": [[0, 9], [8, 0]], "distances": [[0, 5], [5, 0]]}}}'
)
_ANSWER = (
    b'{"code": 0, "summary": {"cost": 18, "routes": 1, "unassigned": 2, "setup": 0, "service": 3, '
    b'"duration": 17, "waiting_time": 0, "priority": 2, "delivery": [1], "pickup": [0], '
    b'"distance": 10}, "unassigned": [{"id": 4, "type": "pickup"}, {"id": 5, "type": "delivery", '
    b'"reason": "FLEET"}], "routes": [{"vehicle": 1, "cost": 18, "setup": 0, "service": 3, '
    b'"duration": 17, "waiting_time": 0, "priority": 2, "delivery": [1], "pickup": [0], '
    b'"distance": 10, "steps": [{"type": "start", "arrival": 0, "duration": 0, "setup": 0, '
    b'"service": 0, "waiting_time": 0, "load": [1], "distance": 0}, {"type": "job", "id": 7, '
    b'"arrival": 9, "duration": 9, "setup": 0, "service": 3, "waiting_time": 0, "load": [0], '
    b'"distance": 5}, {"type": "end", "arrival": 20, "duration": 17, "setup": 0, "service": 0, '
    b'"waiting_time": 0, "load": [0], "distance": 10}]}]}'
)
_RESTED = _PROBLEM.replace(
    b'"costs": {"fixed": 1}',
    b'"costs": {"per_task_hour": 1}, "type": "a", '
    b'"breaks": [{"id": 2, "time_windows": [[0, 50]], "service": 1, "max_load": [4]}]',
).replace(b'"service": 3', b'"service": 3, "setup": 2, "service_per_type": {"a": 4}')
_RESTED = _RESTED.replace(b'"distances"', b'"costs": [[0, 1], [2, 0]], "distances"')
_REST = b'{"type": "break", "id": 2, "arrival": 0, "duration": 0, "setup": 0, "service": 1, '
_REST += b'"waiting_time": 0, "load": [1]}, '
_VROOM = (
    (_PROBLEM, _ANSWER),
    (_RESTED, _ANSWER.replace(b'{"type": "job"', _REST + b'{"type": "job"')),
    (_PROBLEM, b'{"code": 2, "error": "a"}'),
    (b'{"vehicles": [], "jobs": []}', b"{}"),
)

TARGETS = {
    "instances": lambda: instances,
    "sheets": lambda: sheets,
    "solutions": lambda: solutions,
    "vroom": lambda: vroom,
    "labels": lambda: labels,
    "arrays": lambda: arrays,
    "checkpoint": lambda: checkpoint,
    "pickle": Pickle,
    "manifest": lambda: manifest,
    "replies": lambda: replies,
    "blocks": lambda: blocks,
    "http": Http,
}


def seeds(target: str) -> list[bytes]:
    """Well-formed input to begin with."""
    one = b'{"name": "a", "capacity": 9, "depot": [0, 0], "coords": [[1, 0]], "demands": [3]}'
    if target == "instances":
        matrix = b"EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : LOWER_ROW\n"
        matrix += b"EDGE_WEIGHT_SECTION\n7\n"
        points = b"EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\n"
        texts = [
            b"NAME : a\nTYPE : CVRP\nDIMENSION : 2\nCAPACITY : 9\n" + lengths
            + b"DEMAND_SECTION\n1 0\n2 3\nDEPOT_SECTION\n1\n-1\nEOF\n"
            for lengths in (matrix, points)
        ]  # fmt: skip
        whole = b'{"format": "vrp-instances/1", "instances": [' + one + b"]}"
        more = b'{"depots": [{"id": "a", "x": 0, "y": 0, "window": [0, 9]}], "speed": 2, '
        more += b'"vehicles": [{"capacity": [3], "end": null, "skills": ["s"]}], "customers": ['
        more += b'{"x": 1, "y": 1, "demand": [1], "prize": 2, "windows": [[0, 1], [2, 3]]}], '
        more += b'"shipments": [{"id": "t", "amount": [2], "pickup": {"x": 1, "y": 2}, '
        more += b'"delivery": {"x": 2, "y": 2, "service": 1}}]}'
        return [one, one + b"\n" + one, whole, more, gzip.compress(whole), _PROBLEM, *texts]
    if target == "sheets":
        stops, fleet = (text.encode() for text in TEMPLATE.values())
        plane = b"id;type;shipment;x;y;demand_a;pickup_a;open;close;open2;close2;skills\n"
        plane += b"h;depot;;0;0;;;1;9;;;\n1;;;1,5;2;1;;1;2;3;4;a|b\n2;pickup;s;1;1;2;;;;;;\n"
        plane += b"3;delivery;s;2;2;;;;;;;\n"
        vans = b"id\tcapacity_a\tstart\tend\tcount\nv\t9\th\tnone\tany\n"
        return [stops + b"\0\n" + fleet, stops, plane + b"\0\n" + vans]
    if target == "solutions":
        answer = b'{"name": "a", "status": "solved", "cost": 2.0, "routes": '
        answer += b'[{"customers": [1], "load": 3, "cost": 2.0}]}'
        whole = b'{"format": "vrp-solutions/1", "solutions": [' + answer + b"]}"
        return [answer, whole, _ANSWER, b"Route #1: 1 2\nRoute #2: 3\nCost 27\n"]
    if target == "vroom":
        return [problem + b"\n" + answer for problem, answer in _VROOM]
    if target == "http":
        routes = (b"POST v1/solve", b"POST v1/jobs", b"GET v1/jobs/x", b"DELETE v1/jobs/x")
        bodies = [route + b"?time_limit=1\n" + body for route in routes for body in (one, _PROBLEM)]
        return [*bodies, b"GET metrics\n"]
    if target == "replies":
        cells = b'[[{"from_index": 0, "to_index": 0, "time": 1, "distance": 2}, '
        cells += b'{"from_index": 0, "to_index": 1, "time": 1, "distance": null}]]'
        return [
            b'{"code": "Ok", "durations": [[1, 2.5]], "distances": [[null, 2]]}',
            b'{"code": "NoTable", "message": "no", "error": {"code": 1, "message": "no"}}',
            b'{"units": "kilometers", "error_code": 1, "sources_to_targets": ' + cells + b"}",
        ]
    if target == "blocks":
        return [struct.pack("<dII4d", time.time(), 1, 2, 1.0, 2.0, 3.0, 4.0)]
    if target == "labels":
        file = io.BytesIO()
        np.savez(
            file, coords=np.zeros((2, 3, 2), np.float32), demand=np.ones((2, 3), np.int64),
            capacity=5, tour=np.array([[1, 2, 0], [2, 1, 0]]), cost=np.ones(2),
        )  # fmt: skip
        return [file.getvalue()]
    if target == "checkpoint":
        return [_small_checkpoint()]
    if target == "pickle":
        return [Pickle().whole()]
    if target == "manifest":
        return [b'{"format": "vrp-policy/1", "name": "a", "sha256": "b", "train_sizes": "[1, 2]"}']
    return []
