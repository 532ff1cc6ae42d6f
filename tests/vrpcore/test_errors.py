import pytest

from vrpcore.errors import DeviceError, InstanceError, ModelError, VrpError, is_out_of_memory


def test_a_code_of_its_own_replaces_the_familys():
    assert InstanceError("no").code == InstanceError.default_code
    assert InstanceError("no", code="DUPLICATE_ID").code == "DUPLICATE_ID"
    assert issubclass(DeviceError, VrpError)


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
