"""Scripts that run by a library which checks its own addresses and arithmetic."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from vrpcore.native.compiler import compile_library

CHECKS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1")
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
_ROOT = Path(__file__).parents[2]


def sanitized(gcc, library, script, flags=()):
    """Compiles a library with the checks of g++.

    Args:
        gcc: The compiler.
        library: What is compiled, and where to.
        script: The module that takes the library's path as its first argument.
        flags: Further flags.

    Returns:
        What runs the script with further arguments.
    """
    asked = [*gcc.compile, "-print-file-name=libasan.so"]
    runtime = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(runtime).is_absolute():
        pytest.skip("needs libasan, which comes with g++")
    compile_library(gcc, library.file, (*library.flags, *flags, *CHECKS), library.source)
    command = [sys.executable, "-m", script, str(library.file)]
    environment = os.environ | {
        "LD_PRELOAD": str(Path(runtime).resolve()),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }

    def run(*arguments):
        return subprocess.run(
            [*command, *arguments], env=environment, cwd=_ROOT, capture_output=True, text=True
        )

    return run
