"""Timeline of vehicles that drive, wait and serve: a row for each, one panel of `vrp plot`."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from vrpcore.instance.attributes import TIMED, is_used
from vrpcore.instance.clock import write_clock
from vrpcore.instance.origin import EPOCH_S
from vrpcore.plot.activities import Kind, bars, late_spans, loading_times, service_times
from vrpcore.plot.map import paths, route_stops
from vrpcore.plot.style import WARNING, Style, route_types, words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vrpcore.instance.instance import Instance
    from vrpcore.instance.solution import RouteReport, RouteSchedule, Solution
    from vrpcore.instance.vehicle_types import VehicleType, Window

Clock = Literal["s", "min", "h"]  # after midnight

_ROW_INCHES = (0.11, 0.34)  # least and most
_EDGE_INCHES = 1.0  # for the axis, its labels and the legend
_LABEL_INCHES = 0.13
_LANES = 3
_WAY = -0.14  # the middle of a row's bars; its windows are below, y grows downwards
# Their heights.
_BARS: dict[Kind, float] = {
    "travel": 0.12, "waiting": 0.26, "service": 0.52, "break": 0.4, "loading": 0.46,
}  # fmt: skip
_LATE = 0.1
_LATE_LABEL = "late, overtime"
_WINDOWS = (0.2, 0.42)
_BEYOND = 0.25  # of the time that is driven: how far off a window or a shift may widen the axis
_MARGIN = 0.02
_CLOSED = "0.92"
_MINUTES: dict[Clock, float] = {"s": 1 / 60, "min": 1.0, "h": 60.0}
_TICK_MINUTES = (1, 5, 15, 30, 60, 120, 240, 480, 1440)
_MOST_TICKS = 12
_DAY_MINUTES = 1440
_LAST_DAY = 1e12  # beyond, days are told from each other no more
_DOT = " \N{MIDDLE DOT} "


class Lane(NamedTuple):
    """A route with its place in the picture.

    Attributes:
        label: Its number, and its vehicle where types are listed.
        vehicle: Its type.
        schedule: Its times, all of them stated.
        stops: 1..N.
        services: How long each of them takes, with its setup.
        loading: How long loading takes at each depot, by its id.
        style: As on the map.
    """

    label: str
    vehicle: VehicleType
    schedule: RouteSchedule
    stops: list[int]
    services: list[float]
    loading: Mapping[str, float]
    style: Style


def has_times(problem: Instance) -> bool:
    """Return whether an instance says anything about times."""
    if (constraints := problem.constraints) is None:
        return False
    windows = constraints.windows[..., 0] < math.inf
    return bool(
        (windows & (constraints.windows != (-math.inf, math.inf)).any(axis=-1)).any()
        or is_used(constraints, TIMED)
        or constraints.has_setups
        or constraints.service_by_type is not None
        or constraints.durations is not None
        or constraints.speed != 1.0
        or any(map(math.isfinite, itertools.chain(*(depot.window for depot in constraints.depots))))
        or any(
            each.breaks or each.window[0] or math.isfinite(each.window[1]) or is_used(each, TIMED)
            for each in constraints.vehicles
        )
    )


def timeline_rows(problem: Instance, answer: Solution, styles: Sequence[Style]) -> list[Lane]:
    """Routes that state all their times; none where the instance says nothing about times.

    Raises:
        InstanceError: A route names a customer, vehicle or depot that is not in the instance.
    """
    if not has_times(problem):
        return []
    paths(problem, answer)
    types, stops = route_types(problem, answer), route_stops(problem, answer)
    times, loading = service_times(problem, answer), loading_times(problem)
    rows = []
    for number, (route, kind, own, services, style) in enumerate(
        zip(answer.routes, types, stops, times, styles, strict=True), start=1
    ):
        vehicle = problem.own_constraints.vehicles[kind]
        if (schedule := _stated(route, vehicle)) is not None:
            type_ = f"{_DOT}{words(vehicle.id, 20)}" if problem.listed_types else ""
            rows.append(Lane(f"{number}{type_}", vehicle, schedule, own, services, loading, style))
    return rows


def _stated(route: RouteReport, vehicle: VehicleType) -> RouteSchedule | None:
    """A route's times; None where some are missing."""
    schedule, size = route.schedule, len(route.customers)
    if schedule is None or math.isnan(schedule.departure) or math.isnan(schedule.return_):
        return None
    stated = {each.id for each in schedule.breaks or () if not math.isnan(each.begin)}
    if stated != {each.id for each in vehicle.breaks}:
        return None
    if any(math.isnan(each.arrival + each.begin) for each in schedule.reloads or ()):
        return None
    each = (schedule.arrivals, schedule.begins)
    return schedule if all(times is not None and len(times) == size for times in each) else None


