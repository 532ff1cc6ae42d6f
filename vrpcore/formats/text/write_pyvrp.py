"""Instances out as PyVRP's dialect of `.vrp`: what it cannot say is refused by its name.

Nodes are numbered in the order of an instance, depots first, so ids are lost. Lengths of
`euclidean` become a matrix, as EUC_2D stands for rounded ones. Where some times or limits are
given, a number that no route reaches stands for those that are not.
"""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from vrpcore.formats.text.pyvrp_groups import GROUPS
from vrpcore.formats.text.pyvrp_refusals import check_sayable, not_writable
from vrpcore.formats.text.write_pyvrp_fleet import fleet_lines, number_text
from vrpcore.instance.constraints import Constraints
from vrpcore.instance.instance import Float64, Instance
from vrpcore.instance.vehicle_types import ALWAYS, DEFAULT_SHIFT, Window

_WEIGHTS = {"euc_2d": "EUC_2D", "ceil_2d": "CEIL_2D"}


def instance_to_vrp(instance: Instance) -> str:
    """An instance as a `.vrp` file.

    Raises:
        InstanceError: The dialect cannot say something of it, known routes among it (code
            NOT_WRITABLE); the message names it.
    """
    if instance.routes is not None:
        raise not_writable(instance, "known routes")
    lengths = _lengths(instance)
    if instance.constraints is None:
        headers = ["TYPE : CVRP", f"CAPACITY : {number_text(instance.capacity)}"]
        if instance.max_vehicles is not None:
            headers.append(f"VEHICLES : {instance.max_vehicles}")
        sections = [*_rows("DEMAND_SECTION", instance.demand[:, None])]
    else:
        check_sayable(instance)
        headers, sections = _constrained(instance, instance.constraints, lengths)
    name = " ".join(instance.name.split())
    size = instance.num_depots + instance.num_customers
    depots = [str(node) for node in range(1, instance.num_depots + 1)]
    lines = [f"NAME : {name}", f"DIMENSION : {size}", *headers, *_geometry(instance, lengths)]
    return "\n".join([*lines, *sections, "DEPOT_SECTION", *depots, "-1", "EOF", ""])


def _lengths(instance: Instance) -> Float64 | None:
    """[M, M] float64 of legs; None where a metric that the format has tells them."""
    found = instance.distances
    if found is None and instance.metric in _WEIGHTS:
        return None
    if found is None:
        if instance.metric != "euclidean" or instance.coords is None:
            raise not_writable(instance, f"lengths of {instance.metric}")
        points = instance.coords @ np.array([1.0, 1.0j])
        found = np.abs(points[:, None] - points[None, :])
    if np.isinf(found).any():
        raise not_writable(instance, "places that no road joins")
    return found


def _geometry(instance: Instance, lengths: Float64 | None) -> Iterator[str]:
    """The headers of lengths, coordinates and a matrix; headers come before sections."""
    weights = "EXPLICIT" if lengths is not None else _WEIGHTS[instance.metric]
    yield f"EDGE_WEIGHT_TYPE : {weights}"
    if lengths is not None:
        yield "EDGE_WEIGHT_FORMAT : FULL_MATRIX"
    if instance.coords is not None:
        yield from _rows("NODE_COORD_SECTION", instance.coords)
    if lengths is not None:
        yield "EDGE_WEIGHT_SECTION"
        yield from (" ".join(map(number_text, row)) for row in lengths.tolist())


def _rows(name: str, values: Float64) -> Iterator[str]:
    """A section with a row for each node, of the depots' values first."""
    yield name
    for node, row in enumerate(values.tolist(), start=1):
        yield " ".join([str(node), *map(number_text, row)])


def _constrained(
    instance: Instance, constraints: Constraints, lengths: Float64 | None
) -> tuple[list[str], list[str]]:
    """Headers and sections of what is not geometry."""
    never = _beyond(instance, lengths)
    fleet = fleet_lines(instance, never)
    kind = "CVRP" if constraints.num_depots == 1 else "MDVRP"
    if constraints.num_shipments:
        kind, sections = "PDPTW", [*_pairs(instance, constraints, never)]
    else:
        kind = "VRPB" if constraints.backhauls == "last" else kind
        sections = [*_clients(instance, constraints, never)]
    headers = [f"TYPE : {kind}", *fleet.headers]
    return headers, [*sections, *fleet.sections]


