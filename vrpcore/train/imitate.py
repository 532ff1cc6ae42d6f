"""One step of imitation: the likelihood of good routes, teacher-forced."""

import torch

from vrpcore.cost.cost import tour_cost
from vrpcore.env.batch import DeviceBatch
from vrpcore.policy.policy import Policy
from vrpcore.train.data import TrainBatch
from vrpcore.train.loss import backward
from vrpcore.train.reinforce import StepResult


def imitate_step(policy: Policy, batch: TrainBatch, inputs: DeviceBatch) -> StepResult:
    """Adds the gradient of the mean negative log-likelihood per choice.

    Args:
        policy: The policy that learns.
        batch: The step's instances with routes in several writings, on the host.
        inputs: The same instances on the device.
    """
    device = inputs.coords.device
    tours = batch.tours.to(device, non_blocking=True)
    cache = policy.encode(*inputs)
    # Customers and one return per route, the last one implied.
    served = batch.tours != 0
    closes = (~served[:, :, 1:] & served[:, :, :-1]).sum() - len(tours) * tours.shape[1]
    num_choices = int(served.sum() + closes)
    weight = torch.full(tours.shape[:2], 1.0 / num_choices, device=device)
    loss = backward(policy, cache, inputs, tours, weight)
    cost = tour_cost(batch.coords.numpy(), batch.tours[:, :1].numpy())
    return StepResult(loss, float(cost.mean()))
