import ctypes
import shutil
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath

from vrpcore.native.levels import PLAIN
from vrpcore.native.library import (
    HGS,
    RICH,
    next_to,
    open_library,
    sources_digest,
)


def test_a_library_lies_next_to_its_source():
    made = next_to(Path("/there/hgs.cpp"), "mine", ("-O3",))
    assert made.file in [Path(f"/there/mine.{ending}") for ending in ("so", "dylib", "dll")]
    assert (made.source, made.flags) == (Path("/there/hgs.cpp"), ("-O3",))
    assert HGS.source.is_file()
    assert RICH.source.is_file()
    assert RICH.file != HGS.file


def test_functions_take_and_return_what_is_declared():
    functions = {"vrp_problem_bytes": (ctypes.c_int64, (ctypes.c_int, ctypes.c_int))}
    library = open_library(HGS.file, HGS.source, functions)
    assert library.vrp_problem_bytes(10, 0) > 0
    with pytest.raises(ctypes.ArgumentError):
        library.vrp_problem_bytes("10", 0)


def test_what_was_not_built_cannot_be_opened(tmp_path):
    with pytest.raises(OSError, match="none"):
        open_library(tmp_path / "none.so", HGS.source, {})
    (tmp_path / "text.so").write_text("for no machine")
    with pytest.raises(OSError, match="text"):
        open_library(tmp_path / "text.so", HGS.source, {})


def test_every_change_of_the_code_changes_its_name(tmp_path):
    native = tmp_path / "native"
    shutil.copytree(
        HGS.source.parent.parent, native, ignore=shutil.ignore_patterns("*.so", "*.py*")
    )
    copied, shared = native / "hgs" / HGS.source.name, native / "shared"
    assert sources_digest(copied) == sources_digest(HGS.source)
    names = {sources_digest(library.source) for library in (HGS, RICH, PLAIN)}
    (shared / "arena.hpp").write_bytes((shared / "arena.hpp").read_bytes() + b"\n")
    names.add(sources_digest(copied))
    (shared / "arena.hpp").rename(shared / "arenas.hpp")
    names.add(sources_digest(copied))
    (copied.parent / "ruin.hpp").rename(copied.parent / "ruins.hpp")
    names.add(sources_digest(copied))
    assert len(names) == 6


def test_a_library_of_other_sources_is_not_opened(tmp_path):
    changed = tmp_path / HGS.source.name
    changed.write_bytes(HGS.source.read_bytes())
    with pytest.raises(OSError, match="built from other sources"):
        open_library(HGS.file, changed, {})
    with pytest.raises(OSError, match="built from other sources"):
        open_library(Path(_multiarray_umath.__file__), HGS.source, {})
