"""Days that go on with an earlier plan, and what must hold of their answers."""

from tests.build import constrained, on_a_line
from vrpcore.instance.plan import KnownDay, Plan, Route
from vrpcore.referee.journey import Journey
from vrpcore.replan.known_vehicles import Keep
from vrpcore.search.search import search_instance
from vrpcore.solve.answer import planned

TINY = 1e-6
VAN = {"id": "van", "count": 1, "capacity": 50}


def day(*places, vehicles=(VAN,), depots=({"id": "d", "x": 0, "y": 0},), keys=None, **columns):
    customers = on_a_line(*places, **columns)
    more = {"depots": list(depots), "vehicles": list(vehicles), **(keys or {})}
    return constrained(customers=customers, **more)


def go_on(instance, time, *routes, cost=None, departures=()):
    """The answer that goes on with routes; it has passed its check."""
    days = tuple(map(KnownDay, departures or [None] * len(routes)))
    known = Plan([Route(*route) for route in routes], days=days)
    found = search_instance(instance, [known], keep=Keep(known._replace(freeze=time), cost))
    return planned(instance, found, ())


def stated(answer, key):
    return [getattr(route.schedule, key) for route in answer.routes]


def unfrozen(instance, known, answer, time):
    """What an answer changed that had begun by some time, in words.

    Args:
        instance: With constraints.
        known: An earlier answer, whose times are right.
        answer: The answer that goes on with it.
        time: Of the freeze.
    """
    slack = TINY * max(1.0, abs(time))
    routes = [(each, each.schedule) for each in answer.routes]
    matched = set()
    for route in known.routes:
        plan = route.schedule
        if plan.departure >= time - slack:
            continue
        started = sum(begin < time - slack for begin in plan.begins)
        row = next(
            (
                row
                for row, (own, schedule) in enumerate(routes)
                if row not in matched
                and schedule.vehicle == plan.vehicle
                and own.customers[:started] == route.customers[:started]
                and abs(schedule.departure - plan.departure) <= slack
            ),
            None,
        )
        if row is None:
            if started:
                yield f"route {route.customers[:started]} of {plan.vehicle!r} is gone"
            continue
        matched.add(row)
        own, schedule = routes[row]
        if schedule.frozen != started:
            yield f"frozen is {schedule.frozen}, expected {started}"
        for key in ("arrivals", "begins"):
            for stated, expected in zip(
                getattr(schedule, key)[:started], getattr(plan, key)[:started], strict=True
            ):
                if abs(stated - expected) > slack:
                    yield f"{key}: {stated}, expected {expected}"
        yield from _pauses(plan, schedule, time - slack, slack)
        kept = _on_its_way(instance, route, started, time - slack)
        if kept is not None and own.customers[started : started + 1] != (kept,):
            yield f"it was on its way to {kept!r}, not to {own.customers[started : started + 1]}"
    for row, (own, schedule) in enumerate(routes):
        if row not in matched and schedule.departure < time - slack:
            yield f"route {own.customers} leaves at {schedule.departure}, before {time}"
        late = schedule.begins[schedule.frozen :]
        late += tuple(each.begin for each in schedule.breaks or () if each.after > schedule.frozen)
        late += tuple(each.begin for each in schedule.reloads or () if each.after > schedule.frozen)
        if any(begin < time - slack for begin in late):
            yield f"route {own.customers} begins something before {time}"


def _pauses(plan, schedule, time, slack):
    """Breaks and reloads that had begun."""
    for key in ("breaks", "reloads"):
        mine = getattr(schedule, key) or ()
        for row, each in enumerate(getattr(plan, key) or ()):
            if each.begin >= time:
                continue
            same = [own for own in mine if abs(own.begin - each.begin) <= slack]
            last = key == "reloads" and not any(begin > each.begin for begin in schedule.begins)
            if not same and not last:
                yield f"{key}[{row}] began at {each.begin} and is gone"


def _on_its_way(instance, route, started, time):
    """The stop to which the vehicle was on its way, if it was."""
    plan = route.schedule
    if started == len(route.customers):
        return None
    if any(each.after == started and each.begin >= time for each in plan.breaks or ()):
        return None
    if any(each.after == started for each in plan.reloads or ()):
        return None
    names = [each.id for each in instance.own_constraints.vehicles]
    vehicle = 0 if plan.vehicle is None else names.index(plan.vehicle)
    stops = tuple(instance.numbers[each] for each in route.customers)
    leg = Journey(instance, Route(vehicle, stops)).calls[started].leg
    return route.customers[started] if plan.arrivals[started] - leg < time else None
