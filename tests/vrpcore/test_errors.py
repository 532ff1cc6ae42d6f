import pickle

import pytest

from vrpcore.client import BusyError
from vrpcore.errors import (
    DeviceError,
    InstanceError,
    InternalError,
    MissingExtraError,
    MissingLibraryError,
    MissingSearchError,
    ModelError,
    OutputError,
    ShapeError,
    VrpError,
    advice,
    internal_words,
    is_internal,
    is_out_of_memory,
    nearest,
)
from vrpcore.solve.memory_limit import OverloadedError


def test_a_code_of_its_own_replaces_the_familys():
    assert InstanceError("no").code == InstanceError.default_code
    assert InstanceError("no", code="DUPLICATE").code == "DUPLICATE"
    assert issubclass(DeviceError, VrpError)


@pytest.mark.parametrize(
    "error",
    [
        VrpError("no"),
        InstanceError("no", code="DUPLICATE"),
        MissingExtraError("plot", "vrp plot"),
        MissingLibraryError("training step", "no file"),
        MissingSearchError("no file"),
        BusyError("full", status=429, document={"a": 1}),
        OverloadedError("full", 2.5),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_reach_other_processes(error):
    error.add_note("on Monday")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301
    assert (type(again), str(again), again.args) == (type(error), str(error), error.args)
    assert vars(again) == vars(error)


class OutOfMemoryError(RuntimeError):
    """Named as PyTorch's."""


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        OutOfMemoryError("no"),
        RuntimeError("CUDA error: out of memory"),
        RuntimeError("CUBLAS_STATUS_ALLOC_FAILED when calling"),
        RuntimeError("CUDA error: CUBLAS_STATUS_NOT_INITIALIZED when calling"),
        ModelError("ONNX Runtime: Failed to allocate memory for requested buffer"),
    ],
)
def test_memory_that_ran_out_is_told_from_other_errors(error):
    assert is_out_of_memory(error)
    behind = ModelError("base failed")
    behind.__cause__ = error
    assert is_out_of_memory(behind)


@pytest.mark.parametrize(
    "error", [None, ModelError("a shape does not fit"), ValueError("out of memory")]
)
def test_other_errors_are_no_lack_of_memory(error):
    assert not is_out_of_memory(error)


@pytest.mark.parametrize(
    "error",
    [KeyError("a"), InternalError("a"), ShapeError("a"), InstanceError("a"), OSError(5, "a")],
)
def test_a_bug_costs_one_instance(error):
    assert is_internal(error)


@pytest.mark.parametrize(
    "error",
    [
        KeyboardInterrupt(),
        SystemExit(1),
        MemoryError(),
        RuntimeError("CUDA error: out of memory"),
        ModelError("a"),
        DeviceError("a"),
        OutputError("a"),
        BrokenPipeError(),
    ],
)
def test_what_stops_a_whole_run_is_no_bug_of_an_instance(error):
    assert not is_internal(error)


def test_a_bug_in_words():
    beginning = "a bug in vrp, please report it with the instance 'i1'"
    assert internal_words(ValueError(), "i1") == f"{beginning}: ValueError"
    assert internal_words(InternalError("no\nroute"), "i1") == f"{beginning}: no\\x0aroute"
    assert internal_words(KeyError(5), "i1") == f"{beginning}: KeyError: 5"


KNOWN = (
    "routes",
    "max_distance",
    "max_duration",
    "capacity",
    "window",
    "depot",
    "x",
    "time_limit",
)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Routes", "routes"),
        ("route", "routes"),
        ("rotues", "routes"),
        ("maxDistance", "max_distance"),
        ("max distanse", "max_distance"),
        ("max_distnace", "max_distance"),
        ("capasitty", "capacity"),
        ("windwo", "window"),
        ("depots", "depot"),
        ("time_limits", "time_limit"),
    ],
)
def test_a_misspelt_name_is_found(name, meant):
    assert nearest(name, KNOWN) == meant
    assert advice(name, KNOWN) == f"did you mean '{meant}'?"


@pytest.mark.parametrize(
    "name",
    ["groups", "rates", "min_distance", "mindistance", "distance", "y", "", "sepot_x", "roots"],
)
def test_another_word_is_not_guessed(name):
    assert nearest(name, KNOWN) is None
    assert advice(name, KNOWN) == f"known are {', '.join(KNOWN)}"


def test_what_is_missing_is_told_with_the_command_that_installs_it():
    assert str(MissingExtraError("plot", "vrp plot")) == (
        "vrp plot needs the extra 'plot', which is not installed: run  pip install 'vrpcore[plot]'"
        "  (in a checkout: pip install -e '.[plot]')"
    )
    assert str(MissingSearchError("no file")) == (
        "the compiled search is missing (no file): install a C++ compiler, then run  pip install "
        "--force-reinstall --no-deps vrpcore  (in a checkout: pip install -e .)"
    )
