"""What compilers and their sanitizers have to say about the training step."""

import pytest

from tests.vrpcore.sanitizers import WARNINGS, sanitized
from vrpcore.native.compiler import compile_library
from vrpcore.native.levels import PLAIN, WIDER

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(gcc, tmp_path_factory):
    """Runs the script of `sanitized` by a library that checks what it does."""
    library = PLAIN._replace(file=tmp_path_factory.mktemp("sanitized") / "train.so")
    return sanitized(gcc, library, "tests.vrpcore.native.training.sanitized")


def test_addresses_and_arithmetic(run):
    done = run()
    assert done.returncode == 0, done.stderr


def test_a_number_behind_an_array_is_noticed(run):
    done = run("--overrun")
    assert done.returncode != 0
    assert "heap-buffer-overflow" in done.stderr


@pytest.mark.parametrize("library", [PLAIN, *WIDER.values()], ids=lambda each: each.file.stem)
def test_no_warnings(gcc, tmp_path, library):
    compile_library(gcc, tmp_path / "train.so", (*library.flags, *WARNINGS), library.source)
    assert (tmp_path / "train.so").exists()
