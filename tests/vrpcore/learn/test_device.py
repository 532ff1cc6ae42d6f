import os
import subprocess
import sys
import threading
from contextlib import nullcontext

import pytest
import torch

from vrpcore.errors import ConfigError, DeviceError
from vrpcore.learn import device as machine

CAPACITY = "ONEDNN_PRIMITIVE_CACHE_CAPACITY"
CPU, CUDA = torch.device("cpu"), torch.device("cuda")


def test_a_cpu_has_nothing_to_wait_for():
    assert machine.waited(int, CPU) is int


def test_compile_is_on_under_cuda_and_asked_for_on_a_cpu(monkeypatch):
    monkeypatch.setattr(machine.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setenv("CC", "cc")
    assert machine.choose_compile(CUDA, "auto") == (True, "always on under CUDA")
    assert machine.choose_compile(CPU, "auto")[0] is False
    assert machine.choose_compile(CPU, True) == (True, "asked for")


def test_compile_is_off_under_cuda_where_nothing_compiles(monkeypatch):
    monkeypatch.setattr(machine.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(machine.shutil, "which", lambda name: None)
    monkeypatch.delenv("CC", raising=False)
    found, reason = machine.choose_compile(CUDA, "auto")
    assert not found and "install gcc or clang, or set CC" in reason
    monkeypatch.setattr(machine.importlib.util, "find_spec", lambda name: None)
    assert machine.choose_compile(CUDA, "auto") == (
        False,
        "Triton, which compiles for CUDA, is not installed",
    )


def test_a_run_does_not_end_where_a_monitor_fails(monkeypatch):
    class RefusedError(Exception):
        pass

    def refuse(device):
        raise RefusedError

    monkeypatch.setattr(torch.cuda, "utilization", refuse)
    assert machine.utilisation(CUDA) == {}


def test_precision_of_a_cpu():
    native = machine.has_bfloat16(CPU)
    can = torch.cpu.get_capabilities()
    assert not native or can.get("avx512_bf16") or can.get("amx_bf16")
    assert machine.set_precision(CPU, "auto") == ("bf16" if native else "fp32")
    with pytest.raises(ConfigError, match="tf32 needs CUDA"):
        machine.set_precision(CPU, "tf32")


@pytest.mark.parametrize(
    ("features", "fast"),
    [
        ("avx512_bf16", True),
        ("avx512_bf16 avx512_fp16", False),  # Sapphire Rapids whose AMX is hidden
        ("avx512_bf16 avx512_fp16 amx_bf16", True),
        ("avx2", False),
    ],
)
def test_bfloat16_only_where_it_is_faster(monkeypatch, features, fast):
    known = dict.fromkeys(features.split(), True)
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: known)
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True)
    assert machine.has_bfloat16(CPU) is fast


@pytest.mark.slow
def test_no_bfloat16_where_onednn_may_not_use_it():
    asked = (
        "import torch; from vrpcore.learn import device as machine;"
        "print(machine.set_precision(torch.device('cpu'), 'auto'))"
    )
    limited = dict(os.environ, ONEDNN_MAX_CPU_ISA="AVX2")
    done = subprocess.run(
        [sys.executable, "-c", asked], env=limited, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "fp32"


@pytest.mark.parametrize(("given", "kept"), [({}, "100"), ({CAPACITY: "7"}, "7")])
def test_onednn_keeps_few_programs_unless_asked_for_more(given, kept):
    environment = {name: text for name, text in os.environ.items() if name != CAPACITY} | given
    asked = f"import os, vrpcore.learn.device; print(os.environ['{CAPACITY}'])"
    done = subprocess.run(
        [sys.executable, "-c", asked], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == kept


@pytest.mark.parametrize(
    ("name", "message"),
    [("tpu", "is not a device"), ("meta", "is not supported"), ("cuda:99", "is not available")],
)
def test_devices_that_cannot_be_had(name, message):
    with pytest.raises(DeviceError, match=message):
        machine.choose_device(name)


@pytest.mark.parametrize("place", ["cpu", "cuda:1"])
@pytest.mark.parametrize("native", [False, True])
def test_bfloat16_is_refused_where_it_would_be_slow(monkeypatch, place, native):
    asked = []
    capabilities = {"avx512_bf16": native}
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities)
    monkeypatch.setattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", lambda: True)
    monkeypatch.setattr(torch.cuda, "device", lambda of: asked.append(of) or nullcontext())
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: native)
    device = torch.device(place)
    if native:
        assert machine.set_precision(device, "bf16") == "bf16"
    else:
        words = f"train.precision: bf16, but {place} has no fast instructions.* use auto or fp32"
        with pytest.raises(ConfigError, match=words):
            machine.set_precision(device, "bf16")
    assert asked == ([device] if place != "cpu" else [])  # of two cards, the right one


