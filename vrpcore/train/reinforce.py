"""One step of REINFORCE with the multi-start baseline."""

from typing import NamedTuple

import torch

from vrpcore.cost.cost import tour_cost
from vrpcore.decode.rollout import Rollout
from vrpcore.env.batch import DeviceBatch
from vrpcore.train.baseline import multistart_advantage
from vrpcore.train.data import TrainBatch
from vrpcore.train.loss import backward


class StepResult(NamedTuple):
    """What a step has to report.

    Attributes:
        loss: The loss.
        cost: Mean cost of the step's tours, in the instances' unit.
    """

    loss: float
    cost: float


def reinforce_step(
    rollout: Rollout, batch: TrainBatch, inputs: DeviceBatch, seed: torch.Tensor
) -> StepResult:
    """Adds the gradient of one REINFORCE step.

    Two phases: a construction without gradients from one encoder pass, whose tours go
    to the host in one transfer and are costed there; then one teacher-forced pass over
    the same choices, which has the same gradient and no loop in it.

    Args:
        rollout: The construction around the policy that learns.
        batch: The step's instances, on the host.
        inputs: The same on the device.
        seed: [B] int64 on the device, random stream of each instance.

    Source:
        Williams 1992; Kwon et al. 2020, arXiv:2010.16011.
    """
    policy = rollout.policy
    device = inputs.coords.device
    cache = policy.encode(*inputs)
    with torch.no_grad():
        fixed = type(cache)(*(product.detach() for product in cache))
        starts = batch.starts.to(device, non_blocking=True)
        one = torch.ones([], device=device)
        tours = rollout.construct(
            fixed, inputs.demand, inputs.capacity, inputs.valid, starts, one, seed
        )
    on_host = tours.cpu()
    used = int((on_host != 0).any(dim=0).any(dim=0).nonzero().max()) + 1
    cost = tour_cost(batch.coords.numpy(), on_host[:, :, :used].numpy())
    advantage = torch.from_numpy(multistart_advantage(cost)).float()
    weight = (advantage / advantage.numel()).to(device, non_blocking=True)
    loss = backward(policy, cache, inputs, tours[:, :, :used].contiguous(), weight)
    return StepResult(loss, float(cost.mean()))
