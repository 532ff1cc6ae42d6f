import pytest
import torch

from tests.export.models import Told
from vrpcore.errors import ExportError
from vrpcore.export import parity
from vrpcore.export.manifest import read_source
from vrpcore.export.package import export_package, open_package
from vrpcore.solve.models import checkpoint_path


@pytest.mark.slow
@pytest.mark.parametrize(("name", "tours"), [("base", 1280), ("variants", 3840)])
def test_shipped_models_as_packages(name, tours, tmp_path, all_sizes):
    source = read_source(checkpoint_path(name))
    path = tmp_path / "m.aoti.pt2"
    found = parity.write_proved(export_package, source, path, open_package)
    assert found.tours == tours
    assert [each.name for each in tmp_path.iterdir()] == ["m.aoti.pt2"]
    said = torch._inductor.aoti_load_package(path).get_metadata()
    assert source.metadata.items() <= said.items()


@pytest.mark.slow
def test_without_a_compiler_the_error_says_what_is_needed(exported, tmp_path):
    without = torch._inductor.config.patch({"cpp.cxx": ("/nowhere/c++",)})
    with (
        without,
        pytest.raises(ExportError, match=r"compiling .* failed: .*C\+\+ compiler.* CXX names"),
    ):
        export_package(exported.source, tmp_path / "m.pt2")
    assert list(tmp_path.iterdir()) == []


def test_a_failed_compilation_is_told_in_one_line_and_leaves_nothing(
    exported, tmp_path, monkeypatch
):
    def fail(*_, **__):
        raise RuntimeError("no such flag\nand a long trace")

    monkeypatch.setattr("vrpcore.export.package.build_program", lambda _: None)
    monkeypatch.setattr(torch._inductor, "aoti_compile_and_package", fail)
    words = r"^compiling the package failed: no such flag; it needs a C\+\+ compiler: .* CXX names$"
    with pytest.raises(ExportError, match=words):
        export_package(exported.source, tmp_path / "m.pt2")
    assert list(tmp_path.iterdir()) == []


def test_its_stages_are_told(exported, tmp_path, monkeypatch):
    monkeypatch.setattr("vrpcore.export.package.build_program", lambda _: None)
    monkeypatch.setattr(torch._inductor, "aoti_compile_and_package", lambda *_, **__: None)
    told = Told()
    export_package(exported.source, tmp_path / "m.pt2", told)
    assert told.names == ["tracing", "compiling", "writing"]
