"""The text format of the classical mixed fleets in: vehicle types by size and cost."""

from vrpcore.errors import fault
from vrpcore.formats.json.plain_json import check_size
from vrpcore.formats.text.rows import RowReader, TextRow, Visit, visits_instance
from vrpcore.instance.instance import MAX_STOPS, Instance
from vrpcore.instance.vehicle_types import ALWAYS, MAX_VEHICLE_TYPES, VehicleType

HVRP_START = rb"\s*//[^\n]*\n"


def read_hvrp(text: str, fallback_name: str) -> Instance:
    """Reads one instance; duration of a leg = its Euclidean length.

    After comments, lines that begin with `//`: the number of customers and of vehicle types,
    longest duration of a route, service of each customer, two bounds that are not used; of each
    type the number of vehicles, capacity, fixed cost and cost of a unit of distance; x y of the
    depot; x y demand of each customer.

    Args:
        text: The file, which has no name of its own.
        fallback_name: The instance's name.

    Returns:
        The instance; customers have their places, 1..N, as ids.

    Raises:
        InstanceError: Something in it is wrong; the message names the line.

    Source:
        Golden, Assad, Levy and Gheysens 1984, "The Fleet Size and Mix Vehicle Routing Problem";
        Taillard 1999, "A heuristic column generation method for the heterogeneous fleet VRP".
    """
    lines = ("" if line.lstrip().startswith("//") else line for line in text.splitlines())
    reader = RowReader("\n".join(lines))
    head = reader.row("customers types duration service lower upper")
    size, service = head.whole("customers"), head.not_negative("service")
    check_size(size, head.place("customers"), MAX_STOPS)
    vehicles = _vehicles(reader, head)
    depot, stops = reader.row("x y"), [reader.row("x y demand") for _ in range(size)]
    reader.end()
    return visits_instance(
        fallback_name,
        [Visit(depot.line, 0, depot.point(), 0.0, 0.0, ALWAYS)],
        [
            Visit(row.line, number, row.point(), row.number("demand"), service, ALWAYS)
            for number, row in enumerate(stops, start=1)
        ],
        vehicles=vehicles,
    )


def _vehicles(reader: RowReader, head: TextRow) -> tuple[VehicleType, ...]:
    types, longest = head.whole("types", 1), head.not_negative("duration")
    if types > MAX_VEHICLE_TYPES:
        message = f"{types} vehicle types, the limit is {MAX_VEHICLE_TYPES}"
        raise fault(head.place("types"), message, "SHAPE")
    rows = [reader.row("number capacity fixed_cost distance_cost") for _ in range(types)]
    return tuple(
        VehicleType(
            id=str(index),
            count=row.whole("number"),
            capacity=(row.capacity("capacity"),),
            max_duration=longest,
            fixed_cost=row.not_negative("fixed_cost"),
            distance_cost=row.not_negative("distance_cost"),
        )
        for index, row in enumerate(rows)
    )
