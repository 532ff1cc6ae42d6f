"""The times of routes whose rides and waits have limits: compared with all whole numbers."""

import itertools
import math
import random

from vrpcore.cost.itinerary import FREE, NEVER_LATE, Holds, Itinerary, Prices
from vrpcore.cost.route_times import times_of
from vrpcore.instance.vehicle_types import Break

LAST = 14  # begins are whole numbers up to here, and so are those that are best: all else is whole


def drawn(rng, breaks=False):
    """An itinerary of up to two shipments and a customer, maybe with prices, and its breaks."""
    pairs = rng.choice((1, 1, 2))
    visits = rng.sample([*range(2 * pairs), -1], 2 * pairs + rng.choice((0, 1)) * (pairs == 1))
    pickups = [-1] * len(visits)
    for pair in range(pairs):
        if 2 * pair not in visits or 2 * pair + 1 not in visits:
            continue
        first, second = sorted((visits.index(2 * pair), visits.index(2 * pair + 1)))
        pickups[second] = first
    has_end = rng.random() < 0.6
    size = len(visits) + has_end
    pickups += [-1] * has_end
    is_priced = rng.random() < 0.5
    prices = FREE
    if is_priced:
        dues = [(rng.randrange(LAST), rng.choice((0.0, 1.0, 3.0))) for _ in visits]
        longest, rate = rng.choice((math.inf, 8.0)), rng.choice((0.0, 1.0, 2.0))
        prices = Prices(dues, longest, rng.choice((math.inf, 9.0)), 2.0, 5.0, 1.0, rate)
    found = Itinerary(
        earliest=float(rng.choice((0, 0, 2))),
        latest=float(LAST),
        is_open=rng.random() < 0.3,
        num_visits=len(visits),
        legs=[float(rng.choice((0, 1, 1, 2))) for _ in range(size)],
        windows=[windows(rng) for _ in range(size)],
        services=[float(rng.choice((0, 0, 1))) for _ in visits] + [0.0] * has_end,
        lengths=[0.0] * size,
        latest_start=rng.choice((math.inf, 4.0)),
        loading=float(rng.choice((0, 0, 1))),
        prices=prices,
        holds=Holds(
            [rng.choice((math.inf, math.inf, 0.0, 1.0, 2.0)) for _ in range(size)],
            [rng.choice((1.0, 2.0, 4.0)) if pickup >= 0 else math.inf for pickup in pickups],
            pickups,
            [rng.choice((math.inf, 0.0, 1.0)) for _ in range(len(visits) + 1)],
        ),
    )
    if found.is_open:
        found = found._replace(loading=0.0, legs=[0.0, *found.legs[1:]])
    count = rng.choice((0, 1, 1, 2)) if breaks else 0
    taken = [Break(id=str(row), windows=tuple(windows(rng)), duration=1.0) for row in range(count)]
    return found, taken


def windows(rng):
    """One window, or two."""
    times = sorted(rng.sample(range(LAST + 1), 4))
    pairs = [(float(times[0]), float(times[1])), (float(times[2]), float(times[3]))]
    kind = rng.random()
    if kind < 0.4:
        return [(0.0, math.inf)]
    return pairs if kind < 0.7 else [(float(times[0]), float(times[3]))]


def lines_of(own, breaks):
    """All orders of positions and breaks: of each what, leg, windows, time, wait, due."""
    size, visits = len(own.legs), own.num_visits
    dues = [*own.prices.dues, *[NEVER_LATE] * size][:size] if own.prices is not FREE else None
    for order in itertools.permutations(range(len(breaks))):
        for places in itertools.combinations_with_replacement(range(visits + 1), len(breaks)):
            rests = list(zip(order, places, strict=True))
            line = []
            for at in range(size + 1):
                for number, after in rests:
                    if after == at and at <= visits:
                        rest = breaks[number]
                        wait = own.holds.breaks[after]
                        line.append((None, 0.0, rest.windows, rest.duration, wait, NEVER_LATE))
                if at < size:
                    due = dues[at] if dues else NEVER_LATE
                    line.append(
                        (at, own.legs[at], own.windows[at], own.services[at], own.holds.waits[at],
                         due)
                    )  # fmt: skip
            yield line


def choices(own, line):
    """The value of each choice of begins of a line: cost, duration, begins of positions."""
    latest = min(own.latest_start, LAST)
    for departure in range(int(own.earliest), int(latest) + 1):
        yield from begun(own, line, departure, 0, departure + own.loading, {}, 0.0)


def begun(own, line, departure, at, now, begins, late):
    """Goes on behind some of a line, which is over at a time."""
    if at == len(line):
        if now <= own.latest and now - departure <= own.prices.longest:
            duration, prices = now - departure, own.prices
            cost = late + prices.duration * duration
            cost += prices.overtime * max(0.0, duration - prices.overtime_from)
            cost += prices.late * max(0.0, now - prices.late_from)
            yield cost, duration, [begins[each] for each in range(len(begins))]
        return
    what, leg, opens, time, wait, (due, price) = line[at]
    first = now + leg
    last = min(LAST + 3, first + wait)
    if own.is_open and at == 0:
        last = first
    begin = first
    while begin <= last:
        if any(low <= begin <= high for low, high in opens) and rides(own, what, begin, begins):
            more = begins if what is None else {**begins, what: begin}
            cost = late + price * max(0.0, begin - due) if price else late
            yield from begun(own, line, departure, at + 1, begin + time, more, cost)
        begin += 1.0


def rides(own, what, begin, begins):
    """Whether the ride that ends at a position is short enough."""
    if what is None or (pickup := own.holds.pickups[what]) < 0:
        return True
    return begin - begins[pickup] - own.services[pickup] <= own.holds.rides[what]


def test_times_are_the_best_of_all(seeds=1500):
    found = dict.fromkeys(("none", "breaks", "priced", "windows"), 0)
    for seed in range(seeds):
        rng = random.Random(seed)
        own, breaks = drawn(rng, breaks=seed % 3 == 0)
        every = [each for line in lines_of(own, breaks) for each in choices(own, line)]
        times = times_of(own, 1e-9, breaks)
        if not every:
            assert times is None, seed
            found["none"] += 1
            continue
        assert times is not None, seed
        _, duration, begins = min(every)
        assert math.isclose(times.end - times.departure, duration, abs_tol=1e-6), seed
        assert [round(each, 6) for each in times.begins] == begins, seed
        found["breaks"] += bool(breaks)
        found["priced"] += own.prices is not FREE
        found["windows"] += any(len(each) > 1 for each in own.windows)
    assert min(found.values()) > seeds // 20, found
