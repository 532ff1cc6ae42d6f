"""The compiled search for instances with constraints, as called from Python."""

import ctypes
import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import MissingSearchError
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.plan import Plan, Reload, Route, Visit
from vrpcore.instance.vehicle_types import Depot, VehicleType
from vrpcore.native.library import RICH, WORKING_DAY, Functions, open_search
from vrpcore.search import hgs_library
from vrpcore.search.effort import Effort
from vrpcore.search.watch import Watch
from vrpcore.search.working_day import has_working_day

Array = NDArray[Any]
_pointer, _int64, _double = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
_FUNCTIONS: Functions = {
    "vrp_rich_bytes": (_int64, (_pointer,)),
    "vrp_rich_make": (None, (_pointer, _pointer, _pointer)),
    "vrp_rich_watch": (None, (_pointer, _pointer, _double)),
    "vrp_rich_most_stops": (ctypes.c_int, (_pointer,)),
    "vrp_rich_search_bytes": (_int64, (_pointer,)),
    "vrp_rich_search_make": (None, (_pointer, _pointer, ctypes.c_bool)),
    "vrp_rich_begin": (None, (_pointer, ctypes.c_uint64, _double, _double)),
    "vrp_rich_construct": (None, (_pointer,)),
    "vrp_rich_start": (_int64, (_pointer, _pointer, _int64)),
    "vrp_rich_cross": (None, (_pointer, _pointer, _int64, _pointer, _int64)),
    "vrp_rich_exact": (ctypes.c_int, (_pointer,)),
    "vrp_rich_anneal": (_int64, (_pointer, _int64, _double, _double, _double)),
    "vrp_rich_best": (_int64, (_pointer, _pointer, _pointer, _pointer)),
}
_SIZES = (
    "num_depots",
    "num_stops",
    "num_types",
    "num_profiles",
    "dimensions",
    "max_windows",
    "max_break_windows",
)
_FLAGS = ("backhauls_last", "pickup_only", "trips", "vehicle_costs")
_LISTS = ("num_groups", "num_relations")
_ROWS = ("service_rows", "setup_rows")
# Numbers of stops that the search has in another form: by vehicle type, or as weights.
_OTHERWISE = ("service", "setup", "priority", "max_late", "late_cost")
# Those of vehicle types.
_PRICED = ("max_overtime", "overtime_cost", "max_late", "late_cost")
# The arrays of an input in the order of `RichInput` in rich_input.hpp.
ARRAYS: Mapping[str, Any] = {
    **dict.fromkeys(("distances", "durations", "distances_to", "durations_to"), np.float64),
    **dict.fromkeys(("delivery", "pickup", "shipment"), np.float64),
    "windows": np.float64,
    **{
        f"stop_{each.name}": np.float64
        for each in attributes_of(Constraints)
        if each.name not in _OTHERWISE
    },
    **dict.fromkeys(("stop_due", "stop_late_cost"), np.float64),
    "weight": np.int64,
    "partner": np.int32,
    "allowed": np.uint8,
    "capacity": np.float64,
    **dict.fromkeys(("start", "end"), np.int32),
    **dict.fromkeys(("start_early", "end_early", "end_late"), np.float64),
    **{each.name: np.float64 for each in attributes_of(VehicleType) if each.name not in _PRICED},
    **dict.fromkeys(("overtime_from", "overtime_cost", "late_from", "late_cost"), np.float64),
    **{f"depot_{each.name}": np.float64 for each in attributes_of(Depot)},
    "lifo": np.uint8,
    **dict.fromkeys(("count", "profile"), np.int32),
    **dict.fromkeys(("services", "setups"), np.float64),
    "location": np.int32,
    "break_from": np.int32,
    **dict.fromkeys(("break_time", "break_windows", "break_load"), np.float64),
    "break_first": np.int32,
    **dict.fromkeys(("max_length", "lengths"), np.float64),
    **dict.fromkeys(("board", "vehicle_cost"), np.float64),
    "first_trip": np.uint8,
    **dict.fromkeys(("group", "group_from", "members"), np.int32),
    **dict.fromkeys(("relation_kind", "relation_at", "relation_from"), np.int32),
    **dict.fromkeys(("relation_stops", "own_from", "own_relation", "own_rank"), np.int32),
    "balance": np.float64,
}


def is_built() -> bool:
    """Return whether this search is part of this installation and can be loaded."""
    try:
        load_libraries()
    except MissingSearchError:
        return False
    return True


