"""Known routes that name stops, vehicle types and depots, made routes of an instance."""

from collections.abc import Iterable, Sequence

from vrpcore.errors import describe
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.plan import Reload, Route
from vrpcore.instance.vehicle_types import VehicleType


class RouteNames:
    """The names that known routes may use.

    Args:
        instance: The problem.
        vehicles: Its types, as far as routes may name them.

    Attributes:
        unknown: Stops, vehicle types and depots that routes name and the instance does not have,
            in words.
    """

    def __init__(self, instance: Instance, vehicles: Sequence[VehicleType]) -> None:
        depots = () if instance.constraints is None else instance.constraints.depots
        self.unknown: list[str] = []
        self._unstated = instance.unstated_vehicle
        self._stops = instance.numbers
        self._stops_by_text = instance.numbers_by_text
        self._vehicles = {vehicle.id: index for index, vehicle in enumerate(vehicles)}
        self._depots = {depot.id: index for index, depot in enumerate(depots)}

    def route(
        self,
        customers: Sequence[CustomerId],
        vehicle: str | None,
        reloads: Iterable[tuple[str, int]],
    ) -> tuple[Route, list[bool]]:
        """A route without what the instance does not have, and which of its customers stay.

        Args:
            customers: Ids in visiting order.
            vehicle: Id of its type; None: not stated.
            reloads: Ids of depots, and how many customers come before.
        """
        if vehicle is not None and vehicle not in self._vehicles:
            self.unknown.append(f"vehicle type {describe(vehicle)}")
        found = [self._stops.get(each) or self._stops_by_text.get(str(each)) for each in customers]
        self.unknown += [
            f"stop {describe(each)}"
            for each, stop in zip(customers, found, strict=True)
            if stop is None
        ]
        stops, stay = tuple(stop for stop in found if stop is not None), [*map(bool, found)]
        number = self._unstated if vehicle is None else self._vehicles.get(vehicle, self._unstated)
        return Route(number, stops, self._kept(reloads, stay)), stay

    def _kept(self, reloads: Iterable[tuple[str, int]], stay: Sequence[bool]) -> tuple[Reload, ...]:
        """Reloads between those stops that stay.

        Of several that are then between the same two stops the first stays, and none before the
        first or after the last.
        """
        found: dict[int, Reload] = {}
        for name, after in reloads:
            if name not in self._depots:
                self.unknown.append(f"depot {describe(name)}")
            elif 0 < (left := sum(stay[:after])) < sum(stay):
                found.setdefault(left, Reload(self._depots[name], left))
        return tuple(found[after] for after in sorted(found))
