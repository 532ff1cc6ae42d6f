"""CVRPLIB's `.sol` files, out and in.

Ids of an instance need not be numbers, so its customers have some here: `sol_numbers`. Where
vehicles reload, a depot's number in a line is a reload, as in PyVRP's files.
"""

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.files import ByteReader
from vrpcore.formats.text.vrptext import parse_number
from vrpcore.instance.constraints import DELIVERY, PICKUP
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.solution import NOT_STATED, RouteReload, RouteReport, RouteSchedule, Solution

MAX_SOL_BYTES = 2**24
_MAX_DIGITS = 18  # of a customer's number or a whole cost
_MAX_LINES = 100_000
FOREIGN_TOLERANCE = 1e-8  # relative, of costs that other programs have summed
# Possessive throughout: a line of a million blanks costs no more than its length.
_ROUTE = re.compile(r"route\s*+(?:#\s*+)?[0-9]++\s*+:([0-9\s]*+)", re.IGNORECASE)
_REMARK = re.compile(
    r"(?:comment|instance name|authors?|date|reference)\s*+:.*+"
    r"|optimal\s*+:\s*+(?:true|false)|solution",
    re.IGNORECASE,
)
_PAIR = re.compile(rf"([0-9]{{1,18}})-([0-9]{{1,18}})(?:({PICKUP})|{DELIVERY})")
_COST = re.compile(r"cost\s*+(?::\s*+)?(\S++)", re.IGNORECASE)


def solution_to_sol(instance: Instance, solution: Solution) -> str:
    """One solution as a CVRPLIB `.sol` file: `Route #1: 3 5 8` lines and `Cost 784`.

    Customers are called as `sol_numbers` says; whole costs are integers.

    Raises:
        ValueError: The solution is not solved: a bug of the caller.
        InstanceError: It would have a line for each of too many vehicles (code NOT_WRITABLE).
    """
    if solution.status != "solved":
        raise ValueError(f"{solution.name!r} is {solution.status}: there is no .sol of it")
    names = dict(zip(instance.ids, sol_numbers(instance), strict=True))
    lines = [
        " ".join([f"Route #{index}:", *map(str, _visits(instance, names, route))])
        for index, route in enumerate(_lines(instance, solution), start=1)
    ]
    if solution.cost is not None:
        lines.append(f"Cost {json.dumps(solution.cost, allow_nan=False)}")
    return "".join(f"{line}\n" for line in lines)


def _visits(
    instance: Instance, names: Mapping[CustomerId, int], route: RouteReport | None
) -> Iterator[int]:
    """The numbers of a line: customers, and depots where the vehicle reloads."""
    if route is None:
        return
    reloads = dict[int, int]()
    if route.schedule is not None and route.schedule.reloads:
        rows = {depot.id: row for row, depot in enumerate(instance.own_constraints.depots)}
        reloads = {each.after: rows[each.depot] for each in route.schedule.reloads}
    for place, customer in enumerate(route.customers):
        if place in reloads:
            yield reloads[place]
        yield names[customer]


def _lines(instance: Instance, solution: Solution) -> list[RouteReport | None]:
    """The route of each line of a `.sol`: one a vehicle, types in the instance's order.

    Vehicles without a route have an empty line where others follow, so that a line's number
    tells its type.
    """
    if not (types := instance.listed_types):
        return [*solution.routes]
    lines: list[RouteReport | None] = []
    by_type, idle = dict[str, list[RouteReport]](), 0
    for route in solution.routes:
        stated = None if route.schedule is None else route.schedule.vehicle
        if route.customers:
            by_type.setdefault(types[0].id if stated is None else stated, []).append(route)
    for vehicle in types:
        own = by_type.get(vehicle.id, [])
        if own and len(lines) + idle > _MAX_LINES:
            raise InstanceError(
                f"{solution.name}: a .sol has a line for each vehicle, also for "
                f"{idle} without a route; write JSON, or order the types by their use",
                code="NOT_WRITABLE",
            )
        if own:
            lines += [*(None,) * idle, *own]
            idle = 0
        idle += max(0, (vehicle.count or 0) - len(own))
    return lines


def sol_numbers(instance: Instance) -> tuple[int, ...]:
    """The number by which a `.sol` file calls each customer, in the instance's order.

    The instance's own ids where all of them are whole numbers from 0 (those of a `.vrp`
    are CVRPLIB's customer numbers already), and those of the pickup and the delivery where all
    are of shipments like "3-75", as text formats call them; else the positions 1..N. Where
    vehicles reload, the numbers are those behind the depots.
    """
    pairs = _pair_numbers(instance)
    behind = tuple(range(instance.num_depots, instance.num_depots + instance.num_customers))
    if pairs and (not instance.may_reload or sorted(pairs) == [*behind]):
        return pairs
    if instance.may_reload:
        return behind
    ids = [item for item in instance.ids if isinstance(item, int)]
    if len(ids) == instance.num_customers and all(0 <= item < 10**_MAX_DIGITS for item in ids):
        return tuple(ids)
    return tuple(range(1, instance.num_customers + 1))


def _pair_numbers(instance: Instance) -> tuple[int, ...] | None:
    """The numbers in the names of shipments; None: not all have two, or some are alike."""
    found = [_PAIR.fullmatch(str(name)) for name in instance.ids]
    numbers = [int(each[1] if each[3] else each[2]) for each in found if each]
    return tuple(numbers) if len(set(numbers)) == instance.num_customers else None