def settings():
    """What an application can set, and what of it can be read."""
    backends = torch.backends
    found = [backends.cudnn.benchmark, backends.mkldnn.matmul.fp32_precision]
    try:
        coarse = torch.get_float32_matmul_precision()
    except RuntimeError:
        coarse = None
    return [*found, backends.cuda.matmul.fp32_precision, coarse]


@pytest.mark.parametrize("coarse", ["highest", "high", "medium"])
@pytest.mark.parametrize("fine", [None, "ieee", "tf32"])
def test_an_applications_settings_are_back_behind_the_last_of_two_threads(coarse, fine):
    torch.set_float32_matmul_precision(coarse)
    if fine is not None:
        torch.backends.cuda.matmul.fp32_precision = fine
    before = settings()
    first, second = machine.tf32_within(CUDA), machine.tf32_within(CUDA)
    with machine.tf32_within(CPU):
        assert settings() == before
    for enter in (first, second):
        enter.__enter__()
        assert machine.uses_tf32()
    first.__exit__(None, None, None)
    assert machine.uses_tf32()
    assert torch.backends.cudnn.benchmark
    second.__exit__(None, None, None)
    assert settings() == before


@pytest.mark.parametrize("before", ["none", "ieee", "tf32"])
@pytest.mark.parametrize(
    ("asked", "known_as", "tf32"), [("auto", "tf32", True), ("fp32", "ieee", False)]
)
def test_tf32_is_known_by_both_of_its_names(before, asked, known_as, tf32):
    matrices = torch.backends.cuda.matmul  # its settings need no device
    matrices.fp32_precision = before  # as an application may have
    machine.set_precision(torch.device("cuda"), asked)
    assert (matrices.fp32_precision, matrices.allow_tf32) == (known_as, tf32)
    assert machine.uses_tf32() is tf32


def test_an_applications_own_setting_is_read():
    torch.backends.cuda.matmul.fp32_precision = "tf32"  # reading `allow_tf32` fails from here on
    assert machine.uses_tf32()


@pytest.mark.gpu
def test_cuda_settings():
    device = machine.choose_device("cuda")
    assert machine.set_precision(device, "auto") == "tf32"
    assert machine.uses_tf32()
    assert torch.backends.cudnn.benchmark


def test_memory_is_known():
    assert machine.peak_memory_mb(CPU) > 10


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize(("num_rows", "threads"), [(0, 1), (640, 1), (64 * 101, 2)])
def test_few_rows_run_on_one_thread_and_threads_return(two_threads, num_rows, threads):
    with pytest.raises(ValueError, match="broken"), machine.threads_for(num_rows):
        assert torch.get_num_threads() == threads
        raise ValueError("broken")
    assert torch.get_num_threads() == 2


def test_threads_that_are_within_at_once_get_their_number_back(two_threads):
    inside, left = threading.Event(), threading.Event()
    after = []

    def first():
        with machine.threads_for(0):
            inside.set()
            left.wait()
        after.append(torch.get_num_threads())

    other = threading.Thread(target=first)
    other.start()
    inside.wait()
    with machine.threads_for(0):
        left.set()
        other.join()
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 2
    new = threading.Thread(target=lambda: after.append(torch.get_num_threads()))
    new.start()
    new.join()
    assert after == [2, 2]


def test_programs_of_triton_run_on_cuda_where_all_is_installed(monkeypatch):
    cuda = torch.device("cuda")
    for version, found, runs in (
        ("13.0", "here", True),
        (None, "here", False),
        ("13.0", None, False),
    ):
        monkeypatch.setattr(torch.version, "cuda", version)
        monkeypatch.setattr(machine.importlib.util, "find_spec", lambda _, found=found: found)
        assert machine.runs_triton(cuda) is runs
        assert not machine.runs_triton(torch.device("cpu"))


def caused(error, cause):
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (torch._dynamo.exc.TorchDynamoException("no graph"), True),
        (torch._inductor.exc.CppCompileError(["cc"], "no code"), True),
        (caused(RuntimeError("first"), torch._dynamo.exc.Unsupported("then", "")), True),
        (caused(torch._dynamo.exc.Unsupported("", ""), torch.AcceleratorError("gone")), False),
        (RuntimeError("Triton"), False),
        (ValueError("compiler"), False),
        (None, False),
    ],
)
def test_errors_of_a_compiler_are_known_by_their_kind(error, expected):
    assert machine.is_compiler_error(error) == expected
