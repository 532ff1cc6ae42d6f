import hashlib
import pickle
import zipfile

import pytest

from tests.vrpcore.variants import drawn
from vrpcore.arrays.batch import PLAIN_COLUMNS, Batch, make_batch
from vrpcore.errors import ModelError, OutputError
from vrpcore.solve import backend
from vrpcore.solve.backend import (
    NO_DIGEST,
    VARIANTS_FORMAT,
    content_digest,
    info_from_metadata,
    model_kind,
)

SAID = {"format": "vrp-policy/1", "name": "a", "sha256": "b", "train_sizes": "[10, 50]"}


def test_a_digest_by_hand():
    written = f"weights {NO_DIGEST} more".encode()
    digest = hashlib.sha256(written).hexdigest()
    stated = written.replace(NO_DIGEST.encode(), digest.encode())
    assert content_digest(stated, digest) == digest
    assert content_digest(stated + b"!", digest) != digest
    assert content_digest(stated, "") != ""


def test_what_a_model_says():
    info = info_from_metadata(SAID, "m.onnx", "onnx", "cpu")
    assert (info.name, info.sha256, info.train_sizes) == ("a", "b", (10, 50))
    assert info.identity() == {"name": "a", "sha256": "b", "backend": "onnx", "device": "cpu"}


def test_a_model_gets_the_columns_of_its_format():
    info = info_from_metadata(SAID, "m.onnx", "onnx", "cpu")
    many = info._replace(format=VARIANTS_FORMAT)
    hard = make_batch(drawn("vrptw", 2, 5))
    plain = Batch(*hard[: len(PLAIN_COLUMNS)])
    assert info.inputs(plain) is plain
    assert not many.inputs(plain).plain
    assert many.inputs(hard) is hard
    with pytest.raises(ModelError, match=r"a: knows plain instances only, .*vrp-policy/2"):
        info.inputs(hard)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "vrp-policy/3"}, "not a model of this project"),
        ({"train_sizes": "[10]"}, "damaged metadata"),
        ({"train_sizes": "ten"}, "damaged metadata"),
        ({"train_sizes": "7"}, "damaged metadata"),
        ({"train_sizes": "[1e999, 10]"}, "damaged metadata"),
        ({"train_sizes": "[" * 100_000}, "damaged metadata"),
        ({"train_sizes": "[20, 5]"}, r"damaged metadata \(sizes from 20 to 5\)"),
    ],
)
def test_what_it_may_not_say(change, said):
    with pytest.raises(ModelError, match=rf"m\.onnx: {said}"):
        info_from_metadata(SAID | change, "m.onnx", "onnx", "cpu")
    with pytest.raises(ModelError, match="damaged metadata"):
        info_from_metadata({"format": "vrp-policy/1"}, "m.onnx", "onnx", "cpu")


def archive(path, *names, content=b""):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name in names:
            made.writestr(name, content)
    return path


def test_kinds_of_archives(tmp_path):
    assert model_kind(archive(tmp_path / "a", "m/data.pkl", "m/constants.pkl")) == "torchscript"
    assert model_kind(archive(tmp_path / "b", "m/data.pkl")) == "checkpoint"
    with pytest.raises(ModelError, match=r"c2: an exported program \(\.pt2\), which is not opened"):
        model_kind(archive(tmp_path / "c2", "m/archive_format", "m/models/model.json"))
    with pytest.raises(ModelError, match="an archive, but not a PyTorch model"):
        model_kind(archive(tmp_path / "c", "word/document.xml"))


def test_huge_files_are_refused_before_they_are_read(tmp_path, monkeypatch):
    huge = tmp_path / "huge.onnx"
    with huge.open("wb") as file:
        file.write(b"\x08")
        file.truncate(backend.MAX_MODEL_BYTES + 1)  # no disk is used for the rest
    with pytest.raises(ModelError, match=r"huge\.onnx: larger than the limit"):
        model_kind(huge)
    monkeypatch.setattr(backend, "MAX_MODEL_BYTES", 10**6)
    bomb = archive(tmp_path / "bomb.pt", "m/data.pkl", content=b"\0" * (10**6 + 1))
    with pytest.raises(ModelError, match=r"bomb\.pt: .*unpacks to more than 1000000 bytes"):
        model_kind(bomb)


def test_what_is_no_model(tmp_path):
    (tmp_path / "text").write_text("hello")
    with pytest.raises(ModelError, match="neither ONNX, TorchScript nor a checkpoint"):
        model_kind(tmp_path / "text")
    (tmp_path / "old").write_bytes(pickle.dumps({"policy": 1}))
    with pytest.raises(
        ModelError, match="old: a pickle, or a file of an old PyTorch, which is not"
    ):
        model_kind(tmp_path / "old")
    (tmp_path / "cut").write_bytes(b"PK\3\4")
    with pytest.raises(ModelError, match="not a readable archive"):
        model_kind(tmp_path / "cut")
    for missing in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(OutputError, match="no such model file"):
            model_kind(missing)
