"""Views of an answer for the page: its timeline, and files to download."""

import json
import math
from typing import Any

from vrpcore.errors import InstanceError
from vrpcore.formats.write import csv_header, form_of, solution_to_csv
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.plot.activities import bars, late_spans
from vrpcore.plot.gantt import shift_of, timeline_rows
from vrpcore.plot.style import route_styles


def view_to_line(item: Instance | InvalidInstance, solution: Solution) -> str:
    """One answer as JSON for the page.

    Args:
        item: Its instance.
        solution: The answer.

    Returns:
        An object: `csv`, the text of a table; `sol`, that of a `.sol`, null where there is none;
        `timeline`, for each route its `shift` and `bars` (kind, begin, end and stop), or null
        where it does not state its times.
    """
    text = csv_header(item) + solution_to_csv(item, solution)
    found: dict[str, Any] = {"csv": text, "sol": None, "timeline": []}
    if isinstance(item, Instance):
        found |= {"sol": _sol(item, solution), "timeline": _timeline(item, solution)}
    return json.dumps(found, allow_nan=False)


def _sol(item: Instance, solution: Solution) -> str | None:
    try:
        return form_of("sol").text(item, solution) or None
    except InstanceError:  # it would have too many lines
        return None


def _timeline(item: Instance, solution: Solution) -> list[dict[str, Any] | None]:
    stated = {}
    for row in timeline_rows(item, solution, route_styles(item, solution)):
        made = bars(row.schedule, row.services, row.vehicle.breaks, row.loading)
        late = [("late", begin, end, None) for begin, end in late_spans(row.schedule)]
        shift = [time if math.isfinite(time) else None for time in shift_of(item, row)]
        stated[id(row.schedule)] = {"shift": shift, "bars": [*made, *late]}
    return [stated.get(id(route.schedule)) for route in solution.routes]
