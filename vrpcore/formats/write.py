"""Instances and answers out, by a name, by the ending of a file, or as what was read.

What is imported here as itself is offered to others, too.
"""

import gzip
import io
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats.answers import solutionformats
from vrpcore.formats.answers.solution_json import DOCUMENT_HEAD, LINE_SEPARATOR, document_tail
from vrpcore.formats.answers.solution_json import solution_to_dict as solution_to_dict
from vrpcore.formats.answers.solution_json import solution_to_line as solution_to_line
from vrpcore.formats.answers.solutionformats import csv_header as csv_header
from vrpcore.formats.answers.solutionformats import solution_to_csv as solution_to_csv
from vrpcore.formats.files import source_label, write_bytes
from vrpcore.formats.json.json_numbers import (
    EXACT_INTEGER,
    json_number,
    json_numbers,
    json_text,
    said,
)
from vrpcore.formats.json.jsondocument import INSTANCES
from vrpcore.formats.json.known_routes import known_routes_to_list
from vrpcore.formats.json.write_constraints import constrained_to_dict
from vrpcore.instance.instance import Float64, Instance, InvalidInstance
from vrpcore.instance.plan import Plan
from vrpcore.instance.solution import Solution, Summary

Item = Instance | InvalidInstance

_MAX_NAME = 76  # with any position and the ending: about 100 characters
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")


class Form(NamedTuple):
    """A text format that is written answer by answer.

    Attributes:
        text: Of one answer; may be empty.
        tail: After all answers.
        head: Before all of them.
        separator: Between two of them.
        or_nothing: If no answer has a text, nothing is written.
    """

    text: Callable[[Item, Solution], str]
    tail: Callable[[Summary], str] = lambda _: ""
    head: str = ""
    separator: str = ""
    or_nothing: bool = False


def form_of(name: str, model: Callable[[], Mapping[str, object] | None] = lambda: None) -> Form:
    """The format of this name: json, jsonl, csv, geojson, vroom, or sol for one answer.

    Args:
        name: Its name.
        model: Returns the `model` of a document when all answers are written; None: none
            constructed.
    """
    if name == "json":
        return Form(
            lambda _, found: solution_to_line(found),
            lambda summary: document_tail(model(), asdict(summary)),
            DOCUMENT_HEAD,
            LINE_SEPARATOR,
        )
    if name == "jsonl":
        return Form(lambda _, found: f"{solution_to_line(found)}\n")
    if name == "vroom":
        from vrpcore.formats.vroom.vroom_answer import answer_to_line

        return Form(lambda item, found: f"{answer_to_line(item, found)}\n")
    if name == "csv":
        from vrpcore.formats.sheets.sheet_routes import AnswerTable

        table = AnswerTable()
        return Form(table.text, lambda _: table.end())
    if name == "geojson":
        head, separator = solutionformats.GEOJSON_HEAD, solutionformats.GEOJSON_SEPARATOR
        tail = solutionformats.GEOJSON_TAIL
        return Form(solutionformats.solution_to_geojson, lambda _: tail, head, separator)
    return Form(_sol_text, or_nothing=True)


def _sol_text(item: Item, solution: Solution) -> str:
    """The text of a `.sol` file; empty where the instance is not solved."""
    if isinstance(item, InvalidInstance) or solution.status != "solved":
        return ""
    from vrpcore.formats.answers.sol_files import solution_to_sol

    return solution_to_sol(item, solution)


def sol_file_name(position: int, name: str) -> str:
    """`<position>-<safe name>.sol`, a plain file name on every system whatever the name is.

    Args:
        position: Of the instance in the input, from 0; makes names differ that look alike,
            also where upper and lower case are one.
        name: The instance's name, of which only A-Z, a-z, 0-9, `.`, `_`, `-` are kept.
    """
    safe = _UNSAFE.sub("_", name[:_MAX_NAME]).strip(".")
    return f"{position}-{safe or 'instance'}.sol"


def form_name(items: Sequence[Item]) -> Literal["json", "vroom"]:
    """Name the format of answers where none is asked for.

    It is VROOM's where some instances came as its problems, and no valid one as anything else.
    """
    others = [item for item in items if item.kind != "vroom"]
    is_vrooms = len(others) < len(items) and all(isinstance(i, InvalidInstance) for i in others)
    return "vroom" if is_vrooms else "json"


def write_instances(
    path: str | os.PathLike[str], instances: Sequence[Instance], costs: Float64 | None = None
) -> None:
    """Writes instances with their routes, where they have any, whole or not at all.

    Args:
        path: Ends in `.json`, `.jsonl` (either also `.gz`), `.vrp` or `.npz`.
        instances: B of them.
        costs: [B] float64 costs of their routes, kept in `.npz` only.

    Raises:
        OutputError: The ending is another one, or the file cannot be written. A `.vrp` has
            one instance.
        InstanceError: The format cannot hold what an instance asks for.
    """
    name = Path(path).name.lower()
    plain = name.removesuffix(".gz")
    if name.endswith(".npz"):
        data = npz_bytes(instances, costs)
    elif plain.endswith(".jsonl"):
        data = "".join(instance_to_line(item) + "\n" for item in instances).encode()
    elif plain.endswith(".json"):
        data = instances_to_json(instances).encode()
    elif name.endswith(".vrp"):
        if len(instances) != 1:
            message = f"{len(instances)} instances, a .vrp has one; write .json"
            raise OutputError(f"{source_label(path)}: {message}", code="FORMAT")
        from vrpcore.formats.text.write_vrp import instance_to_vrp

        data = instance_to_vrp(instances[0]).encode()
    else:
        message = "unknown ending, expected .json, .jsonl (either also .gz), .vrp or .npz"
        raise OutputError(f"{source_label(path)}: {message}", code="FORMAT")
    if name.endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    write_bytes(path, data)


