import ctypes
import ctypes.util
from pathlib import Path

import pytest

from vrpcore.improve.core.library import LIBRARY, RULES, SEARCH, beside, open_library


def test_a_library_lies_beside_its_source():
    made = beside(Path("/there/core.cpp"), "mine", ("-O3",))
    assert made.file in [Path(f"/there/mine.{ending}") for ending in ("so", "dylib", "dll")]
    assert (made.source, made.flags) == (Path("/there/core.cpp"), ("-O3",))
    assert (SEARCH.file, SEARCH.source.is_file()) == (LIBRARY, True)
    assert RULES.source.is_file()
    assert RULES.file != LIBRARY


def test_functions_take_and_return_what_is_declared():
    if not (name := ctypes.util.find_library("m")):
        pytest.skip("no library of mathematics of its own")
    functions = {"floor": (ctypes.c_double, (ctypes.c_double,))}
    library = open_library(Path(name), functions)
    assert library.floor(2.75) == 2.0  # undeclared, it would be an int
    with pytest.raises(ctypes.ArgumentError):
        library.floor("2.75")


def test_what_was_not_built_cannot_be_opened(tmp_path):
    with pytest.raises(OSError, match="none"):
        open_library(tmp_path / "none.so", {})
    (tmp_path / "text.so").write_text("for no machine")
    with pytest.raises(OSError, match="text"):
        open_library(tmp_path / "text.so", {})


def test_a_library_of_other_sources_is_not_opened():
    with pytest.raises(OSError, match=r"other sources.*lacks no_such_function"):
        open_library(LIBRARY, {"no_such_function": (None, ())})
