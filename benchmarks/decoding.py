"""The policy without search against RL4CO's decoding: `python -m benchmarks decode`."""

import importlib.util
import json
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from vrpcore.bench.timing import in_turn, timed
from vrpcore.errors import ConfigError
from vrpcore.instance.instance import Float64
from vrpcore.solve.construct import construct_rows
from vrpcore.solve.models import open_backend

WORKER = Path(__file__).with_name("rl4co_worker.py")
SIZES, BATCHES, AUGMENTS, ROUNDS = (20, 50, 100), (1, 32, 256), (1, 8), 3
# On CUDA a round is dozens of processes that mostly load their libraries, so there is only one.
CUDA_BATCHES, CUDA_ROUNDS = (1, 32, 256, 1024), 1
QUICK_SIZES, QUICK_BATCHES, QUICK_ROUNDS = (20, 50), (32,), 1
_MOST_REPEATS, _CUSTOMERS = 5, 40_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodingRun:
    """Greedy decoding from all N first customers, to the cost of each instance's best tour.

    Attributes:
        num_customers: N.
        batch: Instances of a pass.
        augment: Symmetric copies.
        variants: The literature's variants, mixed, instead of plain instances.
        own_ms: Milliseconds of an instance here: of the processor, or by the clock on CUDA.
        rl4co_ms: The same by RL4CO.
    """

    num_customers: int
    batch: int
    augment: int
    variants: bool
    own_ms: float
    rl4co_ms: float

    @property
    def ratio(self) -> float:
        """The ratio to RL4CO's instances a second."""
        return self.rl4co_ms / self.own_ms


def rl4co_python(given: Path | None) -> Path | None:
    """The interpreter to run RL4CO with: the given one, else this one if it can.

    Raises:
        ConfigError: The given one cannot import rl4co.
    """
    if given is None:
        return Path(sys.executable) if importlib.util.find_spec("rl4co") else None
    find = "import importlib.util; print(importlib.util.find_spec('rl4co') is not None)"
    try:
        found = subprocess.run([given, "-c", find], capture_output=True, check=False)  # noqa: S603
    except OSError as error:
        raise ConfigError(f"{given}: cannot be run: {error.strerror}") from None
    if found.stdout.strip() != b"True":
        raise ConfigError(
            f"{given}: has no rl4co; name an interpreter that does (pip install rl4co)"
        )
    return given


class DecodingCase(NamedTuple):
    """The case to decode; see `DecodingRun`."""

    num_customers: int
    batch: int
    augment: int
    variants: bool = False


def measure_decoding(python: Path, case: DecodingCase, rounds: int, device: str) -> DecodingRun:
    """Both in turn; medians of the rounds.

    On a CPU both have one thread, and its time counts: other work on the machine disturbs it less
    than wall time. RL4CO runs in a process of its own, this project's shipped model (on a CPU as
    ONNX) and its float64 costs here.

    Args:
        python: Of `rl4co_python`.
        case: What is decoded. RL4CO mixes 16 variants, this project 48.
        rounds: At least 1.
        device: `cpu`, `cuda` or `cuda:N`.

    Raises:
        ConfigError: RL4CO failed.
        DeviceError: The device is not available.
    """
    rows = case.num_customers * case.batch * case.augment
    repeats = max(1, min(_MOST_REPEATS, _CUSTOMERS // rows))
    decode = own_pass(case, device)
    decode()
    clock = _clock(device)
    passes = range(max(ROUNDS, repeats))
    seconds = in_turn(
        {
            "rl4co": lambda: _rl4co_s(python, case, repeats, device),
            "own": lambda: statistics.median(getattr(timed(decode), clock) for _ in passes),
        },
        rounds,
    )
    return DecodingRun(
        **case._asdict(),
        own_ms=1e3 * statistics.median(seconds["own"]) / case.batch,
        rl4co_ms=1e3 * statistics.median(seconds["rl4co"]) / case.batch,
    )


def _clock(device: str) -> str:
    return "cpu_s" if device == "cpu" else "wall_s"


def _rl4co_s(python: Path, case: DecodingCase, repeats: int, device: str) -> float:
    words = [*map(str, (*case[:3], repeats, 1, device)), *(["variants"] if case.variants else [])]
    done = subprocess.run(  # noqa: S603 - the user's own interpreter
        [python, WORKER, "decode", *words], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        last = (done.stderr.splitlines() or ["no message"])[-1]
        raise ConfigError(f"{python}: RL4CO failed: {last}")
    return float(json.loads(done.stdout.splitlines()[-1])[_clock(device)])


def own_pass(case: DecodingCase, device: str) -> Callable[[], Float64]:
    """Prepare a pass of our policy: from a batch that is ready to the lowest cost of each.

    Args:
        case: What is decoded.
        device: Of the policy.

    Returns:
        The pass, which returns [B] float64.
    """
    from vrpcore.learn.bench.self_cases import plain_case, variants_case

    num_customers, count, augment, variants = case
    drawn = (variants_case if variants else plain_case)(num_customers, count)
    backend = open_backend(drawn.model, device)
    firsts = drawn.batch.depots[:, None] + np.arange(num_customers)
    starts = np.tile(firsts, (augment, 1))
    seed = np.zeros(len(starts), np.int64)

    def decode() -> Float64:
        tours = construct_rows(backend, drawn.batch.augmented(augment), starts, 0.0, seed)
        tours = tours.reshape(augment, count, num_customers, -1).swapaxes(0, 1)
        costs = drawn.costs(tours.reshape(count, augment * num_customers, -1))
        lowest: Float64 = costs.min(axis=1)
        return lowest

    return decode
