import io
import zipfile

import pytest

from vrpcore.formats.archive import archive_names, is_archive


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
