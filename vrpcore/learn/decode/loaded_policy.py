"""A policy for experiments: it solves batches, and scores given tours with gradients."""

import operator
from collections.abc import Sequence
from typing import Any, NamedTuple, SupportsIndex, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.arrays.batch import Batch, make_batch
from vrpcore.arrays.coverage import why_not_covered
from vrpcore.cost.cost import batch_cost
from vrpcore.cost.tour_routes import visits_once
from vrpcore.cost.variant_cost import variant_tour_cost
from vrpcore.errors import ConfigError, InstanceError, ShapeError
from vrpcore.instance.instance import Float64, Instance, InvalidInstance
from vrpcore.learn.decode.fixed_shape import construct_once
from vrpcore.learn.decode.likelihood import choice_logits, log_likelihood
from vrpcore.learn.env.inputs import Inputs, to_device
from vrpcore.learn.policy.policy import Policy


class ConstructedTours(NamedTuple):
    """Tours that a policy constructed for B instances, on the host.

    Attributes:
        nodes: [B, S, T] int64, nodes in visiting order: depots, then customers in the order of the
            instance; depots stand between routes and as padding.
        costs: [B, S] float64; of plain instances in their own unit, else lengths in sides of the
            square that the locations fill.
    """

    nodes: NDArray[np.int64]
    costs: Float64


class LoadedPolicy:
    """A policy on its device, called with instances.

    Args:
        network: The policy.
        device: Where it is to run.

    Attributes:
        network: The policy there; a module like any other.
    """

    def __init__(self, network: Policy, device: torch.device) -> None:
        self.network, self.device = network.to(device), device

    def __repr__(self) -> str:
        """Describe the policy in a line: device, and count of learned numbers."""
        size = sum(each.numel() for each in self.network.parameters())
        return f"LoadedPolicy({size:,} parameters, {self.device})"

    def solve(
        self,
        instances: Sequence[Instance | InvalidInstance],
        *,
        starts: int | None = None,
        temperature: float = 0.0,
        seed: int = 0,
    ) -> ConstructedTours:
        """Constructs S tours of each instance, without gradients and without a search.

        Args:
            instances: B of them, as the policy knows them; all have customers.
            starts: S, how many first customers, 1 to 10 000; None: as many as the largest instance
                has. Smaller instances repeat theirs.
            temperature: 0: greedy; else samples from logits / temperature, 0.01 to 100.
            seed: Of the samples, 0 to 2^31 - 1.

        Raises:
            InstanceError: The policy does not cover one of them, or there is none.
            ConfigError: A number out of range, or a seed or starts that are no whole number.
        """
        starts = None if starts is None else _whole("starts", starts)
        seed = _whole("seed", seed)
        _check("starts", 1 if starts is None else starts, 1, 10_000)
        _check("temperature", temperature or 1.0, 0.01, 100.0)
        _check("seed", seed, 0, 2**31 - 1)
        batch = self._batch(instances)
        sizes = batch.num_customers[:, None]
        first = batch.depots[:, None] + np.arange(starts or sizes.max()) % sizes
        streams = torch.arange(len(instances), device=self.device) + seed * 1_000_003
        inputs, nodes = to_device(batch, self.device), torch.from_numpy(first).to(self.device)
        tours = construct_once(self.network, inputs, nodes, temperature, streams)
        found: NDArray[np.int64] = tours.cpu().numpy()
        return ConstructedTours(found, self._costs(instances, batch, found))

    def log_likelihood(
        self, instances: Sequence[Instance | InvalidInstance], nodes: NDArray[np.integer] | Tensor
    ) -> Tensor:
        """Computes the log-likelihood of given tours, with gradients where they are on.

        Args:
            instances: B of them.
            nodes: [B, S, T] integers, as `ConstructedTours.nodes`; each tour serves all customers.

        Returns:
            [B, S] float32, on the policy's device; about -1e9 or less where loads, times or
            lengths forbid a choice.

        Raises:
            InstanceError: The policy does not cover an instance.
            ShapeError: A tour does not serve each customer once.
        """
        inputs, tours = self._given(instances, nodes)
        return log_likelihood(self.network, self.network.encode(inputs), inputs, tours).sum(2)

    def scores(
        self, instances: Sequence[Instance | InvalidInstance], nodes: NDArray[np.integer] | Tensor
    ) -> tuple[Tensor, Tensor]:
        """Computes the logits of all nodes before each choice of given tours.

        Args:
            instances: B of them.
            nodes: [B, S, T] integers, as `ConstructedTours.nodes`; each tour serves all customers.

        Returns:
            [B, S, T, M] float32, about -1e9 where a node may not be chosen, and what was chosen,
            [B, S, T] int64; with constraints T - 1, since a tour's first node is its depot.

        Raises:
            InstanceError: The policy does not cover an instance.
            ShapeError: A tour does not serve each customer once.
        """
        inputs, tours = self._given(instances, nodes)
        logits, choice, _ = choice_logits(self.network, self.network.encode(inputs), inputs, tours)
        return logits, choice

    def _given(
        self, instances: Sequence[Instance | InvalidInstance], nodes: NDArray[np.integer] | Tensor
    ) -> tuple[Inputs, Tensor]:
        batch, tours = self._batch(instances), torch.as_tensor(nodes)
        _check_tours(tours.cpu().numpy(), batch)
        return to_device(batch, self.device), tours.to(self.device, torch.int64)

    def _batch(self, instances: Sequence[Instance | InvalidInstance]) -> Batch:
        """The instances as arrays; raises InstanceError where the policy does not cover one."""
        if not instances:
            raise InstanceError("instances: none, expected at least one")
        covered = []
        for instance in instances:
            if isinstance(instance, InvalidInstance):
                raise InstanceError(f"{instance.name}: invalid: {instance.error}")
            if (reason := self._why_not(instance)) is not None:
                raise InstanceError(f"{instance.name}: the policy does not cover it: {reason}")
            covered.append(instance)
        batch = make_batch(covered)
        return batch.full() if self.network.knows_variants else batch

    def _why_not(self, instance: Instance) -> str | None:
        if instance.num_customers == 0:
            return "no customers"
        if instance.constraints is None:
            return None if instance.coords is not None else "no coordinates"
        return why_not_covered(instance) if self.network.knows_variants else "constraints"

    def _costs(
        self,
        instances: Sequence[Instance | InvalidInstance],
        batch: Batch,
        nodes: NDArray[np.int64],
    ) -> Float64:
        if batch.plain:
            return batch_cost(cast(Sequence[Instance], instances), nodes)
        coords = batch.coords_unit.astype(np.float64)
        return variant_tour_cost(
            coords, nodes, batch.num_depots, batch.open_end, batch.num_customers
        )


