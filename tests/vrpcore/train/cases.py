"""Constructions by the compiled step, as its tests want them."""

import torch

from tests.vrpcore.train.test_loop import STREAMS
from vrpcore.decode.select import start_streams
from vrpcore.train.arrays import Arrays, Cases, make_memory
from vrpcore.train.tables import decoder_tables


def prepared(policy, batch, steep=1.0):
    """The memory before the constructions."""
    inputs = batch.to_device(torch.device("cpu"))
    with torch.no_grad():
        cache = policy.encode(*inputs)
        cache = cache._replace(key=cache.key * steep)
        tables = decoder_tables(cache, policy.decoder.room)
    count, num_starts = batch.starts.shape
    need = torch.where(inputs.valid, inputs.demand, torch.inf).double()
    streams = start_streams(STREAMS, num_starts)
    cases = Cases(need, inputs.capacity.double(), batch.starts, streams)
    choice = torch.zeros(count, num_starts, 2 * batch.valid.shape[1], dtype=torch.int64)
    return make_memory(tables, Arrays(*map(torch.zeros_like, tables)), cases, choice)


def learned(step, memory):
    """Constructs and takes the gradient, all advantages 1; the loss."""
    count, num_starts, _ = memory.record.choice.shape
    step.construct(memory, slice(0, count))
    factors = torch.ones(count, num_starts, dtype=torch.float64)
    return step.gradient(memory, slice(0, count), factors)
