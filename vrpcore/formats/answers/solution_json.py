"""Solutions as `vrp-solutions/1` has them: documents and lines out, objects out and in."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

from vrpcore.errors import fault
from vrpcore.formats.json.fast_reading import read_text
from vrpcore.formats.json.json_numbers import finite, json_number, json_text
from vrpcore.formats.json.jsondocument import SOLUTIONS
from vrpcore.formats.json.jsonparse import JsonText
from vrpcore.formats.json.values import (
    MAX_INTEGER,
    Computed,
    Id,
    JsonRow,
    NotNegative,
    Whole,
    about,
)
from vrpcore.instance.constraints import MAX_DIMENSIONS, GoodsKind
from vrpcore.instance.plan import Goods
from vrpcore.instance.solution import (
    NOT_STATED,
    Reason,
    RouteBreak,
    RouteReload,
    RouteReport,
    RouteSchedule,
    Solution,
    Status,
    Unserved,
)

LINE_SEPARATOR = ",\n  "  # between two solutions of a document

_dumps = partial(json.dumps, allow_nan=False)
# What stands before the first solution, for documents written as solutions come. Then follow the
# lines of `solution_to_line`, `LINE_SEPARATOR` between them, and `document_tail`.
DOCUMENT_HEAD = f'{{"format": {_dumps(SOLUTIONS.format)},\n "{SOLUTIONS.list_key}": [\n  '

# An integer stays one: it is exact.
Cost = Computed | Annotated[int, Meta(ge=-MAX_INTEGER, le=MAX_INTEGER)]
Times = Annotated[tuple[Computed, ...], Meta(extra={"of": "times"})]
Amount = (
    NotNegative
    | Annotated[
        tuple[NotNegative, ...],
        Meta(min_length=1, max_length=MAX_DIMENSIONS, extra={"of": "load dimensions"}),
    ]
)
T = TypeVar("T")
Row = TypeVar("Row", bound=JsonRow)
Item = TypeVar("Item", Solution, Unserved, RouteSchedule, RouteReload, RouteBreak)


# fmt: off
class SolutionBreak(JsonRow, kw_only=True):
    """A break that a vehicle takes."""

    id: Annotated[Id, about("Of the break.")]
    begin: Annotated[Computed | None, about("When it begins.")] = None
    after: Annotated[Whole, about("So many stops of the route are served before.")]
    at: Annotated[Literal["reload"] | None, about(
        "Taken at the reload behind these stops, after the loading.")] = None


class SolutionReload(JsonRow):
    """A call at a depot between two trips."""

    depot: Annotated[Id, about("Where it reloads.")]
    after: Annotated[Annotated[int, Meta(ge=1, le=MAX_INTEGER)], about(
        "So many stops of the route are served before.")]
    arrival: Annotated[Computed | None, about("When it is there.")] = None
    begin: Annotated[Computed | None, about("When loading begins.")] = None
    return_load: Annotated[Computed | tuple[Computed, ...] | None, about(
        "All on board on arrival, in each load dimension.")] = None


class SolutionGoods(JsonRow):
    """The amount that a trip was loaded with for a stop."""

    id: Annotated[Id, about("Of the stop.")]
    amount: Annotated[Amount, about("What was loaded for it, in each load dimension.")]


class SolutionRoute(JsonRow):
    """One vehicle's customers; from `vehicle` on, only of instances with constraints."""

    customers: Annotated[Annotated[tuple[Id, ...], Meta(extra={"of": "ids"})], about(
        "Ids of its stops in order; of shipments, `ID:pickup` and `ID:delivery`.")]
    load: Annotated[Computed | tuple[Computed, ...], about(
        "The most on board, in each load dimension.")]
    cost: Annotated[Cost, about("Of this route.")]
    vehicle: Annotated[str | None, about("Its type; not in the short form.")] = None
    start: Annotated[str | UnsetType | None, about(
        "Depot where it begins; null: at its first stop.")] = UNSET
    end: Annotated[str | UnsetType | None, about(
        "Depot where it ends; null: with its last service.")] = UNSET
    distance: Annotated[Computed | None, about("Of all legs.")] = None
    duration: Annotated[Computed | None, about("From departure to return.")] = None
    departure: Annotated[Computed | None, about(
        "When the vehicle leaves, or begins to load.")] = None
    return_: Annotated[Computed | None,
        about("When it is back; without an end, when its last service "
              "ends.")] = msgspec.field(default=None, name="return")
    arrivals: Annotated[Times | None, about("At each stop.")] = None
    begins: Annotated[Times | None, about("Of each service, with its setup.")] = None
    breaks: Annotated[
        Annotated[tuple[SolutionBreak, ...], Meta(extra={"of": "breaks"})] | None,
        about("If its vehicle has some: those it takes, in order.")] = None
    reloads: Annotated[
        Annotated[tuple[SolutionReload, ...], Meta(extra={"of": "reloads"})] | None,
        about("If its vehicle may reload: its calls at depots.")] = None
    late: Annotated[Times | None, about(
        "If some stop may be late: how late service begins at each.")] = None
    rides: Annotated[Times | None, about(
        "If some ride has a limit: how long that to each stop is; 0 without one.")] = None
    late_return: Annotated[Computed | None, about(
        "If the vehicle may be late: how late it is back.")] = None
    overtime: Annotated[Computed | None, about(
        "If the vehicle may work longer: by how much.")] = None
    amounts: Annotated[Annotated[tuple[Amount, ...], Meta(extra={"of": "amounts"})] | None, about(
        "If it delivers: what was loaded for each stop. With `split`, also what is picked "
        "up.")] = None
    loaded: Annotated[
        Annotated[tuple[SolutionGoods, ...], Meta(extra={"of": "goods"})] | None,
        about("After `freeze`, of a vehicle that had begun to load: for whom, delivered or "
              "not.")] = None
    lost: Annotated[bool | None, about("After `freeze`: the vehicle has broken down.")] = None
    frozen: Annotated[Whole | None, about("After `freeze`: so many of its stops had begun.")] = None


