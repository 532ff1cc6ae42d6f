"""Text formats of shipments in: Li and Lim's with time windows, Cordeau's with a longest ride."""

from typing import Any

import numpy as np

from vrpcore.errors import fault, show
from vrpcore.formats.json.explain import check_within
from vrpcore.formats.json.values import LEAST_SPEED
from vrpcore.formats.text.rows import (
    RowReader,
    Visit,
    check_visits,
    first_depot,
    read_visit,
    vehicles_of,
    visits_instance,
)
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.instance import Instance

LILIM_START = rb"\s*(?:[-+.\d]+[ \t]+){2}[-+.\d]+[ \t]*\r?\n\s*(?:[-+.\d]+[ \t]+){8}[-+.\d]+\s"
DARP_START = rb"\s*(?:\d+[ \t]+){2}(?:[.\d]+[ \t]+){2}[.\d]+[ \t]*\r?\n\s*0(?:[ \t]+[-+.\d]+){6}\s"
Pair = tuple[int, int]


def read_lilim(text: str, fallback_name: str) -> Instance:
    """Reads one instance; duration of a leg = its Euclidean length / speed.

    Args:
        text: The file, which has no name of its own.
        fallback_name: The instance's name.

    Returns:
        The instance; the shipment from row 3 to row 75 has the id "3-75".

    Raises:
        InstanceError: Something in it is wrong; the message names the line.

    Source:
        Li and Lim 2001, "A Metaheuristic for the Pickup and Delivery Problem with Time
        Windows".
    """
    reader = RowReader(text)
    head = reader.row("vehicles capacity speed")
    count, capacity = head.whole("vehicles", 1), head.capacity("capacity")
    speed = head.not_negative("speed") or 1.0  # some of the published files say 0
    check_within(speed, head.place("speed"), LEAST_SPEED)
    rows = list(reader.rest("no x y demand open close service pickup delivery"))
    visits = check_visits(map(read_visit, rows))
    depot = first_depot(visits, f"line {head.line}")
    partners = {
        visit.number: (row.whole("pickup"), row.whole("delivery"))
        for visit, row in zip(visits, rows, strict=True)
    }
    pairs = check_pairs([depot], visits[1:], partners, capacity)
    return _pairs_instance(
        fallback_name,
        depot,
        pairs,
        vehicles=(vehicles_of(depot, count, capacity),),
        speed=speed,
        listed_vehicles=False,
    )


def read_darp(text: str, fallback_name: str) -> Instance:
    """Reads one instance of the dial-a-ride problem; duration of a leg = its Euclidean length.

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
    return _pairs_instance(
        fallback_name,
        depot,
        pairs,
        vehicles=(vehicles_of(depot, count, capacity, max_duration=duration),),
        max_ride=np.tile([np.inf, longest], len(pairs)),
    )


def _pairs_instance(
    name: str, depot: Visit, pairs: list[tuple[Visit, Visit]], **given: Any
) -> Instance:
    stops = [visit for pair in pairs for visit in pair]
    return visits_instance(name, [depot], stops, pair_ids(pairs), num_shipments=len(pairs), **given)


def pair_ids(pairs: list[tuple[Visit, Visit]], shift: int = 0) -> tuple[str, ...]:
    """Names of the stops of shipments that have none but the numbers of their rows.

    Args:
        pairs: Pickups and deliveries.
        shift: Added to each number.
    """
    names = [f"{first.number + shift}-{second.number + shift}" for first, second in pairs]
    return tuple(f"{name}{end}" for name in names for end in (PICKUP, DELIVERY))


def check_pairs(
    depots: list[Visit], stops: list[Visit], partners: dict[int, Pair], capacity: float
) -> list[tuple[Visit, Visit]]:
    """Pickups with their deliveries, in the order of the pickups.

    Args:
        depots: Their rows, which have no partners.
        stops: All other rows.
        partners: Of each row by its number: the number of its pickup and of its delivery, 0
            for none.
        capacity: Of the largest vehicle.

    Raises:
        InstanceError: A row has no partner, or none that has it as its own (code UNKNOWN);
            the amounts of two partners differ (CONFLICT) or are negative
            (OUT_OF_RANGE), or exceed the capacity (DEMAND_EXCEEDS_CAPACITY).
    """
    for depot in depots:
        if partners[depot.number] != (0, 0):
            message = "the depot has a pickup or a delivery, expected 0 and 0"
            raise depot.fault(message, "UNKNOWN")
    known = {stop.number: stop for stop in stops}
    pairs = []
    for visit in stops:
        pickup, delivery = partners[visit.number]
        if (pickup == 0) == (delivery == 0):
            message = f"pickup {pickup} and delivery {delivery}, expected one of them to be 0"
            raise visit.fault(message, "UNKNOWN")
        other = pickup or delivery
        if other not in known:
            message = f"its partner, {other}, is no row of a customer"
            raise visit.fault(message, "UNKNOWN")
        if partners[other] != ((visit.number, 0) if pickup == 0 else (0, visit.number)):
            message = f"its partner, {other} on line {known[other].line}, does not point back"
            raise visit.fault(message, "UNKNOWN")
        if pickup == 0:
            _check_amounts(visit, known[other], capacity)
            pairs.append((visit, known[other]))
    return pairs


def _check_amounts(pickup: Visit, delivery: Visit, capacity: float) -> None:
    amount = pickup.demand
    if amount < 0:
        message = f"a pickup with a demand of {show(amount)}, expected at least 0"
        raise pickup.fault(message, "OUT_OF_RANGE")
    if delivery.demand != -amount:
        message = f"a demand of {show(delivery.demand)}, its pickup on line {pickup.line} has "
        raise delivery.fault(f"{message}{show(amount)}", "CONFLICT")
    if amount > capacity:
        message = f"demand {show(amount)} exceeds capacity {show(capacity)}"
        raise pickup.fault(message, "DEMAND_EXCEEDS_CAPACITY")
