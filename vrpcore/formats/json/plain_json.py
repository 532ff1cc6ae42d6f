"""One instance object to one `Instance`, or a precise reason why not."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from vrpcore.errors import describe, fault, show
from vrpcore.formats.json.assembly import constrained_instance, read_constraints
from vrpcore.formats.json.constrained_json import has_constraints
from vrpcore.formats.json.jsonparse import JsonObject
from vrpcore.formats.json.key_schema import (
    MAX_INTEGER,
    Fields,
    check_degrees,
    check_id,
    check_list,
    check_matrix,
    check_numbers,
    check_object,
    check_pairs,
    require,
)
from vrpcore.formats.json.keys import CUSTOMER, INSTANCE, PLAIN_CUSTOMER, check_fits
from vrpcore.formats.json.known_routes import with_known_routes
from vrpcore.instance.instance import (
    MAX_CUSTOMERS,
    METRICS,
    CustomerId,
    Float64,
    Instance,
    where_roads_are_missing,
)

_Object = Mapping[str, object]


class _Customers(NamedTuple):
    """ids, [N] demand and [N, 2] coords or None, of customers only."""

    ids: tuple[CustomerId, ...]
    demand: Float64
    coords: Float64 | None


def build_instance(
    value: object, place: str, default_name: str, *, roads: bool = False
) -> Instance:
    """Validates one parsed instance object.

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
    found = Fields(value, place, INSTANCE)
    name, metric = found.get("name", default_name), found.get("metric", METRICS[0])
    if has_constraints(found):
        instance = constrained_instance(name, read_constraints(found, place, roads=roads), metric)
        return with_known_routes(found, place, instance)
    capacity = found["capacity"]
    customers = _customers(found, place)
    check_demands(customers.demand, capacity, lambda i: _demand_place(found, place, i))
    coords = _with_depot(found, place, customers)
    if coords is not None and metric == "haversine":
        check_degrees(coords, lambda node: _point_place(found, place, node))
    num_nodes = len(customers.ids) + 1
    instance = Instance(
        name=name,
        capacity=capacity,
        coords=coords,
        demand=np.concatenate(([0.0], customers.demand)),
        ids=customers.ids,
        metric=metric,
        distances=_distances(found, f"{place}.distances", num_nodes),
        max_vehicles=found.get("max_vehicles"),
    )
    return with_known_routes(found, place, where_roads_are_missing(instance))


def check_demands(demand: Float64, capacity: float, place: Callable[[int], str]) -> None:
    """Checks [n] float64 finite demands; `place` is that of demand i.

    Raises:
        InstanceError: One is negative (code DEMAND_NEGATIVE) or can never be served
            (DEMAND_EXCEEDS_CAPACITY).
    """
    if bool(((demand >= 0) & (demand <= capacity)).all()):
        return
    for index in np.flatnonzero(demand < 0)[:1].tolist():
        found = f"{demand[index]:g} is negative, expected at least 0"
        message = f"{found}; what is collected is a pickup"
        raise fault(place(index), message, "DEMAND_NEGATIVE")
    check_fits(demand[:, None], (capacity,), place)


def check_size(num_customers: int, place: str, most: int = MAX_CUSTOMERS) -> None:
    """Checks that there are at most so many customers (code TOO_MANY_CUSTOMERS)."""
    if num_customers > most:
        message = f"{num_customers} customers, the limit is {most}; split the instance"
        raise fault(place, message, "TOO_MANY_CUSTOMERS")


def _customers(found: Fields, place: str) -> _Customers:
    compact = [key for key in ("coords", "demands") if key in found]
    if "customers" in found:
        if compact:
            message = f"given with '{compact[0]}'; give one form or the other"
            raise fault(f"{place}.customers", message, "CONFLICTING_KEYS")
        return _listed_customers(found["customers"], f"{place}.customers", "distances" in found)
    if not compact:
        message = "missing; expected 'customers', or 'coords' and 'demands'"
        raise fault(f"{place}.customers", message, "MISSING_KEY")
    place_demands = f"{place}.demands"
    values = check_list(found["demands"], place_demands, "numbers")
    check_size(len(values), place_demands)
    demand = check_numbers(values, lambda i: f"{place_demands}[{i}]")
    ids = tuple(range(1, len(demand) + 1))
    if "coords" not in found and "distances" in found:
        return _Customers(ids, demand, None)
    coords = check_list(found["coords"], f"{place}.coords", "[x, y]")
    if len(coords) != len(demand):
        message = f"{len(coords)} points but {len(demand)} demands (customers only, no depot)"
        raise fault(f"{place}.coords", message, "SHAPE")
    return _Customers(ids, demand, check_pairs(coords, f"{place}.coords"))


