import ctypes

import pytest
import torch

from vrpcore.solve.accelerator import cuda_device_count


class Driver:
    """A CUDA driver with two devices, whose calls may fail."""

    def __init__(self, started, counted):
        self.started, self.counted = started, counted

    def cuInit(self, flags):  # noqa: N802
        return self.started

    def cuDeviceGetCount(self, place):  # noqa: N802
        ctypes.cast(place, ctypes.POINTER(ctypes.c_int))[0] = 2
        return self.counted


def test_it_counts_what_pytorch_counts():
    assert cuda_device_count() == torch.cuda.device_count()


@pytest.mark.parametrize(("started", "counted", "expected"), [(0, 0, 2), (100, 0, 0), (0, 100, 0)])
def test_a_driver_that_fails_has_no_device(monkeypatch, started, counted, expected):
    monkeypatch.setattr(ctypes, "CDLL", lambda _: Driver(started, counted))
    assert cuda_device_count() == expected


def test_without_a_driver_there_is_no_device(monkeypatch):
    load = ctypes.CDLL
    monkeypatch.setattr(ctypes, "CDLL", lambda _: load("no-such-driver.so"))
    assert cuda_device_count() == 0
