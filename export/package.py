"""The exported program compiled by AOTInductor: machine code in one file."""

import io
import warnings
from contextlib import nullcontext
from pathlib import Path

import torch
import torch._inductor

from vrpcore.errors import ExportError
from vrpcore.export.manifest import ModelSource, Stage
from vrpcore.export.program import build_program
from vrpcore.formats.files import write_bytes
from vrpcore.learn.torch_backend import CalledModule


def export_package(source: ModelSource, path: Path, stage: Stage = nullcontext) -> None:
    """Writes the file, `.pt2`; `write_proved` in `parity` is the careful way.

    It is compiled for processors like this one. That takes a minute.

    Raises:
        ExportError: There is no C++ compiler that works.
        OutputError: The file cannot be written.
    """
    buffer = io.BytesIO()
    options = {
        "aot_inductor.metadata": dict(source.metadata),
        "cpp.dynamic_threads": True,  # as many threads as its caller allows, not as were here
    }
    with stage("tracing"):
        program = build_program(source.policy)
    try:
        with stage("compiling"), warnings.catch_warnings():
            # The compiler uses parts of PyTorch that PyTorch itself deprecates.
            warnings.simplefilter("ignore")
            torch._inductor.aoti_compile_and_package(
                program, package_path=buffer, inductor_configs=options
            )
    except RuntimeError as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise ExportError(
            f"compiling the package failed: {reason}; it needs a C++ compiler: "
            "c++, g++, clang++, or the one that CXX names"
        ) from error
    with stage("writing"):
        write_bytes(path, buffer.getvalue())


def open_package(path: Path) -> CalledModule:
    """Opens a file of `export_package`.

    Only one that this process has just written: its machine code runs as it is.
    """
    package = torch._inductor.aoti_load_package(io.BytesIO(path.read_bytes()))
    return CalledModule(package, torch.device("cpu"))
