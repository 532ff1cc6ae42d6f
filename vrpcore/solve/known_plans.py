"""Plans that are known before a solve: an instance's own routes, and a warm start."""

import math
from collections.abc import Callable, Container
from dataclasses import replace
from functools import partial

import numpy as np

from vrpcore.cost.trips import boards_of
from vrpcore.errors import InstanceError, describe, fault
from vrpcore.formats.solutions import with_own_ids
from vrpcore.instance.clock import read_clock
from vrpcore.instance.constraints import MAX_DIMENSIONS, GoodsKind
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance, with_constraints
from vrpcore.instance.origin import EPOCH_S
from vrpcore.instance.plan import Plan
from vrpcore.instance.solution import Solution
from vrpcore.search.completion import complete_routes
from vrpcore.solve.starting_routes import enumerated, misfits, own_routes, warm_routes

WARM_START_IGNORED = "WARM_START_IGNORED"
WARM_START_REPAIRED = "WARM_START_REPAIRED"
AMOUNTS_UNKNOWN = "AMOUNTS_UNKNOWN"


def check_rows(instance: Instance, warm_start: Solution | None) -> None:
    """Checks that a plan of a spreadsheet means the stops that it names.

    Raises:
        InstanceError: It is matched by rows, and one has moved (code FREEZE).
    """
    if warm_start is not None and warm_start.rows is not None:
        with_own_ids(instance, warm_start)


def ready_to_keep(instance: Instance, warm_start: Solution | None) -> Instance:
    """Gives a plain instance with a known plan constraints, whose search can keep a plan."""
    if instance.constraints is not None or (warm_start is None and instance.plan is None):
        return instance
    found = with_constraints(instance)
    plans, _, _ = known_plans(found, warm_start)
    return found if plans else instance


def freeze_time(instance: Instance, time: float | str) -> float:
    """The time of a freeze, in the instance's unit of time.

    Args:
        instance: The problem.
        time: A number, or a time of day.

    Raises:
        InstanceError: It is a time of day, and the instance has none, or needs its date, too (code
            FREEZE).
    """
    if not isinstance(time, str):
        return time
    origin = instance.origin
    if (dated := origin.dated_time(time)) is not None:
        return dated
    found, clock = read_clock(time), origin.clock
    if found is None or clock is None:
        message = f"{time}: the times of this instance are numbers, so give one, e.g. 580"
        raise fault("freeze", message, "FREEZE")
    if clock == "s" and EPOCH_S <= _first_time(instance) < math.inf:
        message = f"{time}: the times of this instance are seconds since 1970, so give those"
        raise fault("freeze", message, "FREEZE")
    return found.minutes * (60.0 if clock == "s" else 1.0)


def freeze_note(instance: Instance, time: float | str) -> str | None:
    """Note on the meaning of a number in a spreadsheet of times of day; else None.

    It is easily written for one: 10.40 or 1040 for 10:40.
    """
    origin = instance.origin
    if isinstance(time, str) or origin.clock != "min":
        return None
    meant = "" if origin.time_text is None else f", {origin.time_text(time)}"
    advice = "write a time of day with a colon"
    return f"freeze: {time:g} is taken as minutes after midnight{meant}; {advice}"


def unknown_amounts(instance: Instance, known: Plan, warm_start: Solution | None) -> str | None:
    """Orders that have changed since a plan that does not state what was loaded, in words.

    Args:
        instance: With constraints.
        known: The plan that goes on, as `known_plans` returns it.
        warm_start: What it was made of; None: the instance's own routes.
    """
    constraints = instance.own_constraints
    if not constraints.delivery.any() or (warm_start is not None and warm_start.states_amounts):
        return None
    if warm_start is None:
        gone = [each for each in known.unknown if each.startswith("stop ")]
    else:
        numbers, gone = instance.numbers, list[str]()
        loads = {
            route.stops: np.max(boards_of(constraints, route), axis=1) for route in known.routes
        }
        for row, route in enumerate(with_own_ids(instance, warm_start).routes, start=1):
            gone += [f"stop {describe(each)}" for each in route.customers if each not in numbers]
            load = loads.get(tuple(numbers.get(each, 0) for each in route.customers))
            if load is None or not route.states_load or len(load) != len(route.loads):
                continue
            if not np.allclose(load, route.loads, rtol=LOAD_TOLERANCE):
                shown = " ".join(f"{each:g}" for each in load)
                stated = " ".join(f"{each:g}" for each in route.loads)
                gone.append(f"route {row} (load {stated}, with today's amounts {shown})")
    if not gone:
        return None
    return f"the plan does not state 'amounts': what was loaded is not known for {enumerated(gone)}"


def _first_time(instance: Instance) -> float:
    """The earliest time of stops and shifts; infinite where there is none."""
    constraints = instance.own_constraints
    shifts = [time for vehicle in constraints.vehicles for time in vehicle.window if time]
    times = np.array([*constraints.windows.ravel(), *shifts])
    return float(times[np.isfinite(times)].min(initial=math.inf))


