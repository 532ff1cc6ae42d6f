"""One instance document to one `Instance`, or a precise reason why not."""

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from vrpcore.errors import describe, fault
from vrpcore.formats.json.assembly import check_degrees, read_constraints
from vrpcore.formats.json.documents import (
    CONSTRAINTS,
    CustomerRow,
    DepotRow,
    InstanceDocument,
    PlainCustomerRow,
    PlainDocument,
)
from vrpcore.formats.json.explain import read_as
from vrpcore.formats.json.fleet_json import check_fits
from vrpcore.formats.json.json_matrices import read_matrix
from vrpcore.formats.json.known_routes import with_known_routes
from vrpcore.formats.json.stop_rows import columns_of, compact_keys, is_any
from vrpcore.instance.instance import (
    MAX_CUSTOMERS,
    METRICS,
    CustomerId,
    Float64,
    Instance,
    where_roads_are_missing,
)

_PLAIN_KEYS = frozenset(PlainCustomerRow.__struct_fields__)
_MORE_KEYS = tuple(key for key in CustomerRow.__struct_fields__ if key not in _PLAIN_KEYS)


def build_instance(
    value: object, place: str, default_name: str, *, roads: bool = False
) -> Instance:
    """Validate one parsed instance object.

    Args:
        value: Anything that a JSON parser returns.
        place: Where it was found, e.g. `instances[3]`; begins the error message.
        default_name: Its name if it has none of its own.
        roads: Vehicle types may name matrices that it does not give.

    Returns:
        The instance. The diagonal of `distances` is never travelled and read as 0.

    Raises:
        InstanceError: Something in it is not what it should be; `code` says what kind.
    """
    doc = read_as(InstanceDocument, value, place)
    return instance_of(doc, place, default_name, roads=roads)


def instance_of(
    doc: InstanceDocument | PlainDocument, place: str, default_name: str, *, roads: bool = False
) -> Instance:
    """The instance of a document; see `build_instance`."""
    name = default_name if doc.name is None else doc.name
    if isinstance(doc, InstanceDocument) and has_constraints(doc):
        instance = read_constraints(doc, place, name, roads=roads)
        return with_known_routes(doc.routes, place, instance)
    if not isinstance(doc.capacity, float):
        raise fault(f"{place}.capacity", "missing", "MISSING")
    ids, demand, points = _customers(doc, place)
    of_point, of_demand = ("customers[{}]", "customers[{}].demand")
    if doc.customers is None:
        of_point, of_demand = ("coords[{}]", "demands[{}]")
    check_demands(demand, doc.capacity, lambda i: f"{place}.{of_demand.format(i)}")
    coords = _with_depot(doc, place, points, len(ids))
    if coords is not None and doc.metric == "haversine":
        check_degrees(coords, lambda i: f"{place}.{of_point.format(i - 1) if i else 'depot'}")
    distances, nodes = None, "the depot and all customers"
    if doc.distances is not None:
        distances = read_matrix(doc.distances, f"{place}.distances", len(ids) + 1, nodes)
    instance = Instance(
        name=name,
        capacity=doc.capacity,
        coords=coords,
        demand=np.concatenate(([0.0], demand)),
        ids=ids,
        metric=doc.metric or METRICS[0],
        distances=distances,
        max_vehicles=doc.max_vehicles,
    )
    return with_known_routes(doc.routes, place, where_roads_are_missing(instance))


def has_constraints(doc: InstanceDocument) -> bool:
    """Return whether an instance asks for more than one capacity and one depot."""
    if any(getattr(doc, key) is not None for key in CONSTRAINTS):
        return True
    if isinstance(doc.depot, DepotRow) or isinstance(doc.capacity, list):
        return True
    rows = doc.customers or ()
    columns = columns_of(rows, CustomerRow)
    if any(isinstance(each, list) for each in (*columns["demand"], *(doc.demands or ()))):
        return True
    return any(is_any(columns[key]) for key in _MORE_KEYS)


def check_demands(demand: Float64, capacity: float, place: Callable[[int], str]) -> None:
    """Check [n] float64 finite demands; `place` is that of demand i.

    Raises:
        InstanceError: One is negative (code OUT_OF_RANGE) or can never be served
            (DEMAND_EXCEEDS_CAPACITY).
    """
    if demand.min(initial=0.0) >= 0 and demand.max(initial=0.0) <= capacity:
        return
    for index in np.flatnonzero(demand < 0)[:1].tolist():
        found = f"{demand[index]:g} is negative, expected at least 0"
        message = f"{found}; what is collected is a pickup"
        raise fault(place(index), message, "OUT_OF_RANGE")
    check_fits(demand[:, None], (capacity,), place)


