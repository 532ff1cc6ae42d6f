"""Routes on a map, one panel of `vrp plot`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from vrpcore.arrays.projection import project
from vrpcore.cost.far import far_nodes
from vrpcore.errors import InstanceError
from vrpcore.instance.service_unit import kind_of_stop, units_of
from vrpcore.instance.solution import route_nodes, route_reloads
from vrpcore.plot.annotations import MAX_ARROWS, draw_arrows, draw_scale, label_stops, write_beside
from vrpcore.plot.style import WARNING, Style, route_types, type_style, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from vrpcore.instance.instance import Float64, Instance
    from vrpcore.instance.solution import Solution

MAX_NAME = 60
_MAX_DEPOT_NAMES = 40
_MAX_TYPES = 16
_EDGE = 1.25  # of a map, in halves of what is drawn to scale
_LEAST_COSINE = 0.1  # near the poles no map is true to scale
# Below names; with an outline they would be no text in an .svg.
_PAPER = {"facecolor": "white", "alpha": 0.75, "linewidth": 0, "pad": 0.6}
_MARKERS = {"customer": "o", "pickup": "^", "delivery": "v"}  # of stops
# Marker, name in the legend and colour of stops that have no route.
_REQUIRED = ("X", "not served", "tab:red")
_OPTIONAL = ("x", "left out, optional", "0.45")
_OTHER = (".", "alternative that is not taken", "0.6")


def draw_map(axis: Any, problem: Instance, answer: Solution, styles: Sequence[Style]) -> None:
    """Draws the routes of an answer, on the way from and to their depots.

    All depots are squares, with their names where there are several, and a frame where a route
    reloads; ends that are open have no line. Pickups and deliveries of shipments are triangles.
    A stop that is not served is a cross. Alternatives that are not taken are dots, with a line to
    the one that is. A stop served late has a ring in the colour of a warning.

    Args:
        axis: Of matplotlib.
        problem: The instance; coordinates may be missing only if it is plain.
        answer: With routes; if the instance has constraints, none of them is empty.
        styles: Of each route.

    Raises:
        InstanceError: A route visits a customer or a depot that is not in the instance.
    """
    whole = project(problem) if problem.coords is None else problem.coords
    coords, far = drawn_places(problem, whole)
    routes, is_plain = paths(problem, answer), problem.constraints is None
    look: dict[str, Any] = {"solid_capstyle": "round", "gid": "route"}
    if is_plain:
        look = {"marker": "o", "markersize": 3.5}
    for nodes, style in zip(routes, styles, strict=True):
        line = {"color": style.colour, "linestyle": style.line, "linewidth": 1.3}
        axis.plot(*coords[nodes].T, **line, **look)
        if not is_plain:
            _stops(axis, problem, coords, nodes, style)
    # After all lines, as the axis of what is drawn before decides how large they are.
    if sum(map(len, routes)) <= MAX_ARROWS:
        for nodes, style in zip(routes, styles, strict=True):
            draw_arrows(axis, coords, nodes, style.colour)
    if is_plain:
        axis.plot(*coords[0], "s", color="black", markersize=8, zorder=5)
        axis.set_title(_title(problem, answer), fontsize=9)
    else:
        _depots(axis, problem, coords)
        _reloads(axis, problem, answer, coords, styles)
        _late(axis, problem, answer, coords)
        _unserved(axis, problem, answer, coords)
        _alternatives(axis, problem, answer, coords)
        _legend(axis, problem, answer)
        axis.margins(0.07)
    _far_names(axis, problem, coords, far)
    draw_scale(axis, problem, np.delete(coords, far, axis=0))
    axis.set_aspect(aspect(problem, coords), adjustable="datalim")
    axis.set_axis_off()


def label_map(axis: Any, problem: Instance, answer: Solution, text: Callable[[float], str]) -> None:
    """Labels the stops of a map: number on the route, name, and when service begins.

    Args:
        axis: With the map of an instance with coordinates.
        problem: The instance.
        answer: With routes.
        text: Writes a time.
    """
    if problem.coords is not None:
        coords, _ = drawn_places(problem, problem.coords)
        routes = zip(answer.routes, route_stops(problem, answer), strict=True)
        label_stops(axis, problem, coords, list(routes), text)


def drawn_places(problem: Instance, coords: Float64) -> tuple[Float64, list[int]]:
    """Positions to draw: outliers are moved to the edge, so that the rest is visible.

    Args:
        problem: The instance.
        coords: [M, 2] its locations, or those drawn in their stead.

    Returns:
        [M, 2] locations, and the rows of those that are moved.
    """
    metric = problem.metric if problem.coords is not None else "euclidean"
    far = far_nodes(coords, metric)
    rest = np.delete(coords, far, axis=0)
    middle, half = (rest.max(axis=0) + rest.min(axis=0)) / 2, np.ptp(rest, axis=0) / 2
    if not far or half.max() == 0:
        return coords, []
    half = np.maximum(half, half.max() / 2) * _EDGE
    found = coords.copy()
    away = coords[far] - middle
    found[far] = middle + away / (np.abs(away) / half).max(axis=1, keepdims=True)
    return found, far


def aspect(problem: Instance, coords: Float64) -> float:
    """The length of a unit of y in units of x: degrees of latitude are longer on the ground.

    Args:
        problem: The instance.
        coords: [M, 2] what is drawn; degrees where its metric is `haversine`.
    """
    if problem.metric != "haversine" or problem.coords is None:
        return 1.0
    middle = math.radians((coords[:, 1].min() + coords[:, 1].max()) / 2)
    return 1 / max(math.cos(middle), _LEAST_COSINE)


def paths(problem: Instance, answer: Solution) -> list[list[int]]:
    """Rows of the nodes that each route passes, from depot to depot as far as there are some.

    Raises:
        InstanceError: One is unknown.
    """
    found = []
    for stops, route in zip(route_stops(problem, answer), answer.routes, strict=True):
        try:
            found.append(route_nodes(problem, stops, route.schedule))
        except KeyError as error:
            raise InstanceError(f"{answer.name}: unknown depot {error}") from None
    return found


def route_stops(problem: Instance, answer: Solution) -> list[list[int]]:
    """Stops 1..N of each route; ids are compared as texts.

    Raises:
        InstanceError: One is unknown.
    """
    number = problem.numbers_by_text
    try:
        return [[number[str(name)] for name in route.customers] for route in answer.routes]
    except KeyError as error:
        raise InstanceError(f"{answer.name}: unknown customer {error}") from None


def heading(problem: Instance, answer: Solution) -> str:
    """Name, cost, number of routes and unserved stops of an instance with constraints."""
    missing, optional = map(len, left_out(problem, answer))
    said: list[str] = [] if answer.status == "solved" else [answer.status]
    said += [f"{missing} not served"] if missing else []
    said += [f"{optional} optional left out"] if optional else []
    return ", ".join([_title(problem, answer), *said])


def left_out(problem: Instance, answer: Solution) -> tuple[list[list[int]], list[list[int]]]:
    """Stops that are not served: the required, and the optional; of groups all members'."""
    served = {stop for stops in route_stops(problem, answer) for stop in stops}
    found: tuple[list[list[int]], list[list[int]]] = [], []
    for unit in units_of(problem):
        if served.isdisjoint(unit.stops):
            found[0 if math.isinf(unit.prize) else 1].append(unit.stops)
    return found


