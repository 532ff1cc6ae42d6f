import itertools
import platform
import runpy

import pytest

from vrpcore.native import levels as library


def test_the_plain_library_is_for_every_processor_and_the_others_know_more():
    assert not [flag for flag in library.PLAIN.flags if flag.startswith("-m")]
    levels = [library.PLAIN, *library.WIDER.values()]
    for narrow, wide in itertools.pairwise(levels):
        assert set(narrow.flags) < set(wide.flags)
    assert len({level.file for level in levels}) == len(levels)
    assert {level.source for level in levels} == {library.PLAIN.source}
    assert library.PLAIN.source.is_file()


@pytest.mark.parametrize(("machine", "count"), [("x86_64", 2), ("AMD64", 2), ("arm64", 0)])
def test_wider_vectors_are_those_of_the_family(monkeypatch, machine, count):
    monkeypatch.setattr(platform, "machine", lambda: machine)
    wider = runpy.run_path(library.__file__)["WIDER"]
    assert list(wider) == ["AVX2", "AVX512"][:count]
