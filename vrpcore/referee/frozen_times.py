"""The referee's view of a route that goes on: the times of its frozen stops are given.

Plain loops, as in the rest of the referee.
"""

from collections.abc import Iterator, Sequence

from vrpcore.instance.solution import RouteSchedule
from vrpcore.referee.route_limits import Journey, Times


class Frozen:
    """Follows a route up to its first stop that is not frozen as stated, then at once.

    What is stated need only be possible: nothing arrives or begins before it can. The vehicle may
    have waited anywhere. After `times`, `problems` has what is not possible, a key of the route
    and words; `limits` what comes too late, in words, with the number of stops before it: -1 of
    the departure, None of the whole route.

    Args:
        journey: The route, with its breaks.
        schedule: States departure, arrivals and begins of all stops, and `frozen`.
        slack: How far times may be off.
    """

    def __init__(self, journey: Journey, schedule: RouteSchedule, slack: float) -> None:
        self._journey, self._schedule, self._slack = journey, schedule, slack
        self.problems: list[tuple[str, str]] = []
        self.limits: list[tuple[int | None, str]] = []

    def times(self) -> Times:
        """The times that are stated, and those that follow from them."""
        journey, departure = self._journey, self._schedule.departure
        if departure < journey.earliest - self._slack:
            self.limits.append((-1, f"leaves at {departure:.9g}, before {journey.earliest:.9g}"))
        if departure > journey.latest + self._slack:
            self.limits.append((-1, f"leaves at {departure:.9g}, after {journey.latest:.9g}"))
        found = Times(departure, [], [], departure, [], [])
        now = departure + journey.loading
        for name, leg, windows, service in journey.calls():
            arrival, begin = self._call(found, name, now + leg, windows)
            found.note(name, arrival, begin)
            now = begin + service
        stated = self._schedule.return_
        if len(found.begins) <= (self._schedule.frozen or 0) and stated > now + self._slack:
            now = stated
        if now > journey.shift_end + self._slack:
            over = f"ends at {now:.9g}, {now - journey.shift_end:.6g} after the vehicle's shift"
            self.limits.append((None, f"return: {over}"))
        return found._replace(end=now)

    def _call(
        self, found: Times, name: str, soonest: float, windows: Sequence[tuple[float, float]]
    ) -> tuple[float, float]:
        """Arrival and begin at one position: as stated, or as soon as may be."""
        arrival = begin = soonest
        given = list(self._stated(found, name))
        if given:
            arrival, begin = given[0]
            for key, stated, least in (("arrival", arrival, soonest), ("begin", begin, arrival)):
                if stated < least - self._slack:
                    word = f"{stated}, which is before {least}"
                    self.problems.append((f"{name}.{key}", f"{word}: it cannot be so early"))
            begin = max(begin, soonest)
        slack = self._slack
        open_windows = [each for each in windows if max(begin, each[0]) <= each[1] + slack]
        if not open_windows:
            late = f"begins at {begin:.9g}, after the last window closes"
            # A break is where the stop before it is.
            at = len(found.begins) - name.startswith("breaks")
            self.limits.append((at, f"{name}: {late}"))
        elif not given:
            begin = max(begin, open_windows[0][0])
        elif begin < open_windows[0][0] - self._slack:
            early = f"begins at {begin:.9g}, expected {open_windows[0][0]:.9g} or later"
            self.limits.append((len(found.begins), f"{name}: {early}"))
        return arrival, begin

    def _stated(self, found: Times, name: str) -> Iterator[tuple[float, float]]:
        """Stated arrival and begin at a position, where they are given."""
        schedule, served = self._schedule, len(found.begins)
        if served > (schedule.frozen or 0):
            return
        if name.startswith("customers") and schedule.begins is not None:
            begin = schedule.begins[served]
            yield (schedule.arrivals[served] if schedule.arrivals else begin), begin
        elif name.startswith("breaks") and schedule.breaks is not None:
            begin = schedule.breaks[len(found.rests)].begin
            if begin == begin:  # stated
                yield begin, begin
        elif name.startswith("reloads") and schedule.reloads is not None:
            item = schedule.reloads[len(found.reloads)]
            if item.begin == item.begin and item.arrival == item.arrival:
                yield item.arrival, item.begin
