"""The options of a solve that a request may name, as `SolveOptions` declares them."""

import inspect
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

from fastapi import Query, Request

from vrpcore.config.option import Declared, declared
from vrpcore.errors import ConfigError, describe
from vrpcore.solve.searching import usable_options
from vrpcore.solve.solve_options import SolveOptions

Both = Annotated[
    bool,
    Query(description="Answer with `solutions` (`vrp-solutions/1`), `in_kind` and `views`."),
]
_NAMES = ("improve", "fewest_vehicles", "keep_cost", "freeze", "lost", "goods", "time_limit")
_TAKEN = [item for item in declared(SolveOptions) if item.name in _NAMES]


def query_reader(
    max_time_limit_s: float, more: Sequence[str] = ()
) -> Callable[..., Awaitable[SolveOptions]]:
    """Reads the query of a solve or a job; what it names is what the route takes.

    Args:
        max_time_limit_s: The longest time limit.
        more: Other names that the route takes; what nobody takes is refused.
    """
    most = {"time_limit": max_time_limit_s}
    known = [*(item.public for item in _TAKEN), *more]

    async def read(request: Request, **query: Any) -> SolveOptions:
        check_names(request, known)
        return usable_options(_options(query))

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("request", keyword, annotation=Request)]
    parameters += [_parameter(item, most.get(item.name)) for item in _TAKEN]
    vars(read)["__signature__"] = inspect.Signature(parameters)
    return read


def check_names(request: Request, known: Sequence[str]) -> None:
    """Checks the names of a query: each known, and given once.

    Raises:
        ConfigError: One is not known, or given more than once (code QUERY).
    """
    for name, count in Counter(name for name, _ in request.query_params.multi_items()).items():
        if name not in known:
            message = f"unknown key {describe(name)}; known are {', '.join(known)}"
            raise ConfigError(message, code="QUERY")
        if count > 1:
            raise ConfigError(f"{name}: given {count} times, expected once", code="QUERY")


def to_text(options: SolveOptions) -> str:
    """The query as JSON, as it is kept with a job."""
    return json.dumps({item.public: getattr(options, item.name) for item in _TAKEN})


def from_text(text: str) -> SolveOptions:
    """The options that `to_text` wrote, of an earlier version as well."""
    defaults = {item.public: item.default for item in _TAKEN}
    return _options(defaults | json.loads(text))


def _options(query: dict[str, Any]) -> SolveOptions:
    return SolveOptions(**{item.name: query[item.public] for item in _TAKEN})


def _parameter(item: Declared, most: float | None) -> inspect.Parameter:
    low = item.option.low
    says = item.option.help
    query = Query(description=says)
    if low is not None:
        query = Query(ge=low, le=most, allow_inf_nan=False, description=says)
    keyword, kind = inspect.Parameter.KEYWORD_ONLY, Annotated[item.kind, query]
    return inspect.Parameter(item.public, keyword, default=item.default, annotation=kind)
