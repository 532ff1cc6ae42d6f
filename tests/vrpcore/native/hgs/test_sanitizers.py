"""What compilers and their sanitizers have to say about the search."""

import pytest

from tests.vrpcore.native.hgs.inside import FLAGS
from tests.vrpcore.sanitizers import WARNINGS, sanitized
from vrpcore.native.compiler import compile_library
from vrpcore.native.library import HGS, RICH, WORKING_DAY

pytestmark = pytest.mark.slow
SCRIPT = "tests.vrpcore.native.hgs.sanitized"


@pytest.fixture(scope="module")
def run(gcc, tmp_path_factory):
    """Runs the script of `sanitized` by a library that checks what it does."""
    library = HGS._replace(file=tmp_path_factory.mktemp("sanitized") / "core.so")
    return sanitized(gcc, library, SCRIPT, FLAGS)


def test_addresses_and_arithmetic(run):
    done = run()
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("library", "option"), [(RICH, "--constrained"), (WORKING_DAY, "--working-day")]
)
def test_addresses_and_arithmetic_with_constraints(gcc, tmp_path, library, option):
    library = library._replace(file=tmp_path / library.file.name)
    done = sanitized(gcc, library, SCRIPT, library.flags)(option)
    assert done.returncode == 0, done.stderr


def test_a_number_behind_an_array_is_noticed(run):
    done = run("--overrun")
    assert done.returncode != 0
    assert "use-after-poison" in done.stderr
    assert "inside_overrun" in done.stderr


@pytest.mark.parametrize("library", [HGS, RICH, WORKING_DAY], ids=lambda each: each.file.stem)
def test_no_warnings(gcc, tmp_path, library):
    compile_library(gcc, tmp_path / "core.so", (*library.flags, *WARNINGS), library.source)
    assert (tmp_path / "core.so").exists()
