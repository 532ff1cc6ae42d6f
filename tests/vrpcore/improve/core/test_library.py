import ctypes
import shutil
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath

from vrpcore.improve.core.library import (
    LIBRARY,
    RULES,
    SEARCH,
    beside,
    open_library,
    sources_digest,
)
from vrpcore.train.core.library import PLAIN


def test_a_library_lies_beside_its_source():
    made = beside(Path("/there/core.cpp"), "mine", ("-O3",))
    assert made.file in [Path(f"/there/mine.{ending}") for ending in ("so", "dylib", "dll")]
    assert (made.source, made.flags) == (Path("/there/core.cpp"), ("-O3",))
    assert (SEARCH.file, SEARCH.source.is_file()) == (LIBRARY, True)
    assert RULES.source.is_file()
    assert RULES.file != LIBRARY


def test_functions_take_and_return_what_is_declared():
    functions = {"vrp_problem_bytes": (ctypes.c_int64, (ctypes.c_int, ctypes.c_int))}
    library = open_library(LIBRARY, SEARCH.source, functions)
    assert library.vrp_problem_bytes(10, 0) > 0
    with pytest.raises(ctypes.ArgumentError):
        library.vrp_problem_bytes("10", 0)


def test_what_was_not_built_cannot_be_opened(tmp_path):
    with pytest.raises(OSError, match="none"):
        open_library(tmp_path / "none.so", SEARCH.source, {})
    (tmp_path / "text.so").write_text("for no machine")
    with pytest.raises(OSError, match="text"):
        open_library(tmp_path / "text.so", SEARCH.source, {})


def test_every_change_of_the_code_changes_its_name(tmp_path):
    core = tmp_path / "core"
    shutil.copytree(SEARCH.source.parent, core, ignore=lambda *_: ["model", "__pycache__"])
    copied = core / SEARCH.source.name
    assert sources_digest(copied) == sources_digest(core / RULES.source.name)
    names = {sources_digest(SEARCH.source), sources_digest(PLAIN.source), sources_digest(copied)}
    (core / "arena.hpp").write_bytes((core / "arena.hpp").read_bytes() + b"\n")
    names.add(sources_digest(copied))
    (core / "arena.hpp").rename(core / "arenas.hpp")
    names.add(sources_digest(copied))
    assert len(names) == 5


def test_a_library_of_other_sources_is_not_opened(tmp_path):
    changed = tmp_path / SEARCH.source.name
    changed.write_bytes(SEARCH.source.read_bytes())
    with pytest.raises(OSError, match="built from other sources"):
        open_library(LIBRARY, changed, {})
    with pytest.raises(OSError, match="built from other sources"):
        open_library(Path(_multiarray_umath.__file__), SEARCH.source, {})
