"""The text format of the DIMACS challenge's split deliveries in: demands, then places."""

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.json.plain_json import check_size
from vrpcore.formats.text.rows import RowReader, TextRow, Visit, visits_instance
from vrpcore.instance.instance import MAX_STOPS, Instance
from vrpcore.instance.vehicle_types import ALWAYS, VehicleType

SDVRP_START = rb"\s*\d+[ \t]+\d+[ \t]*\r?\n\s*\d+(?:[ \t]+\d+){2,}[ \t]*[\r\n]"


def read_sdvrp(text: str, fallback_name: str) -> Instance:
    """Reads one instance, all of whose customers may be split; lengths are Euclidean.

    The number of customers and the capacity; a demand for each customer, on one line or several;
    x y of the depot and of each customer.

    Args:
        text: The file, which has no name of its own.
        fallback_name: The instance's name.

    Returns:
        The instance; customers have their places, 1..N, as ids.

    Raises:
        InstanceError: Something in it is wrong; the message names the line.
    """
    reader = RowReader(text)
    head = reader.row("customers capacity")
    size, capacity = head.whole("customers"), head.capacity("capacity")
    check_size(size, head.place("customers"), MAX_STOPS)
    demands = _demands(reader, size)
    depot, points = reader.row("x y"), [reader.row("x y") for _ in range(size)]
    reader.end()
    stops = [
        Visit(row.line, number, row.point(), demand, 0.0, ALWAYS)
        for number, (row, demand) in enumerate(zip(points, demands, strict=True), start=1)
    ]
    return visits_instance(
        fallback_name,
        [Visit(depot.line, 0, depot.point(), 0.0, 0.0, ALWAYS)],
        stops,
        vehicles=(VehicleType(id="0", capacity=(capacity,)),),
        split=np.array(demands) > 0,
        listed_vehicles=False,
    )


def _demands(reader: RowReader, size: int) -> list[float]:
    """So many demands, on any number of lines."""
    found = list[float]()
    while len(found) < size:
        line, text = reader.line(f"{size} demands")
        rows = (TextRow(line, ["demand"], [each]) for each in text.split())
        found += (row.not_negative("demand") for row in rows)
        if len(found) > size:
            raise fault(f"line {line}", f"{len(found)} demands so far, expected {size}", "SHAPE")
    return found
