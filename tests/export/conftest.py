import pytest

from tests.export.models import Forms, save_small, save_variants
from vrpcore.export import parity

ALL_SIZES = parity._SIZES


@pytest.fixture(scope="module", autouse=True)
def few_sizes():
    """Files are proved on small instances, with tables of both forms (see `lookup.is_merged`)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parity, "_SIZES", (10, 20))
        yield


@pytest.fixture
def all_sizes(monkeypatch):
    """As they are proved outside of tests."""
    monkeypatch.setattr(parity, "_SIZES", ALL_SIZES)


@pytest.fixture(scope="session")
def exported(tmp_path_factory):
    """The `Forms` of a policy of plain instances."""
    return Forms(tmp_path_factory.mktemp("exported"), save_small)


@pytest.fixture(scope="session")
def exported_variants(tmp_path_factory):
    """The `Forms` of a policy of the variants."""
    return Forms(tmp_path_factory.mktemp("variants"), save_variants)


@pytest.fixture(params=["exported", "exported_variants"])
def either(request):
    """Each of the two."""
    return request.getfixturevalue(request.param)
