"""Likelihood of finished tours in one teacher-forced pass, without a loop over scores."""

from collections.abc import Callable

import torch
from torch import Tensor

from vrpcore.learn.env.environment import Forced, Outlook
from vrpcore.learn.env.inputs import Inputs
from vrpcore.learn.policy.decoder import Cache
from vrpcore.learn.policy.policy import Policy

# Maps a policy, products, instances and their tours to the log-probability of each choice.
LogLikelihood = Callable[[Policy, Cache, Inputs, Tensor], Tensor]


def choice_logits(
    policy: Policy, cache: Cache, inputs: Inputs, tours: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Logits of all choices of given tours.

    Args:
        policy: The policy.
        cache: Its cached products for these instances.
        inputs: The B instances.
        tours: [B, K, ...] int64, as `Rollout` returns them.

    Returns:
        [B, K, T, M] float32; the choices, [B, K, T] int64 (with constraints all but the first
        node, which is a depot); and [B, K, T] bool: a customer is chosen here or later.
    """
    forced, outlook = forced_states(policy, inputs, tours)
    weight = policy.way_weights(inputs)
    logits: Tensor = policy(cache, forced.last, forced.numbers, outlook, weight)
    return logits.view(*forced.choice.shape, -1), forced.choice, forced.active


def forced_states(policy: Policy, inputs: Inputs, tours: Tensor) -> tuple[Forced, Outlook]:
    """All states of given tours, and where vehicles may go then, what was chosen among it.

    Args:
        policy: Whose environment.
        inputs: The B instances.
        tours: See `choice_logits`.
    """
    with torch.no_grad():
        forced = policy.env.forced(inputs, tours)
        outlook = forced.outlook
        if policy.knows_variants:  # rounding may forbid a choice of given tours
            chosen = forced.choice.flatten(1).unsqueeze(2)
            outlook = outlook._replace(mask=outlook.mask.scatter(2, chosen, value=True))
    return forced, outlook


def log_likelihood(policy: Policy, cache: Cache, inputs: Inputs, tours: Tensor) -> Tensor:
    """Log-probability of each choice of each tour; arguments of `choice_logits`.

    Returns:
        [B, K, T] float32, 0 where nothing is chosen any more.
    """
    logits, choice, active = choice_logits(policy, cache, inputs, tours)
    chosen = torch.log_softmax(logits.float(), dim=3).gather(3, choice.unsqueeze(3)).squeeze(3)
    return torch.where(active, chosen, 0.0)
