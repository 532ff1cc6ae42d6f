"""What is fuzzed: each target takes any bytes and raises only where there is a bug."""

import asyncio
import contextlib
import dataclasses
import hashlib
import io
import json
import math
import re
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import torch

from tests.vrpcore.formats.answers.written import document_of
from tests.vrpcore.serve.doubles import warm
from tests.vrpcore.solve.doubles import SOON
from vrpcore.api import Solver
from vrpcore.config.sections import PolicyConfig
from vrpcore.errors import VrpError
from vrpcore.formats.options import Reading, SheetOptions
from vrpcore.formats.read import read_sources
from vrpcore.formats.sheets.sheet import sheet_of
from vrpcore.formats.sheets.sheet_routes import AnswerTable
from vrpcore.formats.solutions import read_solutions, with_own_ids
from vrpcore.formats.vroom.vroom_answer import answer_to_dict
from vrpcore.formats.vroom.vroom_instance import source_of
from vrpcore.formats.write import instance_to_line
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import Solution, Unserved
from vrpcore.learn.policy.checkpoint import (
    FORMAT,
    checkpoint_identity,
    load_checkpoint,
    policy_from_checkpoint,
)
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.label_files import read_labels
from vrpcore.referee.vroom_check import check_vroom
from vrpcore.roads.cache import ReplyCache
from vrpcore.roads.services import KNOWN, RoadMatrices, parse_reply
from vrpcore.serve.app import build_app
from vrpcore.serve.jobs import JobStore
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.preview import previews
from vrpcore.serve.requests import Requests
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.answer import refused
from vrpcore.solve.backend import info_from_metadata

_FOLDER = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))  # noqa: S108


def instances(data: bytes) -> None:
    """JSON, JSON Lines, VROOM's, CVRPLIB, gzip; what is valid is written and read as the same."""
    items = read_sources(data).items
    json.dumps(previews(items), allow_nan=False)
    for item in items:
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
    """CSV of stops and, behind a line with a NUL, of a fleet; read, answered, the answer read.

    The length chooses between three ways to read it.
    """
    stops, _, fleet = data.partition(b"\0\n")
    path = _FOLDER / "vans.csv"
    path.write_bytes(fleet)
    many, one = {"fleet": str(path)}, {"depot": (1.0, 2.0), "capacity": (9.0,)}
    reading = (
        Reading(sheet=SheetOptions(**many, speed=30.0)),
        Reading(sheet=SheetOptions(**many), roads=True),
        Reading(sheet=SheetOptions(**one, speed=30.0)),
    )[len(data) % 3]
    for item in read_sources(stops, reading=reading).items:
        answer = Solution(name=item.name, status="partial", code="A", error="b")
        if sheet_of(item) is not None:
            unserved = tuple(Unserved(name, "FLEET") for name in item.ids)
            answer = dataclasses.replace(answer, unserved=unserved)
        text = AnswerTable().text(item, answer).removeprefix("\ufeff")
        rows = 1 + max(1, item.num_customers if sheet_of(item) is not None else 1)
        assert len(text.splitlines()) == rows, text
        if sheet_of(item) is not None:
            (again,) = read_solutions(text.encode())
            assert with_own_ids(item, again).status == answer.status


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
    if any(answer.kind == "vroom" for answer in found):
        return  # written in the names of its problem
    text = document_of(found).encode()
    assert document_of(read_solutions(text)).encode() == text


def vroom(data: bytes) -> None:
    """VROOM's problem on the first line, an answer to it on the next."""
    first, _, second = data.partition(b"\n")
    items = read_sources(first).items
    for item in items:
        if item.kind == "vroom" and source_of(item) is None:
            assert answer_to_dict(item, refused(item))["code"] == 2
    try:
        found = read_solutions(second)
    except VrpError:
        return
    for item, answer in zip(items, found, strict=False):
        if source_of(item) is not None and answer.kind == "vroom":
            known = with_own_ids(item, answer)
            if known.has_routes:
                check_vroom(item, known)


def labels(data: bytes) -> bool:
    """Labelled `.npz`; returns whether it was read."""
    path = _FOLDER / "labels.npz"
    path.write_bytes(data)
    try:
        read_labels(str(path), needs_routes=False)
    except VrpError:
        return False
    return True


