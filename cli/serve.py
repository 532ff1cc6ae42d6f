"""`vrp serve`: an HTTP server and its web page."""

from pathlib import Path
from typing import Annotated

import typer

from vrpcore.cli.console import edge, raise_on_sigterm, require_extra, stderr_console

HELP = """Serve the solver over HTTP, with a web page to try it.

Requests from many clients share batches. POST instances to /v1/solve, large jobs to /v1/jobs.
/openapi.json describes both; / is the page.

Examples

  vrp serve                                          http://127.0.0.1:8000
  curl --data-binary @instances.json 'http://127.0.0.1:8000/v1/solve?time_limit=2'
  VRP_API_KEY=$(openssl rand -hex 16) vrp serve --host 0.0.0.0
"""


def register(app: typer.Typer) -> None:
    """Adds the command."""
    app.command(help=HELP)(serve)


def serve(
    host: Annotated[
        str, typer.Option(help="Address; any but loopback requires VRP_API_KEY.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any free port.")] = 8000,
    model: Annotated[
        str | None, typer.Option(help="A shipped name or a path, as for vrp solve.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Solver threads; default: one per core.")
    ] = None,
    jobs: Annotated[
        Path | None,
        typer.Option(help="Job database; default: in the user's state folder."),
    ] = None,
    room: Annotated[
        int, typer.Option(min=1, help="Most customers waiting or being solved; beyond it 429.")
    ] = 200_000,
    max_body_mb: Annotated[int, typer.Option(min=1, help="Largest request; beyond it 413.")] = 32,
    max_instances: Annotated[int, typer.Option(min=1, help="Per request.")] = 10_000,
    max_customers: Annotated[int, typer.Option(min=1, help="Per instance.")] = 10_000,
    max_job_instances: Annotated[int, typer.Option(min=1, help="Per job.")] = 100_000,
    max_jobs: Annotated[int, typer.Option(min=1, help="Jobs stored at once.")] = 1000,
    max_time_limit: Annotated[float, typer.Option(min=0.0, help="Seconds per request.")] = 300,
) -> None:
    """Serves until Ctrl-C or SIGTERM."""
    with edge():
        require_extra("serve", "vrp serve", "fastapi", "uvicorn", "prometheus_client")
        from vrpcore.serve.server import serve as run
        from vrpcore.serve.settings import (
            ServeSettings,
            api_key_from_environment,
            default_jobs_file,
        )

        settings = ServeSettings(
            host=host,
            port=port,
            api_key=api_key_from_environment(),
            max_body_bytes=max_body_mb * 2**20,
            max_instances=max_instances,
            max_customers=max_customers,
            max_job_instances=max_job_instances,
            max_jobs=max_jobs,
            max_time_limit_s=max_time_limit,
            room=room,
            workers=workers,
            jobs=jobs or default_jobs_file(),
        )
        console = stderr_console()
        raise_on_sigterm()
        run(settings, model, device, console.print)
