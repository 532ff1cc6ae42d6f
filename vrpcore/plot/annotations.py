"""Annotations of a map: directions, names and times of stops, a scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from vrpcore.plot.style import words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vrpcore.instance.instance import Float64, Instance
    from vrpcore.instance.solution import RouteReport
    from vrpcore.plot.style import Colour

MAX_ARROWS = 400  # legs of all routes with arrows on them
MAX_LABELS = 40  # stops of all routes with labels
_NAME = 16
_HEAD = "-|>,head_length=0.9,head_width=0.45"
_TIP = 0.58  # of a leg: where its arrow points to
_KM_OF_DEGREE = 111.195
_SCALE = 0.25  # of the width of a map: most of its scale


def write_beside(axis: Any, text: str, place: Any, offset: tuple[int, int], **look: Any) -> None:
    """Writes a text next to a place.

    Args:
        axis: Of matplotlib.
        text: What is written.
        place: Where, as the axis counts.
        offset: From there, in points.
        **look: As matplotlib's texts take it.
    """
    axis.annotate(text, place, xytext=offset, textcoords="offset points", **look)


def draw_arrows(axis: Any, coords: Float64, nodes: Sequence[int], colour: Colour) -> None:
    """Draws an arrow on each leg of a route, which shows in which direction it is driven.

    Args:
        axis: Of matplotlib.
        coords: [M, 2] where locations are drawn.
        nodes: Rows of those that the route passes, in order.
        colour: Of its line.
    """
    from matplotlib.patches import FancyArrowPatch

    for start, end in zip(coords[nodes], coords[nodes[1:]], strict=False):
        if (start != end).any():
            tip = start + _TIP * (end - start)
            axis.add_patch(
                FancyArrowPatch(
                    tuple(start), tuple(tip), arrowstyle=_HEAD, mutation_scale=8, shrinkA=0,
                    shrinkB=0, linewidth=0, facecolor=colour, edgecolor="none", zorder=2.5,
                    gid="arrow", clip_on=False,
                )
            )  # fmt: skip


def label_stops(
    axis: Any,
    problem: Instance,
    coords: Float64,
    routes: Sequence[tuple[RouteReport, Sequence[int]]],
    text: Callable[[float], str],
) -> None:
    """Labels each stop with its number on its route, its name, and when service begins.

    Args:
        axis: Of matplotlib.
        problem: The instance.
        coords: [M, 2] where locations are drawn.
        routes: Each with its stops, 1..N; of more than `MAX_LABELS` in all, none is labelled.
        text: Writes a time.
    """
    if sum(len(stops) for _, stops in routes) > MAX_LABELS:
        return
    for route, stops in routes:
        begins = () if route.schedule is None else route.schedule.begins or ()
        for index, stop in enumerate(stops):
            node = problem.num_depots - 1 + stop
            said = f"{index + 1}. {words(problem.node_name(node), _NAME)}"
            if len(begins) == len(stops) and not math.isnan(begins[index]):
                said += f", {text(begins[index])}"
            look = {"fontsize": 6, "color": "0.25", "zorder": 6.5, "gid": "stop"}
            write_beside(axis, said, coords[node], (5, 3), **look)


def draw_scale(axis: Any, problem: Instance, coords: Float64) -> None:
    """Draws how long some kilometres are, where locations are degrees.

    Args:
        axis: Of matplotlib.
        problem: The instance.
        coords: [M, 2] what is drawn.
    """
    if problem.metric != "haversine" or problem.coords is None:
        return
    (west, south), (east, north) = coords.min(axis=0), coords.max(axis=0)
    degree = _KM_OF_DEGREE * max(math.cos(math.radians((south + north) / 2)), 0.1)
    most = max((east - west) * degree, (north - south) * _KM_OF_DEGREE) * _SCALE
    if most <= 0:
        return
    power = 10.0 ** math.floor(math.log10(most))
    length = max(each * power for each in (1, 2, 5) if each * power <= most)
    line = np.array([west, west + length / degree])
    below = south - 0.05 * max(north - south, (east - west) / 2)
    axis.plot(line, [below, below], color="0.35", linewidth=1.5, gid="scale")
    said = f"{length:g} km" if length >= 1 else f"{1000 * length:g} m"
    write_beside(axis, said, (line[0], below), (0, 3), fontsize=7, color="0.35", gid="scale")