def arrays(data: bytes) -> bool:
    """Well-formed `.npz` of any arrays: two bytes choose each name and kind, one the shape."""
    names = (
        *("coords", "demand", "capacity", "num_customers", "tour", "cost", "locs", "depot"),
        *("linehaul", "num_depots", "open", "backhaul_class", "capacity_units", "limit", "other"),
    )
    kinds = ("f4", "f8", "i8", "u2", "i1", "U3", "c8", "?")
    shapes = ((), (2,), (2, 3), (2, 3, 2), (0,), (0, 3, 2), (1, 1, 1, 1), (2, 0))
    found, place = {}, 0
    while place + 3 <= len(data) and len(found) < len(names):
        name, kind, shape = (data[place + number] for number in range(3))
        chosen, size = np.dtype(kinds[kind % 8]), math.prod(shapes[shape % 8])
        content = data[place + 3 : place + 3 + size].ljust(size, b"\1")
        values = np.frombuffer(content, np.int8).astype(np.int64)
        found[names[name % len(names)]] = values.astype(chosen).reshape(shapes[shape % 8])
        place += 3 + size
    file = io.BytesIO()
    np.savez(file, **found)
    with contextlib.suppress(VrpError):
        instances(file.getvalue())
    return labels(file.getvalue())


def small_policy() -> dict[str, object]:
    """What a checkpoint of the smallest policy holds besides its format."""
    config = PolicyConfig(embed_dim=2, num_heads=1, num_layers=1, feedforward_dim=1)
    return {
        "name": "a",
        "train_sizes": [1, 2],
        "config": {"policy": dataclasses.asdict(config)},
        "policy": build_policy(config, 1).state_dict(),
    }


def saved(**content: object) -> bytes:
    """A checkpoint with this in it."""
    file = io.BytesIO()
    torch.save({"format": FORMAT} | content, file)
    return file.getvalue()


class Pickle:
    """Checkpoints that are whole archives: the bytes are their `data.pkl`."""

    def __init__(self) -> None:
        with zipfile.ZipFile(io.BytesIO(saved(**small_policy()))) as archive:
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


def checkpoint(data: bytes) -> bool:
    """Checkpoints; returns whether one was read."""
    path = _FOLDER / "checkpoint.pt"
    path.write_bytes(data)
    try:
        content = load_checkpoint(path)
        policy_from_checkpoint(content, "checkpoint")
        checkpoint_identity(content, "checkpoint")
    except VrpError:
        return False
    return True


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
    cache, key = ReplyCache(_FOLDER / "blocks"), "0" * 64
    cache.put(key, RoadMatrices(np.zeros((1, 2)), np.zeros((1, 2))))
    (path,) = (_FOLDER / "blocks").rglob("*.block")
    for content in (data, b"vrproad1" + hashlib.sha256(data).digest() + data):
        path.write_bytes(content)
        found = cache.get(key, (1, 2))
        assert found is None or found.durations.shape == (1, 2)


class Http:
    """Requests: the first line says method, path and query, the rest is the body.

    Args:
        searches: They may search.
    """

    def __init__(self, *, searches: bool = False) -> None:
        self._loop, self._searches = asyncio.new_event_loop(), searches
        solver = Solver(device="cpu")
        settings = ServeSettings(jobs=_FOLDER / "jobs.sqlite", max_body_bytes=2**16, max_jobs=3)
        self._session = solver.session()
        desk = Requests(self._session, solver.models, settings)
        self._store = JobStore(settings.jobs)
        self._app = build_app(desk, self._store, Metrics(), warm())

    def close(self) -> None:
        """Ends its threads."""
        self._session.close(wait=True)
        self._store.close()
        self._loop.close()

    @property
    def load(self) -> int:
        """Customers for which it holds room."""
        return self._session.load

    def __call__(self, data: bytes) -> None:
        """One request; never a bug, and never without an answer."""
        head, _, body = data.partition(b"\n")
        method, _, target = head.partition(b" ")
        path, _, query = target.partition(b"?")
        if not self._searches:
            query = re.sub(rb"improve=[^&]*", b"", query) + b"&improve=none"
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
            "method": method.decode("latin-1") or "GET", "path": "/" + path.decode("latin-1"),
            "raw_path": b"/" + path, "query_string": query, "root_path": "",
            "headers": [(b"host", b"localhost")], "client": ("127.0.0.1", 1), "server": ("x", 80),
        }  # fmt: skip
        status = self._loop.run_until_complete(asyncio.wait_for(self._ask(scope, body), SOON))
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
