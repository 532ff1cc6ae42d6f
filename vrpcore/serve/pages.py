"""The routes for people with a browser: the page and `/docs`."""

import json
import mimetypes
from collections.abc import Mapping
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.responses import FileResponse, Response
from fastapi_swagger import resources

from vrpcore.serve.guard import error_response
from vrpcore.serve.settings import ServeSettings

PAGE = Path(__file__).parent / "page"
_JSON = "application/json"
# Asked for again with its tag each time: after an upgrade nothing old is mixed with new.
_HEADERS = {"cache-control": "no-cache"}


def add_page(app: FastAPI, settings: ServeSettings) -> None:
    """Adds the page and its files.

    Args:
        app: Gets their routes.
        settings: Say whose tiles it shows.
    """
    files = {path.relative_to(PAGE).as_posix(): path for path in PAGE.rglob("*") if path.is_file()}

    @app.get(
        "/",
        tags=["page"],
        responses={200: {"description": "The page.", "content": {"text/html": {}}}},
    )
    async def index(request: Request) -> Response:
        """The page, for people."""
        return _unless_known(request, PAGE / "index.html")

    @app.get("/page/streets.json", include_in_schema=False)
    async def streets() -> Response:
        found = {"tiles": settings.tiles, "attribution": settings.tiles_attribution}
        return Response(json.dumps(found), headers=_HEADERS, media_type=_JSON)

    @app.get("/page/{name:path}", include_in_schema=False)
    async def page(request: Request, name: str) -> Response:
        return _file_response(request, files, name)


def add_docs(app: FastAPI) -> None:
    """Adds `/docs`: Swagger UI, which shows what `/openapi.json` describes and tries it.

    Args:
        app: Gets its routes.
    """
    folder = Path(resources.__file__).parent
    files = {name: folder / name for name in ("swagger-ui-bundle.js", "swagger-ui.css")}

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        return _unless_known(request, PAGE / "docs.html")

    @app.get("/docs/{name}", include_in_schema=False)
    async def docs_file(request: Request, name: str) -> Response:
        return _file_response(request, files, name)


def _file_response(request: Request, files: Mapping[str, Path], name: str) -> Response:
    if name not in files:  # only by name: no path is ever made of what was asked for
        return error_response(404, "NOT_FOUND", "no such file")
    kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0]
    return _unless_known(request, files[name], kind)


def _unless_known(request: Request, file: Path, kind: str | None = None) -> Response:
    """A file, or 304 where the browser names the tag that it has now."""
    found = FileResponse(file, headers=_HEADERS, media_type=kind, stat_result=file.stat())
    tag = found.headers["etag"]
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers={**_HEADERS, "etag": tag})
    return found
