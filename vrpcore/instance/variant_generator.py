"""Random problems with constraints: the literature's 48 variants, and what it has besides.

Names are the literature's: [MD][O]VRP[B|MB][L][TW] of Berto et al., CVRP and MDCVRP without any
other letter.

Source:
    Liu et al. 2024, "Multi-Task Learning for Routing Problem with Cross-Problem Zero-Shot
    Generalization", arXiv:2402.16891 (windows, service, shares); Berto et al. 2024,
    "RouteFinder", arXiv:2406.15007 (limits, several depots, all combinations). Of the others,
    sizes and costs of vehicles are like those in the sets of Pessoa, Sadykov and Uchoa 2018, prizes
    like those of PyVRP's PCVRPTW set (Wouda, Lan and Kool 2024, doi:10.1287/ijoc.2023.0055), and
    shipments connect random points as in Li et al. 2022, "Heterogeneous Attentions for Solving
    Pickup and Delivery Problem via Deep Reinforcement Learning", arXiv:2110.02634. Alternatives
    are clusters around customers far from each other, as Fischetti, Salazar-Gonzalez and Toth
    1997 (doi:10.1287/opre.45.3.378) make them from other sets.
"""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from vrpcore.instance.constraints import DELIVERY, PICKUP, Backhauls, Constraints, plain_columns
from vrpcore.instance.generator import Problems
from vrpcore.instance.instance import CustomerId, Float64, Instance
from vrpcore.instance.relations import MAX_GROUPS, Group
from vrpcore.instance.vehicle_types import ALWAYS, Depot, VehicleType

Numbers = Float64 | float

_NUM_DEPOTS = 3  # of problems with several
_HORIZON = 4.6  # depots are open from 0 to here; speed 1 in the unit square
_SERVICE = (0.15, 0.18)  # duration, lowest and highest
_LENGTH = (0.18, 0.2)  # of a window, lowest and highest
_BACKHAUL_SHARE = 0.2
_LONGEST_LIMIT = 2.8
_LIMIT_ROOM = 1e-6  # above the round trip to the farthest customer
# Types of a mixed fleet: capacity as a share of the usual one, fixed cost, cost of a distance.
_FLEET = ((0.5, 0.2, 0.75), (1.0, 0.45, 1.0), (2.0, 1.0, 1.3))
_PRIZE = (1.0, 3.0)  # of a full load in mean round trips, lowest and highest
# Of vehicles with second trips: loading at the depot takes less than the shortest window is long.
_LOADING = 0.1
_SMALL = 0.5  # their capacity as a share of the usual one
_USED_VEHICLE = 2.0
_CLUSTER = 3  # customers of a group, on average
_MAX_LATE = 0.5
_LATE_COST = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """The constraints of a variant, in addition to one capacity.

    Attributes:
        name: In lower case.
        depots: How many; a vehicle returns to its own.
        open: Routes end with their last service (O).
        backhauls: A fifth of the customers have a pickup instead of a demand, in a route after
            all demands (`last`: B) or in any order (`mixed`: MB); None: there are none.
        limit: Routes have a largest length (L).
        windows: Customers have a window and a service time (TW).
        fleet: There are vehicles of three sizes (HF).
        prizes: Customers may be left out at a price (PC).
        shipments: Stops are pickups and deliveries (PDP).
        reloads: Vehicles hold half as much, cost something, and may load again in their day (MT).
        groups: One of each few customers is served (G).
        soft: Windows may be missed by some time, at a price (STW).
    """

    name: str
    depots: int = 1
    open: bool = False
    backhauls: Backhauls | None = None
    limit: bool = False
    windows: bool = False
    fleet: bool = False
    prizes: bool = False
    shipments: bool = False
    reloads: bool = False
    groups: bool = False
    soft: bool = False

    @property
    def covered(self) -> bool:
        """Return whether it is one of the literature's 48, which policies know."""
        others = (self.fleet, self.prizes, self.shipments, self.reloads, self.groups, self.soft)
        return not any(others)

    @property
    def plain(self) -> bool:
        """Return whether it asks for nothing."""
        return self == Variant(name=self.name)


def _all_variants() -> dict[str, Variant]:
    orders: dict[str, Backhauls | None] = {"": None, "b": "last", "mb": "mixed"}
    found = []
    for depots, open_end, order, limit, windows in itertools.product(
        (1, _NUM_DEPOTS), (False, True), orders, (False, True), (False, True)
    ):
        name = f"{'o' * open_end}vrp{order}{'l' * limit}{'tw' * windows}"
        name = ("md" if depots > 1 else "") + ("cvrp" if name == "vrp" else name)
        found.append(
            Variant(
                name=name,
                depots=depots,
                open=open_end,
                backhauls=orders[order],
                limit=limit,
                windows=windows,
            )
        )
    for windows, end in ((False, ""), (True, "tw")):
        found += [
            Variant(name=f"hfvrp{end}", fleet=True, windows=windows),
            Variant(name=f"pcvrp{end}", prizes=True, windows=windows),
            Variant(name=f"pdp{end}", shipments=True, windows=windows),
            Variant(name=f"mtvrp{end}", reloads=True, windows=windows),
            Variant(name=f"gvrp{end}", groups=True, windows=windows),
        ]
    found.append(Variant(name="vrpstw", windows=True, soft=True))
    return {each.name: each for each in found}


