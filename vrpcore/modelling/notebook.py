"""HTML of an answer for a notebook."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING

from vrpcore.errors import InstanceError, visible
from vrpcore.instance.instance import Instance
from vrpcore.plot.figure import draw

if TYPE_CHECKING:
    from vrpcore.modelling.model_solution import ModelSolution

MOST_NAMED = 10  # of those who are not served
_CELL = "text-align: left; padding: 2px 12px"


def solution_html(solution: ModelSolution) -> str:
    """A table of what an answer says in short, and its picture if matplotlib can draw one.

    The picture is a PNG: ids in several SVGs on one page would get in each other's way.

    Args:
        solution: The answer with its instance.
    """
    rows = "".join(
        f'<tr><th style="{_CELL}">{escape(name)}</th>'
        f'<td style="{_CELL}">{escape(visible(text))}</td></tr>'
        for name, text in summary(solution).items()
    )
    return f"<table>{rows}</table>{_picture(solution)}"


def summary(solution: ModelSolution) -> dict[str, str]:
    """The main numbers of an answer, as texts by their names; what it does not have is left out."""
    served = sum(len(route.customers) for route in solution.routes)
    missing = [f"{item.id} ({item.reason})" for item in solution.unserved[:MOST_NAMED]]
    more = len(solution.unserved) - len(missing)
    rows = {
        "name": solution.name,
        "status": solution.status,
        "reason": solution.error or "",
        "cost": "" if solution.cost is None else f"{solution.cost:.10g}",
        "gap": "" if solution.gap is None else f"{solution.gap:.3%}",
        "routes": str(len(solution.routes)) if solution.has_routes else "",
        "stops": str(served) if solution.has_routes else "",
        "not served": ", ".join([*missing, f"and {more} more"] if more else missing),
        "warnings": ", ".join(solution.warnings),
    }
    return {name: text for name, text in rows.items() if text}


def _picture(solution: ModelSolution) -> str:
    """Empty where there is nothing to draw, or nothing to draw with."""
    instance = solution.instance
    if not (isinstance(instance, Instance) and solution.routes and find_spec("matplotlib")):
        return ""
    try:
        figure = draw([(instance, solution)], lambda _: None)
    except InstanceError:  # neither a map nor times
        return ""
    picture = b64encode(figure.png()).decode()
    return f'<img alt="{escape(visible(solution.name))}" src="data:image/png;base64,{picture}">'
