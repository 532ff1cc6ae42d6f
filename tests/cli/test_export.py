import re
import signal
from pathlib import Path

import pytest

from tests.cli.runs import EXAMPLES, names, one_line, vrp
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
    *stages, last = said.splitlines()
    assert [re.sub(r"[\d.]+ s$", "N s", line) for line in stages] == [
        "---a-b.ts: compiling to TorchScript, N s",
        "---a-b.ts: writing, N s",
        "---a-b.ts: proving on 320 tours, N s",
    ]
    assert last.startswith("---a-b.ts: 0.")
    assert "MiB, 100.00% of 320 tours identical" in said


@pytest.mark.slow
def test_a_program_of_torch_export(checkpoint, tmp_path):
    said = vrp("export", checkpoint, "--pt2").stderr
    assert names(tmp_path / "here") == ["---a-b.pt2"]
    assert "MiB, 100.00% of 320 tours identical" in said
    said = vrp("solve", EXAMPLES, "--model", tmp_path / "here" / "---a-b.pt2", code=5).stderr
    assert "an exported program (.pt2), which is not opened here" in one_line(said)


def test_a_name_that_ends_in_a_slash_is_a_folder(checkpoint, tmp_path):
    vrp("export", checkpoint, "--torchscript", "-o", "models/", "-q")
    assert names(tmp_path / "here" / "models") == ["---a-b.ts"]


def test_several_formats_go_into_a_folder(checkpoint, tmp_path):
    vrp("export", checkpoint, "--torchscript", "--onnx", "-o", "new/models", "-q")
    assert names(tmp_path / "here" / "new" / "models") == ["---a-b.onnx", "---a-b.ts"]
    said = vrp("export", checkpoint, "--torchscript", "--onnx", "-o", checkpoint, code=8).stderr
    assert "m.pt: no folder can be made there" in one_line(said)


def test_one_format_is_a_file_or_goes_into_a_folder_that_is_there(checkpoint, tmp_path):
    vrp("export", checkpoint, "--torchscript", "-o", "a[b].model")
    vrp("export", checkpoint, "--torchscript", "-o", tmp_path / "here")
    assert names(tmp_path / "here") == ["---a-b.ts", "a[b].model"]


def test_a_checkpoint_is_not_replaced_by_its_export(checkpoint, tmp_path):
    before, linked = tmp_path.joinpath("m.pt").read_bytes(), tmp_path / "linked"
    linked.symlink_to(tmp_path / "m.pt")
    for output in (checkpoint, linked):
        said = one_line(vrp("export", checkpoint, "--onnx", "-o", output, code=2).stderr)
        assert "m.pt is an input, which would be replaced; name another file" in said
    assert tmp_path.joinpath("m.pt").read_bytes() == before


@pytest.mark.parametrize("output", ["none/m.ts", "file/m.ts"])
def test_a_folder_that_is_not_there_is_said_before_anything_is_converted(checkpoint, output):
    Path("file").touch()
    said = vrp("export", checkpoint, "--torchscript", "-o", output, code=8).stderr
    assert said == f"error: {output}: cannot be written: its folder does not exist\n"


@pytest.mark.parametrize(("form", "ending"), [("onnx", "pt2"), ("pt2", "ts")])
def test_the_ending_of_another_format_is_refused(checkpoint, form, ending):
    said = one_line(vrp("export", checkpoint, f"--{form}", "-o", f"m.{ending}", code=2).stderr)
    assert said == f"error: -o m.{ending}: this format's files end in .{form}"


def test_sigterm_leaves_nothing_half_written(checkpoint, tmp_path, monkeypatch):
    def end(_source, path, _stage):
        path.write_text("half")
        signal.raise_signal(signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("vrpcore.export.torchscript.export_torchscript", end)
    try:
        assert "terminated" in vrp("export", checkpoint, "--torchscript", code=143).stderr
    finally:
        signal.signal(signal.SIGTERM, before)
    assert names(tmp_path / "here") == []
