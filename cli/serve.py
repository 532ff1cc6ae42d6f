"""`vrp serve`: an HTTP server and its page."""

from pathlib import Path
from typing import Annotated

import typer

from vrpcore.cli.console import edge, raise_on_sigterm, require_extra, stderr_console

HELP = """Serve solves over HTTP, with a page to try them on.

Requests of many clients share batches. POST instances to /v1/solve, large jobs to /v1/jobs;
/openapi.json describes both, / is the page.

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
        str, typer.Option(help="Address; anything but loopback needs VRP_API_KEY to be set.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8000,
    model: Annotated[
        str | None, typer.Option(help="A shipped name or a path, as for vrp solve.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")] = "auto",
    workers: Annotated[
        int | None, typer.Option(min=1, help="Threads that solve; default one a core.")
    ] = None,
    jobs: Annotated[
        Path | None,
        typer.Option(help="Database of the jobs; default in the user's state folder."),
    ] = None,
    room: Annotated[
        int, typer.Option(min=1, help="Customers waiting or in work; beyond it 429.")
    ] = 200_000,
    max_body_mb: Annotated[int, typer.Option(min=1, help="Of one request; beyond it 413.")] = 32,
    max_instances: Annotated[int, typer.Option(min=1, help="Of one request.")] = 10_000,
    max_customers: Annotated[int, typer.Option(min=1, help="Of one instance.")] = 10_000,
    max_job_instances: Annotated[int, typer.Option(min=1, help="Of one job.")] = 100_000,
    max_jobs: Annotated[int, typer.Option(min=1, help="Kept at the same time.")] = 1000,
    max_time_limit: Annotated[float, typer.Option(min=0.0, help="Of one request, seconds.")] = 300,
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
