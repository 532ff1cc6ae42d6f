"""Li and Lim's text format in: shipments with time windows."""

from vrpcore.errors import show
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
    return visits_instance(
        fallback_name,
        [depot],
        [visit for pair in pairs for visit in pair],
        pair_ids(pairs),
        vehicles=(vehicles_of(depot, count, capacity),),
        num_shipments=len(pairs),
        speed=speed,
        listed_vehicles=False,
    )


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
