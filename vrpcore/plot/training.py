"""The curves of a training run: `curves.png` of its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Lines = Sequence[Mapping[str, Any]]


class _Curve(NamedTuple):
    """A part of the picture.

    Attributes:
        title: Above it.
        shown: Which numbers, by their names in `metrics.jsonl`.
        scale: Factor on them.
        log: Whether the axis is logarithmic.
    """

    title: str
    shown: Callable[[str], bool]
    scale: float = 1.0
    log: bool = False


_PANELS = (
    _Curve("mean cost of the tours that are learned from", lambda name: name == "cost"),
    _Curve("validation: gap in percent", lambda name: name.startswith("validation_gap"), 100.0),
    _Curve("validation: mean cost", lambda name: name.startswith("validation_cost")),
    _Curve("norm of the gradient", lambda name: name == "gradient_norm", log=True),
    _Curve("learning rate", lambda name: name == "learning_rate"),
    _Curve("instances a second", lambda name: name == "instances_per_second"),
)
_COLUMNS = 2


def draw_training(lines: Lines) -> Figure:
    """Draws what is in a run's metrics, a panel for each kind of number that is there.

    Args:
        lines: Of `metrics.jsonl`, in order; each has a `step`.
    """
    from matplotlib.figure import Figure

    panels = [(panel, _curves(lines, panel)) for panel in _PANELS]
    drawn = [(panel, curves) for panel, curves in panels if curves]
    rows = max(1, -(-len(drawn) // _COLUMNS))
    figure = Figure(figsize=(6 * _COLUMNS, 3 * rows), layout="constrained")
    axes = figure.subplots(rows, _COLUMNS, squeeze=False)
    for axis in axes.flat[len(drawn) :]:
        axis.set_axis_off()
    for axis, (panel, curves) in zip(axes.flat, drawn, strict=False):
        for name, (steps, values) in curves.items():
            axis.plot(steps, values, label=name.partition("/")[2] or "all", linewidth=1.2)
        axis.set_title(panel.title, fontsize=10)
        axis.set_xlabel("step")
        axis.grid(alpha=0.3)
        if panel.log and any(value > 0 for _, values in curves.values() for value in values):
            axis.set_yscale("log")
        if len(curves) > 1:
            axis.legend(fontsize=8)
    return figure


def _curves(lines: Lines, panel: _Curve) -> dict[str, tuple[list[int], list[float]]]:
    """Steps and values of each number of a panel."""
    found: dict[str, tuple[list[int], list[float]]] = {}
    for line in lines:
        for name, value in line.items():
            if panel.shown(name):
                steps, values = found.setdefault(name, ([], []))
                steps.append(line["step"])
                values.append(panel.scale * value)
    return found
