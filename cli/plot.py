"""`vrp plot`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from vrpcore.cli.console import Messages, edge, refuse
from vrpcore.cli.flags import Quiet, with_flags
from vrpcore.errors import InstanceError
from vrpcore.formats.options import Reading, SheetOptions
from vrpcore.plot import figure
from vrpcore.plot.gantt import Clock

if TYPE_CHECKING:
    from vrpcore.instance.instance import Instance
    from vrpcore.instance.solution import Solution

HELP = """Draw routes on a map, and below it when each vehicle drives; one panel per instance.

Plain instances have one colour per vehicle and the depot as a square. With constraints, the map
shows all depots, a colour and a line style for each vehicle type, pickups and deliveries of
shipments as triangles up and down, and a cross for each stop that is not served. Where an instance
has times, the timeline has a row for each vehicle: travel, waiting and service, and below them
when service may begin at each stop. Routes in a .sol state no times.

[bold]Examples[/]

  vrp plot instances.json solutions.json -o map.png
  vrp plot A-n32-k5.vrp A-n32-k5.sol -o map.svg
  vrp solve c101.txt -o c101.json
  vrp plot c101.txt c101.json -o c101.pdf                map and timeline
  vrp plot problem.json answer.json -o day.svg --clock s         times of day from seconds
  vrp plot stops.csv routes.csv --fleet vans.csv -o day.png      what vrp solve wrote
"""


@edge()
@with_flags
def plot(
    instances: Annotated[str, typer.Argument(help="Instances, as for vrp solve.")],
    solutions: Annotated[
        str,
        typer.Argument(help="JSON, JSON Lines, .sol (or a folder); of spreadsheets CSV or .xlsx."),
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="A .png, .svg or .pdf file.")],
    sheet: SheetOptions,
    clock: Annotated[
        Clock | None,
        typer.Option(help="Draw times of day: the unit of times since midnight, or since 1970."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Draws solutions."""
    messages = Messages(quiet=quiet)
    if output.suffix not in figure.ENDINGS:
        refuse(f"-o {output}: expected .png, .svg or .pdf")
    pairs = _pairs(instances, solutions, sheet)
    if len(pairs) > (most := figure.MAX_PANELS):
        messages.print(f"drawing the first {most} of {len(pairs)} instances with routes")
    figure.save(figure.draw(pairs[:most], messages.print, "vrp plot", clock), output)


def _pairs(instances: str, solutions: str, sheet: SheetOptions) -> list[tuple[Instance, Solution]]:
    from vrpcore.cli.pairs import read_pairs
    from vrpcore.instance.instance import InvalidInstance

    reading = Reading(roads=True, sheet=sheet)  # times are those of the answers
    found = read_pairs(instances, solutions, reading)
    pairs = [
        (problem, answer)
        for problem, answer in found
        if not isinstance(problem, InvalidInstance) and answer.has_routes
    ]
    if not pairs:
        for problem, answer in found:
            if isinstance(problem, InvalidInstance) and answer.has_routes:
                raise InstanceError(f"{problem.name}: invalid: {problem.error}")
        raise InstanceError(f"{solutions}: contains no answer with routes to draw")
    return pairs
