"""Batches to learn from, layers, and constructions by the compiled step."""

import numpy as np
import torch

from vrpcore.arrays.batch import plain_batch
from vrpcore.config.sections import Config, DataConfig, PolicyConfig, ProblemConfig, TrainConfig
from vrpcore.learn.decode.select import start_streams
from vrpcore.learn.policy.policy import build_policy
from vrpcore.learn.train.arrays import Arrays, Cases, decoder_tables, make_memory, problem_arrays
from vrpcore.learn.train.data import StepBatches
from vrpcore.learn.train.labels import Labels

STREAMS = torch.arange(6) * 7919 + 5
# D, H, F, B, M: whole groups of the widest vectors and anything else.
LAYER_SHAPES = ((128, 8, 512, 2, 21), (16, 2, 8, 6, 7), (12, 2, 20, 3, 33), (48, 12, 70, 5, 4))


def random_batch(size=9, capacity=20, starts=5):
    config = Config(
        problem=ProblemConfig(num_customers=size, capacity=capacity),
        train=TrainConfig(batch_size=6, starts=starts, seed=3),
    )
    return StepBatches(config, [])[0]


def overloaded_batch():
    """Each instance has customers that no vehicle holds."""
    batch = random_batch()
    inputs = batch.inputs._replace(capacity=torch.full([6], 4.0))
    assert bool((inputs.demand.amax(1) > 4).all())
    return batch._replace(inputs=inputs)


def ragged_batch():
    """Six instances of 4 to 9 customers, padded, with one route a customer as labels."""
    rng = np.random.default_rng(1)
    size = np.array([4, 5, 6, 7, 8, 9])
    demand = rng.integers(1, 9, (6, 10))
    demand[:, 0] = 0
    demand[np.arange(10) > size[:, None]] = 0
    tour = np.zeros((6, 18), np.int64)
    for row, count in enumerate(size):
        tour[row, : 2 * count : 2] = rng.permutation(count) + 1
    coords = rng.random((6, 10, 2))
    labels = Labels(
        name="ragged",
        batch=plain_batch(coords, demand, np.array([10, 12, 20, 30, 25, 9]), size),
        coords=coords,
        tour=tour,
        cost=np.full(6, np.nan),
    )
    config = Config(train=TrainConfig(batch_size=6, starts=5), data=DataConfig(holdout=0))
    return StepBatches(config, [labels])[0]


def sampled(batch):
    """Random tours of each instance, [B, 4, 2M], one customer after another."""
    rng = np.random.default_rng(0)
    count, num_nodes = batch.inputs.valid.shape
    tours = np.zeros((count, 4, 2 * num_nodes), np.int64)
    for row in range(count):
        size = int(batch.inputs.valid[row].sum())
        for number in range(4):
            tours[row, number, : 2 * size - 2 : 2] = 1 + rng.permutation(size - 1)
    return tours


def layer_case(shape):
    """Layers with weights of all kinds, what comes in, and a gradient of what goes out."""
    width, heads, wide, count, nodes = shape
    config = PolicyConfig(embed_dim=width, num_heads=heads, num_layers=2, feedforward_dim=wide)
    layers = build_policy(config, 1).encoder.layers.double()
    rng = torch.Generator().manual_seed(2)

    def draw(*size):
        return torch.randn(size, generator=rng, dtype=torch.float64)

    for weight in layers.parameters():
        weight.data.add_(0.1 * draw(*weight.shape))
    inputs = [draw(count, nodes, width), 3 * draw(count, heads, nodes, nodes)]
    return layers, [each.requires_grad_() for each in inputs], draw(count, nodes, width)


def prepared(policy, batch, steep=1.0):
    """The memory before the constructions."""
    inputs = batch.inputs
    with torch.no_grad():
        cache = policy.encode(inputs)
        cache = cache._replace(key=cache.key * steep)
        tables = decoder_tables(cache, policy.decoder.room)
    count, num_starts = batch.starts.shape
    cases = Cases(batch.starts, start_streams(STREAMS, num_starts))
    choice = torch.zeros(count, num_starts, 2 * inputs.valid.shape[1], dtype=torch.int64)
    gradient = Arrays(*map(torch.zeros_like, tables))
    return make_memory(problem_arrays(inputs), tables, gradient, cases, choice)


def learned(step, memory):
    """Constructs and takes the gradient, all advantages 1; the log-likelihoods."""
    count = len(memory.record.choice)
    step.construct(memory, slice(0, count))
    likelihood = memory.record.likelihood
    step.gradient(memory, slice(0, count), torch.ones_like(likelihood))
    return likelihood
