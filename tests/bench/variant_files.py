"""The public instances beyond capacity in data/variants: files, conventions, best known values."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from vrpcore.api import read_instances
from vrpcore.bench.problem_set import evenly
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.solution import RouteSchedule, Solution

TEXTS = (".txt", ".vrp")


class Family(NamedTuple):
    """Instances that one table row is about.

    Attributes:
        folder: Of data/variants.
        rounding: The convention of its best known values.
        sizes: Least and most customers.
        vehicles: Column of the best known number of vehicles, where fewer come before distance.
    """

    folder: str
    rounding: str = "auto"
    sizes: tuple[int, int] = (0, 10_000)
    vehicles: str | None = None


FAMILIES = {
    "solomon": Family("solomon", "dimacs"),
    "gehring_homberger_200": Family("gehring_homberger", "dimacs", (0, 200)),
    "gehring_homberger_400": Family("gehring_homberger", "dimacs", (201, 400)),
    "gehring_homberger_600_to_1000": Family("gehring_homberger", "dimacs", (401, 1000)),
    "cordeau_mdvrp": Family("cordeau_mdvrp"),
    "pyvrp_hfvrp": Family("pyvrp_hfvrp", "exact"),
    "pyvrp_gvrp": Family("pyvrp_gvrp"),
    "pyvrp_mtvrptwr": Family("pyvrp_mtvrptwr", "dimacs"),
    "pyvrp_mdvrptw": Family("pyvrp_mdvrptw", "exact"),
    "pyvrp_pcvrptw": Family("pyvrp_pcvrptw", "dimacs"),
    "pyvrp_sdvrptw": Family("pyvrp_sdvrptw", "exact"),
    "pyvrp_vrpb": Family("pyvrp_vrpb", "round"),
    "li_lim_pdptw": Family("li_lim_pdptw", vehicles="hier_vehicles_2024_02"),
    "hvrp_classic": Family("hvrp_classic"),
}
# Small files for readers, some of which are to be refused; without best known values.
READER_TESTS = "pyvrp_tests"


class Known(NamedTuple):
    """An instance as its best known value sees it.

    Attributes:
        file: Where it is from.
        instance: Under the convention, or why it cannot be read.
        cost: Best known; None of `READER_TESTS`.
        vehicles: Best known number; None where it does not come first.
    """

    file: Path
    instance: Instance | InvalidInstance
    cost: float | None
    vehicles: int | None


def read_family(data, name, count=None):
    """Instances of a family with what is known of them, evenly spread over its files.

    Args:
        data: The data folder.
        name: Of `FAMILIES`, or `READER_TESTS`.
        count: At most so many; None: all.
    """
    family = FAMILIES.get(name, Family(name))
    folder = Path(data) / "variants" / family.folder
    known = {}
    if name != READER_TESTS:
        with (folder / "bks.csv").open() as file:
            known = {row["name"].lower(): row for row in csv.DictReader(file)}
    files = sorted(file for file in folder.iterdir() if file.suffix in TEXTS)
    files = [file for file in files if has_size(family, file)]
    for file in files if count is None else evenly(files, count):
        instance, cost, vehicles = read_file(file, family.rounding), None, None
        if known:
            row = known[file.stem.lower()]
            cost = float(row["bks"])
        if family.vehicles is not None:
            vehicles = int(row[family.vehicles])
        yield Known(file, instance, cost, vehicles)


def has_size(family, file):
    """Whether a file has as many customers as a family; only names tell before reading."""
    if family.folder != "gehring_homberger":
        return True
    least, most = family.sizes
    return least <= 100 * int(file.stem.split("_")[1]) <= most


def read_file(file, rounding):
    """The instance of a file under a convention."""
    (instance,) = read_instances(file, rounding=rounding)
    return instance


def stored_solution(known):
    """The best known routes beside a file, at their best known cost.

    Line r of such a file is vehicle r, types in the instance's order. None where there are none,
    or no cost is known under the convention.
    """
    file = known.file.with_suffix(".sol")
    if known.cost is None or not file.exists():
        return None
    (found,) = read_solutions(file)
    constraints = known.instance.own_constraints
    kinds = [kind for kind in constraints.vehicles for _ in range(kind.count or len(found.routes))]
    routes = tuple(
        replace(route, schedule=schedule(constraints, kind))
        for route, kind in zip(found.routes, kinds, strict=False)
        if route.customers
    )
    return Solution(name=known.instance.name, status="solved", cost=known.cost, routes=routes)


def schedule(constraints, kind):
    """What is stated of a vehicle whose times are not."""
    return RouteSchedule(
        vehicle=kind.id,
        start=None if kind.start is None else constraints.depots[kind.start].id,
        end=None if kind.end is None else constraints.depots[kind.end].id,
    )
