"""Runs of `python -m benchmarks quality`, kept in a file so that a long run can go on."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.contender import Contender
from benchmarks.curves import (
    Known,
    Point,
    Reach,
    RivalComparison,
    SolverRun,
    best_known,
    compared,
    reaches,
    summed_up,
)
from benchmarks.own import OWN, TIMED
from vrpcore.bench.problem_set import ProblemSet
from vrpcore.bench.timing import machine
from vrpcore.errors import ConfigError, InstanceError
from vrpcore.formats.files import open_reader

FORMAT = "vrp-bench-quality/1"
Entries = Mapping[ProblemSet, Sequence[Contender]]  # the contenders of each set
_COLUMNS = ("instance", *SolverRun._fields)


@dataclass(slots=True, kw_only=True)
class Series:
    """The runs of one contender on one set, by the instance's position."""

    version: str
    hidden: bool
    runs: dict[int, SolverRun] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class SetRecord:
    """A set and what was measured on it.

    Attributes:
        names: Of the instances.
        digests: Of their numbers.
        references: Given costs, None where the best of all runs counts.
        vehicles: Where fewer come before cost: the number of a given cost; else empty.
        notes: What a reader of its table has to know, in words.
        series: By method and setting.
    """

    name: str
    names: list[str] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)
    references: list[float | None] = field(default_factory=list)
    vehicles: list[int | None] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    series: dict[tuple[str, str], Series] = field(default_factory=dict)

    def runs(self, contender: Contender) -> dict[int, SolverRun]:
        """The runs of one contender, to be read and added to."""
        return self.series[contender.method, contender.setting].runs

    def add_instances(self, problems: ProblemSet) -> None:
        """Adds those that are new, and references.

        Raises:
            ConfigError: Other instances were measured.
        """
        digests = problems.digests()
        if any(old != new for old, new in zip(self.digests, digests, strict=False)):
            raise ConfigError(
                f"{problems.name}: the record holds a set of this name with other instances; "
                "choose another -o"
            )
        first = len(self.digests)
        self.names += [instance.name for instance in problems.instances[first:]]
        self.digests += digests[first:]
        self.references += [None] * (len(self.names) - first)
        for position, reference in enumerate(problems.references):
            if reference is not None:
                self.references[position] = reference
        if problems.vehicles is not None:
            self.vehicles = [*problems.vehicles, *self.vehicles[len(problems.vehicles) :]]

    def best(self) -> list[Known]:
        """The reference of each instance's gaps."""
        vehicles = self.vehicles or [None] * len(self.references)
        given = [Known(*known) for known in zip(self.references, vehicles, strict=True)]
        return best_known(given, [series.runs for series in self.series.values()])

    def points(self) -> list[Point]:
        """The curves: methods and settings in the order of the contenders."""
        best = self.best()
        points = [
            summed_up(method, setting, series.runs, best)
            for (method, setting), series in self.series.items()
            if series.runs and not series.hidden
        ]
        methods = list(dict.fromkeys(point.method for point in points))
        return sorted(points, key=lambda point: methods.index(point.method))

    def reaches(self) -> list[Reach]:
        """The time that rivals need to be as good as each of our points."""
        return reaches(self.points(), OWN)

    def comparisons(self) -> list[RivalComparison]:
        """Our search with each time limit against the best rival with the same."""
        best = self.best()
        found = []
        for (method, setting), series in self.series.items():
            if method != TIMED:
                continue
            rivals = {
                rival: other.runs
                for (rival, same), other in self.series.items()
                if same == setting and not rival.startswith(OWN) and not other.hidden
            }
            if comparison := compared(setting, series.runs, rivals, best):
                found.append(comparison)
        return found

    def failures(self) -> list[str]:
        """A sentence for each reason why a contender got no feasible answer."""
        reasons: dict[tuple[str, str, str], list[str]] = {}
        for (method, setting), series in self.series.items():
            for position, run in sorted(series.runs.items()):
                if run.failure is not None:
                    found = reasons.setdefault((method, setting, run.failure), [])
                    found.append(self.names[position])
        return [
            f"{method}, {setting}: {reason} ({len(names)} failed, {names[0]} first)"
            for (method, setting, reason), names in reasons.items()
        ]

    def references_from(self) -> str:
        """The source of the references, for people."""
        given = sum(reference is not None for reference in self.references)
        if given == len(self.references):
            return "given references"
        hidden = [f"{m}, {s}" for (m, s), series in self.series.items() if series.hidden]
        own = "the best cost of any method in this table" + "".join(f" or {h}" for h in hidden)
        return f"{given} given references, else {own}" if given else own


