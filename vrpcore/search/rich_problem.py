"""Instances with constraints, as the compiled search reads them."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from vrpcore.cost.breaks import breaks_before, in_order
from vrpcore.cost.leg_matrices import costs_of, matrices_of
from vrpcore.cost.timeline import TIME_TOLERANCE, time_span
from vrpcore.instance.attributes import attributes_of
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.vehicle_types import Break, Depot, VehicleType, are_in_order
from vrpcore.search.rich_library import Array, PackedInstance
from vrpcore.search.working_day import day_arrays, day_numbers

# The search stays within half of what the referee lets pass, so that their sums may differ.
_SHARE = 0.5
_ROWS = 256  # of matrices that are compared in one go
# A leg without a road is longer than so many routes through all nodes, so that a limit on travel
# times forbids it: infinite lengths would make differences of sums that are no numbers.
_LONGER = 4.0


class RichProblem(PackedInstance):
    """An instance with constraints, ready to be searched; threads may share it.

    Args:
        instance: At least one stop; memory is 8 bytes * (D + N)^2 for each different speed or
            pair of matrices, twice that where durations are no lengths, and again twice that
            where directions differ.

    Attributes:
        instance: The same.
        lacks_roads: Some vehicle cannot drive from everywhere to everywhere.
    """

    def __init__(self, instance: Instance) -> None:
        self.instance, constraints = instance, instance.own_constraints
        self._slack = _SHARE * TIME_TOLERANCE * time_span(constraints)
        distances, durations, profile_of = _profiles(instance)
        priced = np.array([costs_of(instance, each) is not None for each in constraints.vehicles])
        lengths = _true_lengths(constraints, distances, priced)
        legs = [distances, durations]
        if priced.any():
            distances = _priced(instance, distances, profile_of)
        given = instance.distances is not None or constraints.has_matrices
        directed = given or bool(priced.any())
        longest = _without_infinity([*legs, distances]) if directed else math.inf
        distances_to = _turned(distances) if directed else distances
        durations_to = distances_to
        if durations is not distances:
            durations_to = _turned(durations) if directed else durations
        numbers = {
            "num_depots": constraints.num_depots,
            "num_stops": constraints.num_stops,
            "num_types": len(constraints.vehicles),
            "num_profiles": len(distances),
            "dimensions": constraints.delivery.shape[1],
            "max_windows": constraints.windows.shape[1],
            "max_break_windows": _break_windows(constraints),
            "backhauls_last": int(constraints.backhauls == "last"),
            "pickup_only": int(constraints.pickup_only_routes),
            **day_numbers(constraints),
            "slack": self._slack,
            "service_rows": 1 if constraints.service_by_type is None else len(priced),
            "setup_rows": _setup_rows(constraints),
        }
        arrays = {
            "distances": distances,
            "durations": durations,
            "distances_to": distances_to,
            "durations_to": durations_to,
            "profile": profile_of,
            **_stop_arrays(constraints),
            **self._type_arrays(constraints, longest),
            **_detail_arrays(instance, self._slack),
            "lengths": lengths,
        }
        arrays |= _priced_arrays(arrays, priced)
        arrays |= day_arrays(constraints, arrays)
        self.lacks_roads = math.isfinite(longest)
        super().__init__(numbers, arrays)

    def _type_arrays(self, constraints: Constraints, longest: float) -> dict[str, Array]:
        """Limits and prices of vehicle types, [T] each; `longest`: of all travel times."""
        vehicles = constraints.vehicles
        most, nowhere = constraints.num_stops, constraints.num_nodes
        relative = 1 + _SHARE * LOAD_TOLERANCE
        times = np.array([_times(constraints, each) for each in vehicles])
        own = {
            each.name: np.array([getattr(vehicle, each.name) for vehicle in vehicles], np.float64)
            for each in attributes_of(VehicleType)
        }
        own["latest_start"] = np.array([constraints.latest_departure(each) for each in vehicles])
        usable = (times[:, 1] <= times[:, 2]) & (times[:, 0] <= own["latest_start"])
        return {
            **own,
            "allowed": _may_serve(constraints) & constraints.permits() & usable[:, None],
            "capacity": np.array([each.capacity for each in vehicles]) * relative,
            "start": np.array([nowhere if each.start is None else each.start for each in vehicles]),
            "end": np.array([nowhere if each.end is None else each.end for each in vehicles]),
            "start_early": times[:, 0],
            "end_early": times[:, 1],
            "end_late": times[:, 2],
            "max_duration": own["max_duration"] + own["max_overtime"] + self._slack,
            "max_travel_time": np.minimum(own["max_travel_time"] + self._slack, longest),
            "max_distance": own["max_distance"] * relative,
            "count": np.array(
                [most if each.count is None else min(each.count, most) for each in vehicles]
            ),
        }


def _may_serve(constraints: Constraints) -> Array:
    """[T, N] bool: whether the vehicles of a type have the skills for a stop."""
    alike: dict[frozenset[str], int] = {}  # who needs the same skills, and the first of them
    first_of = [alike.setdefault(skills, row) for row, skills in enumerate(constraints.skills)]
    able = np.zeros((len(constraints.vehicles), constraints.num_stops), np.bool_)
    for vehicle in range(len(able)):
        able[vehicle, list(alike.values())] = [
            constraints.may_serve(vehicle, row + 1) for row in alike.values()
        ]
    return able[:, first_of]


def _times(constraints: Constraints, vehicle: VehicleType) -> tuple[float, float, float]:
    """Earliest departure; earliest and latest end."""
    (early, late), end_early = vehicle.window, -math.inf
    late += vehicle.max_late
    if vehicle.start is not None:
        early = max(early, constraints.depots[vehicle.start].window[0])
    if vehicle.end is not None:
        end_early, closes = constraints.depots[vehicle.end].window
        late = min(late, closes)
    return early, end_early, late


def _profiles(instance: Instance) -> tuple[Array, Array, Array]:
    """Different distances and durations, [P, M + 1, M + 1] each, and each type's, [T].

    The last node is nowhere: its legs are 0. The two are one array where they are equal.
    """
    vehicles = instance.own_constraints.vehicles
    keys = [(each.matrix, each.speed) for each in vehicles]
    different = dict(zip(keys, vehicles, strict=True))
    nodes = instance.own_constraints.num_nodes + 1
    distances = durations = np.zeros((len(different), nodes, nodes))
    for row, vehicle in enumerate(different.values()):
        room = distances[row, :-1, :-1]
        found = matrices_of(instance, vehicle, room)
        if found.durations is not found.distances and durations is distances:
            durations = distances.copy()  # of the profiles before
        if found.distances is not room:
            room[:] = found.distances
        if durations is not distances:
            durations[row, :-1, :-1] = found.durations
    if durations is not distances and np.array_equal(distances, durations):
        durations = distances
    row_of = {key: row for row, key in enumerate(different)}
    return distances, durations, np.array([row_of[key] for key in keys])


def _priced(instance: Instance, distances: Array, profile_of: Array) -> Array:
    """Distances where legs with given costs have these instead."""
    found = distances.copy()
    for vehicle, row in zip(instance.own_constraints.vehicles, profile_of.tolist(), strict=True):
        costs = costs_of(instance, vehicle)
        if costs is not None:
            found[row, :-1, :-1] = costs
    return found


def _without_infinity(legs: Sequence[Array]) -> float:
    """Makes legs without a road very long, in place.

    Args:
        legs: Distances, durations and what legs cost, [P, M + 1, M + 1] float64 each, maybe the
            same array; a road is missing where one of them is infinite.

    Returns:
        A travel time that no route has without such a leg, and each route with one exceeds;
        infinite where no road is missing.
    """
    arrays = list({id(each): each for each in legs}.values())
    if all(math.isfinite(array.max()) for array in arrays):
        return math.inf
    missing = np.logical_or.reduce([np.isinf(array) for array in arrays])
    for array in arrays:
        longest = float(array[~missing].max(initial=1.0))
        array[missing] = _LONGER * array.shape[1] * longest
    return float(legs[1][missing].min()) / 2


def _true_lengths(constraints: Constraints, distances: Array, priced: Array) -> Array:
    """The distances as they are, where a type with given costs has a limit on them, or a price."""
    limited = np.isfinite([each.max_distance for each in constraints.vehicles]) & priced
    balance = constraints.balance
    used = limited.any() or (balance is not None and balance.distance > 0)
    return distances if used else np.zeros(0)


def _priced_arrays(arrays: Mapping[str, Array], priced: Array) -> dict[str, Array]:
    """Rates and limits of types whose distances are costs."""
    never = np.full(len(priced), math.inf)
    return {
        "distance_cost": np.where(priced, 1.0, arrays["distance_cost"]),
        "max_length": np.where(priced, arrays["max_distance"], never),
        "max_distance": np.where(priced, never, arrays["max_distance"]),
    }


def _turned(matrices: Array) -> Array:
    """Matrices whose rows are the nodes that are reached; the same array if symmetric."""
    turned = matrices.transpose(0, 2, 1)
    alike = all(
        np.array_equal(matrices[:, row : row + _ROWS], turned[:, row : row + _ROWS])
        for row in range(0, matrices.shape[1], _ROWS)
    )
    return matrices if alike else np.ascontiguousarray(turned)


def _setup_rows(constraints: Constraints) -> int:
    if not constraints.has_setups:
        return 0
    return 1 if constraints.setup_by_type is None else len(constraints.vehicles)


def _detail_arrays(instance: Instance, slack: float) -> dict[str, Array]:
    """Services, setups, locations and breaks; `slack`: how much too late counts as in time."""
    constraints = instance.own_constraints
    services, setups = constraints.service_by_type, constraints.setup_by_type
    setups = constraints.setup if setups is None else setups
    locations = instance.place_numbers() if constraints.has_setups else [0] * constraints.num_nodes
    breaks = [each for vehicle in constraints.vehicles for each in _breaks(vehicle)]
    windows = np.full((len(breaks), _break_windows(constraints), 2), math.inf)
    loads = np.full((len(breaks), constraints.delivery.shape[1]), math.inf)
    for row, each in enumerate(breaks):
        windows[row, : len(each.windows)] = each.windows
        if each.max_load is not None:
            loads[row] = each.max_load
    return {
        "services": constraints.service if services is None else services,
        "setups": np.zeros(0) if setups is None else setups,
        "location": np.array([*locations, -1]),
        "break_from": np.cumsum([0, *(len(vehicle.breaks) for vehicle in constraints.vehicles)]),
        "break_time": np.array([each.duration for each in breaks]),
        "break_windows": windows,
        "break_load": loads * (1 + _SHARE * LOAD_TOLERANCE),
        "break_first": np.array(
            [
                -1 if are_in_order(vehicle.breaks) else breaks_before(vehicle.breaks, index, slack)
                for vehicle in constraints.vehicles
                for index in range(len(vehicle.breaks))
            ],
            np.int32,
        ),
    }


def _breaks(vehicle: VehicleType) -> Sequence[Break]:
    """A type's breaks as the library gets them, in the order that they have, if any."""
    if not are_in_order(vehicle.breaks):
        return vehicle.breaks
    return [vehicle.breaks[index] for index in in_order(vehicle.breaks)]


