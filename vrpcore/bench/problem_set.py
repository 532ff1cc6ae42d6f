"""Sets of instances that solvers are compared on, with reference costs where known."""

import csv
import hashlib
import importlib.resources
import io
import json
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import numpy as np

from vrpcore.errors import ConfigError, InstanceError
from vrpcore.formats.archive import archive_names
from vrpcore.formats.files import MAX_UNPACKED_BYTES, open_reader
from vrpcore.formats.jsonio import read_instances
from vrpcore.formats.references import read_references
from vrpcore.formats.writer import instance_to_line
from vrpcore.instance.generator import (
    Distribution,
    Problems,
    as_instances,
    kool_problems,
    random_problems,
)
from vrpcore.instance.instance import Instance, InvalidInstance

SEED = 2718  # of generated sets; not the field's 1234, which its test sets are drawn with

KOOL_SIZES = (10, 20, 50, 100)

_KOOL_SEED = 1234
_GENERATED = re.compile(r"(uniform|clustered|xstyle)([1-9][0-9]{0,3})|(kool)(10|20|50|100)")
_NPZ_COSTS = ("ref_cost", "cost")
_CSV_COSTS = ("bks", "free_fleet_best", "cost")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProblemSet:
    """Instances that belong together.

    Attributes:
        name: For people.
        instances: At least one.
        references: Known costs, one per instance; None where not known.
    """

    name: str
    instances: tuple[Instance, ...]
    references: tuple[float | None, ...]

    def digests(self) -> list[str]:
        """A short hash of each instance's numbers."""
        return [_digest(instance) for instance in self.instances]


def is_generated(name: str) -> bool:
    """Whether a text names a set to generate, such as `uniform100`, and no file."""
    return _GENERATED.fullmatch(name) is not None


def generated_set(name: str, count: int, seed: int) -> ProblemSet:
    """Draws a set; one with a larger count begins with the same instances.

    Args:
        name: `uniform`, `clustered` or `xstyle` and a number of customers; or `kool10`,
            20, 50, 100: the field's test sets, with the reference costs that the package
            holds for their first 128 (256 with 10 customers).
        count: How many, at least 1.
        seed: Source of all randomness; the field's sets have their own.

    Raises:
        ConfigError: Another name.
    """
    found = _GENERATED.fullmatch(name)
    if found is None:
        raise ConfigError(
            f"{name!r} is neither a file nor a set; expected uniformN, clusteredN, xstyleN "
            "or kool10, kool20, kool50, kool100"
        )
    if found[3]:
        return _kool_set(int(found[4]), count)
    distribution, size = cast(Distribution, found[1]), int(found[2])
    instances = []
    for place in range(count):
        rng = np.random.default_rng([seed, size, place])
        (instance,) = as_instances(random_problems(distribution, (1, size), "by_size", rng), name)
        instances.append(replace(instance, name=f"{name}-{place}"))
    return ProblemSet(name=name, instances=tuple(instances), references=(None,) * count)


def _kool_set(size: int, count: int) -> ProblemSet:
    """Its coordinates are rounded to float32, as the references were made."""
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
    files: Iterable[Path], references: Mapping[str, float], count: int
) -> list[ProblemSet]:
    """Reads sets: a `.npz` or JSON file is one, the `.vrp` files of a folder are one.

    Args:
        files: Files, or folders of `.vrp` files.
        references: Costs by instance name; they win over those in a `.npz`.
        count: How many of each set, the first ones.

    Raises:
        InstanceError: A file is not what it should be, or an instance is invalid.
        OutputError: A file cannot be read.
    """
    members: dict[str, list[tuple[Instance, float | None]]] = {}
    for file in files:
        if file.is_dir():
            for path in sorted(file.glob("*.vrp")):
                members.setdefault(file.resolve().name, []).extend(_read(path))
        elif file.name.removesuffix(".gz").endswith(".vrp"):
            members.setdefault(file.resolve().parent.name, []).extend(_read(file))
        else:
            name = file.name.removesuffix(".gz").removesuffix(file.suffix)
            members.setdefault(name, []).extend(_read(file))
    empty = [name for name, found in members.items() if not found]
    if empty:
        raise InstanceError(f"{empty[0]}: contains no instances")
    return [
        ProblemSet(
            name=name,
            instances=tuple(instance for instance, _ in found[:count]),
            references=tuple(
                references.get(instance.name, known) for instance, known in found[:count]
            ),
        )
        for name, found in members.items()
    ]


