import pytest

from tests.cli.runs import names, one_line, vrp
from tests.export.models import save_small
from vrpcore.export import parity


@pytest.fixture
def checkpoint(tmp_path, monkeypatch):
    """A small policy whose name would leave the folder; the parity run is short."""
    monkeypatch.setattr(parity, "_SIZES", (10,))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return save_small(tmp_path / "m.pt", name="../a b")


def test_one_format_takes_the_models_name_made_safe(checkpoint, tmp_path):
    said = vrp("export", checkpoint, "--torchscript").stderr
    assert names(tmp_path / "here") == ["---a-b.ts"]
    assert said.startswith("---a-b.ts: 0.")
    assert "MiB, 100.00% of 320 tours identical" in said


def test_several_formats_go_into_a_folder(checkpoint, tmp_path):
    vrp("export", checkpoint, "--torchscript", "--onnx", "-o", "new/models", "-q")
    assert names(tmp_path / "here" / "new" / "models") == ["---a-b.onnx", "---a-b.ts"]
    said = vrp("export", checkpoint, "--torchscript", "--onnx", "-o", checkpoint, code=8).stderr
    assert "m.pt: several formats need a folder" in one_line(said)


def test_one_format_is_a_file_or_goes_into_a_folder_that_is_there(checkpoint, tmp_path):
    vrp("export", checkpoint, "--torchscript", "-o", "a[b].model")
    vrp("export", checkpoint, "--torchscript", "-o", tmp_path / "here")
    assert names(tmp_path / "here") == ["---a-b.ts", "a[b].model"]


def test_triton_needs_a_folder(checkpoint):
    said = vrp("export", checkpoint, "--triton", "-o", checkpoint, code=2).stderr
    assert said == "error: --triton needs a folder: -o DIR\n"
