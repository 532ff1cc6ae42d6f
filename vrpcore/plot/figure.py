"""Whole pictures: a panel for each instance, with a map, a timeline, or both."""

from __future__ import annotations

import io
import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from vrpcore.errors import InstanceError, require_extra, visible
from vrpcore.formats.files import write_bytes
from vrpcore.plot.gantt import (
    draw_timeline,
    has_times,
    time_writer,
    timeline_inches,
    timeline_rows,
)
from vrpcore.plot.map import draw_map, heading, label_map
from vrpcore.plot.style import route_styles

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from matplotlib.figure import Figure

    from vrpcore.instance.instance import Instance
    from vrpcore.instance.solution import Solution
    from vrpcore.plot.gantt import Clock, Lane
    from vrpcore.plot.shown_figure import ShownFigure
    from vrpcore.plot.style import Style

ENDINGS = (".png", ".svg", ".pdf")
MAX_PANELS = 16
_ONE = (10.0, 7.0, 12.0)  # inches: width and height of a map, most of a timeline
_SEVERAL = (6.5, 4.5, 5.0)
_UNDATED = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
_ADVICE = "vrp solve -o FILE.json writes them"


def draw(
    pairs: Sequence[tuple[Instance, Solution]],
    report: Callable[[str], None],
    purpose: str = "a picture",
    clock: Clock | None = None,
) -> ShownFigure:
    """Draws answers with routes, one panel each.

    Args:
        pairs: At least one and at most `MAX_PANELS` of them.
        report: Called with each thing that cannot be drawn, in words.
        purpose: What needs matplotlib, for the message where it is missing.
        clock: As of `draw_timeline`.

    Raises:
        InstanceError: An answer does not fit its instance, or there is nothing to draw of any.
        MissingExtraError: matplotlib is not installed.
    """
    require_extra("plot", purpose, "matplotlib")
    plain = all(problem.constraints is None for problem, _ in pairs)
    return _maps(pairs) if plain else _panels(pairs, report, clock)


def save(figure: Figure, output: Path) -> None:
    """Writes a picture, whole or not at all; equal figures give equal files.

    Args:
        figure: The picture.
        output: A file with one of `ENDINGS`.

    Raises:
        OutputError: The file cannot be written.
    """
    from matplotlib import rc_context

    # Ids that stay, and text that is text, without all fonts that there may be at each of them.
    svg = rc_context(
        {"svg.hashsalt": "vrp", "svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans"]}
    )
    with warnings.catch_warnings(), svg:
        # Letters that no font here has are shown as boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        drawn = io.BytesIO()
        ending = output.suffix
        figure.savefig(drawn, format=ending[1:], dpi=150, metadata=_UNDATED.get(ending))
    write_bytes(output, drawn.getvalue())


def _maps(pairs: Sequence[tuple[Instance, Solution]]) -> ShownFigure:
    """Plain instances, all of one size."""
    from vrpcore.plot.shown_figure import ShownFigure

    rows, columns = _grid(len(pairs))
    size = 7 if len(pairs) == 1 else 4
    figure = ShownFigure(figsize=(size * columns, size * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, (problem, answer) in zip(axes.flat, pairs, strict=False):
        draw_map(axis, problem, answer, route_styles(problem, answer))
        if len(pairs) == 1:
            label_map(axis, problem, answer, time_writer(problem, None))
    return figure


def _grid(count: int) -> tuple[int, int]:
    columns = math.ceil(math.sqrt(count))
    return math.ceil(count / columns), columns


class _Panel(NamedTuple):
    """The content of a panel: a map, a timeline, or both; heights in inches, 0: none."""

    problem: Instance
    answer: Solution
    styles: list[Style]
    rows: list[Lane]
    map_inches: float
    timeline_inches: float

    @property
    def inches(self) -> float:
        return self.map_inches + self.timeline_inches


def _panels(
    pairs: Sequence[tuple[Instance, Solution]],
    report: Callable[[str], None],
    clock: Clock | None,
) -> ShownFigure:
    """Instances of which some have constraints: a map each, and a timeline where it has times."""
    from vrpcore.plot.shown_figure import ShownFigure

    sizes = _ONE if len(pairs) == 1 else _SEVERAL
    panels = _drawable(
        [_panel(problem, answer, sizes, report) for problem, answer in pairs], report
    )
    rows, columns = _grid(len(panels))
    heights = [
        max(panel.inches for panel in panels[row * columns : (row + 1) * columns])
        for row in range(rows)
    ]
    figure = ShownFigure(figsize=(sizes[0] * columns, sum(heights)), layout="constrained")
    parts = figure.subfigures(rows, columns, squeeze=False, height_ratios=heights)
    for part, panel in zip(parts.flat, panels, strict=False):
        _draw_panel(part, panel, clock)
        if panel.map_inches and len(pairs) == 1:  # several have no room for names
            text = time_writer(panel.problem, clock)
            label_map(part.subfigs[0].axes[0], panel.problem, panel.answer, text)
    return figure


def _drawable(panels: list[_Panel], report: Callable[[str], None]) -> list[_Panel]:
    """Keep those with anything to draw, and report the others."""
    found = [panel for panel in panels if panel.inches]
    if not found:
        problem = panels[0].problem
        raise InstanceError(f"{visible(problem.name)}: {_nothing(problem)}")
    for problem in (panel.problem for panel in panels if not panel.inches):
        report(f"{visible(problem.name)}: left out: {_nothing(problem)}")
    return found


def _panel(
    problem: Instance,
    answer: Solution,
    sizes: tuple[float, float, float],
    report: Callable[[str], None],
) -> _Panel:
    _, high, most = sizes
    if problem.constraints is not None:
        answer = replace(answer, routes=tuple(r for r in answer.routes if r.customers))
    styles = route_styles(problem, answer)
    rows = timeline_rows(problem, answer, styles)
    name = visible(problem.name)
    if problem.coords is None and problem.constraints is not None:
        if rows:
            report(f"{name}: it has no coordinates, so its timeline is drawn without a map")
        high = 0.0
    elif not rows and answer.routes and has_times(problem):
        report(f"{name}: its routes state no times, so there is no timeline; {_ADVICE}")
    return _Panel(
        problem, answer, styles, rows, high, timeline_inches(len(rows), most) if rows else 0.0
    )


def _nothing(problem: Instance) -> str:
    """Explain why there is nothing to draw of an instance without coordinates."""
    if has_times(problem):
        return f"it has no coordinates and its routes state no times; {_ADVICE}"
    return "it has neither coordinates nor times to draw; give x and y to depots and customers"


def _draw_panel(part: Any, panel: _Panel, clock: Clock | None) -> None:
    heights = [height for height in (panel.map_inches, panel.timeline_inches) if height]
    # Parts of their own, so that a legend next to the map takes no width from the timeline.
    halves = part.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
    axes = [half.subplots() for half in halves]
    if panel.map_inches:
        draw_map(axes[0], panel.problem, panel.answer, panel.styles)
    if panel.timeline_inches:
        draw_timeline(axes[-1], panel.problem, panel.rows, panel.timeline_inches, clock)
    if panel.problem.constraints is not None:
        part.suptitle(heading(panel.problem, panel.answer), fontsize=9)
