"""A stop and a depot as they are read, with the places where they were found."""

from collections.abc import Mapping
from typing import NamedTuple

from vrpcore.formats.json.dimensions import Given, is_some
from vrpcore.formats.json.keys import Amount
from vrpcore.instance.instance import CustomerId
from vrpcore.instance.vehicle_types import ALWAYS, Depot, Window


class Stop(NamedTuple):
    """A customer, or one end of a shipment.

    Attributes:
        end: `PICKUP` or `DELIVERY`; empty for a customer.
        numbers: Its numbers, by the names of the columns; those that are missing are neutral.
        by_vehicle: Those of them that some vehicle types have otherwise, by the types' ids.
        number: Of the place where it is; None: not given.
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
    row: int | None = None

    def at(self, key: str) -> str:
        """The place of one of its amounts, or of a shipment's id; begins each message."""
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
