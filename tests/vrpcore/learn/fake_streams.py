"""Streams, events and graphs of a CUDA device that is not there, followed by vector clocks."""

import torch

CUDA = torch.device("cuda", 0)


class RaceError(AssertionError):
    """Two streams, or a stream and the host, use the same memory at once."""


class Stream:
    """A queue of the device; `clock` says how far it knows each other queue to be."""

    def __init__(self, device=None, priority=0, *, clocks) -> None:
        self.device, self.priority, self.number = CUDA, priority, len(clocks)
        self.clock = {self.number: 0}
        clocks.append(self.clock)

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other) -> bool:
        return self is other

    def wait_stream(self, other) -> None:
        join(self.clock, other.clock)

    def wait_event(self, event) -> None:
        join(self.clock, event.clock)


class Event:
    """A place in a queue."""

    def __init__(self, device, enable_timing=False) -> None:
        self.device, self.clock, self.timed = device, {}, enable_timing

    def record(self, stream=None) -> None:
        self.clock = dict((stream or self.device.stream).clock)

    def wait(self, stream=None) -> None:
        (stream or self.device.stream).wait_event(self)

    def synchronize(self) -> None:
        if any(self.device.host.get(at, 0) < count for at, count in self.clock.items()):
            self.device.wait_for(self.clock)

    def elapsed_time(self, later) -> float:
        """Milliseconds between two that the host has waited for: one an operation."""
        assert self.timed and later.timed
        for at, count in later.clock.items():
            assert self.device.host.get(at, 0) >= count, "not ready"
        number = self.device.stream.number
        return float(later.clock[number] - self.clock.get(number, 0))


class Graph:
    """A recorded graph: what it wrote while it was recorded it writes when it is replayed."""

    def __init__(self, device) -> None:
        self.device, self.reads, self.writes = device, [], []

    def replay(self) -> None:
        self.device.replays += 1
        self.device.use(self.reads, self.writes, [])


class Memory:
    """Who last wrote a piece of memory, who has read it since, and whose it is."""

    def __init__(self, owner, keep, made) -> None:
        self.owner, self.keep, self.made = owner, keep, made
        self.of_graph = False
        self.written: tuple[int, int] | None = None
        self.read: dict[int, int] = {}
        self.recorded: set[int] = set()
        self.foreign: dict[int, int] = {}


def join(clock, other) -> None:
    for number, count in other.items():
        clock[number] = max(clock.get(number, 0), count)
