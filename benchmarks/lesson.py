"""A lesson: variants of the same work, timed in turn at several settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import torch

from vrpcore.bench.timing import Work, alternate
from vrpcore.learn.device import waited

Row = Mapping[str, Any]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """How much to measure, and where.

    Attributes:
        device: The device of all tensors.
        sizes: Numbers of customers, ascending.
        batches: Batch sizes, ascending.
        rounds: Of measurements that take microseconds.
        compile: Whether to measure `torch.compile`, which takes half a minute.
    """

    device: torch.device
    sizes: tuple[int, ...] = (10, 20, 50, 100)
    batches: tuple[int, ...] = (1, 8, 32, 128, 512)
    rounds: int = 101
    compile: bool = False

    @property
    def device_name(self) -> str:
        """The device in words."""
        if self.device.type == "cuda":
            return torch.cuda.get_device_name(self.device)
        return f"torch on cpu, {torch.get_num_threads()} thread(s)"


@dataclass(frozen=True, slots=True)
class Case:
    """The variants of a lesson at one setting.

    Attributes:
        variants: What each does in words, and the call that does it.
        counts: What else describes the setting.
        num_bytes: What variants move, where that is the point.
        skipped: Why nothing can be measured here, else None.
    """

    variants: Mapping[str, tuple[str, Work]]
    counts: Mapping[str, int] = field(default_factory=dict)
    num_bytes: Mapping[str, int] = field(default_factory=dict)
    skipped: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A lesson with its figures, as in the JSON document.

    Attributes:
        name: Of the lesson.
        title: The lesson in a sentence.
        variants: What each variant does, by name.
        rows: Counts by name, median `seconds` by variant, the `fastest`, and `bytes` where
            data moves; none where `skipped`.
        findings: What the figures say, computed from them.
        skipped: Why nothing was measured, else None.
    """

    name: str
    title: str
    variants: Mapping[str, str]
    rows: Sequence[Row]
    findings: Sequence[str]
    skipped: str | None


def counts(row: Row) -> dict[str, int]:
    """The setting of a row, by names for readers."""
    return {
        name.replace("num_customers", "N").replace("_", " "): value
        for name, value in row.items()
        if isinstance(value, int)
    }


def ratios(rows: Sequence[Row], pairs: Sequence[Pair]) -> list[str]:
    """How much longer the first of each pair takes, at the smallest and the largest setting."""
    return [_ratio(row, *pair) for row in (*rows[:1], *rows[1:][-1:]) for pair in pairs]


def _ratio(row: Row, slow: str, fast: str) -> str:
    place = ", ".join(f"{name} = {value}" for name, value in counts(row).items())
    ratio = row["seconds"][slow] / row["seconds"][fast]
    digits = 0 if ratio >= 10 else 2
    text = f"{place}: {slow} takes {ratio:,.{digits}f} times as long as {fast}"
    if moved := row.get("bytes"):
        text += f" and moves {moved[slow] / moved[fast]:.1f} times the bytes"
    return text


def crossovers(rows: Sequence[Row], pairs: Sequence[Pair]) -> list[str]:
    """From which batch size on the first of each pair is the faster one, for each size."""
    return [
        f"N = {size}: {'; '.join(_won(own, *pair) for pair in pairs)}"
        for size, group in groupby(rows, lambda row: row["num_customers"])
        for own in [list(group)]
    ]


def _won(rows: Sequence[Row], winner: str, loser: str) -> str:
    batches = [row["batch_size"] for row in rows]
    lost = [row["seconds"][winner] >= row["seconds"][loser] for row in rows]
    if lost[-1]:
        return f"{winner} never beats {loser} up to batch {batches[-1]}"
    if not any(lost):
        return f"{winner} beats {loser} at every batch"
    first = len(lost) - lost[::-1].index(True)
    return f"{winner} beats {loser} from batch {batches[first]} on"


@dataclass(frozen=True, slots=True)
class Lesson:
    """One design decision and how to measure it.

    Attributes:
        settings: Counts to measure at, the smallest first.
        pairs: Variants to compare, where the device has both.
        prepare: Makes the case of a scope and a setting; its name and docstring are the
            lesson's.
        find: Says what the rows mean for the pairs.
        slower: How many times fewer rounds than the scope's, at least 3.
    """

    settings: Callable[[Scope], Sequence[Mapping[str, int]]]
    pairs: Sequence[Pair]
    prepare: Callable[..., Case]
    find: Callable[[Sequence[Row], Sequence[Pair]], list[str]] = ratios
    slower: int = 1

    def measure(self, scope: Scope) -> Measured:
        """Times the variants at every setting."""
        rows: list[Row] = []
        for setting in self.settings(scope):
            case = self.prepare(scope, **setting)
            if case.skipped:
                break
            calls = {name: waited(call, scope.device) for name, (_, call) in case.variants.items()}
            seconds = alternate(calls, max(3, scope.rounds // self.slower))
            row = {**setting, **case.counts, "seconds": seconds}
            row["fastest"] = min(seconds, key=seconds.__getitem__)
            rows.append(row | ({"bytes": case.num_bytes} if case.num_bytes else {}))
        here = [pair for pair in self.pairs if case.variants.keys() >= set(pair)]
        return Measured(
            name=self.prepare.__name__.removesuffix("_"),
            title=(self.prepare.__doc__ or "").removesuffix("."),
            variants={name: does for name, (does, _) in case.variants.items()},
            rows=rows,
            findings=self.find(rows, here),
            skipped=case.skipped,
        )