def check_size(num_customers: int, place: str, most: int = MAX_CUSTOMERS) -> None:
    """Check that there are at most so many customers (code TOO_LARGE)."""
    if num_customers > most:
        message = f"{num_customers} customers, the limit is {most}; split the instance"
        raise fault(place, message, "TOO_LARGE")


def _customers(
    doc: InstanceDocument | PlainDocument, place: str
) -> tuple[tuple[CustomerId, ...], Float64, Float64 | None]:
    """ids, [N] demand and [N, 2] coords or None, of customers only."""
    compact = compact_keys(doc, place)
    if doc.customers is not None:
        return _listed(doc.customers, f"{place}.customers", doc.distances is not None)
    if not compact:
        message = "missing; expected 'customers', or 'coords' and 'demands'"
        raise fault(f"{place}.customers", message, "MISSING")
    for key in ("demands",) if doc.distances is not None else ("demands", "coords"):
        if getattr(doc, key) is None:
            raise fault(f"{place}.{key}", "missing", "MISSING")
    check_size(len(doc.demands or ()), f"{place}.demands")
    demand = _given(doc.demands or (), lambda i: f"{place}.demands[{i}]")
    ids = tuple(range(1, len(demand) + 1))
    if doc.coords is None:
        return ids, demand, None
    if len(doc.coords) != len(demand):
        found = f"{len(doc.coords)} points but {len(demand)} demands"
        raise fault(f"{place}.coords", f"{found} (customers only, no depot)", "SHAPE")
    return ids, demand, np.array(doc.coords, np.float64).reshape(-1, 2)


def _given(values: Sequence[object], place: Callable[[int], str]) -> Float64:
    """[n] float64 of numbers that must all be there."""
    found: Float64 = np.fromiter(cast(Sequence[float], values), np.float64, len(values))
    if not np.isnan(found.sum()):
        return found
    for row in np.flatnonzero(np.isnan(found))[:1].tolist():
        raise fault(place(row), "missing", "MISSING")
    return found


def _listed(
    rows: Sequence[PlainCustomerRow | CustomerRow], place: str, may_lack_coords: bool
) -> tuple[tuple[CustomerId, ...], Float64, Float64 | None]:
    check_size(len(rows), place)
    columns = columns_of(rows, type(rows[0]) if rows else PlainCustomerRow)
    demand = _given(columns["demand"], lambda i: f"{place}[{i}].demand")
    ids, x, y = _ids(columns["id"], place), columns["x"], columns["y"]
    if may_lack_coords and not is_any(x) and not is_any(y):
        return ids, demand, None
    points = np.empty((len(rows), 2))
    points[:, 0] = _given(x, lambda i: f"{place}[{i}].x")
    points[:, 1] = _given(y, lambda i: f"{place}[{i}].y")
    return ids, demand, points


def _ids(given: Sequence[CustomerId | None], place: str) -> tuple[CustomerId, ...]:
    """Ids as they are given, or positions from 1; all different as texts."""
    if set(map(type, given)) == {str} and len(set(given)) == len(given):
        return tuple(cast(Sequence[str], given))
    ids = tuple(row + 1 if own is None else own for row, own in enumerate(given))
    if len(set(map(str, ids))) == len(ids):
        return ids
    seen = dict[str, int]()
    for row, own in enumerate(ids):
        if (first := seen.setdefault(str(own), row)) != row:
            hint = "" if given[row] is not None else " (the default: its position, counted from 1)"
            message = f"duplicate id {describe(own)}{hint}, also the id of customers[{first}]"
            raise fault(f"{place}[{row}].id", message, "DUPLICATE")
    return ids


def _with_depot(
    doc: InstanceDocument | PlainDocument, place: str, points: Float64 | None, size: int
) -> Float64 | None:
    """Coordinates of all nodes; None where a matrix stands in for every one of them."""
    if doc.depot is None:
        if doc.distances is not None and (points is None or not size):
            return None
        raise fault(f"{place}.depot", "missing", "MISSING")
    depot = np.array([doc.depot], np.float64)
    if points is None:
        if size:
            message = "has coordinates but the customers have none; give all or none"
            raise fault(f"{place}.depot", message, "MISSING")
        return depot
    return np.concatenate((depot, points))
