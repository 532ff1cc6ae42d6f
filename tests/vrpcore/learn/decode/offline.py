"""Triton programs without a device: interpreted, or compiled, and what they take."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

# The type of the policy's tables, by how products are computed.
TABLES = {"bf16": "*bf16", "tf32": "*fp32"}


def lines_of(module, *arguments, **environment):
    """What a module prints in a process of its own: Triton reads its settings when imported."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def compiled_for(capability, kernel, types, constants, num_warps):
    """The kernel compiled as on a device.

    Args:
        capability: 80 or 90.
        kernel: What to compile.
        types: By names of arguments; others point at float32.
        constants: By names.
        num_warps: Of a program.
    """
    names = kernel.arg_names
    signature = dict.fromkeys(names, "*fp32") | dict.fromkeys(constants, "constexpr")
    signature |= {name: kind for name, kind in types.items() if name in signature}
    # A version that the assembler beside Triton knows, whatever the newest one is.
    options = {"num_warps": num_warps, "num_stages": 2, "ptx_version": 83}
    source = ASTSource(
        kernel, signature, {(names.index(name),): constants[name] for name in constants}
    )
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)


def resources(compiled, capability):
    """Registers, bytes spilled and bytes of shared memory, by the assembler's own report."""
    assembler = Path(triton.__file__).parent / "backends/nvidia/bin/ptxas"
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as file:
        file.write(compiled.asm["ptx"])
        file.flush()
        name = "sm_90a" if capability == 90 else f"sm_{capability}"
        command = [assembler, "-v", f"--gpu-name={name}", file.name, "-o", "/dev/null"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    (registers,) = re.findall(r"Used (\d+) registers", done.stderr)
    spilled = sum(map(int, re.findall(r"(\d+) bytes spill", done.stderr)))
    return f"{registers} registers, {spilled} bytes spilled, {compiled.metadata.shared} shared"