def load_libraries() -> None:
    """Loads both builds of the search: with what makes a working day, and without.

    Raises:
        MissingSearchError: One was not built, or not for this machine.
    """
    load_library()
    load_library(WORKING_DAY.file)


@cache
def load_library(path: Path = RICH.file) -> ctypes.CDLL:
    """Loads the library of the search with constraints.

    Args:
        path: The build for instances with a working day, or another for tests.

    Raises:
        MissingSearchError: It was not built, or not for this machine.
    """
    return open_search(path, RICH.source, _FUNCTIONS)


class Input(ctypes.Structure):
    """Lay out an instance as the compiled search reads it: sizes, the slack, then `ARRAYS`."""

    _fields_ = (
        [(name, ctypes.c_int32) for name in (*_SIZES, *_FLAGS, *_LISTS, *_ROWS)]
        + [("slack", ctypes.c_double)]
        + [(name, ctypes.c_void_p) for name in ARRAYS]
    )


class PackedPlan(NamedTuple):
    """A plan as the library writes it.

    Attributes:
        missing: Weight of the required stops that are left out.
        cost: Of the vehicles, and the prizes of optional stops that are left out.
        numbers: [K] int32, type, number of visits and the visits of each route: stops from 0,
            and from N on depots where it reloads.
        num_stops: N.
    """

    missing: int
    cost: float
    numbers: Array
    num_stops: int

    @property
    def value(self) -> tuple[int, float]:
        """Plans are better the less this is, where the number of vehicles does not come first."""
        return self.missing, self.cost

    @property
    def num_vehicles(self) -> int:
        """The number of routes."""
        return len(self.plan().routes)

    def plan(self) -> Plan:
        """The search's plan with its routes."""
        routes, at, values = [], 0, self.numbers.tolist()
        while at < len(values):
            vehicle, count = values[at : at + 2]
            at += 2 + count
            visits = (self._visit(number) for number in values[at - count : at])
            routes.append(Route.of(vehicle, visits))
        return Plan(routes, self.missing, self.cost)

    def _visit(self, number: int) -> Visit:
        return number + 1 if number < self.num_stops else Reload(number - self.num_stops, 0)


def _packed(route: Route, num_stops: int) -> list[int]:
    """A route's type, its number of visits and these."""
    visits = [
        num_stops + visit.depot if isinstance(visit, Reload) else visit - 1
        for visit in route.visits
    ]
    return [route.vehicle, len(visits), *visits]


class PackedInstance:
    """An instance with constraints as the library reads it; threads may share it.

    Args:
        numbers: By the names of the fields of `RichInput`: its numbers.
        arrays: The same, its arrays.

    Attributes:
        num_stops: N.
        most_stops: Of a plan: one of each group of alternatives.
        arrays: As the library reads them; what is equal is kept once.
        reloads: Whether some vehicle may reload.
        library: The one that searches it.
    """

    def __init__(self, numbers: Mapping[str, float], arrays: Mapping[str, Array]) -> None:
        self.num_stops, self._watch = int(numbers["num_stops"]), Watch()
        self.reloads = bool(numbers["trips"])
        self.arrays = {
            name: np.ascontiguousarray(arrays[name], kind) for name, kind in ARRAYS.items()
        }
        day = has_working_day(numbers, self.arrays)
        self.library = load_library(WORKING_DAY.file) if day else load_library()
        addresses = {name: array.ctypes.data for name, array in self.arrays.items()}
        given = Input(**numbers, **addresses)
        self._memory = hgs_library.Memory(self.library.vrp_rich_bytes(ctypes.byref(given)))
        self.address = self._memory.address
        work = np.empty(self.num_stops)
        self.library.vrp_rich_make(self.address, ctypes.byref(given), work.ctypes.data)
        self.most_stops = int(self.library.vrp_rich_most_stops(self.address))

    def watched(self, effort: Effort) -> None:
        """Attach the effort's watch, if any, to all searches of this instance."""
        if effort.watch is None:
            return
        self._watch = effort.watch  # lives as long as the instance
        seconds = effort.time_left if effort.is_counted else math.inf
        end = hgs_library.clock(seconds)
        self.library.vrp_rich_watch(self.address, self._watch.address, end)


