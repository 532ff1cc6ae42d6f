import ctypes

import pytest
import torch

from vrpcore.solve.accelerator import cuda_device_count, why_not_torch


class Driver:
    """A CUDA driver with two devices, whose calls may fail."""

    def __init__(self, started, counted):
        self.started, self.counted = started, counted

    def cuInit(self, flags):  # noqa: N802
        return self.started

    def cuDriverGetVersion(self, place):  # noqa: N802
        ctypes.cast(place, ctypes.POINTER(ctypes.c_int))[0] = 12080
        return 0

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


@pytest.mark.parametrize(
    ("cuda", "words"),
    [
        ("None", "PyTorch was built without CUDA"),
        ("'12.9'", None),
        ("'11.8'", None),
        ("'13.0'", "PyTorch was built for CUDA 13, and the driver knows CUDA 12"),
    ],
)
def test_pytorch_may_not_reach_the_device(monkeypatch, tmp_path, cuda, words):
    monkeypatch.setattr(ctypes, "CDLL", lambda _: Driver(0, 0))
    (tmp_path / "version.py").write_text(f"debug = False\ncuda: Optional[str] = {cuda}\n")
    assert why_not_torch(tmp_path) == words


def test_what_pytorch_says_of_itself():
    assert (why_not_torch() is None) == torch.cuda.is_available()


def test_pytorch_may_be_missing(tmp_path):
    assert why_not_torch(tmp_path) == "PyTorch is not installed"
