"""What compilers and their sanitizers have to say about the training step."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vrpcore.improve.core.compiler import Compiler, compile_library
from vrpcore.train.core.library import PLAIN, WIDER

ROOT = Path(__file__).parents[4]
CHECKS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-g", "-O1")
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")


@pytest.fixture(scope="module")
def compiler():
    if not shutil.which("g++"):
        pytest.skip("needs g++")
    return Compiler(("g++",), ("g++",))


@pytest.fixture(scope="module")
def run(compiler, tmp_path_factory):
    """Runs the script of `sanitized` by a library that checks what it does."""
    asked = ["g++", "-print-file-name=libasan.so"]
    runtime = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()
    if not Path(runtime).is_absolute():
        pytest.skip("needs libasan, which comes with g++")
    library = tmp_path_factory.mktemp("sanitized") / "train.so"
    compile_library(compiler, library, (*PLAIN.flags, *CHECKS), PLAIN.source)
    environment = os.environ | {
        "LD_PRELOAD": str(Path(runtime).resolve()),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }

    def run(*arguments):
        script = [sys.executable, "-m", "tests.vrpcore.train.core.sanitized", str(library)]
        return subprocess.run(
            [*script, *arguments], env=environment, cwd=ROOT, capture_output=True, text=True
        )

    return run


@pytest.mark.slow
def test_addresses_and_arithmetic(run):
    done = run()
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_number_behind_an_array_is_noticed(run):
    done = run("--overrun")
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("level", ["-O0", "-O3"])
@pytest.mark.parametrize("library", [PLAIN, *WIDER.values()], ids=lambda each: each.file.stem)
def test_no_warnings(compiler, tmp_path, library, level):
    flags = (*library.flags, *WARNINGS, level)
    compile_library(compiler, tmp_path / "train.so", flags, library.source)
