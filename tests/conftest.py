"""What all tests share."""

import gc
import os
from pathlib import Path

# Before PyTorch is loaded. Several processes share the cores: OpenMP's threads would wait busily
# for each other, here and in the programs that tests start.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import onnxruntime
import pytest
import torch
from hypothesis import settings

import vrpcore.cli.main  # noqa: F401 - once it is loaded, it has garbage looked for again
from tests.vrpcore.roads.standin import Standin
from vrpcore.search import hgs_library, rich_library

# Tests are many small problems; threads of one operation would only wait for each other.
torch.set_num_threads(1)

# No test asserts a time.
settings.register_profile("untimed", deadline=None, max_examples=50)
settings.load_profile("untimed")


# What is imported and collected stays: the collector need not look through it again and again.
gc.disable()


def pytest_collection_finish():
    gc.freeze()
    gc.enable()


def pytest_unconfigure():
    gc.unfreeze()


def pytest_sessionstart():
    """Nearly every test solves: without the compiled searches, nothing is tested at all."""
    if not (hgs_library.is_built() and rich_library.is_built()):
        pytest.exit("the searches are not compiled from these sources: pip install -e .", 1)


def pytest_runtest_setup(item):
    if item.get_closest_marker("gpu") and not torch.cuda.is_available():
        pytest.skip("no CUDA device")


DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session", autouse=True)
def models_opened_once():
    """ONNX models of the same bytes: to open one takes longer than what most tests do with it."""
    opened, open_session = {}, onnxruntime.InferenceSession

    def session(model, *options, **more):
        if not isinstance(model, bytes):
            return open_session(model, *options, **more)
        key = model, str(more)
        if key not in opened:
            opened[key] = open_session(model, *options, **more)
        return opened[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(onnxruntime, "InferenceSession", session)
        yield


@pytest.fixture(autouse=True)
def usual_precision():
    """A test that trains on CUDA leaves no TF32 behind."""
    precision, benchmark = torch.get_float32_matmul_precision(), torch.backends.cudnn.benchmark
    yield
    torch.set_float32_matmul_precision(precision)
    torch.backends.cudnn.benchmark = benchmark


@pytest.fixture
def undrawn(monkeypatch):
    """Runs whose curves are not drawn, which takes longer than they do."""
    monkeypatch.setattr("vrpcore.learn.train.run_folder.RunFolder.draw", lambda _: None)


@pytest.fixture
def alone(monkeypatch, tmp_path_factory):
    """No proxy, no key, and the user's cache folder elsewhere."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "ORS_API_KEY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def standin(alone):
    """A routing service's stand-in."""
    with Standin() as server:
        yield server


@pytest.fixture
def kool_path():
    """Path of a small reference set by its number of customers."""
    return lambda size: DATA / f"kool_n{size}.npz"


@pytest.fixture(scope="module")
def solver():
    """A solver with the shipped models, on a CPU."""
    from vrpcore.api import Solver

    return Solver(device="cpu")


@pytest.fixture(scope="session")
def test_data():
    """The larger data folder that VRP_TEST_DATA names."""
    folder = os.environ.get("VRP_TEST_DATA")
    if not folder:
        pytest.skip("VRP_TEST_DATA does not name the folder of larger test data")
    return Path(folder)
