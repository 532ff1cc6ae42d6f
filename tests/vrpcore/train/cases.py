"""Constructions by the compiled step, as its tests want them."""

import numpy as np
import torch

from tests.vrpcore.train.test_loop import STREAMS
from vrpcore.decode.select import start_streams
from vrpcore.train.arrays import Arrays, Cases, Memory, StepShape, make_record, make_scratch
from vrpcore.train.tables import decoder_tables


def prepared(policy, batch, steep=1.0):
    """The memory before the constructions."""
    inputs = batch.to_device(torch.device("cpu"))
    with torch.no_grad():
        cache = policy.encode(*inputs)
        cache = cache._replace(key=cache.key * steep)
        tables = decoder_tables(cache, policy.decoder.room)
    count, num_starts = batch.starts.shape
    num_nodes = batch.valid.shape[1]
    shape = StepShape(num_nodes, tables.near.shape[3], tables.value.shape[2])
    need = torch.where(inputs.valid, inputs.demand, np.inf).double()
    streams = start_streams(STREAMS, num_starts)
    cases = Cases(
        *(each.numpy() for each in (need, inputs.capacity.double(), batch.starts, streams))
    )
    flat = Arrays(*(table.view(-1).numpy() for table in tables))
    choice = np.zeros((count, num_starts, 2 * num_nodes), np.int64)
    gradient = Arrays(*(np.zeros_like(table) for table in flat))
    record, scratch = make_record(choice, shape), make_scratch(shape)
    return Memory(flat, gradient, cases, record, scratch, shape)


def learned(step, memory):
    """Constructs and takes the gradient, all advantages 1; the loss."""
    count, num_starts, _ = memory.record.choice.shape
    step.construct(memory, (0, count))
    return step.gradient(memory, (0, count), np.ones((count, num_starts)))