class SolutionUnserved(JsonRow):
    """A customer, a shipment or a group that no route serves."""

    id: Annotated[Id, about("Of a customer, a shipment or a group.")]
    reason: Annotated[Reason, about("Why, as a code.")]
    detail: Annotated[str | None, about("Why, in words.")] = None


class SolutionDocument(JsonRow):
    """The answer to one instance."""

    name: Annotated[str, about("Of the instance.")]
    status: Annotated[Status, about("How far it is solved.")]
    code: Annotated[str | None, about("Unless it is solved: why, as a code.")] = None
    error: Annotated[str | None, about("Unless it is solved: why, in words.")] = None
    cost: Annotated[Cost | None, about(
        "In float64 from the numbers as read; an integer for `euc_2d` and `ceil_2d`.")] = None
    routes: Annotated[
        Annotated[tuple[SolutionRoute, ...], Meta(extra={"of": "routes"})] | None,
        about("Unless it is invalid.")] = None
    gap: Annotated[Computed | UnsetType | None, about(
        "(cost - reference) / reference; null without a reference.")] = UNSET
    warnings: Annotated[Annotated[tuple[str, ...], Meta(extra={"of": "codes"})] | None, about(
        "Codes; behind some, a colon and what was found.")] = None
    unserved: Annotated[
        Annotated[tuple[SolutionUnserved, ...], Meta(extra={"of": "unserved"})] | None,
        about("With constraints: who is not served, and why.")] = None
    balance: Annotated[Computed | None, about(
        "What uneven work costs; it is in `cost`, and in no route's.")] = None
    kept: Annotated[Whole | None, about(
        "After `keep_cost`: so many stops of the known plan stay with their vehicles.")] = None
    moved: Annotated[Whole | None, about("After `keep_cost`: so many do not.")] = None
    freeze: Annotated[Computed | None, about("After `freeze`: its time.")] = None
    goods: Annotated[GoodsKind | None, about("After `freeze`: `any`, if it was.")] = None
    # fmt: on


def document_tail(model: Mapping[str, object] | None, summary: Mapping[str, object]) -> str:
    """The text behind the last solution, known only then.

    Args:
        model: name, sha256, backend, device of the one that constructed; None: none did.
        summary: Counts, cost, seconds and how they were reached.
    """
    known = None if model is None else dict(model)
    return f'],\n "model": {_dumps(known)},\n "summary": {_dumps(dict(summary))}}}\n'


def solution_to_line(solution: Solution) -> str:
    """One solution as JSON on one line, without a line end: all of it ASCII, escaped."""
    return json_text(_document(solution))


def solution_to_dict(solution: Solution) -> dict[str, object]:
    """One solution object; costs as given, whole loads as integers."""
    return _builtins(_document(solution))


def route_to_dict(route: RouteReport) -> dict[str, object]:
    """One route object; null for what is `NOT_STATED`."""
    return _builtins(_route(route))


def _builtins(row: JsonRow) -> dict[str, object]:
    found: dict[str, object] = msgspec.json.decode(msgspec.json.encode(row))
    return found


def _document(solution: Solution) -> SolutionDocument:
    solved, answers = solution.status == "solved", solution.has_routes
    lists_unserved = answers and (
        not solved
        or bool(solution.unserved)
        or any(route.schedule is not None for route in solution.routes)
    )
    return _row(
        SolutionDocument,
        solution,
        code=None if solved else solution.code,
        error=None if solved else solution.error,
        cost=None if solution.cost is None else _cost(solution.cost),
        routes=_each(_route, solution.routes) if answers else None,
        gap=UNSET if not solved else None if solution.gap is None else finite(solution.gap),
        warnings=solution.warnings if solved or solution.warnings else None,
        unserved=_each(_unserved, solution.unserved) if lists_unserved else None,
        balance=None if solution.balance is None else json_number(solution.balance),
    )


