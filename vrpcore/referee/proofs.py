"""What proves that nobody can serve a stop. The solver asks here, too, and so does its check.

Two copies of this rule would be no second opinion: where they differ, an answer would be lost.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np

from vrpcore.cost.leg_matrices import Matrices, matrices_of
from vrpcore.cost.no_road import Legs
from vrpcore.cost.shortest import obeys_triangle_inequality, shortest_from
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Route
from vrpcore.instance.vehicle_types import VehicleType
from vrpcore.referee.reasons import ALONE, ROAD, limits_passed
from vrpcore.referee.route_limits import time_tolerance
from vrpcore.referee.single_legs import GivenLegs, leg_of

_SOURCES = 256  # of shortest paths, those that are kept


class Proofs:
    """Proves of single stops that nobody can serve them.

    Args:
        instance: With constraints.
        legs: Of the instance; None: they are looked up.
    """

    def __init__(self, instance: Instance, legs: Legs | None = None) -> None:
        self._instance, self._legs = instance, legs or Legs(instance)

    def nobody_can_serve(self, stops: Sequence[int]) -> bool:
        """Whether no vehicle can serve some stops, by themselves or with others.

        Of each type it must be proved. A vehicle that has served others may be better off: they
        lead to a road, or to a shorter way where matrices are given; what was on board is gone;
        a break fits somewhere else; a setup is done already; the route began sooner.

        Args:
            stops: A customer, or a shipment's pickup and delivery.

        Returns:
            False also where a time is missed by no more than `vrp check` accepts.
        """
        best = replace(self._instance, constraints=_at_best(self._instance.own_constraints, stops))
        return not any(
            self._may_serve(best, Route(index, tuple(stops))) for index in self._legs.kinds
        )

    def _may_serve(self, best: Instance, route: Route) -> bool:
        """Whether nothing proves that one vehicle cannot serve the stops of a route."""
        if limits_passed(best, route, self._slack, self._legs) <= ROAD:
            return False
        passed = limits_passed(best, route, self._slack, self._legs, self._shortest)
        return passed == len(ALONE)

    @cached_property
    def _slack(self) -> float:
        return max(time_tolerance(self._instance))

    @cached_property
    def _shortest(self) -> GivenLegs:
        """Gives legs that no detour makes shorter or faster, whether or not they have a road."""
        return (
            leg_of if obeys_triangle_inequality(self._instance) else _ShortestLegs(self._instance)
        )


def _at_best(constraints: Constraints, stops: Sequence[int]) -> Constraints:
    """Constraints under which only these stops are as easy to serve as with others.

    There are no breaks and no setups, a route that begins with a stop may do so at any time, and
    what is on board for others is delivered. Where vehicles reload, the initial load is gone, and
    they may have left before these stops were released.
    """
    vehicles = tuple(
        replace(
            each,
            breaks=(),
            latest_start=each.latest_start if each.start is not None else math.inf,
            initial_load=None if each.reloads else each.initial_load,
        )
        for each in constraints.vehicles
    )
    found = replace(constraints, vehicles=vehicles, setup=None, setup_by_type=None)
    if any(each.reloads for each in vehicles):
        found = replace(found, release=np.full(found.num_stops, -np.inf))
    if constraints.on_board is not None:
        delivered = constraints.on_board >= 0
        delivered[np.array(stops) - 1] = False
        shipment = np.where(delivered[:, None], 0.0, constraints.shipment)
        found = replace(found, shipment=shipment)
    return found


class _ShortestLegs:
    """Legs as long as the shortest path through all nodes, and as fast as the fastest.

    Args:
        instance: With constraints.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._direct: dict[str | None, Matrices] = {}
        self._paths = lru_cache(_SOURCES)(self._paths_from)

    def __call__(
        self, _: Instance, vehicle: VehicleType, start: int, end: int
    ) -> tuple[float, float, float]:
        if vehicle.matrix not in self._direct:
            plain = replace(vehicle, speed=1.0)
            self._direct[vehicle.matrix] = matrices_of(self._instance, plain)
        lengths, durations = self._paths(vehicle.matrix, start)
        return float(lengths[end]), float(durations[end]) / vehicle.speed, 0.0

    def _paths_from(self, matrix: str | None, start: int) -> Matrices:
        """Length and duration of the paths from a node to all others."""
        return Matrices(*(shortest_from(each, start) for each in self._direct[matrix]))
