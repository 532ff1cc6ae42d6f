"""`vrp serve`: an HTTP server and its web page."""

from vrpcore.cli.console import edge, raise_on_sigterm, stderr_console
from vrpcore.cli.flags import ModelOptions, with_flags
from vrpcore.errors import require_extra
from vrpcore.serve.settings import ServeSettings

HELP = """Serve the solver over HTTP, with a web page to try it.

Requests from many clients share batches. POST instances to /v1/solve, large jobs to /v1/jobs.
/openapi.json describes both; / is the page.

Examples

  vrp serve                                          http://127.0.0.1:8000
  curl --data-binary @instances.json 'http://127.0.0.1:8000/v1/solve?time_limit=2'
  VRP_API_KEY=$(openssl rand -hex 16) vrp serve --host 0.0.0.0
  vrp serve --tiles 'https://tile.openstreetmap.org/{z}/{x}/{y}.png'
"""


@edge()
@with_flags
def serve(settings: ServeSettings, solver: ModelOptions) -> None:
    """Serves until Ctrl-C or SIGTERM."""
    require_extra("serve", "vrp serve", "fastapi", "uvicorn", "prometheus_client")
    from vrpcore.serve.server import serve as run

    raise_on_sigterm()
    run(settings, solver.model, solver.device, stderr_console().print)
