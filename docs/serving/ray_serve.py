"""Ray Serve around the solver: replicas of a session on the machines of a cluster.

    pip install "vrpcore[ray,serve]" "ray[serve]"
    serve run docs.serving.ray_serve:app
    curl --data-binary @instances.json 'http://127.0.0.1:8000/?time_limit=2'

Each replica holds the model and shares batches among its own requests, as `vrp serve` does.
Set cores and replicas by the two numbers below, or in Ray Serve's configuration.
"""

import asyncio
import time

from ray import serve
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vrpcore.api import Solver
from vrpcore.errors import VrpError
from vrpcore.serve.requests import Answered, Requests
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.memory_limit import OverloadedError
from vrpcore.solve.solve_options import SolveOptions

CORES = 2


@serve.deployment(num_replicas=1, max_ongoing_requests=256, ray_actor_options={"num_cpus": CORES})
class Routing:
    """One replica."""

    def __init__(self) -> None:
        solver = Solver()
        self._settings = ServeSettings(workers=CORES)
        session = solver.session(CORES, self._settings.room)
        self.requests = Requests(session, solver.models, self._settings)

    async def __call__(self, request: Request) -> Response:
        """A body as `vrp solve` reads it; its answers."""
        began = time.perf_counter()
        limit = request.query_params.get("time_limit")
        try:
            options = SolveOptions(time_limit=None if limit is None else float(limit))
            given = self.requests.read(await request.body(), self._settings.max_instances)
            order = self.requests.submit(given, options)
        except OverloadedError as error:
            return JSONResponse({"error": str(error)}, 429, {"retry-after": "1"})
        except (VrpError, ValueError) as error:
            return JSONResponse({"error": str(error)}, 422)
        solutions = await asyncio.wrap_future(order.future)
        answered = Answered(given.items, solutions, time.perf_counter() - began, options.improve)
        document = self.requests.document(answered)
        return Response(document.content, media_type="application/json")


app = Routing.bind()