def instances_to_json(instances: Sequence[Instance]) -> str:
    """The whole `vrp-instances/1` document, one instance per line."""
    lines = ",\n  ".join(instance_to_line(item) for item in instances)
    head = f'{{"format": "{INSTANCES.format}", "{INSTANCES.list_key}": ['
    return head + (f"\n  {lines}" if lines else "") + "]}\n"


def instance_to_line(instance: Instance) -> str:
    """One instance as JSON on one line, without a line end."""
    return json_text(instance_to_dict(instance))


def instance_to_dict(instance: Instance) -> dict[str, object]:
    """An instance object; reading it gives an equal instance.

    The compact form is used where a plain instance has the default ids.

    Raises:
        InstanceError: It asks for something that the format has no place for (code NOT_WRITABLE).
    """
    plain = instance.constraints is None
    found = _plain_to_dict(instance) if plain else constrained_to_dict(instance)
    if instance.plan is not None:
        found["routes"] = known_routes_to_list(instance, instance.plan)
    return found


def _plain_to_dict(instance: Instance) -> dict[str, object]:
    """The object of a plain instance, without its known routes."""
    depot, points = None, None
    if instance.coords is not None:
        depot, *points = json_numbers(instance.coords)
    found = said(name=instance.name, capacity=json_number(instance.capacity), depot=depot)
    demands = json_numbers(instance.demand[1:])
    if instance.ids == tuple(range(1, instance.num_customers + 1)):
        found |= said(coords=points, demands=demands)
    else:
        rows = zip(instance.ids, points or [(None, None)] * len(demands), demands, strict=True)
        found["customers"] = [said(id=name, x=x, y=y, demand=load) for name, (x, y), load in rows]
    return found | said(
        metric=None if instance.metric == "euclidean" else instance.metric,
        distances=None if instance.distances is None else json_numbers(instance.distances),
        max_vehicles=instance.max_vehicles,
    )


def npz_bytes(instances: Sequence[Instance], costs: Float64 | None = None) -> bytes:
    """The labelled arrays of `vrp-train`: what `vrp train --data` reads.

    Holds `coords` float32 [B, M, 2], `demand` unsigned [B, M], `capacity` (one int or
    [B]), `num_customers` [B] where sizes differ, `tour` unsigned [B, T] where all have
    routes, `cost` float64 [B] where given. Names and ids are left out.

    Raises:
        InstanceError: An instance has constraints, distances, another metric than `euclidean`, a
            limit on vehicles, demands that are not whole or coordinates beyond float32: the arrays
            have no place for them.
    """
    for instance in instances:
        _check_plain(instance)
    sizes = [instance.num_customers for instance in instances]
    num_nodes = max(sizes, default=0) + 1
    coords = np.zeros((len(instances), num_nodes, 2), np.float32)
    demand = np.zeros((len(instances), num_nodes), np.uint64)
    for row, instance in enumerate(instances):
        if instance.coords is not None:
            coords[row, : sizes[row] + 1] = instance.coords
        demand[row, : sizes[row] + 1] = instance.demand
    capacity = np.array([int(instance.capacity) for instance in instances], np.int64)
    arrays: dict[str, NDArray[Any]] = {
        "coords": coords,
        "demand": _smallest(demand),
        "capacity": capacity[0] if len(set(capacity.tolist())) == 1 else capacity,
    }
    if len(set(sizes)) > 1:
        arrays["num_customers"] = np.array(sizes, np.int64)
    plans = [instance.plan for instance in instances if instance.plan is not None]
    if plans and len(plans) == len(instances):
        arrays["tour"] = _smallest(_tours(plans))
    if costs is not None:
        arrays["cost"] = np.asarray(costs, np.float64)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def _check_plain(instance: Instance) -> None:
    reason = None
    if instance.constraints is not None:
        reason = "constraints"
    elif instance.distances is not None or instance.coords is None:
        reason = "a distance matrix"
    elif instance.metric != "euclidean":
        reason = f"the metric {instance.metric}"
    elif instance.max_vehicles is not None:
        reason = "max_vehicles"
    elif instance.capacity >= EXACT_INTEGER or not float(instance.capacity).is_integer():
        reason = "a capacity that is not a whole number below 2^63"
    elif not np.array_equal(instance.demand, np.rint(instance.demand)):
        reason = "demands that are not whole numbers"
    elif np.abs(instance.coords).max() > np.finfo(np.float32).max:
        reason = "coordinates beyond float32"
    if reason:
        message = f"{instance.name!r} has {reason}, which .npz cannot store; write .json"
        raise InstanceError(message, code="FORMAT")


def _tours(plans: Sequence[Plan]) -> NDArray[np.uint64]:
    """Routes one after the other with 0 between them, padded with 0, [B, T]."""
    rows = [[node for route in plan.routes for node in (0, *route.stops)][1:] for plan in plans]
    tours = np.zeros((len(rows), max(map(len, rows), default=0)), np.uint64)
    for index, row in enumerate(rows):
        tours[index, : len(row)] = row
    return tours


def _smallest(values: NDArray[np.uint64]) -> NDArray[Any]:
    """Convert numbers to the smallest unsigned type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
