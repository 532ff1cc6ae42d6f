"""Goods on board of vehicles under way, and stops that may still be loaded, in a frozen plan."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.cost.trips import trips_of
from vrpcore.instance.constraints import Constraints, Float64
from vrpcore.instance.instance import LOAD_TOLERANCE, Instance
from vrpcore.instance.plan import Goods, Reload, Route, Started, route_of
from vrpcore.search.under_way import UnderWay, Visit


def with_loaded(instance: Instance, route: Route, started: Started) -> Started:
    """Add what a known route's trip was loaded with to what it has begun.

    Args:
        instance: The whole.
        route: The known route.
        started: What it has begun.
    """
    lost = route.is_lost or instance.own_constraints.vehicles[route.vehicle].is_lost
    if started.departure is None:
        return started._replace(is_lost=lost)
    return started._replace(
        is_lost=lost, loaded=_goods_of(instance, route, started.trip, started.until)
    )


def with_goods(instance: Instance, route: Route, started: Started) -> Route:
    """A known route with what it has begun and loaded.

    Who is next and asks for more than was loaded is not driven to any more. What a vehicle that has
    broken down had not begun is gone.

    Args:
        instance: The whole.
        route: The known route.
        started: Of `with_loaded`.
    """
    if started.is_lost:
        return _lost(instance, route, started)
    if started.departure is None:
        return route._replace(started=started)
    done = started.stops + started.trip
    goes_to = route.visits[done] if done < len(started.begins) else None
    if isinstance(goes_to, int) and not _has(instance, route, started, goes_to):
        visits = [visit for visit in route.visits if visit != goes_to]
        rest = route_of(route.vehicle, visits)
        started = started._replace(begins=started.begins[:done])
        route = route._replace(stops=rest.stops, reloads=rest.reloads)
    return route._replace(started=started if route.stops else None)


def _goods_of(instance: Instance, route: Route, trip: int, freeze: float) -> tuple[Goods, ...]:
    """Amounts that a trip of a known route was loaded with: as stated, else today's.

    What was delivered before the freeze to stops that are gone by now counts no more.
    """
    trips, delivery = trips_of(route), instance.own_constraints.delivery
    stops = trips[trip] if trip < len(trips) else ()
    now = {instance.ids[stop - 1]: tuple(delivery[stop - 1].tolist()) for stop in stops}
    # Whose delivery was loaded in vain, and so again, is served in the later trip.
    trip_of = {each.id: each.trip for each in sorted(route.goods, key=lambda each: each.trip)}
    own = {trip_of[name] for name in now if name in trip_of}
    names = set(instance.ids)
    known = now | {
        each.id: each.amount
        for each in route.goods
        if each.trip in own and (each.id in names or each.begin is None or not each.begin < freeze)
    }
    return tuple(Goods(name, amount) for name, amount in known.items() if any(amount))


def _has(instance: Instance, route: Route, started: Started, stop: int) -> bool:
    """Return whether a vehicle has on board what a stop asks for."""
    constraints, name = instance.own_constraints, instance.ids[stop - 1]
    asked = constraints.delivery[stop - 1]
    amounts = [np.array(each.amount) for each in started.loaded if each.id == name]
    if constraints.goods == "any":
        served = trips_of(route)[started.trip] if started.trip <= len(route.reloads) else ()
        done = [row - 1 for row in served if row in route.stops[: started.stops]]
        amounts = [_alike(constraints, route, started) - constraints.delivery[done].sum(axis=0)]
    return not asked.any() or any((asked <= own * (1 + LOAD_TOLERANCE)).all() for own in amounts)


def _alike(constraints: Constraints, route: Route, started: Started) -> Float64:
    """[L]: all that a trip under way was loaded with, where all goods are alike."""
    initial = constraints.vehicles[route.vehicle].initial_load
    amounts = [each.amount for each in started.loaded]
    amounts += [initial] if initial is not None and started.trip == 0 else []
    found: Float64 = np.sum(amounts, axis=0) + np.zeros(constraints.delivery.shape[1])
    return found


def _lost(instance: Instance, route: Route, started: Started) -> Route:
    """The route of a vehicle that has broken down; its pickups count as not picked up."""
    constraints, done = instance.own_constraints, started.stops + started.trip
    visits, served = list[Visit](), set(route.stops[: started.stops])
    begins, places = list[float](), [0]
    for visit, begin in zip(route.visits[:done], started.begins, strict=False):
        if isinstance(visit, Reload):
            stays = bool(visits) and not isinstance(visits[-1], Reload)
        else:
            stays = (constraints.partner(visit) or visit) in served
        if stays:
            visits.append(visit)
            begins.append(begin)
        places.append(len(visits))
    rest = route_of(route.vehicle, visits)
    loaded = started.loaded
    if len(rest.reloads) < started.trip:
        loaded = _goods_of(instance, rest, len(rest.reloads), started.until)
    started = started._replace(
        begins=tuple(begins[: len(rest.visits)]),
        breaks=tuple(
            (number, min(places[after], len(rest.visits)), begin)
            for number, after, begin in started.breaks
        ),
        stops=len(rest.stops),
        is_over=True,
        home=None,
        trip=len(rest.reloads),
        loaded=loaded,
    )
    own = started if rest.stops else None
    return route._replace(is_lost=True, stops=rest.stops, reloads=rest.reloads, started=own)


class GoodsLeft(NamedTuple):
    """Deliveries that are possible from each vehicle in the remaining instance.

    Attributes:
        on_board: Of stops whose delivery a vehicle under way has on board, its type.
        gone: Stops whose delivery is on board of a vehicle that serves nobody any more.
        more: By type, what else it has on board until its next reload.
    """

    on_board: dict[int, int]
    gone: set[int]
    more: dict[int, tuple[float, ...]]

    @classmethod
    def of(cls, instance: Instance, known: Sequence[UnderWay]) -> "GoodsLeft":
        """Looks at what each vehicle under way was loaded with.

        Args:
            instance: The whole, with a type for each vehicle that has left.
            known: The vehicles that have left.
        """
        numbers, constraints = instance.numbers, instance.own_constraints
        found = cls({}, set(), {})
        fixed = {stop for own in known for stop in own.first}
        for own in known:
            if own.started.is_lost:
                continue
            mine = {
                numbers[each.id]
                for each in own.started.loaded
                if each.id in numbers
                and (
                    numbers[each.id] in own.first
                    or _has(instance, own.route, own.started, numbers[each.id])
                )
            }
            mine -= found.on_board.keys() | fixed.difference(own.first)
            if own.started.is_over or own.trip != own.started.trip:
                found.gone.update(mine.difference(own.fixed.stops))
                continue
            found.on_board.update(dict.fromkeys(mine, own.type))
            amounts = [each.amount for each in own.started.loaded]
            taken = constraints.delivery[[stop - 1 for stop in mine]].tolist()
            found.more[own.type] = tuple(
                math.fsum(each[row] for each in amounts) - math.fsum(each[row] for each in taken)
                for row in range(constraints.delivery.shape[1])
            )
        return found._replace(gone=found.gone - found.on_board.keys())

    def kept(self, constraints: Constraints, freeze: float) -> Constraints:
        """Constraints with what is on board, and the earliest loading of the rest."""
        release, none = constraints.release.copy(), np.full(constraints.num_stops, -1)
        on_board = none if constraints.on_board is None else constraints.on_board.copy()
        rows = [stop - 1 for stop in self.on_board]
        loads: NDArray[np.bool_] = np.any(constraints.delivery > 0, axis=1)
        loads[rows] = False
        release[rows] = -math.inf
        release[loads] = np.maximum(release[loads], freeze)
        on_board[rows] = list(self.on_board.values())
        vehicles = list(constraints.vehicles)
        for own, more in self.more.items():
            load = vehicles[own].initial_load or (0.0,) * len(more)
            load = tuple(map(math.fsum, zip(load, more, strict=True)))
            vehicles[own] = replace(vehicles[own], initial_load=load)
        return replace(
            constraints,
            release=release,
            on_board=on_board if (on_board >= 0).any() else constraints.on_board,
            vehicles=tuple(vehicles),
        )


def with_any_goods(constraints: Constraints, known: Sequence[UnderWay]) -> Constraints:
    """Constraints in which any stop can get what a vehicle has on board.

    Load dimensions more say that the trip under way delivers no more than it was loaded with: what
    it lacks of all goods is on board until the next reload, and nothing else takes room there. If
    something is collected, further ones say that it has room beside all that was loaded.

    Args:
        constraints: Of the instance that is left.
        known: The vehicles that have left.
    """
    loads = {
        own.type: _alike(constraints, own.route, own.started)
        for own in known
        if not own.started.is_over and own.trip == own.started.trip
    }
    delivery, nothing = constraints.delivery, np.zeros_like(constraints.delivery)
    collects = bool(constraints.pickup.any() or constraints.shipment.any())
    most = delivery.sum(axis=0) + np.sum(list(loads.values()), axis=0)
    vehicles = []
    for number, vehicle in enumerate(constraints.vehicles):
        goods = loads.get(number)
        zero = np.zeros(len(most))
        initial = (
            zero if goods is not None or vehicle.initial_load is None else vehicle.initial_load
        )
        lacking, full = (zero, zero) if goods is None else (most - goods, goods)
        parts = [(vehicle.capacity, initial), (most, lacking), (vehicle.capacity, full)]
        rows = [np.concatenate(part).tolist() for part in zip(*parts[: 2 + collects], strict=True)]
        more = (math.inf,) * (len(rows[0]) - len(most))
        breaks = tuple(
            each if each.max_load is None else replace(each, max_load=each.max_load + more)
            for each in vehicle.breaks
        )
        capacity, initial_load = map(tuple, rows)
        vehicles.append(
            replace(vehicle, capacity=capacity, initial_load=initial_load, breaks=breaks)
        )
    pickup, shipment = constraints.pickup, constraints.shipment
    return replace(
        constraints,
        delivery=np.hstack((delivery, delivery, *[nothing] * collects)),
        pickup=np.hstack((pickup, nothing, *[pickup] * collects)),
        shipment=np.hstack((shipment, nothing, *[shipment] * collects)),
        vehicles=tuple(vehicles),
    )
