import gzip
import io
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vrpcore.errors import InstanceError, OutputError
from vrpcore.formats import files
from vrpcore.formats.files import (
    ByteReader,
    claimed,
    linked,
    names_folder,
    open_reader,
    source_label,
    write_bytes,
    write_text,
    written_atomically,
)


def rest(source):
    with open_reader(source) as reader:
        return reader.rest()


@given(st.binary(max_size=2000), st.integers(1, 7))
def test_gzip_in_any_number_of_members_is_unpacked(data, members):
    size = len(data) // members + 1
    pieces = [data[start : start + size] for start in range(0, size * members, size)]
    packed = b"".join(gzip.compress(piece) for piece in pieces)
    assert rest(packed) == rest(packed + bytes(20)) == data.removeprefix(b"\xef\xbb\xbf")


def test_gzip_larger_than_one_chunk():
    data = os.urandom(1000) * 2000
    assert rest(gzip.compress(data)) == data


@pytest.mark.parametrize("cut", [1, 9, 40])
def test_truncated_gzip(cut):
    with pytest.raises(InstanceError, match=r"input: truncated gzip"):
        rest(gzip.compress(os.urandom(100))[:-cut])


def test_truncated_second_member():
    with pytest.raises(InstanceError, match=r"truncated gzip"):
        rest(gzip.compress(b"a") + gzip.compress(b"b" * 100)[:-3])


@pytest.mark.parametrize("tail", [b"garbage", bytes(3) + b"garbage"])
def test_damaged_gzip(tail):
    with pytest.raises(InstanceError, match=r"input: damaged gzip"):
        rest(gzip.compress(b"abc") + tail)


def test_what_unpacks_to_too_much_is_refused(monkeypatch):
    monkeypatch.setattr(files, "MAX_UNPACKED_BYTES", 10**6)
    said = r"unpacks to more than 1000000 bytes; unpack it first: JSON Lines that are not"
    with pytest.raises(InstanceError, match=said) as caught:
        rest(gzip.compress(bytes(2 * 10**6)))
    assert caught.value.code == "TOO_LARGE"


def test_byte_order_mark_is_dropped():
    assert rest(b"\xef\xbb\xbf{}") == b"{}"


def test_lines_and_their_numbers():
    with open_reader(b"\n  \n one\n\n\ntwo") as reader:
        assert reader.skip_blank()
        assert (reader.line_number, reader.line()) == (3, b" one\n")
        assert reader.skip_blank()
        assert (reader.line_number, reader.peek_line(), reader.line()) == (6, b"two", b"two")
        assert not reader.skip_blank()
        assert reader.line() == b""


def test_what_stands_behind_a_line():
    reader = ByteReader(iter([b"a\n", b" \n", b"\tb"]), "x", None)
    assert (reader.peek_line(), reader.peek_past(2), reader.peek_past(6)) == (b"a\n", b"b", b"")
    assert reader.line() == b"a\n"


def test_limits_of_a_line_and_of_the_whole():
    with pytest.raises(InstanceError, match=r"line 2 is larger than 5 bytes"):
        reader = ByteReader(iter([b"a\n", b"bbbb", b"bbbb"]), "x", None)
        reader.line(5)
        reader.line(5)
    with pytest.raises(InstanceError, match=r"the text is larger than 5 bytes"):
        ByteReader(iter([b"aaaa", b"bbbb"]), "x", None).rest(5)


def test_a_file_and_its_stem(tmp_path):
    for name in ("A-n32.k5.vrp", "A-n32.k5.vrp.gz", "A-n32.k5.sol"):
        (tmp_path / name).write_bytes(b"x")
        with open_reader(tmp_path / name) as reader:
            assert reader.stem == "A-n32.k5"
            assert reader.label == str(tmp_path / name)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_the_stem_of_a_name_that_is_no_utf_8_can_be_written(tmp_path):
    file = os.fsencode(tmp_path / "Tour") + b"\xfc.csv"
    Path(os.fsdecode(file)).write_bytes(b"x")
    with open_reader(os.fsdecode(file)) as reader:
        assert reader.stem == "Tour\\xfc"


