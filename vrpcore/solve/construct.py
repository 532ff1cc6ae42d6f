"""Candidates of one batch, plain or with constraints: starts, symmetries, costs, ranking."""

import hashlib
import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vrpcore.arrays.batch import Batch, make_batch
from vrpcore.cost.cost import Tours, batch_cost
from vrpcore.cost.tour_routes import tour_to_routes
from vrpcore.cost.variant_cost import num_missing, variant_routes, variant_tour_length
from vrpcore.errors import ModelError
from vrpcore.instance.instance import Instance
from vrpcore.instance.plan import Plan
from vrpcore.solve.backend import Backend, Int64
from vrpcore.solve.solve_options import SolveOptions

# Beyond this many customers attention over all pairs stops being cheap on a host.
MAX_POLICY_CUSTOMERS = 1000
# A search gains nothing from the policy up to this many customers (docs/decisions.md).
SEARCHED_ALONE = 30
# Nor where it is to take less than so many times what the policy takes.
_SEARCH_SHARE = 3.0
# Seconds of a unit of `policy_work` on one core, roughly.
WORK_S = 3e-7
# Of the tours of an instance with constraints, how many the search weighs by their true costs.
NUM_TOURS = 4
# How many candidates each level of search looks at; more would only fill memory.
KEPT = {"none": 1, "fast": 16, "deep": 32}
# (rollout, node) pairs of a batch of instances: on a CPU the unit that threads share out,
# on an accelerator enough to fill it; and there (node, node) pairs, for the encoder's memory.
_BATCH_PAIRS = 60_000
_DEVICE_PAIRS = 2**22
_DEVICE_NODE_PAIRS = 2**26
# (rollout, node) pairs of one run: few enough that the work of a step stays in a core's
# cache, enough that an operation's own cost does not count. Variants have more operations.
_CACHE_PAIRS, _VARIANTS_CACHE_PAIRS = 27_000, 45_000
SIZE_SPREAD = 1.15
SEARCHED_STARTS = 16


def asks_policy(num_customers: int, options: SolveOptions) -> bool:
    """Return whether the policy constructs instances of a size; where not, savings do.

    It is always asked where nothing searches, and where the options say how it is to decode.
    Where a search follows, it is asked if that pays.

    Args:
        num_customers: N.
        options: How to solve.
    """
    if num_customers > MAX_POLICY_CUSTOMERS:
        return False
    if options.asks_for_policy:
        return True
    if num_customers <= SEARCHED_ALONE:
        return False
    own = options.time_per_instance
    return own is None or own >= _SEARCH_SHARE * WORK_S * policy_work(num_customers, options)


def asks_variants(num_customers: int, options: SolveOptions) -> bool:
    """Return whether a policy constructs instances with constraints of a size.

    It is asked where nothing searches, and where the options say how it is to decode.

    Args:
        num_customers: N.
        options: How to solve.
    """
    return num_customers <= MAX_POLICY_CUSTOMERS and options.asks_for_policy


def construct(
    instances: Sequence[Instance], backend: Backend, options: SolveOptions
) -> list[list[Plan]]:
    """Candidates of a batch: symmetric copies, starts, one transfer, costs, ranking.

    Args:
        instances: A batch of about one size, at most `MAX_POLICY_CUSTOMERS` customers: plain
            ones, or such as a policy of the variants covers.
        backend: What runs the policy.
        options: How to decode.

    Returns:
        For each instance different solutions, as many as the search looks at, cheapest first;
        with `fewest_vehicles`, those with the fewest routes first. With constraints a few plans:
        those that serve most come first. They may break limits by rounding, and leave out
        customers that no route can serve.

    Raises:
        ModelError: The model failed, or its tours are none.
    """
    batch = make_batch(instances)
    tours = construct_tours(instances, backend, batch, options)
    rank = _rank_plain if batch.plain else _rank
    ranked = rank(instances, batch, tours, options)
    for instance, plans in zip(instances, ranked, strict=True):
        for plan in plans:
            _check_plan(plan, instance, backend)
    return ranked


def construct_tours(
    instances: Sequence[Instance], backend: Backend, batch: Batch, options: SolveOptions
) -> Tours:
    """Tours of all symmetric copies of a batch.

    Args:
        instances: B of them.
        backend: What runs the policy.
        batch: The same as arrays.
        options: How to decode.

    Returns:
        [B, copies * S, T] integers, those of each instance together.
    """
    identity = np.array([random_stream(instance, options.seed) for instance in instances])
    starts, copies = starts_of(batch, options), options.augment
    together = np.arange(copies * len(instances)).reshape(copies, -1).T.ravel()
    tours = construct_rows(
        backend,
        batch.augmented(copies).take(together),
        np.repeat(starts, copies, axis=0),
        options.temperature if options.decode == "sample" else 0.0,
        (identity[:, None] + np.arange(copies)).ravel(),
    )
    return tours.reshape(len(instances), -1, tours.shape[2])


