"""Sets of instances that solvers are compared on, with reference costs where known."""

import hashlib
import importlib.resources
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from vrpcore.bench.bks import BKS, BestKnown, read_best_known
from vrpcore.errors import ConfigError, InstanceError
from vrpcore.formats import options, read
from vrpcore.formats.options import Rounding
from vrpcore.formats.write import instance_to_line
from vrpcore.instance.generator import (
    Distribution,
    as_instances,
    kool_problems,
    random_problems,
)
from vrpcore.instance.instance import Instance, InvalidInstance
from vrpcore.instance.plan import ANY_VEHICLE
from vrpcore.solve.answer import planned, solved
from vrpcore.solve.starting_routes import misfits, own_routes

SEED = 2718  # of generated sets; not the literature's 1234, which its test sets are drawn with

KOOL_SIZES = (10, 20, 50, 100)

_KOOL_SEED = 1234
_GENERATED = re.compile(r"(uniform|clustered|xstyle)([1-9][0-9]{0,3})|(kool)(10|20|50|100)")
_TEXTS = (".vrp", ".txt")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProblemSet:
    """Instances that belong together.

    Attributes:
        name: For people.
        instances: At least one.
        references: Known costs, one per instance; None where not known.
        vehicles: Where fewer vehicles come before cost: how many the answers with these costs
            have; None where not known. Else None.
        conventions: Under which the references hold, in words.
    """

    name: str
    instances: tuple[Instance, ...]
    references: tuple[float | None, ...]
    vehicles: tuple[int | None, ...] | None = None
    conventions: tuple[str, ...] = ()

    def digests(self) -> list[str]:
        """A short hash of each instance's numbers."""
        return [_digest(instance) for instance in self.instances]


class SetReading(NamedTuple):
    """Options for reading files.

    Attributes:
        rounding: The convention for the numbers of text formats.
        fewest_vehicles: Whether fewer vehicles come before cost.
    """

    rounding: Rounding = "auto"
    fewest_vehicles: bool = False


AS_THEY_ARE = SetReading()


def is_generated(name: str) -> bool:
    """Return whether a text names a set to generate, such as `uniform100`, and no file."""
    return _GENERATED.fullmatch(name) is not None


def generated_set(name: str, count: int, seed: int) -> ProblemSet:
    """Draws a set; one with a larger count begins with the same instances.

    Args:
        name: `uniform`, `clustered` or `xstyle` and a number of customers; or `kool10`,
            20, 50, 100: the literature's test sets, with the reference costs that the package
            holds for their first 128 (256 with 10 customers).
        count: How many, at least 1.
        seed: Source of all randomness; the literature's sets have their own.

    Raises:
        ConfigError: Another name.
    """
    found = _GENERATED.fullmatch(name)
    if found is None:
        raise ConfigError(
            f"{name!r} is neither a file nor a set; expected uniformN, clusteredN or xstyleN "
            "with N from 1 to 9999, or kool10, kool20, kool50, kool100"
        )
    if found[3]:
        return _kool_set(int(found[4]), count)
    distribution, size = cast(Distribution, found[1]), int(found[2])
    instances = []
    for index in range(count):
        rng = np.random.default_rng([seed, size, index])
        (instance,) = as_instances(random_problems(distribution, (1, size), "by_size", rng), name)
        instances.append(replace(instance, name=f"{name}-{index}"))
    return ProblemSet(name=name, instances=tuple(instances), references=(None,) * count)


def _kool_set(size: int, count: int) -> ProblemSet:
    """A set by Kool et al.; coordinates are rounded to float32, as for its references."""
    file = importlib.resources.files("vrpcore.bench") / "kool.json"
    known: list[float] = json.loads(file.read_text(encoding="utf-8"))[str(size)]
    drawn = kool_problems(count, size, _KOOL_SEED)
    rounded = replace(drawn, coords=drawn.coords.astype(np.float32).astype(np.float64))
    return ProblemSet(
        name=f"kool{size}",
        instances=tuple(as_instances(rounded, f"kool{size}")),
        references=tuple((*known, *[None] * count)[:count]),
    )


