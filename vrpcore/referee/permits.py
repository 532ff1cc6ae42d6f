"""The referee's view of which vehicle types may serve whom, whatever skills it needs.

Plain loops, as in the rest of the referee.
"""

from collections.abc import Sequence

from vrpcore.errors import describe
from vrpcore.instance.instance import Instance


class Permits:
    """Which vehicle types may serve a stop, by `vehicles`, relations and what is on board.

    Args:
        instance: With constraints.
    """

    def __init__(self, instance: Instance) -> None:
        self._constraints = constraints = instance.own_constraints
        # Of a stop, the type that each relation names, with the relation's position.
        self._tied: dict[int, list[tuple[int, int]]] = {}
        for row, relation in enumerate(constraints.relations):
            if relation.vehicle is not None:
                for stop in relation.stops:
                    self._tied.setdefault(stop, []).append((relation.vehicle, row))

    def may(self, vehicle: int, stops: Sequence[int]) -> bool:
        """Whether a vehicle of a type may serve all of some stops, or both ends of shipments."""
        return self.obstacle(vehicle, stops) is None

    def obstacle(self, vehicle: int, stops: Sequence[int]) -> str | None:
        """What forbids it in words; None: nothing."""
        constraints = self._constraints
        if constraints.allowed is None and constraints.on_board is None and not self._tied:
            return None
        for stop in stops:
            if constraints.allowed is not None and not constraints.allowed[vehicle, stop - 1]:
                return "the vehicle is not among its vehicles"
            if constraints.on_board is not None:
                owner = int(constraints.on_board[stop - 1])
                if owner >= 0 and owner != vehicle:
                    return f"it is on board {describe(constraints.vehicles[owner].id)}"
            for named, row in self._tied.get(stop, ()):
                if named != vehicle:
                    name = describe(constraints.vehicles[named].id)
                    return f"relations[{row}] asks for vehicle {name}"
        return None