VARIANTS: Mapping[str, Variant] = _all_variants()
_OTHER_NAMES = {"cvrptw": "vrptw", "mdvrp": "mdcvrp"}


def find_variant(name: str) -> Variant | None:
    """The variant of a name, in upper or lower case; None: there is none."""
    lower = name.lower()
    return VARIANTS.get(_OTHER_NAMES.get(lower, lower))


def mixed_instances(problems: Problems, prefix: str, rng: np.random.Generator) -> list[Instance]:
    """A problem of a variant of its own from each plain one.

    Args:
        problems: In the unit square.
        prefix: Names are `<prefix>-<number>`.
        rng: Source of all randomness.
    """
    variants = mixed_variants(len(problems.coords), rng)
    return instances_of(variants, problems, prefix, rng)


def instances_of(
    variants: Sequence[Variant], problems: Problems, prefix: str, rng: np.random.Generator
) -> list[Instance]:
    """Make instances of given variants, one for each problem."""
    size = problems.demand.shape[1] - 1
    return [
        _Problem(variant, problems, row, _Draw.of(size, rng)).instance(f"{prefix}-{row}")
        for row, variant in enumerate(variants)
    ]


def mixed_variants(count: int, rng: np.random.Generator) -> list[Variant]:
    """Draws some of the literature's 48, each attribute with probability one half.

    The two orders of backhauls are equally likely.
    """
    covered = [each for each in VARIANTS.values() if each.covered]
    shares = np.array([0.5 if each.backhauls is None else 0.25 for each in covered])
    chosen = rng.choice(len(covered), count, p=shares / shares.sum())
    return [covered[index] for index in chosen.tolist()]


def variant_instances(
    variant: Variant, problems: Problems, prefix: str, rng: np.random.Generator
) -> list[Instance]:
    """Problems of a variant: plain ones, and what the variant asks for in addition.

    Equal problems and an `rng` in the same state give all variants the same further numbers: an
    `ovrptw` is the `vrptw` with open ends. Each customer can be served by a vehicle that serves
    nobody else. Of a PDP, each customer with an odd number is a shipment's pickup, the next one
    its delivery.

    Args:
        variant: What is wanted.
        problems: In the unit square; of an even number of customers where there are shipments.
        prefix: Names are `<prefix>-<number>`.
        rng: Source of all randomness.
    """
    return instances_of([variant] * len(problems.coords), problems, prefix, rng)


class _Draw(NamedTuple):
    """Numbers from 0 to 1 for one problem, whether its variant needs them or not.

    Attributes:
        depots: [2, 2], the second and third.
        backhauls: [N].
        times: [3, N], of service, of the length of a window and of its position.
        limit: One.
        prizes: [N].
    """

    depots: Float64
    backhauls: Float64
    times: Float64
    limit: float
    prizes: Float64

    @classmethod
    def of(cls, num_customers: int, rng: np.random.Generator) -> "_Draw":
        return cls(
            depots=rng.random((_NUM_DEPOTS - 1, 2)),
            backhauls=rng.random(num_customers),
            times=rng.random((3, num_customers)),
            limit=rng.random(),
            prizes=rng.random(num_customers),
        )


