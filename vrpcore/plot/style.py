"""Style shared by all parts of a picture: colours and lines of routes, and texts."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Literal, NamedTuple

from vrpcore.errors import InstanceError, visible

if TYPE_CHECKING:
    from vrpcore.instance.instance import Instance
    from vrpcore.instance.solution import Solution

Colour = tuple[float, float, float]
Line = Literal["-", "--", ":", "-."]

WARNING: Colour = (0.86, 0.1, 0.1)  # what is late, or takes longer than it should

_LINES: tuple[Line, ...] = ("-", "--", ":", "-.")
_SHADES = (0.0, -0.35, 0.3)  # of a type's colour: as it is, darker, lighter


class Style(NamedTuple):
    """Colour and line of a route.

    Attributes:
        colour: Red, green and blue from 0 to 1.
        line: A line style of matplotlib.
    """

    colour: Colour
    line: Line


def words(text: str, most: int) -> str:
    """Untrusted text for a picture: on one line, no formula, not too long."""
    shown = visible(text)
    shown = shown if len(shown) <= most else f"{shown[: most - 3]}..."
    return shown.replace("$", r"\$")


def route_styles(problem: Instance, answer: Solution) -> list[Style]:
    """The style of each route.

    Where several vehicle types drive, each type has a colour and a line style, and its routes
    are shades of the colour; else each route has a colour of its own.

    Raises:
        InstanceError: A route names a vehicle type that the instance does not have.
    """
    types = route_types(problem, answer)
    used = sorted(set(types))
    if len(used) < 2:
        return [Style(route_colour(index), _LINES[0]) for index in range(len(types))]
    seen = [itertools.count() for _ in problem.own_constraints.vehicles]
    return [type_style(used.index(kind), next(seen[kind])) for kind in types]


def route_colour(index: int) -> Colour:
    """The colour of a route where the type says nothing: strong ones first."""
    from matplotlib import colormaps

    red, green, blue, _ = colormaps["tab20"]((2 * index + index // 10) % 20)
    return red, green, blue


def type_style(rank: int, number: int = 0) -> Style:
    """The style of a route of a vehicle type.

    Args:
        rank: Of the type among those that drive.
        number: Of the route among those of its type.
    """
    from matplotlib import colormaps

    shade = _SHADES[number % len(_SHADES)]
    target = 1.0 if shade > 0 else 0.0
    red, green, blue = (
        part + abs(shade) * (target - part) for part in colormaps["tab10"](rank % 10)[:3]
    )
    return Style((red, green, blue), _LINES[rank % len(_LINES)])


def route_types(problem: Instance, answer: Solution) -> list[int]:
    """Index of the vehicle type of each route; 0 where it is not stated.

    Raises:
        InstanceError: The instance has no such type.
    """
    if problem.constraints is None:
        return [0] * len(answer.routes)
    rows = {vehicle.id: index for index, vehicle in enumerate(problem.own_constraints.vehicles)}
    names = (None if each.schedule is None else each.schedule.vehicle for each in answer.routes)
    try:
        return [0 if name is None else rows[name] for name in names]
    except KeyError as error:
        message = f"{answer.name}: no vehicle type of the instance is called {error}"
        raise InstanceError(message) from None
