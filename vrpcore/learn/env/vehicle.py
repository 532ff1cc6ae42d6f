"""Vehicles of the 48 variants: pure functions, scriptable.

A vehicle leaves a depot with all that it delivers on its route. What a mask allows keeps all
limits in float64, too: closing times and limits of a batch are a little earlier and shorter.
"""

from typing import NamedTuple

import torch
from torch import Tensor

from vrpcore.arrays.batch import FAR, SLACK
from vrpcore.learn.env.environment import Outlook, rooms
from vrpcore.learn.env.inputs import Inputs, are_customers, are_depots
from vrpcore.learn.env.legs import LegTensors, rows_of

# Constants are default arguments because scripted code cannot read globals.


class Vehicle(NamedTuple):
    """The state of the vehicles of S constructions of each of B instances.

    Attributes:
        last: [B, S] int64, the node where the vehicle is.
        home: [B, S] int64, the depot where its route began.
        peak: [B, S] float32, the largest load on its route so far, if it ended here.
        picked: [B, S] float32, pickups on board.
        delivered: [B, S] float32, deliveries of its route so far.
        time: [B, S] float32, when it can leave.
        length: [B, S] float32, what counts towards the limit.
        num_open: [B, S] int64, customers not yet visited.
        open_demand: [B, S] float32, what these are delivered.
    """

    last: Tensor
    home: Tensor
    peak: Tensor
    picked: Tensor
    delivered: Tensor
    time: Tensor
    length: Tensor
    num_open: Tensor
    open_demand: Tensor


def servable_from(inputs: Inputs, legs: LegTensors) -> Tensor:
    """Customers that an empty vehicle can serve, from each depot.

    Pickups count even where a route with only pickups is not allowed.

    Args:
        inputs: B instances.
        legs: From `legs_of`.

    Returns:
        [B, M, M] bool, row = depot; False in the rows of other nodes.
    """
    batch_size, num_nodes = inputs.valid.shape
    nodes = torch.arange(num_nodes, device=inputs.valid.device).expand(batch_size, num_nodes)
    customers = are_customers(inputs)
    vehicle = leave(inputs, nodes, customers)
    demand, pickup = inputs.demand, inputs.pickup
    capacity = inputs.capacity.unsqueeze(1)
    light = customers & (demand <= capacity) & (pickup <= capacity)
    in_time = ways_of(inputs, legs, vehicle).in_time
    return light.unsqueeze(1) & in_time & are_depots(inputs).unsqueeze(2)


def reach_of(servable: Tensor, legs: LegTensors) -> Tensor:
    """[B, M, M] float32: `servable` as a factor, row = customer, column = depot."""
    return servable.to(legs.away.dtype).transpose(1, 2).contiguous()


def nearest_depots(inputs: Inputs, legs: LegTensors, nodes: Tensor) -> Tensor:
    """The depot nearest to each node.

    Args:
        inputs: B instances.
        legs: From `legs_of`.
        nodes: [B, S] int64; of depots each is its own.

    Returns:
        [B, S] int64.
    """
    to_node = rows_of(legs.away, legs.row, nodes)
    return torch.where(are_depots(inputs).unsqueeze(1), to_node, 1.0e9).argmin(2)


def leave(inputs: Inputs, depot: Tensor, customers: Tensor) -> Vehicle:
    """Vehicles at depots, before anything was visited.

    Args:
        inputs: B instances.
        depot: [B, S] int64.
        customers: [B, M] bool, who is to be visited.
    """
    nothing = torch.zeros(depot.shape, dtype=inputs.demand.dtype, device=depot.device)
    count = customers.sum(1, keepdim=True)
    return Vehicle(
        depot,
        depot,
        nothing,
        nothing,
        nothing,
        torch.gather(inputs.opening, 1, depot),
        nothing,
        count.expand(depot.shape),
        inputs.demand.sum(1, keepdim=True).expand(depot.shape),
    )


def advance(inputs: Inputs, legs: LegTensors, vehicle: Vehicle, choice: Tensor) -> Vehicle:
    """The vehicles after each went to its choice; a depot begins the next route.

    Args:
        inputs: B instances.
        legs: From `legs_of`.
        vehicle: Before.
        choice: [B, S] int64, nodes that the mask allows.
    """
    is_customer = choice >= inputs.num_depots.unsqueeze(1)
    leg = legs.away.view(-1)[(vehicle.last + legs.row) * legs.away.shape[1] + choice]
    delivery = torch.gather(inputs.demand, 1, choice)
    picked = vehicle.picked + torch.gather(inputs.pickup, 1, choice)
    opening = torch.gather(inputs.opening, 1, choice)
    service = torch.gather(inputs.service, 1, choice)
    done = torch.maximum(vehicle.time + leg, opening) + service
    counted = torch.gather(legs.counted, 1, choice)
    peak = torch.maximum(vehicle.peak + delivery, picked)
    return Vehicle(
        choice,
        torch.where(is_customer, vehicle.home, choice),
        torch.where(is_customer, peak, 0.0),
        torch.where(is_customer, picked, 0.0),
        torch.where(is_customer, vehicle.delivered + delivery, 0.0),
        torch.where(is_customer, done, opening),
        torch.where(is_customer, vehicle.length + leg + counted, 0.0),
        vehicle.num_open - is_customer.to(torch.int64),
        vehicle.open_demand - delivery,
    )


class Ways(NamedTuple):
    """Consequences of going to each node for a vehicle, its load aside.

    Attributes:
        in_time: [B, S, M] bool: no window, closing time or limit is missed, the leg back included.
        waiting: [B, S, M] float32, until the node opens.
        left: [B, S, M] float32, from arriving until it closes.
        back: [B, S, M] float32, the leg from it to the vehicle's depot; 0 with open ends.
    """

    in_time: Tensor
    waiting: Tensor
    left: Tensor
    back: Tensor


