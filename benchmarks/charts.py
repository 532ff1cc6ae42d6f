"""The curves of `python -m benchmarks quality` as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from vrpcore.errors import require_extra
from vrpcore.plot.figure import ENDINGS, save

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.curves import Point
    from benchmarks.quality_record import SetRecord

FLOOR_PERCENT = 0.001
_COLUMNS = 2
# Okabe and Ito's colours: distinguishable with any colour vision, and dark enough on white.
_OWN_COLOURS = ("#000000", "#0072B2", "#56B4E9", "#555555", "#999999")
_RIVAL_COLOURS = ("#D55E00", "#E69F00", "#009E73", "#CC79A7", "#7A4900")
_MARKERS = "osD^vP*X<>"


def check_plot(output: Path, command: str) -> None:
    """Fails before hours of measuring rather than after them.

    Args:
        output: Where the picture goes.
        command: What the user typed.

    Raises:
        BadParameter: Another ending than `.png`, `.svg` or `.pdf`.
        MissingExtraError: matplotlib is not installed.
    """
    if output.suffix not in ENDINGS:
        raise typer.BadParameter(f"{output}: expected .png, .svg or .pdf", param_hint="--plot")
    require_extra("plot", command, "matplotlib")


def draw(sets: Sequence[SetRecord], output: Path) -> None:
    """Draws one panel per set: mean gap over CPU seconds per instance, both logarithmic.

    Gaps below 0.001 %, including zero and negative ones, are drawn at 0.001 %.

    Args:
        sets: The sets that have measured points.
        output: A file that `check_plot` accepts.

    Raises:
        OutputError: The file cannot be written.
    """
    from matplotlib.figure import Figure

    columns = min(_COLUMNS, len(sets))
    rows = -(-len(sets) // columns)
    size = (6.2 * columns, 4.4 * rows + 0.8)
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    axes = figure.subplots(rows, columns, squeeze=False)
    looks = _looks([point for kept in sets for point in kept.points()])
    for axis in axes.flat[len(sets) :]:
        axis.set_axis_off()
    for axis, kept in zip(axes.flat, sets, strict=False):
        _panel(axis, kept, looks)
    lines = {line.get_label(): line for axis in axes.flat for line in axis.get_lines()}
    shown = {name: lines[name] for name in looks if name in lines}
    figure.legend(
        shown.values(),
        shown.keys(),
        loc="outside lower center",
        ncols=5,
        frameon=False,
        fontsize=9,
    )
    save(figure, output)


def _looks(points: Sequence[Point]) -> dict[str, dict[str, Any]]:
    """Colour, marker and line of each method: ours larger, rivals dashed.

    A line joins the points that differ in budget; other points are drawn alone.
    """
    from benchmarks.own import OWN, TIMED

    looks: dict[str, dict[str, Any]] = {}
    methods = list(dict.fromkeys(point.method for point in points))
    for own in (True, False):
        colours = _OWN_COLOURS if own else _RIVAL_COLOURS
        of_kind = [name for name in methods if name.startswith(OWN) == own]
        for index, name in enumerate(of_kind):
            looks[name] = {
                "color": colours[index % len(colours)],
                "marker": _MARKERS[len(looks) % len(_MARKERS)],
                "linestyle": "--" if not own else "-" if name == TIMED else "none",
                "linewidth": 2.2 if own else 1.3,
                "markersize": 8 if own else 5,
                "zorder": 3 if own else 2,
            }
    return looks


def _panel(axis: Any, kept: SetRecord, looks: dict[str, dict[str, Any]]) -> None:
    """One set; a point with failures has no meaningful mean and is left out."""
    from matplotlib.ticker import FuncFormatter

    from benchmarks.own import BATCHED

    points = [point for point in kept.points() if point.gap is not None and not point.failed]
    for name, look in looks.items():
        own = sorted((p for p in points if p.method == name), key=lambda point: point.solver_s)
        if not own:
            continue
        seconds = [point.solver_s for point in own]
        gaps = [max(100 * (point.gap or 0.0), FLOOR_PERCENT) for point in own]
        axis.plot(seconds, gaps, label=name, **look)
        if look["linestyle"] == "none":
            _label(axis, own, gaps, left=name == BATCHED)
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_ylim(bottom=0.8 * FLOOR_PERCENT)
    for side in (axis.xaxis, axis.yaxis):
        side.set_major_formatter(FuncFormatter(lambda value, _place: f"{value:g}"))
    axis.grid(True, which="major", color="#dddddd", linewidth=0.8)
    axis.set_title(f"{kept.name}, {len(kept.names)} instances", fontsize=11)
    axis.set_xlabel("CPU seconds per instance, one thread")
    axis.set_ylabel(f"mean gap, % ({FLOOR_PERCENT:g} means that or less)")


def _label(axis: Any, points: Sequence[Point], gaps: Sequence[float], *, left: bool) -> None:
    """Labels settings next to their points: one curve's to the left, the others' to the right."""
    for point, gap in zip(points, gaps, strict=True):
        axis.annotate(
            point.setting,
            (point.solver_s, gap),
            (-6, -9) if left else (6, 5),
            textcoords="offset points",
            ha="right" if left else "left",
            fontsize=8,
        )