def read_sol(reader: ByteReader, expected: str) -> Solution:
    """Reads a CVRPLIB solution: `Route #1: 21 31 19` lines and one `Cost 784`.

    Args:
        reader: At its first line.
        expected: What messages about other lines say was expected.

    Returns:
        A solution that is named after the file, with customers by number, until `with_sol_ids`
        knows the instance. Its cost may be rounded to the digits that it has, and differ by
        1e-8: published ones are sums in other orders, of rounded legs or coordinates.

    Raises:
        InstanceError: A line is something else; the message says which.
    """
    cost: float | None = None
    slack = 0.0
    routes: list[RouteReport] = []
    size = 0
    while reader.skip_blank():
        place = f"line {reader.line_number}"
        data = reader.line(MAX_SOL_BYTES)
        size += len(data)
        if size > MAX_SOL_BYTES:
            message = f"a .sol file of more than {MAX_SOL_BYTES} bytes"
            raise fault(place, message, "TOO_LARGE")
        try:
            line = data.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            message = f"cannot parse bytes that are not UTF-8, {expected}"
            raise fault(place, message, "FORMAT") from error
        if found := _ROUTE.fullmatch(line):
            routes.append(_route(found[1].split(), place))
        elif (found := _COST.fullmatch(line)) and cost is None:
            exact = found[1].isascii() and found[1].isdigit() and len(found[1]) <= _MAX_DIGITS
            value = parse_number(found[1], f"{place}: Cost")
            cost = int(found[1]) if exact else value
            slack = max(_half_unit(found[1]), FOREIGN_TOLERANCE * abs(value))
        elif not _REMARK.fullmatch(line):
            raise fault(place, f"cannot parse {describe(line)}, {expected}", "FORMAT")
    name = reader.stem or "solution-0"
    return Solution(name=name, status="solved", cost=cost, routes=tuple(routes), cost_slack=slack)


def _half_unit(number: str) -> float:
    """Half a unit of the last digit that a number states, at most half of 1."""
    exponent = Decimal(number).as_tuple().exponent
    return 0.5 * 10.0 ** min(int(exponent), 0)


def _route(ids: Sequence[str], place: str) -> RouteReport:
    for text in ids:
        if len(text) > _MAX_DIGITS:
            raise fault(place, f"{describe(text)} is not a customer number", "UNKNOWN")
    return RouteReport(tuple(map(int, ids)), load=NOT_STATED, cost=NOT_STATED)


def with_sol_ids(instance: Instance, solution: Solution) -> Solution:
    """A solution from `read_sol` with the ids and the vehicles of its instance.

    Its numbers mean what `sol_numbers` gives; where none of them is one of these, they are the
    positions 1..N. Numbers that mean no customer stay as they are. Where vehicles reload, trips
    without customers are left out.
    """
    solution = _with_types(instance, solution)
    names: dict[CustomerId, CustomerId] = dict(
        zip(sol_numbers(instance), instance.ids, strict=True)
    )
    if instance.may_reload:
        trips = (_with_reloads(instance, route, names) for route in solution.routes)
        return replace(solution, routes=tuple(trips))
    used = {customer for route in solution.routes for customer in route.customers}
    positions = dict[CustomerId, CustomerId](enumerate(instance.ids, start=1))
    if used.isdisjoint(names):
        names = positions
    if names == positions and not used <= names.keys():
        return solution
    named = (
        replace(route, customers=tuple(names.get(each, each) for each in route.customers))
        for route in solution.routes
    )
    return replace(solution, routes=tuple(named))


def _with_reloads(
    instance: Instance, route: RouteReport, names: Mapping[CustomerId, CustomerId]
) -> RouteReport:
    """A route whose numbers are those of depots, then of customers."""
    depots = instance.own_constraints.depots
    customers: list[CustomerId] = []
    reloads: list[RouteReload] = []
    waiting: str | None = None  # the depot of a reload that no customer has followed yet
    for number in map(int, route.customers):
        if number < len(depots):
            waiting = depots[number].id if customers else None
            continue
        if waiting is not None:
            reloads.append(RouteReload(depot=waiting, after=len(customers)))
            waiting = None
        customers.append(names.get(number, f"number {number}"))
    own = route.schedule
    types = {each.id: each for each in instance.own_constraints.vehicles}
    if own is not None and (reloads or types[own.vehicle or ""].reloads is not None):
        own = replace(own, reloads=tuple(reloads))
    return replace(route, customers=tuple(customers), schedule=own)


def _with_types(instance: Instance, solution: Solution) -> Solution:
    """Routes from the lines of a `.sol` with the vehicles that the lines belong to."""
    if not instance.listed_types or not solution.routes:
        return solution
    routes, left = [], iter(solution.routes)
    for vehicle in instance.listed_types:
        start, end = instance.own_constraints.end_names(vehicle)
        schedule = RouteSchedule(vehicle=vehicle.id, start=start, end=end)
        own = left if vehicle.count is None else itertools.islice(left, vehicle.count)
        routes += [replace(route, schedule=schedule) for route in own]
    return replace(solution, routes=(*routes, *left))
