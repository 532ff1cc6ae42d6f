"""A small server with the routes of `vrp serve` that misbehaves on demand."""

import json
import mimetypes
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from vrpcore.api import Solver, read_instances
from vrpcore.errors import VrpError
from vrpcore.instance.solution import summarise
from vrpcore.instance.solutionio import solutions_document

ROOT = Path(__file__).parents[4]
PAGE = ROOT / "vrpcore" / "serve" / "page"
MODEL = ROOT / "vrpcore" / "models" / "base.onnx"
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; connect-src 'self'; worker-src 'self' blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass
class Behaviour:
    """What the next answers are.

    Attributes:
        refusals: Status, headers and message of the next answers to a solve, used up.
        key: What `X-API-Key` must be, or None.
        most_bytes: Of a body.
        delay_s: Before each answer to a solve.
        solves: Query of each solve that was answered.
    """

    refusals: list[tuple[int, dict[str, str], str]] = field(default_factory=list)
    key: str | None = None
    most_bytes: int = 2**25
    delay_s: float = 0.0
    solves: list[dict[str, str]] = field(default_factory=list)

    def reset(self) -> None:
        """Good again; an answer still on its way counts for what was before."""
        vars(self).update(vars(Behaviour()))


@contextmanager
def stand_in(solver: Solver) -> Iterator[tuple[str, Behaviour]]:
    """Serves on a free port of this machine.

    Yields:
        The page's address, and what can be changed.
    """
    behaviour = Behaviour()

    class Handler(_Handler):
        pass

    Handler.solver, Handler.behaviour = solver, behaviour
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", behaviour
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    solver: Solver
    behaviour: Behaviour

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        if path == "/":
            self._file(PAGE / "index.html")
        elif path == "/model.onnx":
            self._file(MODEL)
        elif path.startswith("/page/") and ".." not in path:
            self._file(PAGE / path.removeprefix("/page/"))
        else:
            self._error(404, "HTTP", "no such file")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        query = {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()}
        solves = self.behaviour.solves
        time.sleep(self.behaviour.delay_s)
        if self.behaviour.key not in (None, self.headers["x-api-key"]):
            self._error(401, "API_KEY", "a valid API key is needed")
        elif self.behaviour.refusals:
            status, headers, message = self.behaviour.refusals.pop(0)
            self._error(status, "TOLD", message, headers)
        elif len(body) > self.behaviour.most_bytes:
            message = f"the body is larger than {self.behaviour.most_bytes} bytes"
            self._error(413, "TOO_LARGE", message)
        else:
            self._solve(body, query, solves)

    def _solve(self, body: bytes, query: dict[str, str], solves: list[dict[str, str]]) -> None:
        begun = time.perf_counter()
        limit = query.get("time_limit")
        improve: Any = query["improve"]
        try:
            solutions = self.solver.solve(
                read_instances(body),
                improve=improve,
                time_limit_s=None if limit is None else float(limit),
            )
        except VrpError as error:
            self._error(422, error.code, str(error))
            return
        summary = summarise(solutions, time.perf_counter() - begun, improve)
        model = {"name": self.solver.model.name, "sha256": "0", "backend": "onnx", "device": "cpu"}
        document = solutions_document(solutions, model, summary)
        solves.append(query)
        if solutions and all(solution.status == "invalid" for solution in solutions):
            self._error(422, "INVALID", "none of the instances is valid", answer=document)
        else:
            self._send(200, "application/json", json.dumps(document).encode())

    def _error(
        self,
        status: int,
        code: str,
        message: str,
        headers: dict[str, str] | None = None,
        **more: object,
    ) -> None:
        content = json.dumps({"error": {"code": code, "message": message}, **more})
        self._send(status, "application/json", content.encode(), headers)

    def _file(self, path: Path) -> None:
        if not path.is_file():
            self._error(404, "HTTP", "no such file")
            return
        kind = "text/javascript" if path.suffix == ".mjs" else mimetypes.guess_type(path.name)[0]
        self._send(200, kind or "application/octet-stream", path.read_bytes())

    def _send(
        self, status: int, kind: str, content: bytes, headers: dict[str, str] | None = None
    ) -> None:
        try:
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(content)))
            self.send_header("content-security-policy", POLICY)
            self.send_header("x-content-type-options", "nosniff")
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the page went away, as a cancelled request does