class RichSearch:
    """Builds a plan and improves it; belongs to one thread at a time.

    Args:
        problem: The instance.
        fewest_vehicles: The number of vehicles in use comes before cost.

    Attributes:
        problem: The same.
        fewest_vehicles: The same.
    """

    def __init__(self, problem: PackedInstance, *, fewest_vehicles: bool = False) -> None:
        self._library, self.problem, self.fewest_vehicles = (
            problem.library,
            problem,
            fewest_vehicles,
        )
        self._memory = hgs_library.Memory(self._library.vrp_rich_search_bytes(problem.address))
        self.address = self._memory.address
        self._library.vrp_rich_search_make(self.address, problem.address, fewest_vehicles)

    @property
    def size(self) -> int:
        """The most stops of a plan: one of each group of alternatives."""
        return self.problem.most_stops

    def another(self) -> "RichSearch":
        """A search of the same kind, for another thread."""
        return type(self)(self.problem, fewest_vehicles=self.fewest_vehicles)

    def rank(self, found: PackedPlan | Plan) -> tuple[int, int, float]:
        """Plans are better the less this is."""
        return found.missing, found.num_vehicles if self.fewest_vehicles else 0, found.cost

    def begin(self, seed: int, seconds: float = math.inf, whole_s: float = 0.0) -> None:
        """Forgets what was found: what follows depends only on the seed.

        Args:
            seed: Of the random numbers, 64 bits.
            seconds: After these, or once its watch is stopped, `construct` begins no other plan.
                Where the insertion of a stop may take long, `construct`, `start` and `cross` then
                leave out whoever is not inserted yet. Infinite: no time limit.
            whole_s: Minimum seconds before the limit applies; `construct` may use them for its
                first plan.
        """
        end = hgs_library.clock(seconds)
        self._library.vrp_rich_begin(self.address, seed, end, whole_s)

    def construct(self) -> None:
        """Builds the best of plans by insertion in different orders, after `begin`."""
        self._library.vrp_rich_construct(self.address)

    def start(self, routes: Sequence[Route]) -> int:
        """After `begin`: goes on from given routes where they make a better plan than is there.

        Routes that keep all limits stay as they are. Of others, stops are taken out until they
        do, or the vehicle changes; of a stop that is named twice, one stays. Then everybody who
        is in no route is inserted, as far as there is time. A route without a type gets the
        cheapest that can serve it.

        Args:
            routes: In any number; stops may be missing, or one end of a shipment.

        Returns:
            How many of the stops that are named stay with the vehicle and in the order given.
        """
        numbers = [
            number
            for route in routes
            if route.stops
            for number in _packed(route, self.problem.num_stops)
        ]
        given = np.array(numbers, np.int32)
        kept: int = self._library.vrp_rich_start(self.address, given.ctypes.data, len(given))
        return kept

    def find_exact(self) -> bool:
        """After `begin`: finds the best plan of all, where few stops leave few routes.

        Every route is judged for each vehicle type. What was found before stays if it costs the
        same.

        Returns:
            False if there may be a better one: nothing is done if there are too many routes, from
            about eight stops on, and a price of uneven work is not looked at.
        """
        return bool(self._library.vrp_rich_exact(self.address))

    def anneal(
        self, iterations: int, temperature: tuple[float, float], seconds: float = math.inf
    ) -> int:
        """Improves the plan by ruin and recreate.

        Args:
            iterations: At most.
            temperature: First and last, in mean costs of a leg.
            seconds: At most; infinite: no time limit.

        Returns:
            The number of iterations.
        """
        end = hgs_library.clock(seconds)
        return int(self._library.vrp_rich_anneal(self.address, iterations, end, *temperature))

    def cross(self, first: PackedPlan, second: PackedPlan) -> None:
        """After `begin`: goes on from a child of two plans.

        Args:
            first: Some of its routes that lie together stay whole.
            second: The others' stops come as in its routes.
        """
        self._library.vrp_rich_cross(
            self.address,
            first.numbers.ctypes.data,
            len(first.numbers),
            second.numbers.ctypes.data,
            len(second.numbers),
        )

    def found(self) -> PackedPlan:
        """The best plan so far."""
        numbers = np.empty(4 * self.problem.num_stops, np.int32)
        missing, cost = ctypes.c_int64(), ctypes.c_double()
        size = self._library.vrp_rich_best(
            self.address, numbers.ctypes.data, ctypes.byref(missing), ctypes.byref(cost)
        )
        return PackedPlan(missing.value, cost.value, numbers[:size].copy(), self.problem.num_stops)
