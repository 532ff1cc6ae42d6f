"""Processes that learn as one, simulated by threads."""

import threading
from concurrent.futures import ThreadPoolExecutor

import torch

from vrpcore.learn.train.distributed import World


class Meeting:
    """Where the threads that stand for processes meet: all get what all have brought."""

    def __init__(self, size):
        self.brought, self.barrier = {}, threading.Barrier(size, timeout=20)

    def exchange(self, rank, word):
        self.brought[rank] = word
        self.barrier.wait()
        found = [self.brought[rank] for rank in sorted(self.brought)]
        self.barrier.wait()
        assert len({type(each) for each in found}) == 1, found  # all ask the same
        return found


class OneOfTwo(World):
    def __init__(self, rank, meeting):
        super().__init__()
        self.rank, self.size, self.meeting = rank, 2, meeting

    def largest(self, number):
        return max(self.meeting.exchange(self.rank, number))

    def from_all(self, value):
        found = self.meeting.exchange(self.rank, (value,))
        return [each for (each,) in found]

    def total(self, values):
        return [sum(each) for each in zip(*self.meeting.exchange(self.rank, values), strict=True)]


def together(work):
    """What two threads that stand for processes find: `work` takes the world of each."""
    meeting = Meeting(2)
    try:
        with ThreadPoolExecutor(2) as threads:
            return list(threads.map(work, [OneOfTwo(rank, meeting) for rank in (0, 1)]))
    finally:
        # A process has one stance; threads that each set it for a while may leave theirs.
        torch.compiler.set_stance("default")
