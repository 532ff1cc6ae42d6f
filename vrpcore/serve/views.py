"""Views of an answer for the page: its timeline, and files to download."""

import json
import math
from collections.abc import Callable
from typing import Any

from vrpcore.errors import InstanceError
from vrpcore.formats.write import csv_header, form_of, solution_to_csv
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import Solution
from vrpcore.plot.activities import bars, late_spans
from vrpcore.plot.gantt import shift_of, timeline_rows
from vrpcore.plot.style import Style

MAX_TEXT = 2**24  # characters of all files in a response
_ANY_STYLE = Style((0.0, 0.0, 0.0), "-")  # the page has its own


class Views:
    """Views of the answers of a response, whose files have a limit together."""

    def __init__(self) -> None:
        self._left = MAX_TEXT

    def line(self, item: Instance | InvalidInstance, solution: Solution) -> str:
        """One answer as JSON for the page.

        Args:
            item: Its instance.
            solution: The answer.

        Returns:
            An object: `csv`, the text of a table; `sol`, that of a `.sol`; both null where there is
            none, or it has no room any more; `timeline`, for each route its `shift` and `bars`
            (kind, begin, end and stop), or null where it does not state its times.
        """
        table = self._file(lambda: csv_header(item) + solution_to_csv(item, solution, self._left))
        found: dict[str, Any] = {"csv": table, "sol": None, "timeline": []}
        if isinstance(item, Instance):
            found["sol"] = self._file(lambda: form_of("sol").text(item, solution))
            found["timeline"] = _timeline(item, solution)
        return json.dumps(found, allow_nan=False)

    def _file(self, write: Callable[[], str]) -> str | None:
        try:
            text = write()
        except InstanceError:  # it would be too long
            return None
        if not text or len(text) > self._left:
            return None
        self._left -= len(text)
        return text


def _timeline(item: Instance, solution: Solution) -> list[dict[str, Any] | None]:
    stated = {}
    for row in timeline_rows(item, solution, [_ANY_STYLE] * len(solution.routes)):
        made = bars(row.schedule, row.services, row.vehicle.breaks, row.loading)
        late = [("late", begin, end, None) for begin, end in late_spans(row.schedule)]
        shift = [time if math.isfinite(time) else None for time in shift_of(item, row)]
        stated[id(row.schedule)] = {"shift": shift, "bars": [*made, *late]}
    return [stated.get(id(route.schedule)) for route in solution.routes]
