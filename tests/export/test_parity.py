import pytest

from tests.export.models import Told, small_policy
from vrpcore.errors import ExportError, OutputError
from vrpcore.export import parity
from vrpcore.export.manifest import ModelSource
from vrpcore.export.parity import Parity
from vrpcore.export.torchscript import export_torchscript
from vrpcore.learn.policy.checkpoint import weights_sha256
from vrpcore.solve.models import open_backend


@pytest.mark.parametrize("ending", ["onnx", "ts", "pt"])
def test_each_form_builds_the_policys_tours(either, ending):
    source, backend = either.source, open_backend(str(either[ending]), "cpu")
    knows_variants = source.policy.knows_variants
    assert backend.info.format == source.metadata["format"]
    assert backend.variants is (backend if knows_variants else None)
    assert backend.info.name == "small"
    assert backend.info.train_sizes == (10, 50)
    assert backend.info.sha256 == weights_sha256(source.policy.state_dict())
    result = parity.compare(source.policy, backend)
    result.require(ending)
    assert result.tours == 2 * 2 * (48 if knows_variants else 16) * 10


def test_another_policy_fails_the_parity_run(exported):
    result = parity.compare(small_policy(5), open_backend(str(exported["onnx"])))
    assert result.identical < 0.9
    assert result.largest_margin > 1e-3
    with pytest.raises(ExportError, match=r"small: only .* of 640 tours are identical"):
        result.require("small")


@pytest.mark.parametrize(
    ("identical", "margin", "good"),
    [(1.0, 0.0, True), (0.99, 9e-5, True), (0.989, 0.0, False), (1.0, 1e-4, False)],
)
def test_both_limits_count(identical, margin, good):
    found = Parity(tours=1000, identical=identical, largest_margin=margin)
    if good:
        found.require("m")
        return
    with pytest.raises(ExportError, match=r"^m: only .* of 1000 tours") as told:
        found.require("m")
    assert f"only {identical:.2%} of" in str(told.value)
    assert f"at a difference {margin:.1e} (needed: 99%, below 1e-04)" in str(told.value)


def test_what_fails_its_parity_run_leaves_nothing(tmp_path):
    good, other = small_policy(1), small_policy(2)
    metadata = {"format": "vrp-policy/1", "name": "x", "sha256": "", "train_sizes": "[1, 2]"}
    metadata["version"] = "0"

    def write_another(_source, path, stage):
        export_torchscript(ModelSource(policy=other, metadata=metadata), path, stage)

    with pytest.raises(ExportError, match=r"m\.ts: only"):
        parity.write_proved(
            write_another, ModelSource(policy=good, metadata=metadata), tmp_path / "m.ts"
        )
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_proved_takes_its_name(exported, tmp_path):
    (tmp_path / "m.ts").write_text("an older one")
    told = Told()
    found = parity.write_proved(export_torchscript, exported.source, tmp_path / "m.ts", stage=told)
    assert told.names == ["compiling to TorchScript", "writing", "proving on 640 tours"]
    assert (found.tours, found.identical) == (640, 1.0)
    assert [path.name for path in tmp_path.iterdir()] == ["m.ts"]
    assert open_backend(str(tmp_path / "m.ts"), "cpu").info.name == "small"


def test_a_file_in_place_of_the_folder_is_reported(exported, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match=r"file/m\.ts: cannot be written: \w[^:]*$"):
        parity.write_proved(
            lambda _, path, __: path.write_text("x"), exported.source, tmp_path / "file/m.ts"
        )


def test_a_name_that_is_taken_by_a_folder_is_reported(exported, tmp_path):
    (tmp_path / "m.ts").mkdir()
    with pytest.raises(OutputError, match=r"m\.ts: cannot be written"):
        parity.write_proved(export_torchscript, exported.source, tmp_path / "m.ts")
    assert [path.name for path in tmp_path.iterdir()] == ["m.ts"]