def read_reference_files(files: Iterable[Path]) -> dict[str, float]:
    """Reference costs by instance name, from several files.

    Args:
        files: JSON `{name: cost}`, solutions, `.sol`, or `.csv` with a column `name` and
            one or more of `bks`, `free_fleet_best`, `cost`, of which the lowest counts.

    Raises:
        InstanceError: A file is none of these.
        OutputError: It cannot be read.
    """
    found: dict[str, float] = {}
    for file in files:
        found |= _read_csv(file) if file.suffix == ".csv" else read_references(file)
    return found


def _read_csv(file: Path) -> dict[str, float]:
    with open_reader(file) as reader:
        text = reader.rest().decode("utf-8", "replace")
    rows = csv.DictReader(io.StringIO(text))
    columns = [name for name in _CSV_COSTS if name in (rows.fieldnames or ())]
    if "name" not in (rows.fieldnames or ()) or not columns:
        raise InstanceError(
            f"{file}: columns {rows.fieldnames}, expected name and one of {', '.join(_CSV_COSTS)}"
        )
    found = {}
    for row in rows:
        try:
            costs = [float(row[column]) for column in columns if row[column]]
        except ValueError as error:
            raise InstanceError(f"{file}: {row['name']}: {error}, expected a cost") from None
        if costs:
            found[row["name"]] = min(costs)
    return found


def _read(file: Path) -> list[tuple[Instance, float | None]]:
    if file.suffix == ".npz":
        return _read_npz(file)
    found: list[tuple[Instance, float | None]] = []
    for item in read_instances(file):
        if isinstance(item, InvalidInstance):
            raise InstanceError(f"{file}: {item.error}", code=item.code)
        found.append((replace(item, routes=None), None))  # known routes would be a warm start
    return found


def _read_npz(file: Path) -> list[tuple[Instance, float | None]]:
    with open_reader(file) as reader:
        content = io.BytesIO(reader.rest())
    try:
        archive_names(content, MAX_UNPACKED_BYTES)
        content.seek(0)
        with np.load(content, allow_pickle=False) as arrays:
            found = dict(arrays)
        demand = found["demand"].astype(np.int64)
        capacity = np.broadcast_to(found["capacity"].astype(np.int64), len(demand))
        coords = found["coords"].astype(np.float64)
        costs = next((found[key] for key in _NPZ_COSTS if key in found), None)
        if coords.shape != (*demand.shape, 2) or demand.ndim != 2 or "num_customers" in found:
            raise ValueError(f"shapes {coords.shape} and {demand.shape}, expected one size")
        if costs is not None and costs.shape != (len(demand),):
            raise ValueError(f"{costs.shape} costs for {len(demand)} instances")
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InstanceError(
            f"{file}: {error}; expected arrays coords [B, N+1, 2], demand [B, N+1], capacity, "
            "and ref_cost or cost [B] where known"
        ) from None
    problems = Problems(coords=coords, demand=demand, capacity=capacity)
    known = [None] * len(demand) if costs is None else costs.astype(np.float64).tolist()
    return list(zip(as_instances(problems, file.stem), known, strict=True))


def _digest(instance: Instance) -> str:
    seen = hashlib.sha256(f"{instance.capacity} {instance.metric} {instance.max_vehicles}".encode())
    for array in (instance.coords, instance.demand, instance.distances):
        seen.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
    if instance.constraints is not None:
        seen.update(instance_to_line(instance).encode())
    return seen.hexdigest()[:12]
