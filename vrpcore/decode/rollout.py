"""The multi-start loop: whole tours from one encoder pass."""

import torch
from torch import Tensor, nn

from vrpcore.decode.lookup import build_lookup, is_merged, lookup_scores
from vrpcore.decode.select import sample, start_streams, uniform
from vrpcore.env.step import fits, num_choices, reset, rooms, state_tour, take_step, unfinished
from vrpcore.policy.policy import Policy


class Rollout(nn.Module):
    """Constructs S tours for each instance; what export turns into a file.

    The same code runs eagerly in training, as TorchScript and, traced through that,
    as ONNX: there is one construction to trust.

    Args:
        policy: The policy to follow.

    Source:
        Kwon et al. 2020, arXiv:2010.16011 (multi-start).
    """

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.policy = policy

    def forward(
        self,
        coords: Tensor,
        demand: Tensor,
        capacity: Tensor,
        valid: Tensor,
        starts: Tensor,
        temperature: Tensor,
        seed: Tensor,
    ) -> Tensor:
        """Solves whole instances.

        Args:
            coords: [B, M, 2] float32, unit square, depot first.
            demand: [B, M] float32, whole numbers below 2^24, depot and padding 0.
            capacity: [B] float32, whole numbers below 2^24.
            valid: [B, M] bool, False for padding.
            starts: [B, S] int64, first customers; 0 lets the policy choose.
            temperature: [] float32, 0 = greedy, else samples from logits / temperature.
            seed: [B] int64, random stream of each instance; unused when greedy.

        Returns:
            [B, S, 2M] int64, nodes in visiting order, 0 = depot and padding.
        """
        cache = self.policy.encode(coords, demand, capacity, valid)
        merged = is_merged(cache)
        lookup = build_lookup(cache, self.policy.decoder.room, capacity)
        sampling = bool(temperature > 0)
        sharpness = self.policy.decoder.logit_bound / temperature
        streams = start_streams(seed, starts.shape[1])
        state = reset(demand, capacity, valid, starts.shape[1])
        state = take_step(state, starts, demand, capacity)
        while bool(unfinished(state)):
            mask = fits(state)
            room = rooms(state.remaining, state.open_demand, capacity.unsqueeze(1))
            scores = lookup_scores(lookup, merged, state.last, room, mask)
            scores = torch.where(mask, scores, self.policy.decoder.logit_mask)
            if sampling:
                choice = sample(scores * sharpness, uniform(streams, num_choices(state)))
            else:
                choice = scores.argmax(2)
            state = take_step(state, choice, demand, capacity)
        return state_tour(state)
