"""What a measured lesson consists of, and how much to measure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import torch


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """How much to measure, and where.

    Attributes:
        device: The device of all tensors.
        sizes: Numbers of customers, ascending.
        batches: Batch sizes, ascending, 32 among them.
        repeats: Rounds of measurements that take microseconds.
        compile: Whether to measure `torch.compile`, which takes half a minute.
    """

    device: torch.device
    sizes: tuple[int, ...] = (10, 20, 50, 100)
    batches: tuple[int, ...] = (1, 8, 32, 128, 512)
    repeats: int = 101
    compile: bool = False

    @property
    def few_repeats(self) -> int:
        """Rounds of measurements that take milliseconds."""
        return max(3, self.repeats // 10)

    @property
    def device_name(self) -> str:
        """The device in words."""
        if self.device.type == "cuda":
            return torch.cuda.get_device_name(self.device)
        return f"torch on cpu, {torch.get_num_threads()} thread(s)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One setting and what its variants took.

    Attributes:
        setting: What was measured: counts by name.
        seconds: Median seconds of one call, by variant.
        num_bytes: What the variants move, where that is the point.
    """

    setting: Mapping[str, int]
    seconds: Mapping[str, float]
    num_bytes: Mapping[str, int] = field(default_factory=dict)

    @property
    def fastest(self) -> str:
        """The variant with the smallest median."""
        return min(self.seconds, key=self.seconds.__getitem__)

    def ratio(self, variant: str, other: str) -> float:
        """What `variant` takes over what `other` takes."""
        return self.seconds[variant] / self.seconds[other]

    def times(self, slow: str, fast: str) -> str:
        """The ratio for a sentence: `1.3 times as long`."""
        ratio = self.ratio(slow, fast)
        return f"{ratio:,.0f} times as long" if ratio >= 10 else f"{ratio:.1f} times as long"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """One lesson with its figures.

    Attributes:
        name: Key in the JSON document.
        title: The lesson in a sentence.
        variants: What each variant does, by name.
        rows: The figures; empty where `skipped`.
        findings: What the figures say, computed from them.
        skipped: Why nothing was measured, else empty.
    """

    name: str
    title: str
    variants: Mapping[str, str]
    rows: tuple[Row, ...] = ()
    findings: tuple[str, ...] = ()
    skipped: str = ""

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "name": self.name,
            "title": self.title,
            "variants": dict(self.variants),
            "rows": [
                {
                    **row.setting,
                    "seconds": dict(row.seconds),
                    "fastest": row.fastest,
                    **({"bytes": dict(row.num_bytes)} if row.num_bytes else {}),
                }
                for row in self.rows
            ],
            "findings": list(self.findings),
            "skipped": self.skipped or None,
        }


def crossover(rows: Iterable[Row], variant: str, rival: str) -> int | None:
    """The batch size from which on a variant is faster than its rival.

    Args:
        rows: Rows of one size with ascending `batch_size`.
        variant: Who may win.
        rival: Against whom.

    Returns:
        The smallest batch size where the variant wins there and at all larger ones;
        None where the rival wins at the largest.
    """
    found = None
    for row in rows:
        if row.seconds[variant] >= row.seconds[rival]:
            found = None
        elif found is None:
            found = row.setting["batch_size"]
    return found
