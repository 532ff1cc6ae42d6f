"""Solomon's text format in, which Gehring and Homberger's instances have, too."""

import re

from vrpcore.errors import describe, fault
from vrpcore.formats.text.rows import (
    RowReader,
    check_visits,
    first_depot,
    read_visit,
    vehicles_of,
    visits_instance,
)
from vrpcore.instance.instance import Instance

SOLOMON_START = rb"\s*[^\n\r]*[\n\r]\s*VEHICLES?\s+NUMBER\s"


def read_solomon(text: str, fallback_name: str) -> Instance:
    """Reads one instance with time windows; duration of a leg = its Euclidean length.

    Args:
        text: The file.
        fallback_name: Its name if it gives none.

    Returns:
        The instance; customers have their numbers in the file as ids.

    Raises:
        InstanceError: Something in it is wrong; the message names the line.

    Source:
        Solomon 1987, "Algorithms for the Vehicle Routing and Scheduling Problems with Time
        Window Constraints"; Gehring and Homberger 1999.
    """
    reader = RowReader(text)
    _, name = reader.line("the instance's name")
    if name == "VEHICLE":
        name = fallback_name
    else:
        _heading(reader, "VEHICLE")
    _heading(reader, "NUMBER CAPACITY")
    fleet = reader.row("number capacity")
    count, capacity = fleet.whole("number", 1), fleet.capacity("capacity")
    _heading(reader, "CUSTOMER")
    _heading(reader, "CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME")
    rows = reader.rest("no x y demand open close service")
    visits = check_visits(map(read_visit, rows))
    depot, stops = first_depot(visits, "CUSTOMER"), visits[1:]
    vehicles = (vehicles_of(depot, count, capacity),)
    return visits_instance(name, [depot], stops, vehicles=vehicles, listed_vehicles=False)


def _heading(reader: RowReader, expected: str) -> None:
    """Passes a line of words; only their first counts, as files abbreviate the others."""
    number, line = reader.line(f"'{expected}'")
    first = expected.split()[0]
    if not re.match(rf"{first}S?\b", line):
        message = f"{describe(line)}, expected '{expected}'"
        raise fault(f"line {number}", message, "FORMAT")
