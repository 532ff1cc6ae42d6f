"""Random instances of the literature's variants, and policies that know them."""

import dataclasses

import numpy as np
import torch

from tests.vrpcore.learn.decode.cases import SMALL as PLAIN_SMALL
from vrpcore.arrays.batch import make_batch
from vrpcore.config.sections import Config, ProblemConfig, TrainConfig
from vrpcore.instance.generator import random_problems
from vrpcore.instance.plan import Route
from vrpcore.instance.variant_generator import VARIANTS, variant_instances
from vrpcore.learn.env.inputs import to_device
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.data import arrange
from vrpcore.learn.train.labels import Labels, label_arrays
from vrpcore.search.label import label_plans

SMALL = dataclasses.replace(PLAIN_SMALL, variants=True)
NAMES = [name for name, each in VARIANTS.items() if each.covered]
CPU = torch.device("cpu")


def drawn(name, count, size, seed=0, capacity="by_size"):
    """Random instances of a variant; plain ones get neutral constraints."""
    rng = np.random.default_rng([seed, size])
    problems = random_problems("uniform", (count, size), capacity, rng)
    return variant_instances(VARIANTS[name], problems, name, rng)


def random_policy(seed, factors=None):
    """A small policy whose numbers all count."""
    policy = build_policy(SMALL, seed).eval()
    with torch.no_grad():
        policy.way_factors.copy_(torch.tensor(factors or [0.5, -0.3, 0.2]))
        policy.apart_slope.copy_(torch.linspace(0.2, -0.1, SMALL.num_heads))
    return policy


def inputs_of(instances, more_nodes=0):
    """A batch with padding."""
    nodes = max(len(each.own_constraints.vehicles) + each.num_customers for each in instances)
    return to_device(make_batch(instances, nodes + more_nodes), CPU)


def starts_of(inputs, count):
    """The first customers of each; the first start is the policy's choice."""
    starts = inputs.num_depots[:, None] + torch.arange(count)
    starts[:, 0] = 0
    return starts


def routes_of(tour, num_depots):
    """Routes with vehicle types, stops 1..N, of one tour."""
    found, home, stops = [], 0, []
    for node in [*tour.tolist(), 0]:
        if node >= num_depots:
            stops.append(node - num_depots + 1)
            continue
        if stops:
            found.append(Route(home, tuple(stops)))
        home, stops = node, []
    return found


def labelled(names=tuple(NAMES), size=8):
    """One instance of each variant with tours of a short search."""
    instances = [drawn(name, 1, size)[0] for name in names]
    return label_arrays(instances, list(label_plans(instances, 0.005)), "all")


def train_batch(instances, num_nodes, train):
    """A batch to learn from, without tours."""
    batch, count = make_batch(instances, num_nodes), len(instances)
    labels = Labels(
        name="drawn",
        batch=batch,
        coords=batch.coords_unit,
        tour=np.zeros((count, 0), np.int64),
        cost=np.full(count, np.nan),
    )
    return arrange(labels, train, np.random.default_rng(0))


def variant_config(**train):
    """A configuration of a few quick steps."""
    usual = {"batch_size": 12, "steps": 6, "starts": 4, "orders": 2, "validation_size": 6,
             "validate_every": 3, "log_every": 2, "learning_rate": 1e-3}  # fmt: skip
    return Config(
        problem=ProblemConfig(num_customers=[6, 8], variants="all"),
        policy=SMALL,
        train=TrainConfig(**(usual | train)),
    )


def forced_logits(policy, inputs, tours):
    """Logits of all choices of given tours, with the masks that the policy had."""
    forced = policy.env.forced(inputs, tours)
    weight = policy.way_weights(inputs)
    logits = policy(policy.encode(inputs), forced.last, forced.numbers, forced.outlook, weight)
    return logits, forced.active
