"""The device that is not there catches each kind of mistake."""

import pytest
import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from tests.vrpcore.learn.fake_backward import backward
from tests.vrpcore.learn.fake_device import (
    WAITS,
    MismatchError,
    RaceError,
    fake_cuda,
)


@pytest.fixture
def device(monkeypatch):
    with fake_cuda(monkeypatch) as device:
        yield device


def matrix(*shape):
    return torch.zeros(shape or (3, 4), device="cuda")


# Each planted mistake, and what it raises.
MISTAKES = {
    "a number that the host reads": (lambda there: there.sum().item(), WAITS),
    "a branch": (lambda there: 1 if there.any() else 2, WAITS),
    "a shape that depends on data": (lambda there: there.nonzero(), WAITS),
    "rows chosen by a mask": (lambda there: there[there > 0], WAITS),
    "a list": (lambda there: there[0].tolist(), WAITS),
    "a constant on the host": (lambda there: there + torch.ones(4), MismatchError),
    "an index on the host": (lambda there: there.gather(1, torch.zeros(3, 1).long()), RuntimeError),
    "two dtypes in a product": (lambda there: there @ there.T.bfloat16(), RuntimeError),
    "shapes that do not fit": (lambda there: there @ there, RuntimeError),
}


class Planted(torch.autograd.Function):
    """Does the work of a mistake in the backward pass."""

    @staticmethod
    def forward(context, there, work):
        context.work = work
        return there.clone()

    @staticmethod
    def backward(context, gradient):
        context.work(gradient)
        return gradient, None


@pytest.mark.parametrize("name", MISTAKES)
def test_a_planted_mistake_is_caught_in_both_passes(device, name):
    work, error = MISTAKES[name]
    with pytest.raises(error):
        work(matrix())
    with pytest.raises(error):
        Planted.apply(matrix().requires_grad_(), work).sum().backward()


def test_questions_are_counted(device):
    total = matrix().sum()
    device.questions = 1
    assert float(total) == 0.0
    assert device.host_waits == 1
    with pytest.raises(WAITS):
        float(total)


def test_copies_and_whether_they_wait(device):
    there = torch.ones(3, 2).to("cuda")
    torch.ones(2).to("cuda", non_blocking=True)  # pageable: the driver copies it first
    torch.ones(2, dtype=torch.bool).pin_memory().to("cuda", non_blocking=True)
    there.cpu()
    there.to("cpu", non_blocking=True)
    torch.empty(3, 2, pin_memory=True).copy_(there, non_blocking=True)
    told = [(copy.to_host, copy.num_bytes, copy.waits) for copy in device.copies]
    assert told[:3] == [(False, 24, True), (False, 8, True), (False, 2, False)]
    assert told[3:] == [(True, 24, True), (True, 24, True), (True, 24, False)]
    assert len(device.to_device()) == len(device.to_host()) == 3
    assert device.host_waits == 2


def test_a_stream_that_does_not_wait_for_another(device):
    there, stream = matrix(), torch.cuda.Stream()
    with torch.cuda.stream(stream), pytest.raises(RaceError, match="may still be writing"):
        there + 1


def test_work_that_overwrites_what_is_still_read(device):
    there, stream = matrix(), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        there.sum()
    with pytest.raises(RaceError, match="may still be reading"):
        there.zero_()
    torch.cuda.current_stream().wait_stream(stream)
    there.zero_()


@pytest.mark.parametrize("waits", [False, True])
def test_a_host_that_reads_before_a_copy_is_there(device, waits):
    there = matrix(2)
    here = torch.empty(2, pin_memory=True)
    here.copy_(there, non_blocking=True)
    arrived = torch.cuda.Event()
    arrived.record()
    if waits:
        arrived.synchronize()
        assert here.numpy().tolist() == [0.0, 0.0]
    else:
        for read in (lambda: here.numpy(), lambda: here.sum(), lambda: bool(here[0])):
            with pytest.raises(RaceError, match="the host uses"):
                read()


@pytest.mark.parametrize("kept", ["", "recorded", "waited for"])
def test_memory_that_is_given_back_too_early(monkeypatch, kept):
    def use():
        with fake_cuda(monkeypatch):
            there, stream = matrix(), torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                there.sum()
            if kept == "recorded":
                there.record_stream(stream)
            if kept == "waited for":
                torch.cuda.current_stream().wait_stream(stream)

    if kept:
        use()
    else:
        with pytest.raises(RaceError, match="memory of stream 0 is used by 1"):
            use()


@pytest.mark.parametrize("mistake", ["copy", "wait", "question"])
def test_a_recorded_graph_neither_copies_nor_waits(device, mistake):
    there, graph = matrix(2), torch.cuda.CUDAGraph()
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    device.questions = 1
    with pytest.raises(RaceError), torch.cuda.graph(graph, stream=stream):
        if mistake == "copy":
            torch.ones(2).to("cuda")
        elif mistake == "wait":
            torch.cuda.synchronize()
        else:
            bool(there.any())
    torch.cuda.current_stream().wait_stream(stream)


def test_nothing_is_left_behind(monkeypatch):
    with fake_cuda(monkeypatch) as device:
        matrix()
    assert device not in _get_current_dispatch_mode_stack()
    assert not torch.ones(2).is_pinned()
    monkeypatch.undo()
    assert torch.autograd.backward is not backward
    assert type(torch.ones(2, requires_grad=True).sum()) is torch.Tensor