def _beyond(instance: Instance, lengths: Float64 | None) -> float:
    """A power of ten that no length or time of a route reaches: each stop after a reload."""
    constraints = instance.own_constraints
    if lengths is not None:
        longest = float(lengths.max(initial=0.0))
    else:
        points = instance.coords
        longest = 1.0 + float(0.0 if points is None else np.ptp(points, axis=0).sum())
    shifts = [each.window for each in constraints.vehicles]
    shifts += [each.window for each in constraints.depots]
    times = np.concatenate([constraints.windows.ravel(), constraints.release, np.ravel(shifts)])
    latest = float(np.abs(times[np.isfinite(times)]).max(initial=0.0))
    legs = 2 * constraints.num_stops + 1
    work = float(constraints.service.sum())
    return 10.0 ** math.ceil(math.log10(2 * latest + work + legs * longest + 1.0))


def _clients(instance: Instance, constraints: Constraints, never: float) -> Iterator[str]:
    """Sections of customers."""
    zeros = np.zeros((constraints.num_depots, 1))

    def column(name: str, values: Float64) -> Iterator[str]:
        return _rows(name, np.concatenate((zeros, values[:, None])))

    none = np.zeros((constraints.num_depots, constraints.delivery.shape[1]))
    yield from _rows("DEMAND_SECTION", np.concatenate((none, constraints.delivery)))
    if constraints.pickup.any() or constraints.backhauls == "last":
        yield from _rows("BACKHAUL_SECTION", np.concatenate((none, constraints.pickup)))
    windows = _windows(instance, constraints, never)
    if windows is not None:
        yield from _rows("TIME_WINDOW_SECTION", windows)
    if constraints.service.any():
        yield from column("SERVICE_TIME_SECTION", constraints.service)
    if np.isfinite(constraints.release).any():
        first = 0.0 if windows is None else float(windows.min(initial=0.0))
        if first < 0 and (constraints.release < 0).any():
            raise not_writable(instance, "release before 0, or of only some, with times before 0")
        yield from column("RELEASE_TIME_SECTION", np.maximum(constraints.release, 0.0))
    if np.isfinite(constraints.prize).any():
        prizes = np.where(np.isinf(constraints.prize), 0.0, constraints.prize)
        yield from column("PRIZE_SECTION", prizes)
    if constraints.groups:
        yield GROUPS
        for number, group in enumerate(constraints.groups, start=1):
            nodes = [constraints.num_depots + stop for stop in group.members]
            yield " ".join(map(str, [number, *nodes]))


def _pairs(instance: Instance, constraints: Constraints, never: float) -> Iterator[str]:
    """The section of shipments, which says everything of their stops."""
    yield "PICKUP_AND_DELIVERY_SECTION"
    windows = _windows(instance, constraints, never)
    if windows is None:
        windows = np.tile([0.0, never], (constraints.num_nodes, 1))
    for node in range(constraints.num_nodes):
        stop, pair = node - constraints.num_depots, "0 0"
        demand = service = 0.0
        if stop >= 0:
            demand, service = constraints.shipment[stop, 0], constraints.service[stop]
            pair = f"0 {node + 2}" if stop % 2 == 0 else f"{node} 0"
        numbers = map(number_text, (demand, *windows[node].tolist(), service))
        yield " ".join([str(node + 1), *numbers, pair])


def _windows(instance: Instance, constraints: Constraints, never: float) -> Float64 | None:
    """[M, 2] float64 of depots and stops; None where nobody has times."""
    depots = _depot_windows(instance, constraints)
    stops = constraints.windows[:, 0]
    if all(each == DEFAULT_SHIFT for each in depots) and (stops == ALWAYS).all():
        return None
    table = np.concatenate((np.array(depots), stops.reshape(-1, 2)))
    opens = table[:, 0][np.isfinite(table[:, 0])]
    table[:, 0] = np.where(np.isfinite(table[:, 0]), table[:, 0], min(0.0, *opens))
    table[:, 1] = np.where(np.isfinite(table[:, 1]), table[:, 1], never)
    return table


def _depot_windows(instance: Instance, constraints: Constraints) -> Sequence[Window]:
    """When each depot is open to its vehicles, which have no shifts of their own there."""
    found = []
    for row, depot in enumerate(constraints.depots):
        shifts = {
            each.window
            for each in constraints.vehicles
            if each.count != 0 and (each.start == row or row in (each.reloads or ()))
        }
        if len(shifts) > 1:
            raise not_writable(instance, f"vehicles of different shifts at depot {depot.id}")
        opens, closes = shifts.pop() if shifts else DEFAULT_SHIFT
        window = max(opens, depot.window[0]), min(closes, depot.window[1])
        if window[0] > window[1]:
            raise not_writable(instance, f"vehicles that are out while depot {depot.id} is closed")
        found.append(window)
    return found
