"""The multi-start loop of the field's variants."""

import torch
from torch import Tensor, nn

from vrpcore.decode.lookup import build_lookup, is_merged, lookup_scores
from vrpcore.decode.select import sample, start_streams, uniform
from vrpcore.env.rule_inputs import RuleInputs, legs_of
from vrpcore.env.rules import (
    advance,
    first_rule_stamp,
    leave,
    look_ahead,
    nearest_depots,
    reach_of,
    rule_tour,
    servable_from,
    stamp_step,
    stamp_visits,
    vehicle_numbers,
)
from vrpcore.env.state import VISITED
from vrpcore.policy.rule_policy import RulePolicy


class RuleRollout(nn.Module):
    """Constructs S tours for each instance of any variant; what export turns into a file.

    Args:
        policy: The policy to follow.
    """

    def __init__(self, policy: RulePolicy) -> None:
        super().__init__()
        self.policy = policy
        self.visited = VISITED  # scripted code cannot read globals

    def forward(
        self,
        coords: Tensor,
        demand: Tensor,
        capacity: Tensor,
        valid: Tensor,
        pickup: Tensor,
        opening: Tensor,
        closing: Tensor,
        service: Tensor,
        limit: Tensor,
        limit_has_service: Tensor,
        open_end: Tensor,
        backhauls_last: Tensor,
        pickup_only: Tensor,
        num_depots: Tensor,
        starts: Tensor,
        temperature: Tensor,
        seed: Tensor,
    ) -> Tensor:
        """Solves whole instances; the first arguments are those of `RuleInputs`.

        Args:
            coords: [B, M, 2] float32, unit square: depots, customers, padding.
            demand: [B, M] float32, deliveries, whole numbers below 2^24.
            capacity: [B] float32, whole numbers below 2^24.
            valid: [B, M] bool, False for padding.
            pickup: [B, M] float32, whole numbers below 2^24.
            opening: [B, M] float32, in sides of the square, as all times and lengths.
            closing: [B, M] float32, 1e6 where there is none.
            service: [B, M] float32.
            limit: [B] float32, the longest route, 1e6 where there is none.
            limit_has_service: [B] bool, services count towards the limit.
            open_end: [B] bool, routes end at their last customer.
            backhauls_last: [B] bool, no delivery comes after a pickup.
            pickup_only: [B] bool, routes may have pickups alone.
            num_depots: [B] int64.
            starts: [B, S] int64, nodes of first customers; 0 lets the policy choose.
            temperature: [] float32, 0 = greedy, else samples from logits / temperature.
            seed: [B] int64, random stream of each instance; unused when greedy.

        Returns:
            [B, S, 2M + 1] int64, nodes in visiting order. A route begins with its depot; depots
            behind the last customer are padding. A customer whom nobody can serve is missing.
        """
        inputs = RuleInputs(
            coords,
            demand,
            capacity,
            valid,
            pickup,
            opening,
            closing,
            service,
            limit,
            limit_has_service,
            open_end,
            backhauls_last,
            pickup_only,
            num_depots,
        )
        cache = self.policy.encode(inputs)
        merged = is_merged(cache)
        lookup = build_lookup(cache, self.policy.decoder.room, torch.ones_like(capacity))
        sampling = bool(temperature > 0)
        bound = self.policy.decoder.logit_bound
        sharpness = bound / temperature
        way_weights = self.policy.way_weights(valid) / bound
        streams = start_streams(seed, starts.shape[1])
        legs = legs_of(inputs)
        servable = servable_from(inputs, legs)
        reach = reach_of(servable, legs)
        customers = servable.any(1)  # nobody else could ever be served
        vehicle = leave(inputs, nearest_depots(inputs, legs, starts), customers)
        stamp, between = first_rule_stamp(inputs), stamp_step(inputs)
        last_stamp = self.visited + between * (2 * valid.shape[1])
        need = torch.where(customers, 0.0, self.visited).unsqueeze(1)
        need = need.expand(-1, starts.shape[1], -1)
        index = torch.zeros([], dtype=torch.int64, device=starts.device)
        forced = (starts > 0) & torch.gather(customers, 1, starts)
        while bool((vehicle.num_open.amax() > 0) & (stamp <= last_stamp)):
            outlook = look_ahead(inputs, legs, reach, vehicle, need < self.visited)
            numbers = vehicle_numbers(inputs, vehicle)
            scores = lookup_scores(lookup, merged, vehicle.last, numbers, outlook.mask)
            scores = scores - self.policy.ways(outlook, way_weights)
            scores = torch.where(outlook.mask, scores, self.policy.decoder.logit_mask)
            if sampling:
                choice = sample(scores * sharpness, uniform(streams, index))
            else:
                choice = scores.argmax(2)
            choice = torch.where(forced, starts, choice)
            forced = torch.zeros_like(forced)
            vehicle = advance(inputs, legs, vehicle, choice)
            need = stamp_visits(inputs, need, stamp, vehicle.home, choice)
            stamp = stamp + between
            index = index + 1
        return rule_tour(inputs, need)
