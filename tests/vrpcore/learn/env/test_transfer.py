import numpy as np
import pytest
import torch

from vrpcore.learn.env.transfer import HostCopy, TourCopy

DEVICES = pytest.mark.parametrize("name", ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)])


@DEVICES
def test_a_copy_holds_what_the_device_had_computed(name):
    values = torch.arange(1000, device=name).cumsum(0)
    copy = HostCopy(values)
    assert copy.wait().device.type == "cpu"
    assert copy.wait()[-1] == 999 * 1000 // 2


def test_on_a_cpu_nothing_is_copied():
    values = torch.arange(3)
    assert HostCopy(values).wait() is values


@DEVICES
def test_tours_come_as_whole_numbers(name):
    tours = torch.arange(24).view(2, 3, 4).to(name)
    copy = TourCopy(tours)
    assert copy.wait().dtype == np.int64
    assert np.array_equal(copy.wait(), np.arange(24).reshape(2, 3, 4))
    assert copy.num_bytes == (48 if name == "cuda" else 0)


def test_tours_are_fetched_once():
    copy = TourCopy(torch.zeros(2, 3, 4, dtype=torch.int64))
    assert copy.wait() is copy.wait()
