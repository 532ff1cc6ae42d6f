"""`vrp serve`: an HTTP server and its web page."""

from contextlib import nullcontext
from typing import Annotated

import typer

from vrpcore.cli.console import Messages, edge, raise_on_sigterm
from vrpcore.cli.flags import ModelOptions, with_flags
from vrpcore.errors import ConfigError, require_extra
from vrpcore.roads.road_options import RoadOptions
from vrpcore.serve.settings import ServeSettings

HELP = """Serve the solver over HTTP, with a web page to try it.

Requests from many clients share batches. POST instances to /v1/solve, large jobs to /v1/jobs,
VROOM's problems to / as well. /docs describes and tries all of them; / is the page.
/v2/health/live and /v2/health/ready say how the server is, /metrics what it does (Prometheus).
SIGTERM ends it, after --drain.

Examples

  vrp serve                                          http://127.0.0.1:8000
  curl --data-binary @instances.json 'http://127.0.0.1:8000/v1/solve?time_limit=2'
  export VRP_API_KEY=$(openssl rand -hex 16)         the key that clients send
  vrp serve --host 0.0.0.0
  vrp serve --tiles 'https://tile.openstreetmap.org/{z}/{x}/{y}.png'
  vrp serve --matrix osrm=http://localhost:5000      roads for clients that send only locations
"""


@edge()
@with_flags
def serve(
    settings: ServeSettings,
    solver: ModelOptions,
    *,
    speed: Annotated[
        float | None, typer.Option(min=0.0, help="km/h of --matrix haversine.")
    ] = None,
    roads: RoadOptions,
) -> None:
    """Serves until Ctrl-C or SIGTERM."""
    require_extra(
        "serve", "vrp serve", "fastapi", "fastapi_swagger", "uvicorn", "prometheus_client"
    )
    from vrpcore.roads.road_matrices import Roads
    from vrpcore.serve.requests import ROAD_CONNECTIONS
    from vrpcore.serve.server import serve as run
    from vrpcore.solve.solver import Solver

    raise_on_sigterm()
    say, service = Messages().print, None
    if roads.matrix is not None:
        service = Roads(roads, speed, ROAD_CONNECTIONS, say)
    elif speed is not None:
        raise ConfigError("speed: only for --matrix haversine")
    with service or nullcontext():
        run(settings, Solver(solver.model, solver.device), say, service)
