"""An answer together with its problem: as a picture, as rows, as what vehicles do and when."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, get_args

from vrpcore.cost.timeline import Timeline
from vrpcore.errors import ConfigError, InstanceError, OutputError, describe, require_extra
from vrpcore.formats.write import solution_to_dict
from vrpcore.instance.instance import CustomerId, Instance, InvalidInstance
from vrpcore.instance.plan import Route
from vrpcore.instance.service_unit import stops_by_name
from vrpcore.instance.solution import Solution, route_reloads
from vrpcore.modelling.notebook import solution_html
from vrpcore.plot.activities import Kind, bars, loading_times
from vrpcore.plot.figure import ENDINGS, draw, save
from vrpcore.plot.gantt import Clock
from vrpcore.plot.map import route_stops
from vrpcore.plot.style import route_types

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

Activity = Kind


class StopRow(TypedDict):
    """A stop of the plan, or one that no route serves: `route` is None, and `reason` says why.

    Routes and stops are numbered from 1. Times are None for plain instances.
    """

    route: int | None
    stop: int | None
    vehicle: str | None
    customer: CustomerId
    x: float | None
    y: float | None
    arrival: float | None
    begin: float | None
    finish: float | None
    reason: str | None
    detail: str | None


class ActivityRow(TypedDict):
    """An activity of a vehicle.

    `customer` is the one it serves, waits for or goes to; None: it rests, or goes to a depot.
    """

    route: int
    vehicle: str | None
    activity: Activity
    begin: float
    end: float
    customer: CustomerId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSolution(Solution):
    """The answer to an instance, with the instance.

    A class of its own for what only both together can say: pictures, what vehicles do and when,
    rows with coordinates. A plain `Solution` stays free of its instance's arrays.

    Attributes:
        instance: The problem, invalid ones included; neither shown by repr nor compared.
    """

    instance: Instance | InvalidInstance = field(compare=False)

    @classmethod
    def of(cls, instance: Instance | InvalidInstance, solution: Solution) -> ModelSolution:
        """A solution with the instance that it solves.

        Args:
            instance: The problem.
            solution: Its answer, from any source.
        """
        values = {each.name: getattr(solution, each.name) for each in dataclasses.fields(Solution)}
        return cls(**values, instance=instance)

    def __repr__(self) -> str:
        """The name, and what the answer is in short."""
        shown = {
            "cost": self.cost,
            "routes": len(self.routes),
            "gap": self.gap,
            "unserved": len(self.unserved) or None,
            "code": None if self.has_routes else self.code,
        }
        words = [f"{key}={value}" for key, value in shown.items() if value is not None]
        return f"ModelSolution({', '.join([repr(self.name), self.status, *words])})"

    def _repr_html_(self) -> str:
        """The answer in a notebook: a table of the main numbers, and the picture if it has one."""
        return solution_html(self)

    def plot(
        self, path: str | os.PathLike[str] | None = None, *, clock: Clock | None = None
    ) -> Figure:
        """Draws the map, and below it the timeline where the problem has times.

        A notebook shows the figure once, as the value of its cell.

        Args:
            path: A .png, .svg or .pdf file to write; None: none.
            clock: The unit of times after midnight or since 1970, written as times of day then.

        Raises:
            ConfigError: There is no such clock.
            MissingExtraError: matplotlib is not installed.
            InstanceError: There is nothing to draw.
            OutputError: The file cannot be written, or has another ending.
        """
        clocks = get_args(Clock)
        if clock is not None and not (isinstance(clock, str) and clock in clocks):
            raise ConfigError(f"clock: {describe(clock)} is not one of {', '.join(clocks)}")
        if not isinstance(path, str | os.PathLike | None):
            raise OutputError(f"path: {describe(path)}, expected the name of a file")
        if path is not None and Path(path).suffix not in ENDINGS:
            raise OutputError(f"{os.fspath(path)}: expected {', '.join(ENDINGS)}")
        if isinstance(self.instance, InvalidInstance):
            raise InstanceError(f"{self.name}: it is invalid, so there is nothing to draw")
        figure = draw([(self.instance, self)], _unreported, "plot()", clock)
        if path is not None:
            save(figure, Path(path))
        return figure

    def timeline(self) -> list[ActivityRow]:
        """List each vehicle's activities, by route and time; those without duration are left out.

        Empty where routes state no times: plain instances have none.
        """
        if isinstance(self.instance, InvalidInstance):
            return []
        return list(_activities(self.instance, self))

    def document(self) -> dict[str, object]:
        """The answer as JSON has it, which `vrp check` and `vrp plot` take."""
        return solution_to_dict(self)

    def to_rows(self) -> list[StopRow]:
        """The stops in the order of the routes, then those that no route serves.

        A shipment that is not served has a row for its pickup and one for its delivery, a group a
        row for each stop of each of its members.

        Raises:
            InstanceError: The answer has a customer that the problem has not.
        """
        if isinstance(self.instance, InvalidInstance):
            return []
        return list(_stop_rows(self.instance, self))

    def to_frame(self) -> DataFrame:
        """`to_rows` as a data frame.

        Raises:
            MissingExtraError: pandas is not installed.
            InstanceError: As for `to_rows`.
        """
        require_extra("frame", "to_frame()", "pandas")
        import pandas  # only here: loading it takes longer than solving

        return pandas.DataFrame(self.to_rows(), columns=[*StopRow.__annotations__])


def _unreported(_text: str) -> None:
    """Ignore notes about what cannot be drawn: the picture shows it."""


def _activities(instance: Instance, solution: Solution) -> Iterator[ActivityRow]:
    services = _services(instance, solution)
    kinds = route_types(instance, solution)
    loading = {} if instance.constraints is None else loading_times(instance)
    for index, route in enumerate(solution.routes):
        own = route.schedule
        if own is None or own.arrivals is None or own.begins is None:
            continue
        breaks = instance.own_constraints.vehicles[kinds[index]].breaks
        for bar in bars(own, services[index], breaks, loading):
            yield ActivityRow(
                route=index + 1,
                vehicle=own.vehicle,
                activity=bar.kind,
                begin=bar.begin,
                end=bar.end,
                customer=None if bar.stop is None else route.customers[bar.stop],
            )


def _services(instance: Instance, solution: Solution) -> list[list[float]]:
    """The service time of each stop of each route, with its setup."""
    if instance.constraints is None:
        return [[0.0] * len(route.customers) for route in solution.routes]
    times, kinds = Timeline(instance), route_types(instance, solution)
    return [
        times.services(
            Route(
                kind,
                tuple(stops),
                () if route.schedule is None else route_reloads(instance, route.schedule),
            )
        )
        for kind, stops, route in zip(
            kinds, route_stops(instance, solution), solution.routes, strict=True
        )
    ]


def _stop_rows(instance: Instance, solution: Solution) -> Iterator[StopRow]:
    routes, services = route_stops(instance, solution), _services(instance, solution)
    for index, route in enumerate(solution.routes):
        own = route.schedule
        for place, stop in enumerate(routes[index]):
            row = _empty(instance, stop)
            row["route"], row["stop"] = index + 1, place + 1
            if own is not None:
                row["vehicle"] = own.vehicle
            if own is not None and own.arrivals is not None and own.begins is not None:
                row["arrival"], row["begin"] = own.arrivals[place], own.begins[place]
                row["finish"] = own.begins[place] + services[index][place]
            yield row
    known = stops_by_name(instance)
    for item in solution.unserved:
        if str(item.id) not in known:
            raise InstanceError(f"{solution.name}: unknown customer {describe(item.id)}")
        for stop in known[str(item.id)]:
            row = _empty(instance, stop)
            row["reason"], row["detail"] = item.reason, item.detail
            yield row


def _empty(instance: Instance, stop: int) -> StopRow:
    """Makes a row of only a name and a location."""
    x: Any = None
    y: Any = None
    if instance.coords is not None:
        x, y = instance.coords[instance.num_depots - 1 + stop].tolist()
    return StopRow(
        route=None, stop=None, vehicle=None, customer=instance.ids[stop - 1], x=x, y=y,
        arrival=None, begin=None, finish=None, reason=None, detail=None,
    )  # fmt: skip
