"""Legs without a road: who can be reached all the same, and numbers that look like one."""

import itertools
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.leg_matrices import costs_of, matrices_of
from vrpcore.instance.instance import Float64, Instance

# A number so many times as large as all smaller ones of its matrix is hardly a length.
_SUSPECT_FACTOR = 1000.0


class Legs:
    """Which legs the vehicles of each type can drive, and whom they may serve.

    Args:
        instance: With constraints.
    """

    def __init__(self, instance: Instance) -> None:
        self._instance = instance
        self._drivable: dict[int, NDArray[np.bool_]] = {}
        self._able: dict[int, NDArray[np.bool_]] = {}

    def unreachable(self, vehicle: int, nodes: Sequence[int]) -> tuple[int, int] | None:
        """The first two nodes of a path between which no road leads, nor a path through stops.

        Between stops it may also lead through depots where the vehicles reload.

        Args:
            vehicle: Index of a type, which passes only stops that it may serve.
            nodes: The path.
        """
        constraints = self._instance.own_constraints
        own, depots = constraints.vehicles[vehicle], constraints.num_depots
        for start, end in itertools.pairwise(nodes):
            carries = start >= depots and end >= depots  # in one trip
            calls = (own.reloads or ()) if own.max_reloads > 0 and not carries else ()
            if self.path(vehicle, start, end, nodes, calls) is None:
                return start, end
        return None

    def path(
        self,
        vehicle: int,
        start: int,
        end: int,
        closed: Collection[int],
        calls: Collection[int] = (),
    ) -> list[int] | None:
        """Finds the path with the fewest nodes; None where there is none.

        Args:
            vehicle: Index of a type, which passes only stops that it may serve.
            start: A node.
            end: Another one.
            closed: Nodes that it does not pass.
            calls: Depots that it may pass between two stops, though they are closed.

        Returns:
            Those between the two, none where a road leads from one to the other.
        """
        drivable = self.drivable(vehicle)
        if drivable[start, end]:
            return []
        free, depots = self._free(vehicle), self._instance.num_depots
        free[list(closed)] = False
        free[list(calls)] = True
        free[start] = False
        before, waiting = dict[int, int](), deque([start])
        while waiting:
            node = waiting.popleft()
            at_depot = node < depots
            if node != start and drivable[node, end] and not (at_depot and end < depots):
                found = [node]
                while (node := before[node]) != start:
                    found.append(node)
                return found[::-1]
            open_nodes = np.flatnonzero(drivable[node] & free).tolist()
            onward = [each for each in open_nodes if each >= depots or not at_depot]
            free[onward] = False
            before |= dict.fromkeys(onward, node)
            waiting += onward
        return None

    @cached_property
    def permits(self) -> NDArray[np.bool_]:
        """[T, N] bool: `Constraints.permits`."""
        return self._instance.own_constraints.permits()

    @cached_property
    def kinds(self) -> list[int]:
        """The types that have vehicles; of those that are alike, the first."""
        constraints = self._instance.own_constraints
        first = dict[int, int]()
        for index, same in enumerate(constraints.alike()):
            if constraints.vehicles[index].count != 0:
                first.setdefault(same, index)
        return list(first.values())

    def drivable(self, vehicle: int) -> NDArray[np.bool_]:
        """[M, M] bool: whether the vehicles of a type have a road, row = from."""
        if vehicle not in self._drivable:
            own = self._instance.own_constraints.vehicles[vehicle]
            found = matrices_of(self._instance, own)
            drivable = np.isfinite(found.distances) & np.isfinite(found.durations)
            if (costs := costs_of(self._instance, own)) is not None:
                drivable &= np.isfinite(costs)
            self._drivable[vehicle] = drivable
        return self._drivable[vehicle]

    def _free(self, vehicle: int) -> NDArray[np.bool_]:
        """[M] bool: the stops that a vehicle has the skills for and is permitted to serve."""
        constraints = self._instance.own_constraints
        if vehicle not in self._able:
            permits = self.permits[vehicle].tolist()
            able = [
                permitted and constraints.may_serve(vehicle, stop)
                for stop, permitted in enumerate(permits, start=1)
            ]
            self._able[vehicle] = np.array([False] * constraints.num_depots + able)
        return self._able[vehicle].copy()


def suspected_no_road(instance: Instance) -> str | None:
    """In words, the first leg whose number looks as if it meant that there is no road.

    It is the largest of its matrix, at most half of the legs have it, and it is about a thousand
    times as large as all others.

    Args:
        instance: Any.
    """
    for name, matrix in _given(instance):
        most = _largest_below(matrix, np.inf)
        largest = _largest_below(matrix, most)
        smaller = int(np.count_nonzero(matrix < most))
        rare = 2 * smaller >= smaller + int(np.count_nonzero(matrix == most))
        if most < _SUSPECT_FACTOR * largest or largest == 0.0 or not rare:
            continue
        start, end = (instance.node_name(int(node)) for node in np.argwhere(matrix == most)[0])
        found = f"{name} from {start} to {end}: {most:g}, all smaller ones are at most {largest:g}"
        return f"{found}; write null where there is no road"
    return None


def _largest_below(matrix: Float64, limit: float) -> float:
    """The largest number below a limit; 0 where there is none."""
    return float(matrix.max(initial=0.0, where=matrix < limit))


def _given(instance: Instance) -> Iterator[tuple[str, Float64]]:
    """The matrices of an instance, each once, and what they are called."""
    constraints, known = instance.constraints, set[int]()
    found: list[tuple[str, Float64 | None]] = []
    if constraints is not None:
        found += [("durations", constraints.durations), ("costs", constraints.costs)]
        for name, own in constraints.matrices.items():
            keys = {"durations": own.durations, "distances": own.distances, "costs": own.costs}
            found += [(f"matrices.{name}.{key}", each) for key, each in keys.items()]
    found.append(("distances", instance.distances))
    for name, matrix in found:
        if matrix is not None and id(matrix) not in known:
            known.add(id(matrix))
            yield name, matrix
