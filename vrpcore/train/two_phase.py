"""Training steps for an accelerator: construct without gradients, then one forced pass."""

import numpy as np
import torch
from torch import Tensor

from vrpcore.cost.cost import tour_cost
from vrpcore.decode.fixed_shape import FixedShapeRollout
from vrpcore.env.batch import HostCopy
from vrpcore.policy.decoder import Cache
from vrpcore.policy.policy import Policy
from vrpcore.train.baseline import Comparison
from vrpcore.train.data import TrainBatch
from vrpcore.train.distributed import World
from vrpcore.train.loss import StepResult, backward, num_bytes, num_choices


def reinforce_two_phase(
    rollout: FixedShapeRollout,
    batch: TrainBatch,
    seed: Tensor,
    comparison: Comparison,
    world: World,
) -> StepResult:
    """Adds the gradient of one REINFORCE step.

    The device samples tours without gradients and sends them to the host; while the
    host costs them, the device computes the likelihood of the same choices in one pass
    without a loop; only the advantage comes back.

    Args:
        rollout: Around the policy that learns.
        batch: The step's instances, on the host.
        seed: [B] int64, random stream of each instance.
        comparison: How the tours' costs become advantages.
        world: The processes that learn as one.

    Source:
        Williams 1992.
    """
    policy = rollout.policy
    device = rollout.device
    inputs = batch.to_device(device)
    starts, streams = (part.to(device, non_blocking=True) for part in (batch.starts, seed))
    cache = policy.encode(*inputs)
    with torch.no_grad():
        fixed = Cache(*(product.detach() for product in cache))
        tours = rollout.construct(fixed, inputs, starts, streams, 1.0)
    copy = HostCopy(tours)
    cost = np.empty(tours.shape[:2])

    def weigh() -> Tensor:
        cost[:] = tour_cost(batch.coords.numpy(), copy.wait().numpy())
        gain = comparison.advantage(cost)
        deviation, count = world.spread(gain)
        weight = torch.from_numpy(gain / (deviation * count)).float()
        return weight.to(device, non_blocking=True)

    loss = backward(policy, cache, inputs, tours, weigh)
    advantages = cost.size * 4 if tours.is_cuda else 0
    to_device = num_bytes(*inputs, starts, streams) + advantages
    return StepResult(loss, float(cost.mean()), num_bytes(tours), to_device)


def imitate_forced(policy: Policy, batch: TrainBatch, world: World) -> StepResult:
    """Adds the gradient of the mean negative log-likelihood per choice of given tours.

    Args:
        policy: The policy that learns.
        batch: The step's instances with routes in several writings, on the host.
        world: The processes that learn as one.
    """
    device = next(policy.parameters()).device
    inputs = batch.to_device(device)
    tours = batch.tours.to(device, non_blocking=True)
    cache = policy.encode(*inputs)
    cost: list[float] = []

    def weigh() -> Tensor:
        cost.append(float(tour_cost(batch.coords.numpy(), batch.tours[:, :1].numpy()).mean()))
        (count,) = world.total([num_choices(batch.tours)])
        return torch.full(tours.shape[:2], 1.0 / count, device=device)

    loss = backward(policy, cache, inputs, tours, weigh)
    return StepResult(loss, cost[0], 0, num_bytes(*inputs, tours))
