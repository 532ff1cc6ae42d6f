"""Random batches of feasible tours, and plain ways to compute what they cost."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from vrpcore.cost.distance import as_points, lengths
from vrpcore.instance.generator import random_problems
from vrpcore.instance.instance import Float64

Matrix = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TourBatch:
    """B instances, each with one feasible tour in random order.

    Attributes:
        coords: [B, M, 2] float64, unit square, depot first.
        tours: [B, T] int64, 0 = depot; T is what the longest one needs.
    """

    coords: Float64
    tours: NDArray[np.int64]

    def matrices(self) -> Float64:
        """All distances of each instance, [B, M, M] float64."""
        points = as_points(self.coords)
        return lengths(points[:, :, None], points[:, None, :], "euclidean")

    def tour_lists(self) -> list[list[int]]:
        """The tours as Python lists, each as long as its own."""
        return [np.trim_zeros(tour, "b").tolist() for tour in self.tours]

    def padded_tours(self) -> NDArray[np.int64]:
        """The tours with the depot behind them, [B, 2M] int64: the decoder's own shape."""
        missing = 2 * self.coords.shape[1] - self.tours.shape[1]
        return np.pad(self.tours, ((0, 0), (0, missing)))

    def on(self, device: torch.device) -> tuple[Tensor, Tensor]:
        """Coordinates as float32, and tours, on a device."""
        coords, tours = torch.from_numpy(self.coords), torch.from_numpy(self.tours)
        return coords.float().to(device), tours.to(device)


def random_tours(num_customers: int, batch_size: int) -> TourBatch:
    """Return the same random batch at every call: customers in random order, routes filled up."""
    rng = np.random.default_rng([num_customers, batch_size])
    problems = random_problems("uniform", (batch_size, num_customers), "by_size", rng)
    tours = np.zeros((batch_size, 2 * num_customers), np.int64)
    longest = 0
    for tour, demand, capacity in zip(tours, problems.demand, problems.capacity, strict=True):
        position, load = 0, 0
        for node in rng.permutation(num_customers) + 1:
            if load + demand[node] > capacity:
                position, load = position + 1, 0  # the depot stands between two routes
            tour[position] = node
            position, load = position + 1, load + demand[node]
        longest = max(longest, position)
    return TourBatch(coords=problems.coords, tours=tours[:, :longest].copy())


def loop_cost(matrices: Sequence[Matrix], tours: Sequence[Sequence[int]]) -> list[float]:
    """Legs added one by one in Python: the predecessor's way.

    Args:
        matrices: A distance matrix an instance as nested lists, M x M.
        tours: Nodes in visiting order, 0 = depot, an instance.

    Returns:
        The B lengths, from and to the depot.
    """
    costs = []
    for matrix, tour in zip(matrices, tours, strict=True):
        total, last = 0.0, 0
        for node in tour:
            total += matrix[last][node]
            last = node
        costs.append(total + matrix[last][0])
    return costs


def masked_matrix_cost(matrices: Float64, tours: NDArray[np.int64]) -> Float64:
    """[B]: legs gathered from matrices [B, M, M], padding of the tours [B, T] masked out."""
    closed = np.pad(tours, ((0, 0), (1, 1)))
    start, end = closed[:, :-1], closed[:, 1:]
    legs = matrices[np.arange(len(matrices))[:, None], start, end]
    total: Float64 = (legs * ((start != 0) | (end != 0))).sum(axis=1)
    return total


def device_cost(coords: Tensor, tours: Tensor) -> Tensor:
    """[B] float32 of coordinates [B, M, 2] and tours [B, T]: a gather, a norm and a sum."""
    closed = torch.nn.functional.pad(tours, (1, 1))
    visited = coords.gather(1, closed.unsqueeze(2).expand(-1, -1, 2))
    total: Tensor = torch.linalg.vector_norm(visited.diff(dim=1), dim=2).sum(1)
    return total


def leg_by_leg(coords: Tensor, tours: list[list[int]]) -> list[float]:
    """The B lengths: a tensor made and a number fetched for each leg of each instance."""
    costs = []
    for points, tour in zip(coords, tours, strict=True):
        last, total = points[0], 0.0
        for node in (*tour, 0):
            here = points[torch.tensor(node, device=coords.device)]
            total += torch.linalg.vector_norm(here - last).item()
            last = here
        costs.append(total)
    return costs
