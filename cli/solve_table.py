"""Tables of `vrp solve` on a terminal: a row per instance; for a few, routes and stops left out."""

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from vrpcore.cli.console import printable
from vrpcore.cli.solve_output import Item, Tally, in_words, written
from vrpcore.instance.instance import Instance
from vrpcore.instance.solution import RouteReport, Solution, Status, Summary, Unserved

MAX_ROWS = 50
MAX_REASONS = 10
MAX_ROUTES = 50
MAX_UNSERVED = 50
# Nobody would read the routes of more instances than these.
MAX_WITH_ROUTES = 3

_COLOURS: dict[Status, str] = {
    "solved": "green",
    "invalid": "red",
    "infeasible": "yellow",
    "partial": "yellow",
}
_NONE = "[dim]-[/]"
_SIGNIFICANT = 5
_LEAST, _MOST = 1e-4, 1e15  # beyond these a number is shown with its power of ten


class TableSink:
    """A table on standard output, drawn when all answers are ready.

    The column widths depend on all rows, and until then the terminal shows progress bars.

    Args:
        tally: Counts of all answers; complete when the table is drawn.
        referenced: True where there are reference costs.
    """

    def __init__(self, tally: Tally, *, referenced: bool) -> None:
        self.place: Path | None = None
        self._tally, self._referenced = tally, referenced
        self._rows: list[Solution] = []
        self._items: list[Item] = []  # of the first
        self._refused: list[Solution] = []
        self._count = 0

    def put(self, item: Item, solution: Solution) -> Solution:
        """See `Sink.put`."""
        self._count += 1
        if len(self._items) < MAX_WITH_ROUTES:
            self._items.append(item)
        if len(self._rows) < MAX_ROWS:
            self._rows.append(solution)
        if solution.status != "solved" and len(self._refused) < MAX_REASONS:
            self._refused.append(solution)
        return solution

    def end(self, summary: Summary, *, complete: bool) -> None:  # noqa: ARG002 - shown alike
        """See `Sink.end`."""
        with written(None):
            console = Console(file=sys.stdout, highlight=False, emoji=False)
            if self._rows:
                console.print(_overview(self._rows))
            if self._count > len(self._rows):
                more = self._count - len(self._rows)
                console.print(f"... and {more} more; -o FILE writes them all")
            if self._rows:
                console.print()
            if self._count <= MAX_WITH_ROUTES:
                for solution, item in zip(self._rows, self._items, strict=True):
                    if solution.routes or solution.unserved:
                        _show_routes(console, solution, item)
            self._show_reasons(console)
            console.print(", ".join(self._totals(summary)), soft_wrap=True)

    def _show_reasons(self, console: Console) -> None:
        for solution in self._refused:
            colour = _COLOURS[solution.status]
            first, *others = map(printable, f"{solution.error}".split("\n"))
            name = printable(solution.name)
            console.print(f"[bold]{name}[/]: [{colour}]{solution.status}[/]: {first}")
            for line in others:
                console.print(f"  {line}", soft_wrap=True)
        more = self._count - self._tally.status["solved"] - len(self._refused)
        if more > 0:
            console.print(f"... and {more} more that are not solved; -o FILE gives the reasons")
        if self._refused:
            console.print()

    def _totals(self, summary: Summary) -> Iterator[str]:
        tally = self._tally
        solved = tally.status["solved"]
        yield f"{tally.count} instance{'' if tally.count == 1 else 's'}"
        yield from (
            f"[{_COLOURS[status]}]{tally.status[status]} {status}[/]"
            for status in _COLOURS
            if tally.status[status]
        )
        if solved:
            mean = f" (mean {for_people(tally.cost / solved)})" if solved > 1 else ""
            yield f"cost {for_people(tally.cost)}{mean}"
            yield f"{tally.routes} route{'' if tally.routes == 1 else 's'}"
        if self._referenced:
            yield f"gap {tally.mean_gap()}"
        yield f"{summary.seconds:.2f} s"
        if made := tally.constructed():
            yield f"model {printable(made)}"