def _break_windows(constraints: Constraints) -> int:
    """The most windows of a break."""
    breaks = (each for vehicle in constraints.vehicles for each in vehicle.breaks)
    return max((len(each.windows) for each in breaks), default=1)


def _stop_arrays(constraints: Constraints) -> dict[str, Array]:
    """Arrays of stops and depots, a row for each of N or D."""
    stops, prize = range(1, constraints.num_stops + 1), constraints.prize.copy()
    partner = np.array([(constraints.partner(stop) or 0) - 1 for stop in stops])
    ends = (partner >= 0) & (partner < np.arange(constraints.num_stops))
    prize[ends] = prize[partner[ends]]
    # The sum of priorities comes first, then the number.
    weight = constraints.priority * (constraints.num_stops + 1) + 1
    if constraints.counts_stops:
        weight[partner >= 0] *= 2
    weight[ends | np.isfinite(prize)] = 0
    names = ("delivery", "pickup", "shipment", "windows")
    found = {name: getattr(constraints, name) for name in names}
    for each in attributes_of(Constraints):
        column = getattr(constraints, each.name)
        found[f"stop_{each.name}"] = np.zeros(0) if column is None else column
    for each in attributes_of(Depot):
        numbers = [getattr(depot, each.name) for depot in constraints.depots]
        found[f"depot_{each.name}"] = np.array(numbers)
    return found | {"stop_prize": prize, "weight": weight, "partner": partner}