@dataclass(slots=True, kw_only=True)
class QualityRecord:
    """All sets, and the machine that they were measured on."""

    environment: dict[str, object] = field(default_factory=machine)
    sets: dict[str, SetRecord] = field(default_factory=dict)

    def join(self, entries: Entries, again: Sequence[str] = ()) -> None:
        """Adds sets and contenders; drops runs of other versions of a contender.

        Args:
            entries: What will be measured. A set may hold more instances than were measured
                so far, or fewer.
            again: Beginnings of methods whose runs are dropped in any case.

        Raises:
            ConfigError: The record has a set of one of these names with other instances.
        """
        for problems, contenders in entries.items():
            kept = self.sets.setdefault(problems.name, SetRecord(name=problems.name))
            kept.add_instances(problems)
            series: dict[tuple[str, str], Series] = {}
            for found in contenders:
                key = found.method, found.setting
                old = kept.series.get(key)
                if old is None or old.version != found.version or key[0].startswith(tuple(again)):
                    old = Series(version=found.version, hidden=found.hidden)
                series[key] = old
            kept.series = series | {k: old for k, old in kept.series.items() if k not in series}

    def to_json(self) -> str:
        """The document, with curves computed from the runs."""
        document = {
            "format": FORMAT,
            "environment": self.environment,
            "sets": [_set_to_json(kept) for kept in self.sets.values()],
        }
        return json.dumps(document) + "\n"


def read_record(path: Path) -> QualityRecord:
    """Read the record of an earlier run; an empty one where there is no file.

    Raises:
        InstanceError: Not such a document.
        ConfigError: It was measured on another processor.
        OutputError: It cannot be read.
    """
    if not path.exists():
        return QualityRecord()
    with open_reader(path) as reader:
        data = reader.rest()
    try:
        document = json.loads(data)
        if document["format"] != FORMAT:
            raise ValueError(f"format {document['format']!r}")
        record = QualityRecord(environment=dict(document["environment"]))
        for found in document["sets"]:
            record.sets[found["name"]] = _set_from_json(found)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise InstanceError(f"{path}: {error}; expected a {FORMAT} document") from None
    here, there = machine()["processor"], record.environment.get("processor")
    if here != there:
        raise ConfigError(
            f"{path}: was measured on {there!r}, but this machine is {here!r}; choose another -o"
        )
    return record


def _set_to_json(kept: SetRecord) -> dict[str, object]:
    def columns(runs: dict[int, SolverRun]) -> dict[str, list[object]]:
        rows = [(position, *run) for position, run in sorted(runs.items())]
        return {name: [row[index] for row in rows] for index, name in enumerate(_COLUMNS)}

    return {
        "name": kept.name,
        "references_from": kept.references_from(),
        "notes": kept.notes,
        "instances": kept.names,
        "digests": kept.digests,
        "references": kept.references,
        "vehicles": kept.vehicles,
        "curves": [point._asdict() for point in kept.points()],
        "series": [
            {
                "method": method,
                "setting": setting,
                "version": series.version,
                "hidden": series.hidden,
                "runs": columns(series.runs),
            }
            for (method, setting), series in kept.series.items()
        ],
    }


def _set_from_json(found: dict[str, Any]) -> SetRecord:
    kept = SetRecord(
        name=found["name"],
        names=list(found["instances"]),
        digests=list(found["digests"]),
        references=list(found["references"]),
        vehicles=list(found["vehicles"]),
        notes=list(found["notes"]),
    )
    sizes = {len(kept.names), len(kept.digests), len(kept.references)}
    if len(sizes | ({len(kept.vehicles)} - {0})) != 1:
        raise ValueError(f"{kept.name}: instances, digests and references differ in number")
    for item in found["series"]:
        series = Series(version=item["version"], hidden=item["hidden"])
        columns = [item["runs"][name] for name in _COLUMNS]
        for position, *values in zip(*columns, strict=True):
            if position not in range(len(kept.names)):
                raise ValueError(f"{kept.name}: no instance {position}")
            series.runs[position] = SolverRun(*values)
        kept.series[item["method"], item["setting"]] = series
    return kept