def _each(write: Callable[[Any], T], items: Sequence[object] | None) -> tuple[T, ...] | None:
    return None if items is None else tuple(map(write, items))


def _cost(cost: float) -> float:
    whole = isinstance(cost, int) and abs(cost) <= MAX_INTEGER
    return cost if whole else finite(float(cost))


def _row(kind: type[Row], item: object, **own: Any) -> Row:
    """A row that has what an item calls the same, but for what is given."""
    names = (name for name in kind.__struct_fields__ if name not in own)
    return kind(**{name: _stated(getattr(item, name, None)) for name in names}, **own)


def _stated(value: Any) -> Any:
    """A number, one a load dimension, or a text; None: not stated."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return tuple(map(json_number, value))
    return None if math.isnan(value) else json_number(value)


def _route(route: RouteReport) -> SolutionRoute:
    own: dict[str, Any] = {"customers": route.customers, "load": _stated(route.load)}
    own["cost"] = None if math.isnan(route.cost) else _cost(route.cost)
    if (schedule := route.schedule) is None:
        return SolutionRoute(**own)
    return _row(
        SolutionRoute,
        schedule,
        **own,
        breaks=_each(_break, schedule.breaks),
        reloads=_each(partial(_row, SolutionReload), schedule.reloads),
        amounts=_each(_stated, schedule.amounts),
        loaded=_each(_goods, schedule.loaded),
        lost=schedule.is_lost or None,
    )


def _break(item: RouteBreak) -> SolutionBreak:
    return _row(SolutionBreak, item, at="reload" if item.at_reload else None)


def _goods(item: Goods) -> SolutionGoods:
    """An amount in one dimension is a number: a list is read as well."""
    amount = item.amount if len(item.amount) > 1 else item.amount[0]
    return SolutionGoods(id=item.id, amount=_stated(amount))


def _unserved(item: Unserved) -> SolutionUnserved:
    return SolutionUnserved(id=item.id, reason=item.reason, detail=item.detail)


def read_solution(text: JsonText, place: str) -> Solution:
    """Reads one solution object.

    Args:
        text: Of it.
        place: Where it was found, e.g. `solutions[3]`.

    Raises:
        InstanceError: It is no JSON, or something in it is not what it should be.
    """
    row = read_text(text, place, SolutionDocument)
    solved = row.status == "solved"
    for key in ("cost", "routes") if solved else ():
        if getattr(row, key) is None:
            raise fault(f"{place}.{key}", "missing", "MISSING")
    if row.status == "invalid":
        told: dict[str, Any] = {"code": row.code, "error": row.error}
        return Solution(name=row.name, status=row.status, warnings=row.warnings or (), **told)
    return _item(
        Solution,
        row,
        routes=tuple(
            _report(each, f"{place}.routes[{index}]") for index, each in enumerate(row.routes or ())
        ),
        gap=row.gap if solved and row.gap is not UNSET else None,
        unserved=tuple(_item(Unserved, each) for each in row.unserved or ()),
        **dict.fromkeys(("code", "error") if solved else ()),
    )


def _item(kind: type[Item], row: JsonRow, **own: Any) -> Item:
    """An item that has what a row calls the same and states, but for what is given."""
    found = {name: getattr(row, name, None) for name in kind.__slots__}
    return kind(**{name: value for name, value in found.items() if value is not None} | own)


def _report(row: SolutionRoute, place: str) -> RouteReport:
    given = (getattr(row, key) for key in SolutionRoute.__struct_fields__[3:])
    if all(each is None or each is UNSET for each in given):
        return RouteReport(row.customers, row.load, row.cost)
    start, end = row.start, row.end
    if start is UNSET or end is UNSET:
        raise fault(f"{place}.{'start' if start is UNSET else 'end'}", "missing", "MISSING")
    schedule = _item(
        RouteSchedule,
        row,
        vehicle=row.vehicle,
        start=start,
        end=end,
        breaks=_each(_taken, row.breaks),
        reloads=_each(lambda each: _item(RouteReload, each, depot=str(each.depot)), row.reloads),
        loaded=_each(_loaded, row.loaded),
        is_lost=bool(row.lost),
    )
    return RouteReport(row.customers, row.load, row.cost, schedule)


def _taken(row: SolutionBreak) -> RouteBreak:
    begin = NOT_STATED if row.begin is None else row.begin
    return _item(RouteBreak, row, id=str(row.id), begin=begin, at_reload=row.at is not None)


def _loaded(row: SolutionGoods) -> Goods:
    return Goods(row.id, row.amount if isinstance(row.amount, tuple) else (row.amount,))