def for_people(value: float, scale: float | None = None) -> str:
    """A readable number: integers in full, others with five significant digits.

    Args:
        value: Any finite number.
        scale: A number of this size gets five digits, which fixes the decimals; None: `value`.
    """
    if isinstance(value, int) or (value.is_integer() and abs(value) < _MOST):
        return str(int(value))
    size = abs(value if scale is None else scale)
    if not _LEAST <= size < _MOST:
        return f"{value:.{_SIGNIFICANT}g}"
    decimals = max(0, _SIGNIFICANT - 1 - math.floor(math.log10(size)))
    return f"{value:.{decimals}f}"


def _overview(solutions: list[Solution]) -> Table:
    gaps = any(solution.gap is not None for solution in solutions)
    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("instance", overflow="fold")
    table.add_column("status", no_wrap=True)
    for name in ("cost", "gap", "routes") if gaps else ("cost", "routes"):
        table.add_column(name, justify="right", no_wrap=True)
    for solution in solutions:
        cells = [_NONE if solution.cost is None else for_people(solution.cost)]
        if gaps:
            cells.append(_NONE if solution.gap is None else f"{solution.gap:.2%}")
        cells.append(str(len(solution.routes)) if solution.has_routes else _NONE)
        status = f"[{_COLOURS[solution.status]}]{solution.status}[/]"
        table.add_row(printable(solution.name), status, *cells)
    return table


def _times_of(item: Item) -> Callable[[float], str]:
    """Return the writer of an instance's times: as in its spreadsheet, else as numbers."""
    own = item.origin.time_text if isinstance(item, Instance) and item.origin.clock else None
    return own or for_people


def _show_routes(console: Console, solution: Solution, item: Item) -> None:
    warnings = (
        f"  [yellow]{printable(', '.join(solution.warnings))}[/]" if solution.warnings else ""
    )
    console.print(f"[bold]{printable(solution.name)}[/]{warnings}")
    if solution.routes:
        console.print(_route_table(solution, item))
    if len(solution.routes) > MAX_ROUTES:
        console.print(f"... and {len(solution.routes) - MAX_ROUTES} more routes")
    _show_unserved(console, solution.unserved, item)
    console.print()


def _route_table(solution: Solution, item: Item) -> Table:
    """A row for each route: of instances with constraints also its vehicle and times."""
    times = _times_of(item)
    plans = [route.schedule for route in solution.routes]
    driven = any(plan is not None and plan.vehicle is not None for plan in plans)
    timed = any(plan is not None and not math.isnan(plan.departure) for plan in plans)
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("route", justify="right", no_wrap=True)
    if driven:
        table.add_column("vehicle", overflow="fold")
    for name in ("load", "cost", *(("departure", "return") if timed else ())):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("customers", overflow="fold")
    for number, route in enumerate(solution.routes[:MAX_ROUTES], start=1):
        plan = route.schedule
        cells = [str(number)]
        if driven:
            cells.append(printable((plan and plan.vehicle) or ""))
        cells += [_load(route), for_people(route.cost, solution.cost)]
        if timed:
            ends = (math.nan,) * 2 if plan is None else (plan.departure, plan.return_)
            cells += [_NONE if math.isnan(time) else times(time) for time in ends]
        table.add_row(*cells, printable(_customers(route, item)))
    return table


def _show_unserved(console: Console, unserved: Sequence[Unserved], instance: Item) -> None:
    if not unserved:
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("not served", overflow="fold")
    table.add_column("reason", no_wrap=True)
    table.add_column("detail", overflow="fold")
    for item in unserved[:MAX_UNSERVED]:
        table.add_row(printable(in_words(instance, item.id)), item.reason, printable(item.detail))
    console.print(table)
    if len(unserved) > MAX_UNSERVED:
        console.print(f"... and {len(unserved) - MAX_UNSERVED} more that are not served")


def _load(route: RouteReport) -> str:
    loads = route.load if isinstance(route.load, tuple) else (route.load,)
    return " ".join(map(for_people, loads))


def _customers(route: RouteReport, item: Item) -> str:
    ids = [in_words(item, customer) for customer in route.customers]
    return (", " if any(" " in name for name in ids) else " ").join(ids)
