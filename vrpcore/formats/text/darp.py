"""Cordeau's text format of dial-a-ride problems in: shipments with a longest ride."""

import numpy as np

from vrpcore.errors import fault
from vrpcore.formats.text.lilim import check_pairs, pair_ids
from vrpcore.formats.text.rows import (
    RowReader,
    check_visits,
    first_depot,
    read_visit,
    vehicles_of,
    visits_instance,
)
from vrpcore.instance.instance import Instance

DARP_START = rb"\s*(?:\d+[ \t]+){2}(?:[.\d]+[ \t]+){2}[.\d]+[ \t]*\r?\n\s*0(?:[ \t]+[-+.\d]+){6}\s"


def read_darp(text: str, fallback_name: str) -> Instance:
    """Reads one instance; duration of a leg = its Euclidean length.

    Args:
        text: The file, which has no name of its own.
        fallback_name: The instance's name.

    Returns:
        The instance; of n requests, the shipment from row 3 to row n + 3 has the id "3-(n + 3)".

    Raises:
        InstanceError: Something in it is wrong; the message names the line.

    Source:
        Cordeau 2006, "A Branch-and-Cut Algorithm for the Dial-a-Ride Problem".
    """
    reader = RowReader(text)
    head = reader.row("vehicles requests duration capacity ride")
    count, size = head.whole("vehicles", 1), head.whole("requests")
    capacity, longest = head.capacity("capacity"), head.not_negative("ride")
    rows = list(reader.rest("no x y service demand open close"))
    visits = check_visits(map(read_visit, rows))
    depot = first_depot(visits, f"line {head.line}")
    stops = {visit.number: visit for visit in visits[1:]}
    end = stops.pop(2 * size + 1, depot)
    if (end.point, end.window) != (depot.point, depot.window):
        raise end.fault("the end depot differs from row 0, expected the same", "CONFLICT")
    partners = {0: (0, 0)}
    for number in range(1, size + 1):
        partners |= {number: (0, size + number), size + number: (number, 0)}
    if stops.keys() != partners.keys() - {0}:
        message = f"{len(stops)} stops, expected 1 to {2 * size}"
        raise fault(f"line {head.line}: requests", message, "SHAPE")
    pairs = check_pairs([depot], [*stops.values()], partners, capacity)
    duration, (opens, closes) = head.not_negative("duration"), depot.window
    if duration >= closes - opens:
        duration = np.inf  # asks for nothing, and what has no limit is searched faster
    return visits_instance(
        fallback_name,
        [depot],
        [visit for pair in pairs for visit in pair],
        pair_ids(pairs),
        vehicles=(vehicles_of(depot, count, capacity, max_duration=duration),),
        num_shipments=len(pairs),
        max_ride=np.tile([np.inf, longest], len(pairs)),
    )