def construct_rows(
    backend: Backend, batch: Batch, starts: Int64, temperature: float, seed: Int64
) -> Tours:
    """`Backend.construct` for any number of rows: on a CPU in pieces that fit its cache.

    Args:
        backend: What runs the policy.
        batch: Instances, or symmetric copies of them.
        starts: [rows, S] int64.
        temperature: 0 = greedy.
        seed: [rows] int64.

    Returns:
        [rows, S, T] int16 or int64, T as long as the longest tour.

    Raises:
        ModelError: The model failed, or its tours have another shape or nodes that are not there.
    """
    rows, num_nodes = batch.valid.shape
    num_pieces = 1
    if backend.info.device == "cpu":
        pairs = _CACHE_PAIRS if batch.plain else _VARIANTS_CACHE_PAIRS
        num_pieces = -(-rows // max(1, pairs // (starts.shape[1] * num_nodes)))
    parts = []
    for piece in _pieces(rows, num_pieces):
        part = batch.take(piece)
        parts.append(backend.construct(part, starts[piece], temperature, seed[piece]))
        _check_tours(parts[-1], part, starts[piece], backend)
    tours = parts[0] if len(parts) == 1 else np.concatenate(parts)
    used = int(np.flatnonzero(tours.any(axis=(0, 1))).max(initial=0)) + 1
    return tours[:, :, :used]


def _check_tours(tours: Tours, batch: Batch, starts: Int64, backend: Backend) -> None:
    """Checks what a model returned, before it is an index of anything."""
    known = tours.dtype in (np.int16, np.int64)
    if not known or tours.ndim != 3 or tours.shape[:2] != starts.shape:
        found = f"tours of shape {list(tours.shape)} ({tours.dtype})"
        raise _no_tours(backend, f"{found}, expected [{len(starts)}, {starts.shape[1]}, T] (int64)")
    last = batch.depots + batch.num_customers - 1
    least, most = tours.min(axis=(1, 2), initial=0), tours.max(axis=(1, 2), initial=0)
    for row in np.flatnonzero((least < 0) | (most > last))[:1].tolist():
        found = f"node {least[row] if least[row] < 0 else most[row]}, expected 0 to {last[row]}"
        raise _no_tours(backend, found)


def _check_plan(plan: Plan, instance: Instance, backend: Backend) -> None:
    """Checks that stops are visited once, and those of a plain instance all and within capacity."""
    stops = [stop for route in plan.routes for stop in route.stops]
    plain = instance.constraints is None
    if len(set(stops)) < len(stops) or (plain and len(stops) < instance.num_customers):
        count = f"{len(set(stops))} of {instance.num_customers} customers in {len(stops)} visits"
        raise _no_tours(backend, f"{instance.name}: {count}")
    if plain and any(instance.load(route.stops) > instance.load_limit for route in plan.routes):
        raise _no_tours(backend, f"{instance.name}: a route with more than the capacity")


def _no_tours(backend: Backend, found: str) -> ModelError:
    return ModelError(
        f"{backend.info.name}: the model constructs no valid tours ({found}); export it again with "
        "vrp export, or use a shipped model"
    )


def _pieces(rows: int, count: int) -> list[slice]:
    """Slices of almost the same length."""
    edges = [rows * index // count for index in range(count + 1)]
    return [slice(first, last) for first, last in itertools.pairwise(edges)]


def num_rollouts(num_customers: int, options: SolveOptions) -> int:
    """Constructions of one symmetric copy of an instance.

    By default all first customers up to 50, then fewer, where each costs more; 16 where a
    search follows, which gains nothing from more of them (docs/decisions.md).
    """
    if options.decode == "greedy":
        return 1
    if options.decode == "sample":
        return options.samples
    default = max(8, min(50, 5000 // num_customers))
    if options.improve != "none":
        default = min(default, SEARCHED_STARTS)
    return min(options.starts or default, num_customers)


def policy_work(num_customers: int, options: SolveOptions) -> float:
    """Units of work of constructing one instance: what its seconds are proportional to.

    Measured on one core from 10 to 500 customers and 1 to 50 starts, within a tenth:
    a step costs a fixed part, one that grows with N, and one for each rollout.
    """
    size = num_customers
    rollouts = num_rollouts(size, options)
    return options.augment * size * (200 + size + rollouts * (3 + size / 12))


def batch_limit(num_customers: int, options: SolveOptions, on_host: bool) -> int:
    """Number of instances of a size in a batch.

    Args:
        num_customers: N.
        options: How to decode.
        on_host: The policy runs on the host's own cores.
    """
    num_nodes = num_customers + 1
    rollouts = num_rollouts(num_customers, options)
    if on_host:
        return int(np.clip(_BATCH_PAIRS // (rollouts * num_nodes), 1, 256))
    copies = options.augment  # all in one run there
    most = min(_DEVICE_PAIRS // (rollouts * num_nodes), _DEVICE_NODE_PAIRS // num_nodes**2)
    # A power of two, as the device's shapes are.
    return 1 << max(0, (most // copies).bit_length() - 1)


def starts_of(batch: Batch, options: SolveOptions) -> Int64:
    """Nodes of first customers, [B, S] int64; 0 where the policy chooses.

    Fewer starts than customers are spread evenly by angle around the (first) depot, which the
    order of the input cannot change.
    """
    sizes = batch.num_customers
    if options.decode != "multistart":
        return np.zeros((len(sizes), num_rollouts(int(sizes.max()), options)), np.int64)
    counts = [num_rollouts(int(size), options) for size in sizes]
    starts = np.zeros((len(sizes), max(counts)), np.int64)
    for row, (size, depots) in enumerate(zip(sizes, batch.depots, strict=True)):
        offset = batch.coords_unit[row, depots : depots + size] - batch.coords_unit[row, 0]
        starts[row, : counts[row]] = depots + spread_starts(offset, counts[row])
    return starts


def spread_starts(offset: NDArray[np.float32], count: int) -> Int64:
    """Some customers, spread evenly by angle around the depot: [count] int64 from 0.

    Args:
        offset: [N, 2] float32, locations as seen from the depot.
        count: At most N.
    """
    around = np.lexsort((offset[:, 0], np.arctan2(offset[:, 1], offset[:, 0])))
    starts: Int64 = around[np.arange(count) * len(offset) // count]
    return starts


def random_stream(instance: Instance, seed: int) -> int:
    """Makes a random stream from the instance's numbers, whatever its position in a file."""
    digest = hashlib.blake2b(digest_size=8)
    digest.update(np.array([seed, instance.capacity], np.float64).tobytes())
    for array in (instance.demand, instance.coords, instance.distances):
        if array is not None:
            digest.update(np.ascontiguousarray(array).tobytes())
    return int.from_bytes(digest.digest(), "big") >> 2


def num_routes(tours: Tours, num_depots: Int64) -> Int64:
    """Number of routes of tours, [B, K] int64.

    Args:
        tours: [B, K, T] integers, nodes; depots stand between routes and as padding.
        num_depots: [B] int64.
    """
    begins = tours >= num_depots[:, None, None]
    begins[..., 1:] &= ~begins[..., :-1]
    count: Int64 = begins.sum(axis=-1)
    return count


def ranks(cost: NDArray[np.float64]) -> Int64:
    """The rank of each tour by its cost, from 0; equal costs share one.

    The sums of a tour and of its mirror image may differ in their last digit, differently on
    each processor, and must not decide.

    Args:
        cost: [R] float64.

    Returns:
        [R] int64.
    """
    order = cost.argsort()
    ordered = cost[order]
    found = np.zeros(len(cost), np.int64)
    found[order[1:]] = (ordered[1:] > ordered[:-1] * (1 + 1e-12)).cumsum()
    return found


def _rank_plain(
    instances: Sequence[Instance], batch: Batch, tours: Tours, options: SolveOptions
) -> list[list[Plan]]:
    """The best different candidates, by the instances' own distances."""
    number = KEPT[options.improve]
    cost, vehicles = batch_cost(instances, tours), _vehicles(batch, tours, options)
    ranked = []
    for row, instance in enumerate(instances):
        most = instance.max_vehicles or instance.num_customers
        plans: list[Plan] = []
        too_many: list[Plan] = []
        for index in _different(vehicles[row], ranks(cost[row])):
            candidate = Plan.of(tour_to_routes(tours[row, index]))
            (plans if candidate.num_vehicles <= most else too_many).append(candidate)
            if len(plans) == number:
                break
        # What uses too many vehicles is kept behind the rest: search may mend it.
        ranked.append(plans + too_many[: number - len(plans)])
    return ranked


def _rank(
    _instances: Sequence[Instance], batch: Batch, tours: Tours, options: SolveOptions
) -> list[list[Plan]]:
    """The few best different candidates, by lengths in the unit square."""
    depots, vehicles = batch.num_depots, _vehicles(batch, tours, options)
    coords = batch.coords_unit.astype(np.float64)
    length = variant_tour_length(coords, tours, depots, batch.open_end).round(6)
    missing = num_missing(tours, batch.num_customers, depots)
    return [
        [
            Plan(variant_routes(tours[row, index], int(depots[row])))
            for index in _different(missing[row], vehicles[row], ranks(length[row]))[:NUM_TOURS]
        ]
        for row in range(len(tours))
    ]


def _vehicles(batch: Batch, tours: Tours, options: SolveOptions) -> Int64:
    """[B, K] int64, routes of each tour; 0 where their number does not matter."""
    if options.fewest_vehicles:
        return num_routes(tours, batch.depots)
    return np.zeros(tours.shape[:2], np.int64)


def _different(*keys: Int64) -> Int64:
    """Indices of candidates in the order of their keys; of those with equal keys the first.

    Args:
        keys: [K] int64 each, what counts most comes first. Equal ones: the same solution.
    """
    order = np.lexsort(keys[::-1])
    ordered = np.stack(keys)[:, order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)
    found: Int64 = order[new]
    return found