def read_sets(
    files: Iterable[Path],
    references: Mapping[str, float],
    count: int,
    reading: SetReading = AS_THEY_ARE,
) -> list[ProblemSet]:
    """Reads sets: a `.npz` or JSON file is one, the `.vrp` or `.txt` files of a folder are one.

    A `bks.csv` next to `.vrp` and `.txt` files gives their best known values, by their names; where
    there is none, the routes that an instance brings give a cost. Routes are then dropped.

    Args:
        files: Files, or folders of `.vrp` files, or of `.txt` files where there are none.
        references: Costs by instance name; they win over those in a `.npz` or `bks.csv`.
        count: How many of each set: spread evenly over files with a `bks.csv`, else the first.
        reading: How.

    Raises:
        InstanceError: A file is not what it should be, or an instance is invalid.
        OutputError: A file cannot be read.
        ConfigError: Fewer vehicles come first, and an instance is plain.
    """
    sources: dict[str, list[Path]] = {}
    for file in files:
        if file.is_dir():
            found = sorted(file.glob("*.vrp")) or sorted(file.glob("*.txt"))
            sources.setdefault(file.resolve().name, []).extend(found)
        elif _is_text(file):
            sources.setdefault(file.resolve().parent.name, []).append(file)
        else:
            name = file.name.removesuffix(".gz").removesuffix(file.suffix)
            sources.setdefault(name, []).append(file)
    reader = _SetReader(references, count, reading)
    return [reader.read_set(name, found) for name, found in sources.items()]


class _Member(NamedTuple):
    """An instance of a set and what is known of it."""

    instance: Instance
    cost: float | None = None
    vehicles: int | None = None
    convention: str = ""


@dataclass(frozen=True, slots=True)
class _SetReader:
    """Reads sets; see `read_sets`."""

    references: Mapping[str, float]
    count: int
    reading: SetReading

    def read_set(self, name: str, files: Sequence[Path]) -> ProblemSet:
        members = self._members(files)
        if not members:
            raise InstanceError(f"{name}: contains no instances")
        instances = tuple(member.instance for member in members)
        plain = [each.name for each in instances if each.constraints is None]
        if self.reading.fewest_vehicles and plain:
            raise ConfigError(
                f"--fewest-vehicles: {name}: {plain[0]} is a plain instance, expected constraints"
            )
        return ProblemSet(
            name=f"{name}, fewest vehicles" if self.reading.fewest_vehicles else name,
            instances=instances,
            references=tuple(
                self.references.get(each.instance.name, each.cost) for each in members
            ),
            vehicles=tuple(each.vehicles for each in members)
            if self.reading.fewest_vehicles
            else None,
            conventions=tuple(
                dict.fromkeys(each.convention for each in members if each.convention)
            ),
        )

    def _members(self, files: Sequence[Path]) -> list[_Member]:
        folders = {file.parent for file in files if _is_text(file)}
        known = {
            folder: read_best_known(folder / BKS, fewest_vehicles=self.reading.fewest_vehicles)
            for folder in folders
            if (folder / BKS).exists()
        }
        files = evenly(files, self.count) if known else files
        found: list[_Member] = []
        for file in files:
            if len(found) < self.count:
                best = known.get(file.parent, {}).get(_stem(file))
                found += self._read(file, best)
        return found[: self.count]

    def _read(self, file: Path, best: BestKnown | None) -> list[_Member]:
        reading = options.Reading(rounding=self.reading.rounding, sheets=False)
        items, found = read.read_sources(file, reading=reading).whole(), []
        for item, cost in zip(items, read.stored_costs(file, len(items)), strict=True):
            if isinstance(item, InvalidInstance):
                raise InstanceError(f"{file}: {item.error}", code=item.code)
            instance = replace(item, plan=None)  # known routes would be a warm start
            own = self._own_cost(item) if cost is None else cost
            found.append(_Member(instance, *(best or (own,))))
        return found

    def _own_cost(self, instance: Instance) -> float | None:
        """The cost of an instance's own routes, where they are a whole answer."""
        given = instance.name in self.references or self.reading.fewest_vehicles
        if instance.plan is None or given:
            return None
        try:
            known = own_routes(instance)
            if any(route.vehicle == ANY_VEHICLE for route in known.routes):
                return None
            if misfits(instance, known, whole=True):
                return None
            finish = solved if instance.constraints is None else planned
            answer = finish(instance, known, ())
        except (InstanceError, RuntimeError):  # unknown stops, or a limit that they break
            return None
        return None if answer.status != "solved" else answer.cost


def evenly(files: Sequence[Path], count: int) -> list[Path]:
    """Choose `count` items, or all, spread evenly from the first to the last."""
    if count >= len(files):
        return list(files)
    return [files[round(at)] for at in np.linspace(0, len(files) - 1, count)]


def _is_text(file: Path) -> bool:
    return file.name.removesuffix(".gz").endswith(_TEXTS)


def _stem(file: Path) -> str:
    return Path(file.name.removesuffix(".gz")).stem.lower()


def _digest(instance: Instance) -> str:
    seen = hashlib.sha256(f"{instance.capacity} {instance.metric} {instance.max_vehicles}".encode())
    for array in (instance.coords, instance.demand, instance.distances):
        seen.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    if instance.constraints is not None:
        short = instance if instance.coords is None else replace(instance, distances=None)
        seen.update(instance_to_line(short).encode())
    return seen.hexdigest()[:12]