def timeline_inches(rows: int, most: float) -> float:
    """Height of a timeline, which grows with its rows as far as it may.

    Args:
        rows: Their number.
        most: Height in inches that it does not exceed.
    """
    return min(rows * _ROW_INCHES[1] + _EDGE_INCHES, most)


def shift_of(problem: Instance, row: Lane) -> Window:
    """The period of a vehicle on the road: its shift, within the opening of its depots."""
    depots = {depot.id: depot.window for depot in problem.own_constraints.depots}
    begin, end = row.vehicle.window
    if row.schedule.start is not None:
        begin = max(begin, depots[row.schedule.start][0])
    if row.schedule.end is not None:
        end = min(end, depots[row.schedule.end][1])
    return begin, end


def lanes(windows: Sequence[Window], number: int) -> list[int]:
    """A lane for each window, so that those of a lane overlap as little as may be.

    Args:
        windows: In any order.
        number: How many lanes there are.
    """
    free = [-math.inf] * number
    found = [0] * len(windows)
    for index in sorted(range(len(windows)), key=lambda each: windows[each]):
        begin, end = windows[index]
        lane = next((each for each in range(number) if free[each] <= begin), None)
        found[index] = free.index(min(free)) if lane is None else lane
        free[found[index]] = max(free[found[index]], end)
    return found


def draw_timeline(
    axis: Any, problem: Instance, rows: Sequence[Lane], inches: float, clock: Clock | None = None
) -> None:
    """Draws a row for each vehicle: what it does and when, and when its stops may be served.

    Args:
        axis: Of matplotlib.
        problem: The instance.
        rows: At least one; see `timeline_rows`. Those that do not fit are not drawn, which the
            label of the axis says; nor are routes before 1980 where others have dates.
        inches: Height of the timeline.
        clock: The unit of times after midnight, or since 1970, which are then written as times of
            day, with their dates. None: numbers, but times of day where a spreadsheet has some,
            and of problems of VROOM's.
    """
    unit, _ = _times_of_day(problem, clock)
    number, rows = len(rows), _dated(rows, unit) if unit else rows
    room = inches - _EDGE_INCHES
    shown = rows[: max(1, round(room / _ROW_INCHES[0]))]
    step = math.ceil(_LABEL_INCHES * len(shown) / room)
    first, last = _limits(problem, shown)
    margin = _MARGIN * ((last - first) or 1.0)
    limits = (first - margin, last + margin)
    for line, row in enumerate(shown):
        _closed(axis, line, shift_of(problem, row), limits)
        _bars(axis, line, row)
        _windows(axis, line, [w for stop in row.stops for w in windows_of(problem, stop)], limits)
        _ends(axis, line, row.schedule)
    more = "" if number == len(shown) else f", {len(shown)} of {number} vehicles"
    axis.set_xlim(*limits)
    said = _clock(axis, problem, (first, last), clock)
    axis.set_xlabel(f"{said}{more}", fontsize=8)
    axis.set_ylim(len(shown) - 0.45, -0.55)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.tick_params(labelsize=7, left=False)
    ticks = [line + _WAY for line in range(0, len(shown), step)]
    axis.set_yticks(ticks, [row.label for row in shown[::step]])
    listed = problem.own_constraints.listed_vehicles
    axis.set_ylabel(f"route{_DOT}vehicle" if listed else "route", fontsize=8)
    drawn = {"break": any(row.vehicle.breaks for row in rows)}
    drawn["loading"] = any(any(row.loading.values()) for row in rows)
    is_late = any(late_spans(row.schedule) for row in shown)
    _legend(axis, [kind for kind in _BARS if drawn.get(kind, True)], is_late)