def _title(problem: Instance, answer: Solution) -> str:
    cost = "" if answer.cost is None else f"  cost {answer.cost:.6g}"
    count = len(answer.routes)
    return f"{words(problem.name, MAX_NAME)}{cost}\n{count} route{'s' if count != 1 else ''}"


def _stops(
    axis: Any, problem: Instance, coords: Float64, nodes: Sequence[int], style: Style
) -> None:
    """The stops of a route, by what they are."""
    found: dict[str, list[int]] = {}
    for node in nodes:
        if node >= problem.num_depots:
            kind = kind_of_stop(problem, node - problem.num_depots + 1)
            found.setdefault(kind, []).append(node)
    for name, rows in found.items():
        size, marker = 14 if name == "customer" else 30, _MARKERS[name]
        axis.scatter(*coords[rows].T, s=size, marker=marker, color=[style.colour], zorder=3)


def _depots(axis: Any, problem: Instance, coords: Float64) -> None:
    depots = problem.own_constraints.depots
    axis.scatter(
        *coords[: len(depots)].T, s=64, marker="s", color="black", edgecolors="white", zorder=5
    )
    if not 1 < len(depots) <= _MAX_DEPOT_NAMES:
        return
    names: dict[tuple[float, float], list[str]] = {}
    for depot, (x, y) in zip(depots, coords.tolist(), strict=False):
        names.setdefault((x, y), []).append(depot.id)
    for point, own in names.items():
        look = {"fontsize": 8, "fontweight": "bold", "bbox": _PAPER, "zorder": 8}
        write_beside(axis, words(", ".join(own), 24), point, (6, 6), **look)


def _far_names(axis: Any, problem: Instance, coords: Float64, far: Sequence[int]) -> None:
    """Names of locations at the edge that are not there, but far away."""
    for node in far:
        text = f"{words(problem.node_name(node), 24)}: far away"
        write_beside(axis, text, coords[node], (6, -10), fontsize=8, color="tab:red", zorder=7)


