"""Depots, and vehicles that are alike: what they may do, and what they cost."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from vrpcore.instance.attributes import number

Window = tuple[float, float]
Loading = Literal["any", "lifo"]

MAX_VEHICLE_TYPES = 1000
MAX_DEPOTS = 1000
MAX_BREAKS = 100
# Sets of breaks that a vehicle may have taken, times their windows, up to which breaks are taken
# in any order: work grows with both. The compiled search has room for 128 sets (kMostRestSets).
MOST_FREE = 1024
ALWAYS: Window = (-math.inf, math.inf)
DEFAULT_SHIFT: Window = (0.0, math.inf)


@dataclass(frozen=True, slots=True, kw_only=True)
class Depot:
    """A place where routes start or end.

    Attributes:
        id: Its name.
        window: No vehicle leaves before it opens or is back after it closes; one back before it
            opens waits. Loading begins within it and may end after it.
    """

    # fmt: off
    id: str
    window: Window = ALWAYS
    service: float = number(
        0.0, "span",
        "How long loading takes before each departure.",
        words="servicetime serviceduration loading loadingtime loadtime",
    )
    # fmt: on


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A rest that every vehicle of a type takes once, at a place where it is anyway.

    Attributes:
        id: Its name among those of the type.
        windows: When it may begin, both ends included, in order.
        duration: How long it takes.
        max_load: Most on board meanwhile, one number a load dimension; None: whatever is.
    """

    id: str
    windows: tuple[Window, ...] = (ALWAYS,)
    duration: float = 0.0
    max_load: tuple[float, ...] | None = None


def are_in_order(breaks: Sequence[Break]) -> bool:
    """Return whether a type's breaks are taken in the order in which their last windows end.

    It is so where there are many of them, or some with many windows.
    """
    return sum(len(each.windows) for each in breaks) << len(breaks) > MOST_FREE


@dataclass(frozen=True, slots=True, kw_only=True)
class VehicleType:
    """Vehicles that are all alike; numbers say below what they mean.

    Attributes:
        id: Its name.
        count: How many there are; None: as many as needed.
        capacity: Most on board, one number a load dimension.
        start: Index of the depot where a route begins; None: at its first stop.
        end: Index of the depot where a route ends; None: with its last service.
        window: The shift: a route leaves, and is back or ends its last service, within it.
        matrix: Name of its matrices; None: the instance's own.
        breaks: That each of its vehicles takes.
        skills: What it can do.
        reloads: Indices of the depots where it may end a trip and begin the next; None: its
            routes have no trips.
        initial_load: On board of each used vehicle from its start to its first reload, one
            number a load dimension; None: nothing.
        is_lost: Each of them has broken down, and delivers nothing more.
        loading: `lifo`: it is loaded and unloaded from behind. Between the ends of a shipment there
            are only whole shipments and stops without amounts.
    """

    # fmt: off
    id: str
    count: int | None = None
    capacity: tuple[float, ...]
    start: int | None = 0
    end: int | None = 0
    window: Window = DEFAULT_SHIFT
    max_duration: float = number(
        math.inf, "span", "Most time from departure to return.",
        headings="maxtime maxshift",
        words="shiftduration maxshift maxshiftduration maxrouteduration maxroutetime "
        "routedurationlimit durationlimit maxtime maxworktime maxworkingtime maxworkduration",
    )
    max_travel_time: float = number(
        math.inf, "span", "Most time on the legs.",
        headings="maxdrivingtime maxdriving",
        words="maxdrivingtime maxdrivetime drivingtime traveldurationlimit maxtravelduration "
        "maxtravel maxdriveduration",
    )
    max_distance: float = number(
        math.inf, "length", "Most distance on the legs.",
        headings="range maxrange", with_unit=("max",),
        words="routedistancelimit distancelimit maxroutedistance maxlength maxroutelength maxdist "
        "range",
    )
    max_stops: float = number(
        math.inf, "count", "Most stops of a route; a shipment has two.",
        key="max_customers", column="max_stops",
        headings="maxcustomers maxorders maxtasks maxdeliveries maxnumberofstops stoplimit",
        words="maxtasks maxjobs maxactivities maxstops maxvisits maxorders maxclients "
        "maxdeliveries",
    )
    latest_start: float = number(
        math.inf, "time", "The vehicle leaves, or without a start begins, no later.",
        headings="latestdeparture leaveby departby",
        words="latestdeparture startlate",
    )
    max_wait_loaded: float = number(
        math.inf, "span", "Most time from an arrival to a begin with a shipment on board.",
        headings="maxwaitingloaded", words="maxloadedwait maxwaitwithload",
    )
    speed: float = number(
        1.0, "speed", "Factor on the instance's speed, also with given durations.",
        headings="averagespeed avgspeed", with_unit=("",),
        words="speedfactor velocity traveldurationmultiple",
    )
    matrix: str | None = None
    fixed_cost: float = number(
        0.0, "money", "Cost of each vehicle that is used.",
        headings="costfixed fixed costperday",
        words="fixed fixedcosts activationcost activationcosts usecost",
    )
    distance_cost: float = number(
        1.0, "per_length", "Cost of a unit of distance.",
        headings="costdistance kmcost", with_unit=("cost", "per"),
        words="unitdistancecost costperkm costperkilometer costperkilometre costperdistance perkm "
        "costpermeter distancecosts",
    )
    duration_cost: float = number(
        0.0, "per_time", "Cost of a unit of duration.",
        headings="costduration", with_unit=("cost",),
        words="unitdurationcost costperhour perhour hourlycost wage costpertime durationcosts "
        "costpersecond costperactivationtime",
    )
    travel_cost: float = number(
        0.0, "per_time", "Cost of a unit of time on the legs.",
        headings="costtravel",
        words="costpertraveledhour costperdrivingtime drivingcost costpertransporttime "
        "traveltimecost",
    )
    service_cost: float = number(
        0.0, "per_work", "Cost of a unit of time in setups and services.",
        column="", words="pertaskhour costperservicetime costperservicehour"
    )
    breaks: tuple[Break, ...] = ()
    skills: frozenset[str] = frozenset()
    reloads: tuple[int, ...] | None = None
    max_reloads: float = number(
        math.inf, "count", "Most reloads of a route.",
        headings="maxtrips reloadlimit", words="maxreload maxnumberofreloads",
    )
    initial_load: tuple[float, ...] | None = None
    is_lost: bool = False
    loading: Loading = "any"
    max_overtime: float = number(
        0.0, "span", "By how much the duration may exceed `max_duration`.",
        priced_by="overtime_cost", headings="overtimelimit",
        words="maxovertime overtimelimit allowedovertime",
    )
    overtime_cost: float = number(
        0.0, "per_time", "Cost of a unit of overtime.",
        headings="costovertime overtimeprice", with_unit=("overtime",),
        words="unitovertimecost costperovertime costperhourafter overtimepenalty",
    )
    max_late: float = number(
        0.0, "span", "By how much the route may end after its shift.",
        priced_by="late_cost", headings="maxlateness maxdelay",
        words="maxlateness maxdelay allowedlateness",
    )
    late_cost: float = number(
        0.0, "per_time", "Cost of a unit of lateness.",
        headings="latenesscost delaycost", with_unit=("late",),
        words="latenesscost latecosts delaycost tardinesscost softtimewindowcost",
    )
    # fmt: on
