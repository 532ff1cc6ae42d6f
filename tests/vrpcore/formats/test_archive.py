import io
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import torch

from vrpcore.errors import InstanceError
from vrpcore.formats.archive import (
    archive_names,
    is_archive,
    is_pickle,
    load_arrays,
    pickle_advice,
    shown_shape,
)
from vrpcore.formats.read import read_instances


def archive(content=b"x" * 1000, method=zipfile.ZIP_STORED):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as made:
        made.writestr("a/first", content)
        made.writestr("second", b"")
    return bytearray(file.getvalue())


def test_archives_are_known_by_their_beginning():
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    assert is_archive(bytes(archive()))
    assert is_archive(empty.getvalue())
    assert not is_archive(b"PK")


def test_names_of_a_whole_archive(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(archive())
    assert archive_names(path, 1000) == ["a/first", "second"]
    assert archive_names(io.BytesIO(archive(method=zipfile.ZIP_DEFLATED)), 1000)


def test_what_unpacks_to_too_much_is_not_unpacked():
    bomb = archive(b"\0" * 10**7, zipfile.ZIP_DEFLATED)
    assert len(bomb) < 20_000
    with pytest.raises(zipfile.BadZipFile, match="unpacks to more than 1000 bytes"):
        archive_names(io.BytesIO(bomb), 1000)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_any_changed_byte_of_a_member_is_noticed(method):
    content = bytes(range(256))
    whole = archive(content, method)
    begin = 30 + len("a/first")
    for place in range(begin, begin + 40):
        changed = bytearray(whole)
        changed[place] ^= 1
        try:
            archive_names(io.BytesIO(changed), 1000)
        except zipfile.BadZipFile as error:
            assert "damaged" in str(error)
        else:
            with zipfile.ZipFile(io.BytesIO(changed)) as read:
                assert read.read("a/first") == content


def test_what_is_none():
    for content in (b"", b"PK\3\4", bytes(archive()[:300])):
        with pytest.raises(zipfile.BadZipFile):
            archive_names(io.BytesIO(content), 1000)
    with pytest.raises(OSError, match="nowhere"):
        archive_names("nowhere.zip", 1000)


def packed(**arrays):
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file


def test_arrays_of_a_path_and_of_an_open_file(tmp_path):
    arrays = {"a": np.arange(3), "b": np.float32([[1.5]])}
    found = load_arrays(packed(**arrays), 10_000)
    assert {name: array.tolist() for name, array in found.items()} == {"a": [0, 1, 2], "b": [[1.5]]}
    assert found["b"].dtype == np.float32
    np.savez_compressed(tmp_path / "x.npz", **arrays)
    assert list(load_arrays(str(tmp_path / "x.npz"), 10_000, ("b", "c"))) == ["b"]


def test_arrays_that_unpack_to_too_much_are_not_read():
    with pytest.raises(InstanceError, match=r"not a readable \.npz: unpacks to more than 1000 byt"):
        load_arrays(packed(a=np.zeros(1000)), 1000)


def test_objects_are_refused():
    objects = np.array([{"a": 1}], object)
    with pytest.raises(InstanceError, match=r"not a readable \.npz: Object arrays cannot"):
        load_arrays(packed(a=objects), 10_000)


def test_a_header_that_promises_too_much_is_no_array():
    file = io.BytesIO()
    header = io.BytesIO()
    promised = {"descr": "<f8", "fortran_order": False, "shape": (10**14,)}
    np.lib.format.write_array_header_1_0(header, promised)
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.npy", header.getvalue())
    with pytest.raises(InstanceError, match=r"not a readable \.npz: "):
        load_arrays(file, 10_000)


def test_files_of_pytorch_are_refused_with_what_to_do(tmp_path):
    torch.save({"locs": torch.zeros(2, 3, 2)}, tmp_path / "x.pt")
    advice = r"PyTorch .*, which holds a pickle: .* save its arrays as \.npz: numpy\.savez\("
    with pytest.raises(InstanceError, match=advice) as caught:
        load_arrays(str(tmp_path / "x.pt"), 10_000)
    assert caught.value.code == "FORMAT"


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        load_arrays(tmp_path / "x.npz", 10_000)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_known_by_their_beginning(protocol):
    assert is_pickle(pickle.dumps([1, 2], protocol))
    assert not is_pickle(b"\x80abc")


def test_old_files_of_pytorch_are_pickles(tmp_path):
    torch.save(torch.zeros(2), tmp_path / "x.pt", _use_new_zipfile_serialization=False)
    head = (tmp_path / "x.pt").read_bytes()[:4096]
    assert is_pickle(head)
    assert "numpy.savez" in pickle_advice(head)


@pytest.mark.parametrize("as_list", [np.ndarray.tolist, np.asarray])
def test_the_advice_for_a_data_set_of_attention_learn_to_route_works(as_list, tmp_path):
    rng = np.random.default_rng(0)  # as its generate_vrp_data does
    columns = (rng.random((3, 2)), rng.random((3, 5, 2)), rng.integers(1, 10, (3, 5)))
    rows = list(zip(*map(as_list, columns), [30.0] * 3, strict=True))
    (tmp_path / "data.pkl").write_bytes(pickle.dumps(rows, 3))
    with pytest.raises(InstanceError, match=r"a pickle: .*attention-learn-to-route") as caught:
        read_instances(tmp_path / "data.pkl")
    code = str(caught.value).partition("sets by: ")[2]
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    found = read_instances(tmp_path / "data.json")
    assert [each.capacity for each in found] == [30.0] * 3
    assert np.array_equal(found[1].demand[1:], columns[2][1])
    assert np.allclose(found[2].coords, np.vstack((columns[0][2], columns[1][2])))


def test_shapes_in_messages():
    assert shown_shape(np.zeros((2, 3))) == "[2, 3]"