def _unserved(axis: Any, problem: Instance, answer: Solution, coords: Float64) -> None:
    groups = left_out(problem, answer)
    for stops, (marker, label, colour) in zip(groups, (_REQUIRED, _OPTIONAL), strict=True):
        rows = [problem.num_depots - 1 + stop for group in stops for stop in group]
        if rows:
            points = coords[rows].T
            axis.scatter(*points, s=48, marker=marker, color=colour, label=label, zorder=6)


def _reloads(
    axis: Any, problem: Instance, answer: Solution, coords: Float64, styles: Sequence[Style]
) -> None:
    """A frame around depots where a route reloads, in its colour."""
    label = "reload"
    for route, style in zip(answer.routes, styles, strict=True):
        if route.schedule is None or not route.schedule.reloads:
            continue
        rows = sorted({each.depot for each in route_reloads(problem, route.schedule)})
        axis.scatter(
            *coords[rows].T, s=150, marker="s", facecolors="none", edgecolors=[style.colour],
            linewidths=1.6, label=label, zorder=6,
        )  # fmt: skip
        label = ""  # named once


def _late(axis: Any, problem: Instance, answer: Solution, coords: Float64) -> None:
    """A ring around stops that are served late, and around the end of a route that is."""
    rows = set[int]()
    for nodes, stops, route in zip(
        paths(problem, answer), route_stops(problem, answer), answer.routes, strict=True
    ):
        schedule = route.schedule
        if schedule is None:
            continue
        pairs = zip(stops, schedule.late or (), strict=False)
        rows |= {problem.num_depots - 1 + stop for stop, late in pairs if late > 0}
        if schedule.late_return > 0 or schedule.overtime > 0:
            rows.add(nodes[-1])
    if rows:
        axis.scatter(
            *coords[sorted(rows)].T, s=110, marker="o", facecolors="none", edgecolors=[WARNING],
            linewidths=1.8, label="late, overtime", zorder=6,
        )  # fmt: skip


def _alternatives(axis: Any, problem: Instance, answer: Solution, coords: Float64) -> None:
    """Members of groups that are not taken, and a line from each to the one that is."""
    served = {stop for stops in route_stops(problem, answer) for stop in stops}
    marker, label, colour = _OTHER
    first, others = problem.num_depots - 1, list[int]()
    for unit in units_of(problem):
        taken = next((stops[0] for _, stops in unit.members if stops[0] in served), None)
        for _, stops in unit.members:
            if taken is not None and stops[0] != taken:
                line = coords[[first + taken, first + stops[0]]].T
                axis.plot(*line, color=colour, linestyle=":", linewidth=0.8, zorder=1)
                others += [first + each for each in stops]
    if others:
        axis.scatter(*coords[others].T, s=30, marker=marker, color=colour, label=label, zorder=2)


def _legend(axis: Any, problem: Instance, answer: Solution) -> None:
    """Vehicle types that drive, and what markers mean; nothing where all is said."""
    from matplotlib.lines import Line2D

    handles = list(_type_lines(problem, answer))
    kinds = ["pickup", "delivery"] if problem.own_constraints.num_shipments else []
    if not kinds and problem.own_constraints.on_board is not None:
        kinds = ["delivery"]
    for kind in kinds:
        label, marker = f"{kind} of a shipment", _MARKERS[kind]
        handles.append(Line2D([], [], linestyle="", marker=marker, color="0.3", label=label))
    handles += axis.get_legend_handles_labels()[0]
    if not handles:
        return
    depot = Line2D([], [], linestyle="", marker="s", color="black", label="depot")
    axis.legend(
        handles=[depot, *handles], loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8,
        frameon=False,
    )  # fmt: skip


def _type_lines(problem: Instance, answer: Solution) -> Iterator[Any]:
    from matplotlib.lines import Line2D

    vehicles, types = problem.own_constraints.vehicles, route_types(problem, answer)
    used = sorted(set(types))
    if not problem.own_constraints.listed_vehicles:
        return
    for rank, kind in enumerate(used[:_MAX_TYPES]):
        style = type_style(rank) if len(used) > 1 else Style((0.3, 0.3, 0.3), "-")
        driven = types.count(kind)
        most = "" if vehicles[kind].count is None else f" of {vehicles[kind].count}"
        label = f"{words(vehicles[kind].id, 24)}  ({driven}{most})"
        yield Line2D([], [], color=style.colour, linestyle=style.line, label=label)
    if len(used) > _MAX_TYPES:
        yield Line2D([], [], linestyle="", label=f"and {len(used) - _MAX_TYPES} more types")
