"""How the small instances of a working day are written whose best answers are known by hand.

All places are on a line, with the depot `hub` at 0: a way there and back is twice the place.
`Facts` hold keys of an answer; of each route those that are named, in the order of its customers.
"""

from typing import Any, NamedTuple


class Facts(NamedTuple):
    """What is known of the best answer.

    Attributes:
        cost: Of all, prizes and balance included.
        routes: Keys of some of its routes; each names `customers`.
        unserved: The reason of each who is left out; None: some limit of a vehicle.
        balance: The key, where the instance has it.
    """

    cost: float
    routes: tuple[dict[str, Any], ...] = ()
    unserved: dict[str, str | None] = {}  # noqa: RUF012
    balance: float | None = None


def day(customers, *vehicles, depots=(), **more):
    """An instance with customers at places on a line, and one vehicle where none is given.

    Args:
        customers: Place and other keys of each by its id.
        vehicles: Keys of each type; the first is called van, the next dear.
        depots: Keys of the hub, and of others.
        more: Keys of the instance.
    """
    hub, *others = depots or ({},)
    names = ("van", "dear")
    types = [
        {"id": name, "count": 1, "capacity": 10, **keys}
        for name, keys in zip(names, vehicles or ({},), strict=False)
    ]
    rows = [{"id": name, "y": 0, "demand": 0, **keys} for name, keys in customers.items()]
    places = [{"id": "hub", "x": 0, "y": 0, **hub}, *({"y": 0, **each} for each in others)]
    return {"depots": places, "vehicles": types, "customers": rows, **more}


def at(x, *window, **keys):
    """A customer at a place, with the window that is given."""
    return {"x": x, **({"window": list(window)} if window else {}), **keys}


def one(x, *window, **keys):
    """The same with a demand of 1."""
    return at(x, *window, demand=1, **keys)


def sent(pickup, delivery, **keys):
    """A shipment `s` of 1; each end is a place or its keys."""
    own = [end if isinstance(end, dict) else {"x": end} for end in (pickup, delivery)]
    ends = {key: {"y": 0, **end} for key, end in zip(("pickup", "delivery"), own, strict=True)}
    return {"shipments": [{"id": "s", "amount": 1, **ends, **keys}]}


def carried(delivery, **keys):
    """A shipment `s` of 1 that is on board of the van."""
    (row,) = sent(0, delivery, on_board="van", **keys)["shipments"]
    return {"shipments": [{key: value for key, value in row.items() if key != "pickup"}]}


def tie(kind, *stops, **keys):
    """One relation."""
    return {"relations": [{"kind": kind, "stops": list(stops), **keys}]}


def route(*customers, **keys):
    """Keys of a route."""
    return {"customers": list(customers), **keys}