def ways_of(inputs: Inputs, legs: LegTensors, vehicle: Vehicle, slack: float = SLACK) -> Ways:
    """Finds where each vehicle may go next, and what that means for its times.

    From a depot, rounding errors do not count: otherwise no vehicle could serve some customers.

    Args:
        inputs: B instances.
        legs: From `legs_of`.
        vehicle: S of each.
        slack: `SLACK`.
    """
    to_node = rows_of(legs.away, legs.row, vehicle.last)
    back = rows_of(legs.back, legs.row, vehicle.home)
    arrival = vehicle.time.unsqueeze(2) + to_node
    waiting = torch.clamp(inputs.opening.unsqueeze(1) - arrival, min=0.0)
    left = inputs.closing.unsqueeze(1) - arrival
    done = arrival + waiting + inputs.service.unsqueeze(1) + back
    closes = torch.gather(inputs.closing, 1, vehicle.home).unsqueeze(2)
    length = vehicle.length.unsqueeze(2) + to_node + legs.counted.unsqueeze(1) + back
    at_home = vehicle.last == vehicle.home
    grace = torch.where(at_home, 1.2 * slack, 0.0).unsqueeze(2)
    in_time = (left >= -grace) & (done <= closes + grace)
    in_time = in_time & (length <= inputs.limit.view(-1, 1, 1) + grace)
    return Ways(in_time, waiting, left, back)


def look_ahead(
    inputs: Inputs,
    legs: LegTensors,
    reach: Tensor,
    vehicle: Vehicle,
    is_open: Tensor,
    far: float = FAR,
) -> Outlook:
    """Compute the permitted moves of each vehicle and their consequences.

    A customer is allowed if no load, time or length gets beyond its limit. A depot is allowed
    behind a customer and where no customer is allowed, if a customer that is left can be
    served from there; where none is left, all are.

    Args:
        inputs: B instances.
        legs: From `legs_of`.
        reach: From `reach_of`.
        vehicle: S of each.
        is_open: [B, S, M] bool, customers not yet visited.
        far: `FAR`.
    """
    ways = ways_of(inputs, legs, vehicle)
    free = is_open & fits(inputs, vehicle) & ways.in_time
    at_depot = vehicle.last < inputs.num_depots.unsqueeze(1)
    returns = ~at_depot | ~free.any(2)
    worth = torch.matmul(is_open.to(reach.dtype), reach) > 0.0
    ends = (vehicle.num_open == 0).unsqueeze(2)
    depots = are_depots(inputs).unsqueeze(1) & ((returns.unsqueeze(2) & worth) | ends)
    mask = free | depots  # no depot is open
    slack_left = torch.where(inputs.closing.unsqueeze(1) < 0.5 * far, ways.left, 0.0)
    return Outlook(mask, ways.waiting, torch.clamp(slack_left, min=0.0), ways.back)


def fits(inputs: Inputs, vehicle: Vehicle) -> Tensor:
    """[B, S, M] bool: whose loads a vehicle can take, in the order that its backhauls ask for.

    Where routes with only pickups are not allowed, one that has none begins with a delivery.
    """
    capacity = inputs.capacity.unsqueeze(1)
    room = capacity - vehicle.peak  # whole numbers: exact
    too_late = inputs.backhauls_last.unsqueeze(1) & (vehicle.picked > 0.0)
    room = torch.where(too_late, torch.clamp(room, max=0.0), room)
    too_early = ~inputs.pickup_only.unsqueeze(1) & (vehicle.delivered <= 0.0)
    room_alone = torch.where(too_early, 0.0, capacity)
    demand, pickup = inputs.demand.unsqueeze(1), inputs.pickup.unsqueeze(1)
    alone = torch.where(demand <= 0.0, pickup, 0.0)
    fit = (demand <= room.unsqueeze(2)) & (alone <= room_alone.unsqueeze(2))
    return fit & (pickup <= (capacity - vehicle.picked).unsqueeze(2))


def vehicle_numbers(inputs: Inputs, vehicle: Vehicle, far: float = FAR) -> Tensor:
    """Features of a vehicle, in the order of `VARIANTS.vehicle`.

    Returns:
        [B, S, K] float32, each 0 to 1; 0 where a batch has no such limit.
    """
    capacity = inputs.capacity.unsqueeze(1)
    shares = rooms(capacity - vehicle.peak, vehicle.open_demand, capacity) / capacity.unsqueeze(2)
    horizon = inputs.closing[:, :1]
    limit = inputs.limit.unsqueeze(1)
    time = torch.where(horizon < 0.5 * far, vehicle.time / torch.clamp(horizon, min=1e-3), 0.0)
    length = vehicle.length / torch.clamp(limit, min=1e-3)
    left = torch.where(limit < 0.5 * far, 1.0 - length, 0.0)
    others = torch.stack([time, left, vehicle.picked / capacity], dim=2)
    return torch.cat([shares, others], dim=2).clamp(0.0, 1.0)


def forced_vehicles(inputs: Inputs, legs: LegTensors, tours: Tensor, customers: Tensor) -> Vehicle:
    """The vehicles before each choice of given tours.

    Args:
        inputs: B instances.
        legs: From `legs_of`.
        tours: [B, K, T + 1] int64; the first node is the depot.
        customers: [B, M] bool, who can be served.

    Returns:
        Its fields are [B, K * T].
    """
    vehicle = leave(inputs, tours[:, :, 0], customers)
    states = []
    for choice in tours[:, :, 1:].unbind(2):
        states.append(vehicle)
        vehicle = advance(inputs, legs, vehicle, choice)
    return Vehicle(*(torch.stack(parts, 2).flatten(1) for parts in zip(*states, strict=True)))
