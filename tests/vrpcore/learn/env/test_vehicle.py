"""What the policy is told of vehicles."""

import dataclasses

import numpy as np
import torch

from tests.build import constrained, on_a_line
from tests.vrpcore.variants import inputs_of
from vrpcore.arrays.batch import FAR
from vrpcore.learn.env.inputs import are_customers
from vrpcore.learn.env.variants import Variants
from vrpcore.learn.env.vehicle import leave, vehicle_numbers


def test_numbers_are_shares():
    instance = constrained(
        customers=on_a_line(1, 2, 4, demand=[4, 3, 0], pickup=[0, 0, 5], service=[1, 1, 1]),
        vehicles=[{"capacity": 10, "max_distance": 16, "window": [0, 20]}],
    )
    inputs = inputs_of([instance])
    numbers = Variants().forced(inputs, torch.tensor([[[0, 1, 3, 0]]])).numbers[0]
    expected = [[1.0, 0.3, 0.0, 1.0, 0.0], [0.6, 0.3, 0.1, 15 / 16, 0.0],
                [0.5, 0.2, 0.3, 12 / 16, 0.5]]  # fmt: skip
    assert torch.allclose(numbers, torch.tensor(expected), atol=1e-4)
    plain = dataclasses.replace(
        instance.own_constraints.vehicles[0], max_distance=np.inf, window=(0, np.inf)
    )
    free = dataclasses.replace(
        instance, constraints=dataclasses.replace(instance.own_constraints, vehicles=(plain,))
    )
    inputs = inputs_of([free])
    assert bool((inputs.limit == FAR).all())
    assert bool((inputs.closing == FAR).all())
    depots = torch.zeros(1, 1, dtype=torch.int64)
    numbers = vehicle_numbers(inputs, leave(inputs, depots, are_customers(inputs)))
    assert numbers[0, 0, 2:].tolist() == [0.0, 0.0, 0.0]