class _Problem:
    """One plain problem that becomes an instance of a variant."""

    def __init__(self, variant: Variant, problems: Problems, row: int, draw: _Draw) -> None:
        self._variant, self._draw = variant, draw
        depots = np.concatenate((problems.coords[row, :1], draw.depots[: variant.depots - 1]))
        self._points = problems.coords[row, 1:]
        self._demand = problems.demand[row, 1:].astype(np.float64)
        self._capacity = float(problems.capacity[row])
        self._coords = np.concatenate((depots, self._points))
        # [N]: from the first depot; as in the literature's sets, no customer needs another one
        self._leg: Float64 = np.linalg.norm(self._points - depots[0], axis=1)

    def instance(self, name: str) -> Instance:
        variant, size = self._variant, len(self._demand)
        vehicles = self._vehicles()
        opens = (0.0, _HORIZON) if variant.windows or variant.reloads else ALWAYS
        loading = _LOADING if variant.reloads else 0.0
        constraints = Constraints(
            depots=tuple(
                Depot(id=str(index), window=opens, service=loading)
                for index in range(variant.depots)
            ),
            vehicles=vehicles,
            groups=self._groups() if variant.groups else (),
            backhauls=variant.backhauls or "mixed",
            num_shipments=size // 2 if variant.shipments else 0,
            listed_vehicles=len(vehicles) > 1 or variant.limit or variant.reloads,
            **(plain_columns(size) | self._amounts() | self._wishes()),
        )
        return Instance(
            name=name,
            coords=self._coords,
            ids=self._ids(),
            constraints=constraints,
            **constraints.shown(),
        )

    def _ids(self) -> tuple[CustomerId, ...]:
        size = len(self._demand)
        if not self._variant.shipments:
            return tuple(range(1, size + 1))
        pairs = range(1, size // 2 + 1)
        return tuple(f"{pair}{end}" for pair in pairs for end in (PICKUP, DELIVERY))

    def _vehicles(self) -> tuple[VehicleType, ...]:
        """One type for each depot, or those of a mixed fleet; as many of each as needed."""
        if self._variant.fleet:
            return tuple(
                VehicleType(
                    id=str(index),
                    capacity=(float(math.ceil(share * self._capacity)),),
                    fixed_cost=fixed,
                    distance_cost=distance,
                )
                for index, (share, fixed, distance) in enumerate(_FLEET)
            )
        capacity = self._small() if self._variant.reloads else self._capacity
        return tuple(
            VehicleType(
                id=str(depot),
                capacity=(capacity,),
                start=depot,
                end=None if self._variant.open else depot,
                max_distance=self._limit() if self._variant.limit else math.inf,
                fixed_cost=_USED_VEHICLE if self._variant.reloads else 0.0,
                reloads=(depot,) if self._variant.reloads else None,
            )
            for depot in range(self._variant.depots)
        )

    def _small(self) -> float:
        """Half the usual capacity, or the largest demand."""
        return float(max(math.ceil(_SMALL * self._capacity), self._demand.max()))

    def _limit(self) -> float:
        """Enough for a round trip from the first depot to any customer."""
        least = 2 * float(self._leg.max()) + _LIMIT_ROOM
        return least + self._draw.limit * max(0.0, _LONGEST_LIMIT - least)

    def _amounts(self) -> dict[str, Any]:
        demand = self._demand[:, None]
        if self._variant.shipments:
            amounts = np.repeat(demand[::2], 2, axis=0)
            amounts[1::2] *= -1
            return {"shipment": amounts}
        if self._variant.backhauls is None:
            return {"delivery": demand}
        pickups = self._draw.backhauls[:, None] < _BACKHAUL_SHARE
        return {"delivery": np.where(pickups, 0.0, demand), "pickup": demand * pickups}

    def _wishes(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self._variant.windows:
            service = _between(_SERVICE, self._draw.times[0])
            length = _between(_LENGTH, self._draw.times[1])
            openings = self._pair_openings if self._variant.shipments else self._openings
            opens = openings(service, length)
            found["windows"] = np.stack((opens, opens + length), axis=1)[:, None]
            found["service"] = service
        if self._variant.soft:
            found["max_late"] = np.full(len(self._demand), _MAX_LATE)
            found["late_cost"] = np.full(len(self._demand), _LATE_COST)
        if self._variant.prizes:
            found["prize"] = self._prizes()
        return found

    def _openings(self, service: Float64, length: Float64) -> Float64:
        """[N] from when a vehicle can be there until one that is late is just back in time."""
        leg = self._leg
        return _between((leg, _HORIZON - service - length - leg), self._draw.times[2])

    def _pair_openings(self, service: Float64, length: Float64) -> Float64:
        """Draw openings for shipments.

        A pickup leaves time for its delivery, which opens when a vehicle that begins the pickup as
        it opens can be there, or later.
        """
        leg, share = self._leg, self._draw.times[2]
        across = np.linalg.norm(self._points[::2] - self._points[1::2], axis=1)
        latest = (_HORIZON - service - length - leg)[1::2]
        opens: Float64 = np.empty_like(leg)
        opens[::2] = _between((leg[::2], latest - across - service[::2]), share[::2])
        opens[1::2] = _between((opens[::2] + service[::2] + across, latest), share[1::2])
        return opens

    def _groups(self) -> tuple[Group, ...]:
        """Each customer with the nearest of a third of them, which are far from each other."""
        number = min(MAX_GROUPS, math.ceil(len(self._points) / _CLUSTER))
        away = np.full(len(self._points), np.inf)  # from the nearest of those chosen
        nearest = np.zeros(len(self._points), dtype=np.int64)
        chosen = 0
        for group in range(number):
            leg = np.linalg.norm(self._points - self._points[chosen], axis=1)
            nearest[leg < away] = group
            away = np.minimum(away, leg)
            chosen = int(away.argmax())
        members = [
            tuple((np.flatnonzero(nearest == group) + 1).tolist()) for group in range(number)
        ]
        return tuple(
            Group(f"group-{index}", each) for index, each in enumerate(filter(None, members))
        )

    def _prizes(self) -> Float64:
        """[N] in proportion to demands, so that a share of the customers is not worth the trip."""
        full_load = 2 * self._leg.mean() * _between(_PRIZE, self._draw.prizes)
        prizes: Float64 = full_load * self._demand / self._capacity
        return prizes


def _between(bounds: tuple[Numbers, Numbers], share: Float64) -> Float64:
    """Numbers at shares from 0 (lowest) to 1 (highest)."""
    low, high = bounds
    found: Float64 = low + share * (high - low)
    return found