def windows_of(problem: Instance, stop: int) -> list[Window]:
    """The time windows of a stop, 1..N; none where it is always open."""
    pairs: list[list[float]] = problem.own_constraints.windows[stop - 1].tolist()
    return [
        (opens, closes)
        for opens, closes in pairs
        if opens < math.inf and (opens, closes) != (-math.inf, math.inf)
    ]


def _limits(problem: Instance, rows: Sequence[Lane]) -> Window:
    """The times that are shown: what is driven, and shifts and windows that are near."""
    driven = [t for row in rows for t in (row.schedule.departure, row.schedule.return_)]
    low, high = min(driven), max(driven)
    span = (high - low) or 1.0
    near = (low - _BEYOND * span, high + _BEYOND * span)
    for row in rows:
        times = [shift_of(problem, row), *(w for s in row.stops for w in windows_of(problem, s))]
        known = [time for time in itertools.chain(*times) if near[0] <= time <= near[1]]
        low, high = min([low, *known]), max([high, *known])
    return low, high


def _dated(rows: Sequence[Lane], clock: Clock) -> Sequence[Lane]:
    """Without routes that begin at 0, where others have times since 1970."""
    first = EPOCH_S / 60 / _MINUTES[clock]
    return [row for row in rows if row.schedule.return_ >= first] or rows


def _times_of_day(
    problem: Instance, clock: Clock | None
) -> tuple[Clock | None, Callable[[float], str]]:
    """The unit of times, None where they are numbers; and how minutes after midnight look."""
    text: Callable[[float], str] = write_clock
    if clock is None:
        clock, text = problem.origin.clock, problem.origin.time_text or text
    return clock, text


def time_writer(problem: Instance, clock: Clock | None) -> Callable[[float], str]:
    """Return a function that writes times of an instance: with the date where it counts from 1970.

    Args:
        problem: The instance.
        clock: As of `draw_timeline`.
    """
    unit, of_day = _times_of_day(problem, clock)
    if unit is None:
        return lambda time: f"{time:.6g}"

    def text(time: float) -> str:
        minutes = time * _MINUTES[unit]
        if minutes * 60 < EPOCH_S:
            return of_day(minutes)
        return f"{_date(minutes)} {of_day(minutes % _DAY_MINUTES)}"

    return text


def _clock(axis: Any, problem: Instance, driven: Window, clock: Clock | None) -> str:
    """Return the formatter for times of day, where the caller or the format asks for one."""
    clock, text = _times_of_day(problem, clock)
    if clock is None:
        return "time"
    from matplotlib.ticker import FuncFormatter, MultipleLocator

    unit = _MINUTES[clock]
    first, last = (time * unit for time in driven)
    low, high = (time * unit for time in axis.get_xlim())
    days = math.ceil((high - low) / _DAY_MINUTES / _MOST_TICKS)
    fitting = (each for each in _TICK_MINUTES if (high - low) / each <= _MOST_TICKS)
    step = next(fitting, _DAY_MINUTES * days)
    axis.xaxis.set_major_locator(MultipleLocator(step / unit))
    if first * 60 < EPOCH_S:
        axis.xaxis.set_major_formatter(FuncFormatter(lambda time, _: text(time * unit)))
        return "time"
    one_day = first // _DAY_MINUTES == last // _DAY_MINUTES

    def dated(time: float, _: object) -> str:
        minutes = time * unit
        midnight = minutes // _DAY_MINUTES * _DAY_MINUTES
        named = not one_day and (minutes - step < max(low, midnight))
        return text(minutes - midnight) + (f"\n{_date(minutes)}" if named else "")

    axis.xaxis.set_major_formatter(FuncFormatter(dated))
    return f"time of day, {_date(first)}, UTC" if one_day else "date and time, UTC"


