"""Ray Serve around the solver: replicas of a session on the machines of a cluster.

    pip install "vrpcore[ray,serve]" "ray[serve]"
    serve run docs.serving.ray_serve:app
    curl --data-binary @instances.json 'http://127.0.0.1:8000/?time_limit=2'

Each replica holds the model and shares batches among its own requests, as `vrp serve` does.
Set cores and replicas by the two numbers below, or in Ray Serve's configuration.
"""

from ray import serve
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from vrpcore.api import Solver
from vrpcore.errors import VrpError
from vrpcore.serve.exchange import solve_body
from vrpcore.serve.query import check_names
from vrpcore.serve.requests import Requests, TooLargeError
from vrpcore.serve.settings import ServeSettings
from vrpcore.solve.memory_limit import OverloadedError
from vrpcore.solve.solve_options import SolveOptions

CORES = 2


@serve.deployment(num_replicas=1, max_ongoing_requests=256, ray_actor_options={"num_cpus": CORES})
class Routing:
    """One replica."""

    def __init__(self) -> None:
        solver = Solver()
        settings = ServeSettings(workers=CORES)
        session = solver.session(CORES, settings.room)
        self.requests = Requests(session, solver.models, settings)

    async def __call__(self, request: Request) -> Response:
        """A body as `vrp solve` reads it; its answers."""
        limit = request.query_params.get("time_limit")
        try:
            check_names(request, ["time_limit"])
            options = SolveOptions(time_limit=None if limit is None else float(limit))
            answered, _ = await solve_body(request, self.requests, options)
        except OverloadedError as error:
            return JSONResponse({"error": str(error)}, 429, {"retry-after": "1"})
        except (VrpError, ValueError) as error:
            status = 413 if isinstance(error, TooLargeError) else 422
            return JSONResponse({"error": str(error)}, status)
        document = await run_in_threadpool(self.requests.document, answered)
        return Response(document.content, media_type="application/json")


app = Routing.bind()
