"""Agreement of a model's rows, checked at the call that no later call could mend."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from vrpcore.errors import describe, fault
from vrpcore.formats.json.assembly import check_degrees, check_skills
from vrpcore.formats.json.dimensions import Dimensions, Given
from vrpcore.formats.json.documents import CustomerRow, InstanceDocument, ShipmentRow, VisitRow
from vrpcore.formats.json.fleet_json import GivenVehicle, Place, check_matrix_of
from vrpcore.formats.json.json_matrices import first_extent, read_matrices, read_named
from vrpcore.formats.json.stop_rows import amounts_of, gives_and_takes, is_reserved, reserved_id
from vrpcore.instance.instance import MAX_CUSTOMERS
from vrpcore.instance.vehicle_types import MAX_DEPOTS, MAX_VEHICLE_TYPES


class VisitFacts(NamedTuple):
    """A stop of a row, with its place in messages."""

    row: VisitRow
    place: str

    @property
    def point(self) -> tuple[float, float] | None:
        """Its coordinates; both are given, or none."""
        x, y = self.row.x, self.row.y
        return None if x is None or y is None else (x, y)


class Agreement:
    """Facts that earlier rows have fixed for later ones.

    Each method takes one row: it checks all of it, then remembers it. A row that raises is not
    remembered.

    Args:
        whole: What holds for the whole model.

    Raises:
        InstanceError: Its matrices are not square, not of one size, or have a value below 0.
    """

    def __init__(self, whole: InstanceDocument) -> None:
        self._degrees = whole.metric == "haversine"
        self._last = whole.backhauls == "last"
        self._lengths = whole.distances is not None or whole.durations is not None
        self._extent = first_extent(whole, "Model")
        self._named: Collection[str] = frozenset()
        if self._extent is not None:
            read_matrices(whole, "Model", self._extent)
            self._named = frozenset(read_named(whole, "Model", self._extent))
        self._measured = self._lengths or bool(self._named)
        self._placed: bool | None = None  # whether nodes have coordinates; None: no node yet
        self._nodes = self._depots = self._vehicles = self._stops = 0
        self._dimensions = Dimensions()
        self._skills = frozenset[str]()
        self._reserved = ""  # a customer's id that rules out shipments
        self._shipments = False

    def depot(self, row: Place) -> None:
        """A further depot."""
        check_room(self._depots + 1, MAX_DEPOTS, "depots", row.place)
        self._check_nodes([row])
        self._depots += 1
        self._add_nodes([row])

    def vehicle(self, found: GivenVehicle) -> None:
        """A further vehicle type, after its depots."""
        row, place = found.kind, found.place
        check_room(self._vehicles + 1, MAX_VEHICLE_TYPES, "vehicle types", place)
        check_matrix_of(row, self._named, place)
        if row.matrix is None and not self._lengths and not self._placed:
            message = "missing; the depots have no coordinates, name one of the model's matrices"
            raise fault(f"{place}.matrix", message, "MISSING")
        dimensions = self._joined(found.amounts(), row.id)
        found.complete(dimensions.size or 1)
        self._dimensions = dimensions
        self._vehicles += 1

    def stops(
        self, ends: Sequence[VisitFacts], unit: CustomerRow | ShipmentRow, name: str, place: str
    ) -> None:
        """Add a customer, or the stops of a shipment, called `name`."""
        number, code = self._stops + len(ends), "TOO_LARGE"
        check_room(number, MAX_CUSTOMERS, "customers and stops", place, code)
        self._check_nodes(ends)
        self._check_kind(unit, name, place)
        skills = self._skills | frozenset(unit.skills or ())
        check_skills(skills, f"{place}.skills")
        amounts = [*amounts_of(unit, lambda key: f"{place}.{key}")]
        self._dimensions = self._joined(amounts, name)
        self._skills = skills
        self._stops += len(ends)
        if isinstance(unit, ShipmentRow):
            self._shipments = True
        elif is_reserved(name):
            self._reserved = name
        self._add_nodes(ends)

    def _check_nodes(self, rows: Sequence[Place | VisitFacts]) -> None:
        """Further rows of the matrices, with coordinates or without."""
        placed = self._placed
        for number, row in enumerate(rows, start=self._nodes + 1):
            if self._extent is not None and number > self._extent.size:
                limit = f"the model's matrices have {self._extent.size} rows"
                message = f"{number} depots and stops, but {limit}; expected one for each"
                raise fault(row.place, message, "SHAPE")
            if row.point is None and not self._measured:
                raise fault(row.place, "no x and y, and the model has no matrix", "MISSING")
            own = row.point is not None
            if placed is not None and own != placed:
                message = "has coordinates, those before have none"
                if placed:
                    message = "has no coordinates, those before have some"
                raise fault(row.place, f"{message}; give them to all or to none", "MISSING")
            placed = own
        if placed and self._degrees:
            check_degrees(np.array([row.point for row in rows]), lambda index: rows[index].place)

    def _add_nodes(self, rows: Sequence[Place | VisitFacts]) -> None:
        self._nodes += len(rows)
        self._placed = rows[0].point is not None

    def _check_kind(self, unit: CustomerRow | ShipmentRow, name: str, place: str) -> None:
        """Check customers against shipments, and both against backhauls that are last."""
        if isinstance(unit, ShipmentRow):
            if self._last:
                message = "a shipment, but the model's backhauls are 'last'; they need 'mixed'"
                raise fault(place, message, "CONFLICT")
            if self._reserved:
                message = f"a shipment, but customer {describe(self._reserved)} is called like"
                raise fault(place, f"{message} a stop of one", "DUPLICATE")
            return
        if self._shipments and is_reserved(name):
            raise reserved_id(name, f"{place}.id")
        if self._last and gives_and_takes(unit):
            message = "given with 'demand', but the model's backhauls are 'last'"
            raise fault(f"{place}.pickup", message, "CONFLICT")

    def _joined(self, amounts: Sequence[Given], name: str) -> Dimensions:
        """The load dimensions with those of a row, whose name stands in later messages."""
        found = self._dimensions.joined(amounts)
        if self._dimensions.place or not found.place:
            return found
        return found._replace(place=f"{found.place} of {describe(name)}")


def check_room(number: int, limit: int, what: str, place: str, code: str = "SHAPE") -> None:
    """Check that there are at most so many of something."""
    if number > limit:
        raise fault(place, f"{number} {what}, the limit is {limit}", code)
