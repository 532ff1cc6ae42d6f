"""`vrp serve`: an HTTP server and its web page."""

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Annotated

from vrpcore.cli.console import Messages, edge, raise_on_sigterm
from vrpcore.cli.flags import ModelOptions, with_flags
from vrpcore.config.option import Option
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
  VRP_API_KEY=$(openssl rand -hex 16) vrp serve --host 0.0.0.0
  vrp serve --tiles 'https://tile.openstreetmap.org/{z}/{x}/{y}.png'
  vrp serve --matrix osrm=http://localhost:5000      roads for clients that send only locations
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedRoads:
    """Options of the service that gives instances the matrices that they lack."""

    roads: RoadOptions
    speed: Annotated[
        float | None, Option("km/h of --matrix haversine.", low=0.0, positive=True)
    ] = None


@edge()
@with_flags
def serve(settings: ServeSettings, solver: ModelOptions, source: ServedRoads) -> None:
    """Serves until Ctrl-C or SIGTERM."""
    require_extra(
        "serve", "vrp serve", "fastapi", "fastapi_swagger", "uvicorn", "prometheus_client"
    )
    from vrpcore.roads.road_matrices import Roads
    from vrpcore.serve.requests import ROAD_CONNECTIONS
    from vrpcore.serve.server import serve as run
    from vrpcore.solve.solver import Solver

    raise_on_sigterm()
    roads = None
    if source.roads.matrix is not None:
        roads = Roads(source.roads, source.speed, ROAD_CONNECTIONS, _say)
    elif source.speed is not None:
        raise ConfigError("speed: only for --matrix haversine")
    with roads or nullcontext():
        opened = Solver(solver.model, solver.device)
        run(settings, opened, Messages().print, roads)


def _say(text: str) -> None:
    Messages().print(text)
