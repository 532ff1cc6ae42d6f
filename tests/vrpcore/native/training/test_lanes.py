"""lanes.hpp and the random numbers, at every level that this processor has."""

import ctypes
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.vrpcore.native.training.conftest import LEVELS, runs_here
from vrpcore.learn.decode.select import start_streams, uniform
from vrpcore.native.compiler import compile_library


@pytest.fixture(scope="module", params=LEVELS)
def inside(request, compilers, tmp_path_factory):
    """The windows compiled for a level, without the step: they look only into headers."""
    if not runs_here(request.param):
        pytest.skip("not on this processor")
    library, file = LEVELS[request.param], tmp_path_factory.mktemp("core") / "inside.so"
    flags = (*library.flags, "-I", str(library.source.parent))
    compile_library(compilers[0], file, flags, Path(__file__).with_name("inside.cpp"))
    loaded = ctypes.CDLL(str(file))
    for name in ("inside_eight", "inside_sixteen", "inside_uniform"):
        getattr(loaded, name).restype = ctypes.c_float
    loaded.inside_uniform.argtypes = (ctypes.c_int64, ctypes.c_int64)
    return loaded


def address(array):
    return ctypes.c_void_p(array.ctypes.data)


@pytest.mark.parametrize(("name", "count"), [("eight", 8), ("sixteen", 16)])
def test_lanes_compute_as_numpy(inside, name, count):
    one, other = np.random.default_rng(1).normal(size=(2, count)).astype(np.float32)
    found = np.zeros((8, count), np.float32)
    total = getattr(inside, f"inside_{name}")(address(one), address(other), address(found))
    expected = (
        one + other,
        one - other,
        one * other,
        one / other,
        np.maximum(one, other),
        np.minimum(one, other),
        one + 3 * other,
        np.exp(one),
    )
    assert np.allclose(found, expected, rtol=1e-6, atol=1e-7)
    assert total == pytest.approx(one.sum(), rel=1e-5)


def exponentials(inside, value):
    found = np.empty_like(value)
    inside.inside_exponentials(address(value), address(found), len(value))
    return found


def test_exponentials_are_exact_to_a_few_bits_and_bounded(inside):
    value = np.linspace(-59.9, 59.9, 4096).astype(np.float32)
    found = exponentials(inside, value)
    assert np.abs(found / np.exp(value.astype(np.float64)) - 1).max() < 2e-7
    far = np.array([-1e9, -61, 61, 1e9] * 4, np.float32)
    expected = np.exp(np.clip(far, -60, 60))
    assert exponentials(inside, far) == pytest.approx(expected, rel=1e-5)


def test_draws_are_those_of_solving(inside):
    streams = start_streams(torch.arange(5), 3)
    for step in range(4):
        expected = uniform(streams, torch.tensor(step))
        for row in np.ndindex(5, 3):
            assert inside.inside_uniform(int(streams[row]), step) == float(expected[row])