def _listed_customers(value: object, place: str, may_lack_coords: bool) -> _Customers:
    rows = check_list(value, place, "customer objects")
    check_size(len(rows), place)
    objects = [
        row if _is_usual(row) else check_object(row, f"{place}[{i}]", CUSTOMER)
        for i, row in enumerate(rows)
    ]
    demand = check_numbers(_column(objects, place, "demand"), lambda i: f"{place}[{i}].demand")
    ids = _ids(objects, place)
    if may_lack_coords and not any("x" in row or "y" in row for row in objects):
        return _Customers(ids, demand, None)
    x = check_numbers(_column(objects, place, "x"), lambda i: f"{place}[{i}].x")
    y = check_numbers(_column(objects, place, "y"), lambda i: f"{place}[{i}].y")
    return _Customers(ids, demand, np.stack((x, y), axis=1))


def _is_usual(row: object) -> TypeGuard[_Object]:
    """True where an object is surely fine, so that no place has to be spelled for it."""
    return type(row) is JsonObject and row.duplicate is None and row.keys() <= PLAIN_CUSTOMER


def _column(objects: Sequence[_Object], place: str, key: str) -> list[object]:
    try:
        return [row[key] for row in objects]
    except KeyError:
        return [require(row, key, f"{place}[{i}]") for i, row in enumerate(objects)]


def _ids(objects: Sequence[_Object], place: str) -> tuple[CustomerId, ...]:
    ids, seen = list[CustomerId](), dict[str, int]()
    for index, row in enumerate(objects):
        own = row.get("id") is not None
        identifier: Any = row["id"] if own else index + 1
        if own and not _is_usual_id(identifier):
            identifier = check_id(identifier, f"{place}[{index}].id")
        if (first_index := seen.setdefault(str(identifier), index)) != index:
            first = f"also the id of customers[{first_index}]"
            hint = "" if own else " (the default: its position, counted from 1)"
            message = f"duplicate id {describe(identifier)}{hint}, {first}"
            raise fault(f"{place}[{index}].id", message, "DUPLICATE_ID")
        ids.append(identifier)
    return tuple(ids)


def _is_usual_id(value: object) -> bool:
    """True where an id is surely fine, as `_is_usual`."""
    if type(value) is int:
        return -MAX_INTEGER <= value <= MAX_INTEGER
    return type(value) is str and value.isascii()


def _demand_place(found: Fields, place: str, index: int) -> str:
    listed = "customers" in found
    return f"{place}.customers[{index}].demand" if listed else f"{place}.demands[{index}]"


def _with_depot(found: Fields, place: str, customers: _Customers) -> Float64 | None:
    """Coordinates of all nodes; None where a matrix stands in for every one of them."""
    has_customers = customers.coords is not None and customers.ids != ()
    if "depot" not in found and "distances" in found and not has_customers:
        return None
    depot: Float64 = found["depot"]
    if customers.coords is None:
        if customers.ids:
            message = "has coordinates but the customers have none; give all or none"
            raise fault(f"{place}.depot", message, "MISSING_KEY")
        return depot[None]
    return np.concatenate((depot[None], customers.coords))


def _point_place(found: Fields, place: str, node: int) -> str:
    if node == 0:
        return f"{place}.depot"
    return f"{place}.{'customers' if 'customers' in found else 'coords'}[{node - 1}]"


def _distances(found: Fields, place: str, num_nodes: int) -> Float64 | None:
    if "distances" not in found:
        return None
    return check_matrix(found["distances"], place, num_nodes, "the depot and all customers")


def check_routes(instance: Instance, routes: Iterable[Iterable[int]], place: str) -> None:
    """Checks that routes solve an instance: each customer once, each load fitting, few enough.

    Args:
        instance: The problem.
        routes: Customer numbers 1..N.
        place: The routes' place; begins each message.

    Raises:
        InstanceError: They do not; its code is VISITED_TWICE, LOAD_EXCEEDS_CAPACITY,
            NOT_VISITED or TOO_MANY_ROUTES.
    """
    unvisited = set(range(1, instance.num_customers + 1))
    num_used = 0
    for row, numbers in enumerate(routes):
        route: list[int] = []
        for column, number in enumerate(numbers):
            if number not in unvisited:
                message = f"customer {describe(instance.ids[number - 1])} is visited twice"
                raise fault(f"{place}[{row}][{column}]", message, "VISITED_TWICE")
            unvisited.remove(number)
            route.append(number)
        if not route:
            continue
        load = instance.load(tuple(route))
        if load > instance.load_limit:
            message = f"a load of {show(load)} exceeds capacity {show(instance.capacity)}"
            raise fault(f"{place}[{row}]", message, "LOAD_EXCEEDS_CAPACITY")
        num_used += 1
    if unvisited:
        missing = describe(instance.ids[min(unvisited) - 1])
        raise fault(place, f"customer {missing} is in no route", "NOT_VISITED")
    if instance.max_vehicles is not None and num_used > instance.max_vehicles:
        message = f"{num_used} routes, max_vehicles is {instance.max_vehicles}"
        raise fault(place, message, "TOO_MANY_ROUTES")
