"""What ties rows of stops to each other and to vehicles: alternatives, orders, who serves."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from vrpcore.errors import describe
from vrpcore.formats.sheets.cells import Cells
from vrpcore.formats.sheets.stops import Document, Stops
from vrpcore.formats.sheets.table import Row
from vrpcore.instance.constraints import DELIVERY, PICKUP


class Ties(NamedTuple):
    """What a table of stops says.

    Attributes:
        groups: As in JSON, named as their column says.
        group_rows: The row of the first member of each.
        relations: As in JSON; orders of two stops.
        relation_rows: The row that says each.
    """

    groups: list[Document]
    group_rows: list[Row]
    relations: list[Document]
    relation_rows: list[Row]


class _Visit(NamedTuple):
    """A stop, what it is part of, and its row."""

    name: str
    unit: str
    row: Row


def read_ties(cells: Cells, stops: Stops, vehicles: Sequence[Document] | None) -> Ties:
    """Reads who is one of several, and who comes before whom; what is wrong is noted.

    Args:
        cells: Of the stops.
        stops: What they say otherwise.
        vehicles: Of the fleet; None: there is none.
    """
    visits = list(_visits(stops))
    _check_vehicles(cells, visits, vehicles)
    found = Ties([], [], [], [])
    groups: dict[str, dict[str, None]] = {}
    for visit in visits:
        if not (name := cells.text(visit.row, "one_of")):
            continue
        if name not in groups:
            found.group_rows.append(visit.row)
        groups.setdefault(name, {})[visit.unit] = None
    found.groups.extend({"id": name, "members": list(own)} for name, own in groups.items())
    names = {visit.name for visit in visits}
    ids = {cells.text(visit.row, "id"): visit.name for visit in reversed(visits)}
    for visit in visits:
        if not (other := cells.text(visit.row, "before_stop")):
            continue
        later = other if other in names else ids.get(other)
        if later is None:
            cells.wrong(visit.row, f"{describe(other)} is no id of a stop", "before_stop")
        elif later == visit.name:
            cells.wrong(visit.row, "a stop before itself", "before_stop")
        else:
            found.relations.append({"kind": "order", "stops": [visit.name, later]})
            found.relation_rows.append(visit.row)
    return found


def _visits(stops: Stops) -> Iterator[_Visit]:
    """All stops in the order of the instance's, with the names that its reader gives them."""
    for number, (customer, row) in enumerate(
        zip(stops.customers, stops.customer_rows, strict=True), start=1
    ):
        name = str(customer.get("id", number))
        yield _Visit(name, name, row)
    for shipment, pair in zip(stops.shipments, stops.shipment_rows, strict=True):
        for row, end in zip(pair, (PICKUP, DELIVERY), strict=True):
            yield _Visit(f"{shipment['id']}{end}", shipment["id"], row)


def _check_vehicles(
    cells: Cells, visits: Sequence[_Visit], vehicles: Sequence[Document] | None
) -> None:
    """Notes vehicles that the fleet does not have."""
    known = None if vehicles is None else {each["id"] for each in vehicles}
    for visit in visits:
        if not (name := cells.text(visit.row, "only_vehicle")):
            continue
        if known is None:
            message = "names a vehicle, but there is no fleet; give --fleet"
            cells.wrong(visit.row, message, "only_vehicle")
        elif name not in known:
            cells.wrong(visit.row, f"{describe(name)} is no id of the fleet", "only_vehicle")
