"""The best answer to a small instance whose customers may be split, among all divisions.

Each visit of a division is a customer of an ordinary document. Nothing of the product is imported.
"""

import itertools
import math

from tests.vrpcore.oracle import Best
from tests.vrpcore.oracle_day import Day
from tests.vrpcore.plain_problem import PlainProblem, get

KEYS = ("demand", "pickup")


def may_split(document, row):
    """Whether a customer may be split: it says so, or the document does."""
    return bool(get(row, "split", get(document, "split", False))) and any(amount_of(row))


def amount_of(row):
    """What a customer gets or gives, in each load dimension."""
    for key in KEYS:
        amount = get(row, key, 0)
        amount = amount if isinstance(amount, list) else [amount]
        if any(amount):
            return amount
    return [0]


def partitions(amount, step=1):
    """All ways to divide an amount into parts that are more than nothing."""
    if not any(amount):
        yield []
        return
    ranges = [range(round(each / step) + 1) for each in amount]
    for units in itertools.product(*ranges):
        part = [each * step for each in units]
        rest = [round(whole - each, 9) for whole, each in zip(amount, part, strict=True)]
        for more in partitions(rest, step) if any(units) else ():
            if not more or more[0] <= part:  # in one order
                yield [part, *more]


def best_split(document):
    """The best answer, as `best_answer` finds it for other documents."""
    rows, step = document["customers"], get(document, "split_step", 1)
    choices = [
        [None, *partitions(amount_of(row), step)]
        if may_split(document, row)
        else [[amount_of(row)]]
        for row in rows
    ]
    found = []
    for division in itertools.product(*choices):
        gone = [row for row, parts in zip(rows, division, strict=True) if parts is None]
        required = [get(row, "priority", 0) for row in gone if row.get("prize") is None]
        prizes = sum(row["prize"] for row in gone if row.get("prize") is not None)
        for best in _served(_divided(document, division)):
            missing = best.missing[0] + sum(required), best.missing[1] + len(required)
            found.append(Best(missing, best.cost + prizes))
    return min(found)


def _served(document):
    """What answers serve and cost that serve all parts of who is split."""
    if not document["customers"]:
        yield Best((0, 0), 0.0)
        return
    problem = PlainProblem(document)
    day, count = Day(problem), len(problem.units)
    parts = sum(1 << row for row, each in enumerate(document["customers"]) if "part" in each)
    for mask in range(2**count):
        if mask & parts == parts and (cost := day.cost(mask)) < math.inf:
            absent = problem.absent({place for place in range(count) if mask >> place & 1})
            required = [each.priority for each in absent if each.prize is None]
            prizes = sum(each.prize for each in absent if each.prize is not None)
            yield Best((sum(required), len(required)), cost + prizes)


def _divided(document, division):
    """The document with a customer for each part."""
    customers, nodes = [], list(range(len(document["depots"])))
    for place, (row, parts) in enumerate(zip(document["customers"], division, strict=True)):
        for part in parts or ():
            found = {**row, "id": f"{place}/{len(customers)}"}
            if may_split(document, row):
                key = next(key for key in KEYS if key in row and any(amount_of({key: row[key]})))
                found[key] = part if isinstance(row[key], list) else part[0]
                found["part"] = True
            customers.append(found)
            nodes.append(len(document["depots"]) + place)
    own = {**document, "customers": customers}
    for key in ("distances", "durations"):
        if document.get(key) is not None:
            own[key] = [[document[key][a][b] for b in nodes] for a in nodes]
    return own
