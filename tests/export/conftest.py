import pytest

from tests.export.models import save_small
from vrpcore.export.manifest import read_source
from vrpcore.export.onnx import export_onnx
from vrpcore.export.torchscript import export_torchscript


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """The folder of a small checkpoint and its two exported forms, and their source."""
    folder = tmp_path_factory.mktemp("exported")
    source = read_source(save_small(folder / "small.pt"))
    export_onnx(source, folder / "small.onnx")
    export_torchscript(source, folder / "small.ts")
    return folder, source
