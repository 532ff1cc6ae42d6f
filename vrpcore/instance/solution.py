"""Answers: routes with their costs, or the reason why there are none."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from vrpcore.errors import InternalError
from vrpcore.instance.constraints import GoodsKind
from vrpcore.instance.instance import CustomerId, Instance
from vrpcore.instance.origin import InKind
from vrpcore.instance.plan import Goods, Reload

Status = Literal["solved", "invalid", "infeasible", "partial"]
STATUSES: tuple[Status, ...] = get_args(Status)
Load = float | tuple[float, ...]
Reason = Literal[
    "SKILLS",
    "RELATION",
    "CAPACITY",
    "NO_ROAD",
    "WINDOW",
    "DURATION",
    "DISTANCE",
    "RIDE",
    "WAIT",
    "LOADED",
    "FLEET",
    "PRIZE",
]
REASONS: tuple[Reason, ...] = get_args(Reason)
NOT_STATED = math.nan  # load and cost of a route from a file that does not give them
INTERNAL = InternalError.default_code


class _Stated:
    """Equal where the same is stated: NaN, which stands for what is not, is like itself here.

    Before Python 3.13, dataclasses compared as tuples do, to which one NaN object is like itself.
    """

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._stated() == other._stated()

    def __hash__(self) -> int:
        return hash(self._stated())

    def _stated(self) -> tuple[object, ...]:
        values = (getattr(self, name) for name in self.__slots__)
        return tuple(None if value != value else value for value in values)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RouteBreak(_Stated):
    """A break that a vehicle takes, where it is then.

    Attributes:
        id: Of the break, among those of the vehicle type.
        begin: When it begins; NaN: not stated.
        after: How many stops of the route are served before it.
        at_reload: It is taken at the reload behind these stops, after the loading.
    """

    id: str
    begin: float
    after: int
    at_reload: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RouteReload(_Stated):
    """A call at a depot between two trips of a vehicle.

    Attributes:
        depot: Id of the depot.
        after: How many stops of the route are served before it.
        arrival: At the depot; NaN: not stated.
        begin: Of loading; NaN: not stated.
        return_load: All on board on arrival, one number a load dimension where amounts are lists;
            NaN: not stated.
    """

    depot: str
    after: int
    arrival: float = math.nan
    begin: float = math.nan
    return_load: Load = NOT_STATED


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RouteSchedule(_Stated):
    """The vehicle of a route and its times; only of instances with constraints.

    NaN, and None for lists: not stated.

    Attributes:
        vehicle: Id of its vehicle type; None in the short form with one capacity.
        start: Id of the depot where it begins; None: at its first stop.
        end: Id of the depot where it ends; None: with its last service.
        distance: Of its legs.
        duration: From departure to return, waiting and service included.
        departure: From the start depot; begin of the first service or break where there is none.
        return_: At the end depot; end of the last service or break where there is none.
        arrivals: At each stop, waiting not yet included.
        begins: Of setup and service at each stop.
        breaks: In their order; None: not stated, as for vehicles without breaks.
        reloads: In their order; None: not stated, as for vehicles that have no trips.
        late: How late service begins at each stop; None: not stated, as where no stop may be late.
        rides: Of each stop the ride that ends there, from the end of service at its pickup, 0 where
            none has a limit; None: not stated, as where none of the route has.
        late_return: How late it is back, or ends its last service; NaN where it may not be late.
        overtime: Of the duration; NaN where there may be none.
        amounts: What was loaded for each stop, as `load` has amounts; None: not stated.
        loaded: Where a plan goes on, what the trip under way was loaded with, delivered or not, by
            the ids of stops; None: it was not under way, or no plan goes on.
        is_lost: Its vehicle has broken down.
        frozen: How many stops of it a plan that goes on had fixed; None: no plan did.
        van: Id of its vehicle in a problem of VROOM's, as of `Route`; only its answers in kind say.
    """

    vehicle: str | None
    start: str | None
    end: str | None
    distance: float = math.nan
    duration: float = math.nan
    departure: float = math.nan
    return_: float = math.nan
    arrivals: tuple[float, ...] | None = None
    begins: tuple[float, ...] | None = None
    breaks: tuple[RouteBreak, ...] | None = None
    reloads: tuple[RouteReload, ...] | None = None
    late: tuple[float, ...] | None = None
    rides: tuple[float, ...] | None = None
    late_return: float = math.nan
    overtime: float = math.nan
    amounts: tuple[Load, ...] | None = None
    loaded: tuple[Goods, ...] | None = None
    is_lost: bool = False
    frozen: int | None = None
    van: int | None = None

    def planned(self) -> "RouteSchedule":
        """The schedule without any time."""
        reloads = self.reloads and tuple(
            RouteReload(depot=each.depot, after=each.after) for each in self.reloads
        )
        return RouteSchedule(
            vehicle=self.vehicle,
            start=self.start,
            end=self.end,
            reloads=reloads,
            amounts=self.amounts,
        )


@dataclass(frozen=True, slots=True)
class RouteReport:
    """One vehicle's customers, depot omitted.

    Attributes:
        customers: The author's customer identifiers in visiting order; stops of a shipment are
            called `<id>:pickup` and `<id>:delivery`.
        load: The most on board, in demand units: for a plain instance the exactly rounded sum
            of the demands. One number a load dimension where amounts are lists.
        cost: For a plain instance the length of depot - customers - depot, in its own unit.
        schedule: Its vehicle and times; None for plain instances, and where not stated.
        way: Longitudes and latitudes along its roads, in degrees; None where nobody asked.
    """

    customers: tuple[CustomerId, ...]
    load: Load
    cost: float
    schedule: RouteSchedule | None = None
    way: tuple[tuple[float, float], ...] | None = None

    @property
    def states_load(self) -> bool:
        """False where its load is NaN: a file did not give it."""
        return isinstance(self.load, tuple) or not math.isnan(self.load)

    @property
    def loads(self) -> tuple[float, ...]:
        """The load by dimension; of an amount that is a number, one."""
        return self.load if isinstance(self.load, tuple) else (self.load,)


def route_nodes(
    instance: Instance, stops: Sequence[int], schedule: RouteSchedule | None
) -> list[int]:
    """Rows of the places that a route passes, with its reloads; ends that are open have none.

    Args:
        instance: The instance.
        stops: 1..N in visiting order.
        schedule: Of the route; None: not stated, so that it is the first vehicle type's.

    Raises:
        KeyError: It starts, reloads or ends at a depot that the instance does not have.
    """
    nodes = [instance.num_depots - 1 + stop for stop in stops]
    if instance.constraints is None:
        return [0, *nodes, 0]
    constraints = instance.constraints
    if schedule is None:
        ends = [constraints.vehicles[0].start, constraints.vehicles[0].end]
    else:
        rows = {depot.id: row for row, depot in enumerate(constraints.depots)}
        names = (schedule.start, schedule.end)
        ends = [None if name is None else rows[name] for name in names]
        for reload in reversed(route_reloads(instance, schedule)):
            nodes.insert(reload.after, reload.depot)
    return [node for node in (ends[0], *nodes, ends[1]) if node is not None]


def route_reloads(instance: Instance, schedule: RouteSchedule) -> tuple[Reload, ...]:
    """The reloads that a route states.

    Raises:
        KeyError: One is at a depot that the instance does not have.
    """
    rows = {depot.id: row for row, depot in enumerate(instance.own_constraints.depots)}
    return tuple(Reload(rows[each.depot], each.after) for each in schedule.reloads or ())


@dataclass(frozen=True, slots=True)
class Unserved:
    """A customer, a shipment or a group of alternatives that no route serves.

    Attributes:
        id: The author's identifier.
        reason: `NO_ROAD`: no vehicle can reach it, not even through other stops; `SKILLS`,
            `RELATION`, `CAPACITY`, `WINDOW`, `DURATION`, `DISTANCE`, `RIDE`, `WAIT`: no vehicle
            can serve it even by itself, `RELATION` because none of those with its skills is
            permitted to;
            `LOADED`: where a plan goes on, none that could still be loaded with it;
            `FLEET`: a vehicle could serve it; `PRIZE`: leaving it out is cheaper.
        detail: In words; by how much, or where no road leads.
    """

    id: CustomerId
    reason: Reason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """The answer to one instance.

    Attributes:
        name: The instance's name.
        status: `solved`; `invalid`; `infeasible`: proved that not all who must be can be
            served; `partial`: not all are, and nothing proves that it must be so.
        cost: Sum of the routes' costs, and of the prizes of what is left out; None where there
            is no answer in routes.
        routes: Where solved, and the best there are where partial or infeasible; may be empty
            (an instance without customers).
        gap: (cost - reference) / reference where a reference was given.
        warnings: Codes such as `SIZE_OUT_OF_TRAINING`, some with a colon and what was found.
        code: Stable identifier of the reason where not solved.
        error: The reason in words where not solved.
        unserved: Customers and shipments that no route serves, with the reasons.
        balance: What uneven work costs, in `cost` already; None: the instance does not price it.
        cost_slack: How far off `cost` may be, as other programs state it; 0 of our own answers.
        kept: Stops that stay with their vehicle of the plan that was to be kept; None: none was.
        moved: Stops of that plan that are served by another vehicle; None: no plan was to be kept.
        freeze: The time from which a plan goes on; None: none does.
        goods: `any` where it goes on, and vehicles deliver to any stop what they have on board;
            None: as the instance says.
        constructor: What constructed the routes that a search began with: a model, by its name,
            `savings` or `insertion`; None: not known, or nothing did. Neither written nor compared.
        seconds: That its answer took, of instances with constraints; 0 where it was not solved
            here.
        iterations: Of its search; 0 where it was not searched. Neither written nor compared, as the
            trace.
        trace: Seconds and cost of the plans that were better than those before, as somebody looked
            ten times a second; the last is this answer's.
        kind: As of `Instance`, where it was read from a document of that kind. Times of "csv" are
            rounded.
        rows: Of each customer in an answer to a spreadsheet, the cells of its own columns.
        parsed: The answer of VROOM's that it was read from, as it was parsed.
    """

    name: str
    status: Status
    cost: float | None = None
    routes: tuple[RouteReport, ...] = ()
    gap: float | None = None
    warnings: tuple[str, ...] = ()
    code: str | None = None
    error: str | None = None
    unserved: tuple[Unserved, ...] = ()
    balance: float | None = None
    cost_slack: float = field(default=0.0, compare=False, repr=False)
    kept: int | None = None
    moved: int | None = None
    freeze: float | None = None
    goods: GoodsKind | None = None
    constructor: str | None = field(default=None, compare=False)
    seconds: float = field(default=0.0, compare=False, repr=False)
    iterations: int = field(default=0, compare=False, repr=False)
    trace: tuple[tuple[float, float], ...] = field(default=(), compare=False, repr=False)
    kind: InKind | None = field(default=None, compare=False, repr=False)
    rows: Mapping[str, Mapping[str, str]] | None = field(default=None, compare=False, repr=False)
    parsed: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)

    @property
    def has_routes(self) -> bool:
        """Return whether it answers in routes: solved, or as much of it as there is."""
        return self.status == "solved" or self.cost is not None or bool(self.unserved)

    @property
    def states_amounts(self) -> bool:
        """Return whether it states what was loaded: routes that do not were loaded with nothing."""
        schedules = (each.schedule for each in self.routes if each.schedule is not None)
        return any(each.amounts is not None or each.loaded is not None for each in schedules)

    @property
    def fault(self) -> str | None:
        """The consequence of an internal error, in words; None: there was none.

        Its code is `INTERNAL` where that left no answer, else one of its warnings begins so.
        """
        if self.code == INTERNAL:
            return self.error or INTERNAL
        pairs = (each.partition(": ") for each in self.warnings)
        return next((words or code for code, _, words in pairs if code == INTERNAL), None)

    def planned(self) -> "Solution":
        """The plan of the answer, without any time."""
        routes = (
            replace(route, schedule=None if route.schedule is None else route.schedule.planned())
            for route in self.routes
        )
        return replace(self, routes=tuple(routes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The `summary` of a document of solutions, in this order.

    Attributes:
        instances: All of them.
        solved: Of these.
        invalid: Of these.
        infeasible: Of these.
        cost: Exactly rounded sum over all solutions; an integer if all costs are.
        seconds: Wall clock from the first byte read to the last answer found.
        instances_per_second: 0 where no time passed.
        improve: The host search that was used.
        partial: Of these; last, behind the keys that were there before it.
    """

    instances: int
    solved: int
    invalid: int
    infeasible: int
    cost: float
    seconds: float
    instances_per_second: float
    improve: str
    partial: int = 0

    @classmethod
    def of(cls, status: Counter[Status], cost: float, seconds: float, improve: str) -> "Summary":
        """Make a summary from the number of answers of each status."""
        return cls(
            instances=status.total(),
            solved=status["solved"],
            invalid=status["invalid"],
            infeasible=status["infeasible"],
            cost=cost,
            seconds=round(seconds, 6),
            instances_per_second=round(status.total() / seconds, 3) if seconds > 0 else 0.0,
            improve=improve,
            partial=status["partial"],
        )


def summarise(solutions: Sequence[Solution], seconds: float, improve: str) -> Summary:
    """The summary of solutions that are all known."""
    costs = [solution.cost for solution in solutions if solution.cost is not None]
    cost = sum(costs) if all(isinstance(cost, int) for cost in costs) else math.fsum(costs)
    return Summary.of(Counter(solution.status for solution in solutions), cost, seconds, improve)
