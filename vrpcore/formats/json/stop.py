"""A stop and a depot as they are read, with the places where they were found."""

from collections.abc import Mapping
from typing import NamedTuple

from vrpcore.formats.json.dimensions import Given, is_some
from vrpcore.formats.json.keys import Amount
from vrpcore.instance.constraints import DELIVERY
from vrpcore.instance.instance import CustomerId
from vrpcore.instance.vehicle_types import ALWAYS, Depot, Window


class Stop(NamedTuple):
    """A customer, or one end of a shipment.

    Attributes:
        end: `PICKUP` or `DELIVERY`; empty for a customer.
        numbers: Its numbers, by the names of the columns; those that are missing are neutral.
        by_vehicle: Those of them that some vehicle types have otherwise, by the types' ids.
        number: Of the place where it is; None: not given.
        vehicles: Ids of the vehicle types that may serve it; None: any.
        vehicle_cost: What it costs more if a type serves it, by the types' ids; a shipment's at
            its pickup.
        on_board: Id of the vehicle type that has its shipment on board from the start; None: it
            is picked up, or a customer's.
        row: Its position in compact arrays; None where it is an object.
    """

    id: CustomerId
    place: str
    point: tuple[float, float] | None
    end: str = ""
    windows: tuple[Window, ...] = (ALWAYS,)
    numbers: Mapping[str, float] = {}
    by_vehicle: Mapping[str, Mapping[str, float]] = {}
    number: int | None = None
    delivery: Amount | float | None = None
    pickup: Amount | float | None = None
    amount: Amount | float | None = None
    skills: frozenset[str] = frozenset()
    vehicles: tuple[str, ...] | None = None
    vehicle_cost: Mapping[str, float] = {}
    on_board: str | None = None
    row: int | None = None

    @property
    def is_paired(self) -> bool:
        """Whether it is one of a shipment's two stops."""
        return bool(self.end) and self.on_board is None

    @property
    def names_unit(self) -> bool:
        """Whether its customer or shipment is known by it: the first stop of a shipment."""
        return self.end != DELIVERY or self.on_board is not None

    @property
    def unit(self) -> str:
        """The id of its customer or shipment, as text."""
        return str(self.id).removesuffix(self.end)

    @property
    def own_id(self) -> str:
        """The place of the id of its customer or shipment."""
        return self.at("id") if self.end else f"{self.place}.id"

    def at(self, key: str) -> str:
        """The place of a key of its customer or shipment; begins each message."""
        owner = self.place.rpartition(".")[0]
        if self.end:  # both are the shipment's
            return f"{owner}.{key}"
        return f"{self.place}.{key}" if self.row is None else f"{owner}.{key}s[{self.row}]"

    def amounts(self) -> list[Given]:
        """What it takes or gives, with the places."""
        kinds = (("demand", self.delivery), ("pickup", self.pickup), ("amount", self.amount))
        return [(amount, self.at(key)) for key, amount in kinds if amount is not None]

    def gives_and_takes(self) -> bool:
        """Whether a customer has a demand and a pickup, neither of them 0."""
        return is_some(self.delivery) and is_some(self.pickup)


class Place(NamedTuple):
    """A depot with its coordinates, or the number of its place, where it has some."""

    depot: Depot
    point: tuple[float, float] | None
    place: str
    number: int | None = None