def test_a_folder_is_no_file_and_its_files_are_to_be_named(tmp_path):
    with pytest.raises(OutputError, match=r"cannot be read: a folder; name the files in it$"):
        rest(tmp_path)


def test_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"abc")))
    assert rest("-") == b"abc"
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(OutputError, match=r"<stdin>: cannot be read"):
        rest("-")


@pytest.mark.parametrize("path", ["missing", ".", "nul\0byte"])
def test_unreadable(path, tmp_path):
    with pytest.raises(OutputError, match=r"cannot be read: \w"):
        rest(tmp_path / path if path != "nul\0byte" else path)


def test_labels_hold_no_control_characters():
    assert source_label("a\x1b[31m\nb\udcffc") == "a?[31m?b?c"


def test_errors_of_the_block_get_the_name():
    with pytest.raises(InstanceError, match=r"^input: odd$") as caught, open_reader(b"x"):
        raise InstanceError("odd", code="ODD")
    assert caught.value.code == "ODD"


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path):
    target = tmp_path / "out.json"
    write_text(target, "grüß")
    assert target.read_bytes() == "grüß".encode()
    with pytest.raises(KeyError), written_atomically(target) as part:
        part.write_text("half")
        raise KeyError
    assert target.read_text(encoding="utf-8") == "grüß"
    assert [path.name for path in tmp_path.iterdir()] == ["out.json"]


def test_a_symbolic_link_stays_one(tmp_path):
    (tmp_path / "far").mkdir()
    file, link = tmp_path / "far" / "file", tmp_path / "link"
    link.symlink_to(file)
    assert linked(link) == link  # it leads nowhere yet
    file.write_bytes(b"old")
    assert (linked(link), linked(str(file))) == (file.resolve(), file)
    write_bytes(link, b"new")
    assert (link.is_symlink(), file.read_bytes()) == (True, b"new")
    assert [path.name for path in (tmp_path / "far").iterdir()] == ["file"]


def test_unwritable(tmp_path):
    with pytest.raises(OutputError, match=r"missing/x: cannot be written: No such file"):
        write_bytes(tmp_path / "missing" / "x", b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match=r"folder: cannot be written"):
        write_bytes(tmp_path / "folder", b"")
    with pytest.raises(OutputError, match=r"cannot be written"):
        write_bytes("", b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder"]


def test_two_that_write_one_file_at_once_each_write_a_whole_one(tmp_path):
    file = tmp_path / "file"
    with written_atomically(file) as first, written_atomically(file) as second:
        first.write_bytes(b"first")
        second.write_bytes(b"second")
    assert file.read_bytes() == b"first"  # renamed last
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="has no such locks")
@pytest.mark.parametrize("folder", [False, True])
def test_what_is_claimed_is_refused_to_others(tmp_path, folder):
    place = tmp_path / "plan.json.part"
    with claimed(place, folder=folder):
        said = r"json\.part: another run is writing it; wait until it ends, or name another output"
        with pytest.raises(OutputError, match=said), claimed(place, folder=folder):
            pass
        place.rename(tmp_path / "plan.json")
        with claimed(place, folder=folder):  # it is another one now
            assert place.exists()
        assert not place.exists()  # nothing is in it
    with claimed(tmp_path / "plan.json", folder=folder):
        assert (tmp_path / "plan.json").is_dir() is folder
        (tmp_path / "plan.json" / "x" if folder else tmp_path / "plan.json").write_text("text")
    assert (tmp_path / "plan.json").exists()
    nowhere = claimed(tmp_path / "none" / "x", folder=folder)
    with pytest.raises(OutputError, match="none/x: cannot be written: No such file"), nowhere:
        pass


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="needs /dev/null")
def test_devices_are_written_directly():
    write_bytes("/dev/null", b"x")
    assert not Path("/dev/null.part").exists()


def test_what_names_a_folder(tmp_path):
    assert names_folder(f"{tmp_path}/new/") and names_folder(str(tmp_path))
    assert not names_folder(str(tmp_path / "new"))