def _check_tours(nodes: NDArray[Any], batch: Batch) -> None:
    """Raises ShapeError unless they are [B, S, T] integers that visit each customer once."""
    size, num_nodes = batch.valid.shape
    if nodes.ndim != 3 or len(nodes) != size or nodes.dtype.kind not in "iu":
        found = f"an array {list(nodes.shape)} of {nodes.dtype}"
        raise ShapeError(f"nodes: {found}, expected [{size}, S, T] of integers")
    starts, depots = nodes.shape[1], batch.depots
    for row, tours in enumerate(nodes.astype(np.int64)):
        known = ((tours >= 0) & (tours < num_nodes)).all(axis=1)
        customers = np.broadcast_to(batch.valid[row], (starts, num_nodes))
        at_depot = np.where(known[:, None], tours, 0)
        right = known & visits_once(at_depot, customers, np.full(starts, depots[row]))
        if not right.all():
            which = f"nodes[{row}][{int(right.argmin())}]"
            raise ShapeError(f"{which}: expected a tour with each customer once, and no others")


def _whole(name: str, value: object) -> int:
    try:
        return operator.index(cast(SupportsIndex, value))
    except TypeError:
        raise ConfigError(f"{name}: {value!r} is not a whole number") from None


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ConfigError(f"{name}: {value} is not between {low} and {high}")
