import pytest

from tests.export.models import save_small, save_variants
from vrpcore.export.manifest import read_source
from vrpcore.export.onnx import export_onnx
from vrpcore.export.program import export_program
from vrpcore.export.torchscript import export_torchscript


def forms(folder, save):
    """A folder with a checkpoint and its exported forms, and their source."""
    source = read_source(save(folder / "small.pt"))
    export_onnx(source, folder / "small.onnx")
    export_torchscript(source, folder / "small.ts")
    export_program(source, folder / "small.pt2")
    return folder, source


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """The `forms` of a policy of plain instances."""
    return forms(tmp_path_factory.mktemp("exported"), save_small)


@pytest.fixture(scope="session")
def exported_variants(tmp_path_factory):
    """The `forms` of a policy of the variants."""
    return forms(tmp_path_factory.mktemp("variants"), save_variants)


@pytest.fixture(params=["exported", "exported_variants"])
def either(request):
    """Each of the two."""
    return request.getfixturevalue(request.param)