def lost_routes(instance: Instance, warm_start: Solution | None, lost: str) -> frozenset[int]:
    """The numbers, from 0, of the known routes of vehicles that have broken down.

    Args:
        instance: The problem.
        warm_start: See `known_plans`.
        lost: Ids of vehicles, or numbers of known routes from 1, also as `route:1`, where an id may
            be a number, with commas between them.

    Raises:
        InstanceError: There is no such vehicle or route, or there are several (code FREEZE).
    """
    if warm_start is not None:
        reports = with_own_ids(instance, warm_start).routes
        vans = [report.schedule and report.schedule.van for report in reports]
    else:
        vans = [] if instance.plan is None else [route.van for route in instance.plan.routes]
    # Those that VROOM's problems tell apart have ids of their own.
    rows = {str(van): row for row, van in enumerate(vans) if van is not None}
    idle = {str(van.id) for van in instance.origin.vans} - rows.keys()
    counts, found = {each.id: each.count for each in instance.listed_types}, set[int]()
    ids = {*counts, *idle}  # a number may be one
    for row in range(len(vans)):
        rows[f"route:{row + 1}"] = row
        if str(row + 1) not in ids:
            rows.setdefault(str(row + 1), row)
    for name in (part.strip() for part in lost.split(",")):
        if name in rows:
            found.add(rows[name])
        elif name in idle:
            message = f"vehicle {name} has no known route; leave it out of the vehicles"
            raise fault("lost", message, "FREEZE")
        elif name not in counts:
            known = f" or the number of a known route, 1 to {len(vans)}" if vans else ""
            message = f"{describe(name)}, expected the id of a vehicle{known}"
            raise fault("lost", message, "FREEZE")
        elif counts[name] != 1:
            message = f"there are several vehicles {describe(name)}"
            advice = "give the one's known route, the first as route:1"
            raise fault("lost", f"{message}; {advice}", "FREEZE")
    return frozenset(found)


def with_options(instance: Instance, lost: str | None, goods: GoodsKind | None) -> Instance:
    """Copy an instance, with what options say of a plan that goes on.

    Args:
        instance: The problem.
        lost: See `lost_routes`; None: no vehicle has broken down.
        goods: In place of the instance's own; None: that.

    Raises:
        InstanceError: Goods are alike, in more load dimensions than are searched (code TOO_LARGE).
    """
    if (constraints := instance.constraints) is None:
        return instance
    names = {part.strip() for part in (lost or "").split(",")}
    vehicles = tuple(
        replace(each, is_lost=each.is_lost or (each.id in names and each.count == 1))
        for each in constraints.vehicles
    )
    found = replace(constraints, vehicles=vehicles, goods=goods or constraints.goods)
    most = MAX_DIMENSIONS // (3 if found.pickup.any() or found.shipment.any() else 2)
    if found.goods == "any" and (given := found.delivery.shape[1]) > most:
        message = f"any, with {given} load dimensions, but at most {most} can be searched so"
        raise fault("goods", f"{message}; leave it out, or the others", "TOO_LARGE")
    return replace(instance, constraints=found)


def known_plans(
    instance: Instance,
    warm_start: Solution | None,
    lost: Container[int] = (),
    freeze: float | None = None,
) -> tuple[list[Plan], list[str], list[str]]:
    """Finds the known plans, whatever limits they break.

    Args:
        instance: The problem.
        warm_start: An earlier solution; None: there is none.
        lost: Numbers of routes, of the warm start if there is one, whose vehicles have broken down.
        freeze: See `Plan`.

    Returns:
        The instance's own routes and the warm start, as far as they are routes of it, of a plain
        instance completed; warning codes; and what the user should know, in words.
    """
    plans, codes, notes = list[Plan](), list[str](), list[str]()
    origin = instance.origin
    if not origin.has_ids and warm_start and warm_start.rows is None:
        words = "the warm start is matched by row numbers, because the stops have no column id"
        notes.append(f"{instance.name}: {words}; make sure that no row has moved, or add one")
    given = list[tuple[str, Callable[[], Plan], bool]]()  # and whether it is to serve everybody
    if (own := instance.plan) is not None:
        whole = all(route.vehicle == instance.unstated_vehicle for route in own.routes)
        gone = lost if warm_start is None else ()
        given.append(("its routes", partial(own_routes, instance, gone, freeze), whole))
    if warm_start is not None:
        whole = warm_start.status == "solved"
        given.append(
            ("warm start", partial(warm_routes, instance, warm_start, lost, freeze), whole)
        )
    for name, plan_of, whole in given:
        try:
            known = plan_of()
        except InstanceError as error:
            codes.append(WARM_START_IGNORED)
            notes.append(f"{instance.name}: {name} ignored: {error}")
            continue
        if instance.constraints is not None:
            plans.append(known)
        elif known.routes:
            completed = complete_routes(instance, [route.stops for route in known.routes])
            plans.append(Plan.of(completed))
        if (wrong := misfits(instance, known, whole=whole)) is None:
            continue
        notes.append(f"{instance.name}: {name} repaired: {wrong}")
        if WARM_START_REPAIRED not in codes:
            codes.append(WARM_START_REPAIRED)
    return plans, codes, notes