def _date(minutes: float) -> str:
    """The date of a time since 1970, also beyond the years that calendars have."""
    return str(np.datetime64(int(min(minutes // _DAY_MINUTES, _LAST_DAY)), "D"))


def _closed(axis: Any, line: int, shift: Window, limits: Window) -> None:
    """Times out of the shift, shaded."""
    for begin, end in ((limits[0], shift[0]), (shift[1], limits[1])):
        if begin < end and math.isfinite(end - begin):
            axis.broken_barh(
                [(begin, end - begin)], (line - 0.5, 1.0), color=_CLOSED, linewidth=0, zorder=0
            )


def _bars(axis: Any, line: int, row: Lane) -> None:
    found = list(bars(row.schedule, row.services, row.vehicle.breaks, row.loading))
    for kind, height in _BARS.items():
        spans = [(bar.begin, bar.end - bar.begin) for bar in found if bar.kind == kind]
        if spans:
            look = _look(kind, row.style)
            at = (line + _WAY - height / 2, height)
            axis.broken_barh(spans, at, label=kind, zorder=3 if kind == "service" else 2, **look)
    if late := [(begin, end - begin) for begin, end in late_spans(row.schedule)]:
        at = (line + _WAY - _BARS["service"] / 2 - _LATE, _LATE)
        axis.broken_barh(late, at, label=_LATE_LABEL, facecolor=WARNING, linewidth=0, zorder=4)
    begins = [
        begin
        for begin, service in zip(row.schedule.begins or (), row.services, strict=True)
        if not service
    ]
    top, bottom = (line + _WAY + sign * _BARS["service"] / 2 for sign in (-1, 1))
    axis.vlines(begins, top, bottom, colors=[row.style.colour], linewidth=1.2, zorder=3)


def _look(kind: Kind, style: Style) -> dict[str, Any]:
    if kind == "waiting":
        return {"facecolor": "white", "edgecolor": "0.6", "hatch": "/////", "linewidth": 0.4}
    if kind == "loading":
        return {"facecolor": "white", "edgecolor": style.colour, "hatch": "-----", "linewidth": 0.6}
    if kind == "break":
        return {"facecolor": "0.55", "edgecolor": "black", "hatch": "xxxxx", "linewidth": 0.4}
    faint = {"alpha": 0.55} if kind == "travel" else {}
    return {"facecolor": style.colour, "edgecolor": style.colour, "linewidth": 0.3, **faint}


def _windows(axis: Any, line: int, windows: Sequence[Window], limits: Window) -> None:
    """Brackets below the bars, in lanes; without an end where a window has none."""
    low, high = _WINDOWS
    step = (high - low) / (_LANES - 1)
    beyond = limits[1] - limits[0]
    lines: list[list[tuple[float, float]]] = []
    for (opens, closes), lane in zip(windows, lanes(windows, _LANES), strict=True):
        y = line + low + lane * step
        begin, end = max(opens, limits[0] - beyond), min(closes, limits[1] + beyond)
        tick = y - 0.55 * step
        lines.append([(begin, tick), (begin, y), (end, y), (end, tick)])
    if lines:
        from matplotlib.collections import LineCollection

        collection = LineCollection(lines, colors="0.35", linewidths=0.6, zorder=2, label="window")
        axis.add_collection(collection, autolim=False)


def _ends(axis: Any, line: int, schedule: RouteSchedule) -> None:
    """Departure and return: filled at a depot, hollow where the route has an open end."""
    for marker, time, depot in (
        (">", schedule.departure, schedule.start),
        ("<", schedule.return_, schedule.end),
    ):
        fill = "white" if depot is None else "black"
        axis.plot(
            time, line + _WAY, marker, color="black", markerfacecolor=fill, markersize=4,
            markeredgewidth=0.7, zorder=4, clip_on=False,
        )  # fmt: skip


def _legend(axis: Any, kinds: Sequence[Kind], is_late: bool) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    grey = Style((0.4, 0.4, 0.4), "-")
    handles: list[Any] = [Patch(label=kind, **_look(kind, grey)) for kind in kinds]
    handles += [
        Line2D([], [], color="0.35", linewidth=0.8, label="may begin"),
        Line2D([], [], linestyle="", marker=">", color="black", markersize=4, label="departure"),
        Line2D([], [], linestyle="", marker="<", color="black", markersize=4, label="return"),
        Patch(facecolor=_CLOSED, label="out of hours"),
    ]
    handles += [Patch(facecolor=WARNING, label=_LATE_LABEL)] if is_late else []
    axis.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(handles),
        fontsize=7, frameon=False, handlelength=1.4, columnspacing=1.0,
    )  # fmt: skip
