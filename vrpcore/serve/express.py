"""Compatibility with clients of vroom-express: `POST /`, `GET /health`, their statuses."""

import json

from fastapi import FastAPI, Request
from fastapi.responses import Response

from vrpcore.formats.vroom.vroom_answer import error_to_line
from vrpcore.serve.draining import Phase
from vrpcore.serve.exchange import answer_response, solve_body
from vrpcore.serve.guard import path_of
from vrpcore.serve.metrics import Metrics
from vrpcore.serve.openapi import EXPRESS, EXPRESS_BODY
from vrpcore.serve.requests import Requests
from vrpcore.solve.solve_options import SolveOptions

_STATUS = {1: 500, 2: 400, 3: 500, 4: 413}  # by VROOM's codes
# Of what vroom-express does not have: too slow, come later, and gone.
_OUR_OWN = (408, 429, 499)
_SERVERS_FAULT = (500, 503, 507)


def add_express(app: FastAPI, requests: Requests, metrics: Metrics, phase: Phase) -> None:
    """Adds the routes.

    Args:
        app: Gets them.
        requests: Solves.
        metrics: Counts.
        phase: Where the server is.
    """

    @app.post("/", tags=["vroom"], responses=EXPRESS, openapi_extra=EXPRESS_BODY)
    async def solve_vroom(request: Request) -> Response:
        """Solves one problem of VROOM's, as vroom-express does.

        Its `options` say how. The answer is VROOM's, also to what is wrong:
        `{"code", "error"}`.
        """
        found, large = await solve_body(request, requests, SolveOptions(), lone_vroom=True)
        answer = await answer_response(found, requests, metrics, large=large)
        if found.solutions[0].status == "invalid":  # it is only seen when it is solved
            answer.status_code = express_status(bytes(answer.body))
        return answer

    @app.get(
        "/health",
        tags=["health"],
        responses={200: {"description": "Yes."}, 500: {"description": "Not now."}},
    )
    async def health() -> Response:
        """Requests would be solved at once, as vroom-express says it: only by the status."""
        return Response(status_code=200 if phase.ready else 500)


def is_express(request: Request) -> bool:
    """Return whether a request is answered as vroom-express would."""
    return request.method == "POST" and path_of(request.scope) == "/"


def express_error(
    status: int, code: str, message: str, headers: dict[str, str] | None = None
) -> Response:
    """An error as vroom-express tells it.

    Args:
        status: Of the answer to other requests.
        code: Ours.
        message: In words.
        headers: More of them.
    """
    own = status in _OUR_OWN
    content = error_to_line("INTERNAL" if own or status in _SERVERS_FAULT else code, message)
    shown = status if own else express_status(content.encode())
    return Response(content, shown, headers, media_type="application/json")


def express_status(content: bytes) -> int:
    """The status that vroom-express gives a document without an answer."""
    return _STATUS[json.loads(content)["code"]]
