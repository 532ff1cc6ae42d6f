"""Random problems: the literature's uniform sets, clusters, and the CVRPLIB X recipe."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from vrpcore.config.sections import Capacity
from vrpcore.errors import ConfigError
from vrpcore.instance.instance import Float64, Instance, Metric

Distribution = Literal["uniform", "clustered", "xstyle", "kool"]
DISTRIBUTIONS: tuple[Distribution, ...] = get_args(Distribution)
Int64 = NDArray[np.int64]

USUAL_MAX_DEMAND = 9
_KOOL_COUNT = 10_000  # the published files hold this many; fewer draws give other numbers
_GRID = 1000  # CVRPLIB X lives on [0, 1000]^2
_XSTYLE_MAX_DEMAND = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Problems:
    """B random problems of one size.

    Attributes:
        coords: [B, N+1, 2] float64, depot first.
        demand: [B, N+1] int64, depot 0.
        capacity: [B] int64.
        metric: How their author wants lengths to be taken.
    """

    coords: Float64
    demand: Int64
    capacity: Int64
    metric: Metric = "euclidean"


def usual_capacity(num_customers: int) -> int:
    """The capacity that goes with a size in the literature's uniform sets.

    Source:
        Kool et al. 2019, arXiv:1803.08475 (10: 20, 20: 30, 50: 40, 100: 50); between
        them interpolated, beyond them 30 + N / 5, which continues the line.
    """
    if num_customers >= 100:
        return 30 + num_customers // 5
    return int(np.interp(num_customers, (10, 20, 50, 100), (20, 30, 40, 50)))


def random_problems(
    distribution: Distribution,
    shape: tuple[int, int],
    capacity: Capacity,
    rng: np.random.Generator,
    max_demand: int = USUAL_MAX_DEMAND,
) -> Problems:
    """Draws problems of one size.

    Args:
        distribution: `uniform`, `clustered` or `xstyle`; `kool` has `kool_problems`.
        shape: B and N >= 1.
        capacity: A number, `by_size` (`usual_capacity`) or `by_route_length` (so that
            a vehicle serves r customers, r triangular(3, 6, 25)); `xstyle` always
            draws by route length unless a number is given.
        rng: Source of all randomness.
        max_demand: Demands are drawn from 1 to here, but for `xstyle`, which has its own, up to
            100.

    Raises:
        ConfigError: A demand may be drawn that no vehicle holds.

    Source:
        Route lengths and `xstyle`: Uchoa et al. 2017, EJOR 257(3), section 4.
    """
    count, num_customers = shape
    number = _given_capacity(distribution, num_customers, capacity, max_demand)
    if distribution == "xstyle":
        coords, demand = _xstyle(count, num_customers, rng)
    else:
        depot = rng.random((count, 1, 2))
        customers = (
            _clusters(count, num_customers, rng)
            if distribution == "clustered"
            else rng.random((count, num_customers, 2))
        )
        coords = np.concatenate((depot, customers), axis=1)
        demand = rng.integers(1, max_demand + 1, shape)
    limit = (
        _capacity_by_route_length(demand, rng)
        if number is None
        else np.full(count, number, np.int64)
    )
    return Problems(
        coords=coords,
        demand=np.concatenate((np.zeros((count, 1), np.int64), demand), axis=1),
        capacity=limit,
        metric="euc_2d" if distribution == "xstyle" else "euclidean",
    )


def kool_problems(count: int, num_customers: int, seed: int) -> Problems:
    """The literature's usual test sets, byte for byte where `seed` is 1234.

    Args:
        count: At most 10 000.
        num_customers: N; the published sets have 10, 20, 50 and 100.
        seed: 1234 for the published ones.

    Source:
        Kool et al. 2019, arXiv:1803.08475: the legacy NumPy stream, depots, then
        customers, then demands, for 10 000 instances at once.
    """
    legacy = np.random.RandomState(seed)
    total = max(count, _KOOL_COUNT)
    depot = legacy.uniform(size=(total, 2))[:count, None]
    customers = legacy.uniform(size=(total, num_customers, 2))[:count]
    demand = legacy.randint(1, 10, size=(total, num_customers))[:count]
    return Problems(
        coords=np.concatenate((depot, customers), axis=1),
        demand=np.concatenate((np.zeros((count, 1), np.int64), demand), axis=1),
        capacity=np.full(count, usual_capacity(num_customers), np.int64),
    )


def as_instances(problems: Problems, prefix: str) -> list[Instance]:
    """Problems as instances named `<prefix>-<number>`, ids 1..N."""
    ids = tuple(range(1, problems.coords.shape[1]))
    return [
        Instance(
            name=f"{prefix}-{row}",
            capacity=float(problems.capacity[row]),
            coords=problems.coords[row],
            demand=problems.demand[row].astype(np.float64),
            ids=ids,
            metric=problems.metric,
        )
        for row in range(len(problems.coords))
    ]


def _clusters(count: int, num_customers: int, rng: np.random.Generator) -> Float64:
    """Customers around 2 to 8 centres, normally spread by 0.03 to 0.1, in the square."""
    num_centres = rng.integers(2, 9, (count, 1))
    centres = rng.random((count, 8, 2))
    chosen = rng.integers(0, num_centres, (count, num_customers))
    spread = rng.uniform(0.03, 0.1, (count, 1, 1))
    around = np.take_along_axis(centres, chosen[..., None], axis=1)
    return np.clip(around + spread * rng.standard_normal(around.shape), 0.0, 1.0)


def _given_capacity(
    distribution: Distribution, num_customers: int, capacity: Capacity, max_demand: int
) -> int | None:
    """The capacity that does not depend on what is drawn; None: there is none."""
    xstyle = distribution == "xstyle"
    if capacity == "by_route_length" or (capacity == "by_size" and xstyle):
        return None
    number = usual_capacity(num_customers) if capacity == "by_size" else capacity
    most = _XSTYLE_MAX_DEMAND if xstyle else max_demand
    if number < most:
        usual = f"by_size, {number} for {num_customers} customers"
        raise ConfigError(
            f"capacity: {usual if capacity == 'by_size' else number}, but {distribution} has "
            f"demands of up to {most}; give a number of at least {most}, or by_route_length"
        )
    return number


def _capacity_by_route_length(demand: Int64, rng: np.random.Generator) -> Int64:
    customers_per_route = rng.triangular(3, 6, 25, len(demand))
    limit = np.ceil(customers_per_route * demand.mean(axis=1)).astype(np.int64)
    enough: Int64 = np.maximum(limit, demand.max(axis=1))
    return enough


def _xstyle(count: int, num_customers: int, rng: np.random.Generator) -> tuple[Float64, Int64]:
    coords = np.empty((count, num_customers + 1, 2))
    demand = np.empty((count, num_customers), np.int64)
    for row in range(count):
        coords[row, 0] = _xstyle_depot(rng)
        coords[row, 1:] = _xstyle_customers(num_customers, rng)
        demand[row] = _xstyle_demand(coords[row, 1:], rng)
    return coords, demand


def _xstyle_depot(rng: np.random.Generator) -> Float64:
    kind = rng.integers(3)
    if kind == 0:
        return np.full(2, _GRID / 2)
    if kind == 1:
        return np.zeros(2)
    return rng.integers(0, _GRID + 1, 2).astype(np.float64)


def _xstyle_customers(num_customers: int, rng: np.random.Generator) -> Float64:
    """Random, clustered or half of each; clusters attract by exp(-distance / 40)."""
    kind = rng.integers(3)
    num_random = (num_customers, 0, num_customers // 2)[kind]
    points = rng.integers(0, _GRID + 1, (num_random, 2)).astype(np.float64)
    if kind == 0:
        return points
    seeds = rng.integers(0, _GRID + 1, (rng.integers(3, 9), 2)).astype(np.float64)
    points = np.concatenate((points, seeds))[:num_customers]
    while len(points) < num_customers:
        candidate = rng.integers(0, _GRID + 1, (8 * num_customers, 2)).astype(np.float64)
        distance = np.linalg.norm(candidate[:, None] - seeds, axis=-1)
        kept = candidate[rng.random(len(candidate)) < np.exp(-distance / 40).sum(axis=1)]
        points = np.concatenate((points, kept))[:num_customers]
    return points


def _xstyle_demand(customers: Float64, rng: np.random.Generator) -> Int64:
    """One of the seven demand patterns of the X set."""
    size = len(customers)
    most = _XSTYLE_MAX_DEMAND
    low_high = ((1, 1), (1, 10), (5, 10), (1, most), (50, most))
    kind = int(rng.integers(7))
    if kind < len(low_high):
        low, high = low_high[kind]
        return rng.integers(low, high + 1, size)
    if kind == 5:  # by quadrant
        even = (customers[:, 0] < _GRID / 2) == (customers[:, 1] < _GRID / 2)
        return np.where(even, rng.integers(1, 51, size), rng.integers(51, most + 1, size))
    many_small = rng.random(size) < rng.uniform(0.7, 0.95)
    return np.where(many_small, rng.integers(1, 11, size), rng.integers(50, most + 1, size))
