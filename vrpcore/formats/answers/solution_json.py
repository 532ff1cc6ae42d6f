"""Solutions as `vrp-solutions/1` has them: documents and lines out, objects out and in."""

import json
import math
import sys
from collections.abc import Iterable, Mapping
from functools import partial

from vrpcore.formats.json.json_numbers import json_number
from vrpcore.formats.json.jsondocument import SOLUTIONS
from vrpcore.formats.json.key_schema import (
    ID,
    TEXT,
    Fields,
    Key,
    Kind,
    check_number,
    integer,
    list_of,
    object_of,
    one_of,
    or_null,
)
from vrpcore.formats.json.keys import AMOUNT, BOOLEAN
from vrpcore.instance.constraints import GOODS as GOODS_KINDS
from vrpcore.instance.plan import Goods
from vrpcore.instance.solution import (
    NOT_STATED,
    REASONS,
    STATUSES,
    Load,
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


def solutions_to_json(
    lines: Iterable[str], model: Mapping[str, object] | None, summary: Mapping[str, object]
) -> str:
    """The whole `vrp-solutions/1` document, one solution per line.

    Args:
        lines: Of `solution_to_line`, in the order of the instances.
        model: name, sha256, backend, device of the one that constructed; None: none did.
        summary: Counts, cost, seconds and how they were reached.
    """
    return DOCUMENT_HEAD + LINE_SEPARATOR.join(lines) + document_tail(model, summary)


def document_tail(model: Mapping[str, object] | None, summary: Mapping[str, object]) -> str:
    """What stands behind the last solution, known only then; see `solutions_to_json`."""
    known = None if model is None else dict(model)
    return f'],\n "model": {_dumps(known)},\n "summary": {_dumps(dict(summary))}}}\n'


def solution_to_line(solution: Solution) -> str:
    """One solution as JSON on one line, without a line end: all of it ASCII, escaped."""
    return _dumps(solution_to_dict(solution))


def solution_to_dict(solution: Solution) -> dict[str, object]:
    """One solution object; costs as given, whole loads as integers."""
    found: dict[str, object] = {"name": solution.name, "status": solution.status}
    answer = {"cost": solution.cost, "routes": [route_to_dict(route) for route in solution.routes]}
    unserved = [unserved_to_dict(item) for item in solution.unserved]
    if solution.status == "solved":
        found |= {**answer, "gap": solution.gap, "warnings": list(solution.warnings)}
        known = unserved or any(route.schedule is not None for route in solution.routes)
        return found | ({"unserved": unserved} if known else {}) | _day_to_dict(solution)
    found |= {"code": solution.code, "error": solution.error}
    if solution.warnings:
        found["warnings"] = list(solution.warnings)
    if solution.has_routes:
        found |= {**answer, "unserved": unserved, **_day_to_dict(solution)}
    return found


def _day_to_dict(solution: Solution) -> dict[str, object]:
    """What uneven work costs, and how much of a plan is kept, where stated."""
    stated = ((key, getattr(solution, key)) for key in _DAY)
    found: dict[str, object] = {
        key: json_number(value) for key, value in stated if value is not None
    }
    return found if solution.goods is None else found | {"goods": solution.goods}


def route_to_dict(route: RouteReport) -> dict[str, object]:
    """One route object; null for what is `NOT_STATED`."""
    found = {
        "customers": list(route.customers),
        "load": load_to_json(route),
        "cost": None if math.isnan(route.cost) else route.cost,
    }
    return found if route.schedule is None else found | schedule_to_dict(route.schedule)


def load_to_json(route: RouteReport) -> object:
    """A route's load: a number, one for each load dimension, or None where it is not stated."""
    return _load_to_json(route.load)


def _load_to_json(load: Load) -> object:
    if isinstance(load, tuple):
        return [json_number(amount) for amount in load]
    return None if math.isnan(load) else json_number(load)


def schedule_to_dict(schedule: RouteSchedule) -> dict[str, object]:
    """The keys of a route's vehicle and times; what is not stated is left out."""
    found: dict[str, object] = {} if schedule.vehicle is None else {"vehicle": schedule.vehicle}
    found |= {"start": schedule.start, "end": schedule.end}
    for key, name in _NUMBERS.items():
        if not math.isnan(value := getattr(schedule, name)):
            found[key] = json_number(value)
    for name in ("arrivals", "begins"):
        if (times := getattr(schedule, name)) is not None:
            found[name] = [json_number(time) for time in times]
    if schedule.breaks is not None:
        found["breaks"] = [_break_to_dict(each) for each in schedule.breaks]
    if schedule.reloads is not None:
        found["reloads"] = [_reload_to_dict(each) for each in schedule.reloads]
    if schedule.late is not None:
        found["late"] = [json_number(each) for each in schedule.late]
    for key in _DELAYS:
        if not math.isnan(value := getattr(schedule, key)):
            found[key] = json_number(value)
    if schedule.amounts is not None:
        found["amounts"] = [_load_to_json(each) for each in schedule.amounts]
    if schedule.loaded is not None:
        found["loaded"] = [_goods_to_dict(each) for each in schedule.loaded]
    if schedule.is_lost:
        found["lost"] = True
    return found if schedule.frozen is None else {**found, "frozen": schedule.frozen}


def _goods_to_dict(item: Goods) -> dict[str, object]:
    """An amount in one dimension is a number: a list is read as well."""
    amount = item.amount if len(item.amount) > 1 else item.amount[0]
    return {"id": item.id, "amount": _load_to_json(amount)}


def _break_to_dict(item: RouteBreak) -> dict[str, object]:
    begin = {} if math.isnan(item.begin) else {"begin": json_number(item.begin)}
    at = {"at": _AT_RELOAD} if item.at_reload else {}
    return {"id": item.id, **begin, "after": item.after, **at}


def _reload_to_dict(item: RouteReload) -> dict[str, object]:
    times = {key: getattr(item, key) for key in ("arrival", "begin")}
    stated = {key: json_number(time) for key, time in times.items() if not math.isnan(time)}
    load = _load_to_json(item.return_load)
    on_board = {} if load is None else {"return_load": load}
    return {"depot": item.depot, "after": item.after, **stated, **on_board}


def unserved_to_dict(item: Unserved) -> dict[str, object]:
    """One object of `unserved`."""
    return {"id": item.id, "reason": item.reason, "detail": item.detail}


def build_solution(value: object, place: str) -> Solution:
    """Validates one parsed solution object.

    Args:
        value: Anything that a JSON parser returns.
        place: Where it was found, e.g. `solutions[3]`.

    Raises:
        InstanceError: Something in it is not what it should be.
    """
    found = Fields(value, place, SOLUTION)
    status = found["status"]
    if status == "solved":
        answer = {"cost": found["cost"], "routes": found["routes"], "gap": found.get("gap")}
    else:
        answer = {"code": found.get("code"), "error": found.get("error")}
        if status != "invalid":
            answer |= {"cost": found.get("cost"), "routes": found.get("routes", ())}
    if status != "invalid":
        answer |= {key: found.get(key) for key in (*_DAY, "goods")}
    return Solution(
        name=found["name"],
        status=status,
        warnings=found.get("warnings", ()),
        unserved=() if status == "invalid" else found.get("unserved", ()),
        **answer,
    )


def _route(value: object, place: str) -> RouteReport:
    found = Fields(value, place, ROUTE)
    schedule = _schedule(found) if found.has_any(SCHEDULE) else None
    return RouteReport(found["customers"], found["load"], found["cost"], schedule)


def _schedule(found: Fields) -> RouteSchedule:
    numbers = {name: found.get(key, NOT_STATED) for key, name in _NUMBERS.items()}
    numbers |= {key: found.get(key, NOT_STATED) for key in _DELAYS}
    lists = {key: found.get(key) for key in _LISTS}
    return RouteSchedule(
        vehicle=found.get("vehicle"),
        start=found["start"],
        end=found["end"],
        frozen=found.get("frozen"),
        is_lost=found.get("lost", False),
        **lists,
        **numbers,
    )


def _break(value: object, place: str) -> RouteBreak:
    found = Fields(value, place, BREAK)
    begin, at_reload = found.get("begin", NOT_STATED), found.get("at") is not None
    return RouteBreak(id=str(found["id"]), begin=begin, after=found["after"], at_reload=at_reload)


def _goods(value: object, place: str) -> Goods:
    found = Fields(value, place, GOODS)
    amount = found["amount"]
    return Goods(found["id"], amount if isinstance(amount, tuple) else (amount,))


def _reload(value: object, place: str) -> RouteReload:
    found = Fields(value, place, RELOAD)
    numbers = {key: found.get(key, NOT_STATED) for key in ("arrival", "begin", "return_load")}
    return RouteReload(depot=str(found["depot"]), after=found["after"], **numbers)


def _unserved(value: object, place: str) -> Unserved:
    found = Fields(value, place, UNSERVED)
    return Unserved(found["id"], found["reason"], found.get("detail", ""))


def _load(value: object, place: str) -> Load:
    if isinstance(value, list | tuple):
        return tuple(_number(item, f"{place}[{index}]") for index, item in enumerate(value))
    return _number(value, place)


def _status(value: object, place: str) -> Status:
    """A status; `partial` was called `not_found` once."""
    status: Status = _STATUS.read("partial" if value == "not_found" else value, place)
    return status


def _number(value: object, place: str) -> float:
    """A number as it was written: an integer stays one, so that its cost stays exact."""
    # A small length at a small rate costs less than numbers of instances may be, and a sum more.
    if isinstance(value, bool) or not isinstance(value, int | float):
        return check_number(value, place)
    return value if abs(value) <= sys.float_info.max else check_number(value, place)


_AS_WRITTEN = Kind({"type": "number"}, _number)
_STATUS = one_of(STATUSES, "STATUS")
_LOAD = {"anyOf": [_AS_WRITTEN.schema, {"type": "array", "items": _AS_WRITTEN.schema}]}
_TIMES = Key(list_of(_AS_WRITTEN, "times"))
# Keys of a route's numbers, and their names in `RouteSchedule`.
_NUMBERS = {
    "distance": "distance",
    "duration": "duration",
    "departure": "departure",
    "return": "return_",
}
_DELAYS = ("late_return", "overtime")
_DAY = ("balance", "kept", "moved", "freeze")
_LISTS = ("arrivals", "begins", "breaks", "reloads", "late", "amounts", "loaded")
_AT_RELOAD = "reload"
BREAK = {
    "id": Key(ID, required=True),
    "begin": Key(_AS_WRITTEN),
    "after": Key(integer(0), required=True),
    "at": Key(one_of((_AT_RELOAD,), "AT")),
}
RELOAD = {
    "depot": Key(ID, required=True),
    "after": Key(integer(1), required=True),
    "arrival": Key(_AS_WRITTEN),
    "begin": Key(_AS_WRITTEN),
    "return_load": Key(Kind(_LOAD, _load)),
}
GOODS = {"id": Key(ID, required=True), "amount": Key(AMOUNT, required=True)}
SCHEDULE = {
    "vehicle": Key(TEXT),
    "start": Key(or_null(TEXT), null=True),
    "end": Key(or_null(TEXT), null=True),
    **{key: Key(_AS_WRITTEN) for key in _NUMBERS},
    "arrivals": _TIMES,
    "begins": _TIMES,
    "breaks": Key(list_of(Kind(object_of(BREAK), _break), "breaks")),
    "reloads": Key(list_of(Kind(object_of(RELOAD), _reload), "reloads")),
    "late": _TIMES,
    **{key: Key(_AS_WRITTEN) for key in _DELAYS},
    "amounts": Key(list_of(AMOUNT, "amounts")),
    "loaded": Key(list_of(Kind(object_of(GOODS), _goods), "goods")),
    "lost": Key(BOOLEAN),
    "frozen": Key(integer(0)),
}
ROUTE = {
    "customers": Key(list_of(ID, "ids"), required=True, null=True),
    "load": Key(Kind(_LOAD, _load), required=True, null=True),
    "cost": Key(_AS_WRITTEN, required=True, null=True),
    **SCHEDULE,
}
UNSERVED = {
    "id": Key(ID, required=True),
    "reason": Key(one_of(REASONS, "REASON"), required=True),
    "detail": Key(TEXT),
}
SOLUTION = {
    "name": Key(TEXT, required=True, null=True),
    "status": Key(Kind(_STATUS.schema, _status), required=True, null=True),
    "cost": Key(_AS_WRITTEN, null=True),
    "routes": Key(list_of(Kind(object_of(ROUTE), _route), "routes"), null=True),
    "gap": Key(or_null(_AS_WRITTEN), null=True),
    "warnings": Key(list_of(TEXT, "codes"), null=True),
    "code": Key(or_null(TEXT), null=True),
    "error": Key(or_null(TEXT), null=True),
    "unserved": Key(list_of(Kind(object_of(UNSERVED), _unserved), "unserved")),
    "balance": Key(_AS_WRITTEN),
    "kept": Key(integer(0)),
    "moved": Key(integer(0)),
    "freeze": Key(_AS_WRITTEN),
    "goods": Key(one_of(GOODS_KINDS, "UNKNOWN_GOODS")),
}
