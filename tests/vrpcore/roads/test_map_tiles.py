"""Maps on this machine: what is refused, and tiles that are made once."""

import importlib.metadata
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from filelock import FileLock

from tests.vrpcore.roads.street_map import STREETS, needs_valhalla, write_map
from vrpcore.errors import MissingExtraError, OutputError, RoadsError
from vrpcore.roads import map_tiles
from vrpcore.roads.map_tiles import program, tiles_of
from vrpcore.roads.road_options import silent


def folders(file):
    return sorted(path.name for path in Path(f"{file}.valhalla").iterdir() if path.is_dir())


def test_without_pyvalhalla_its_extra_is_named(monkeypatch):
    none = Mock(side_effect=importlib.metadata.PackageNotFoundError("pyvalhalla"))
    monkeypatch.setattr(importlib.metadata, "distribution", none)
    message = (
        r"^--matrix osm=FILE \(from Python 3\.12 on, not on Windows; else see "
        r"docs/interface/roads\.md\) needs the extra 'roads', which is not installed"
    )
    with pytest.raises(MissingExtraError, match=message):
        program("valhalla_service")


@needs_valhalla
def test_a_package_without_this_program_is_no_help():
    assert os.access(program("valhalla_build_tiles"), os.X_OK)
    with pytest.raises(MissingExtraError):
        program("valhalla_dance")


@needs_valhalla
def test_tiles_are_made_once(tmp_path):
    file, said = write_map(tmp_path / "some, streets.osm.pbf"), []
    made = tiles_of(file, said.append)
    before = {path: path.stat().st_mtime_ns for path in made.rglob("*")}
    assert made.parent == tmp_path / "some, streets.osm.pbf.valhalla"
    assert tiles_of(file, said.append) == made
    assert {path: path.stat().st_mtime_ns for path in made.rglob("*")} == before
    assert said == [f"{file}: preparing its roads once, in {made.parent}; a large map takes long"]
    assert sorted(path.name for path in made.iterdir()) == ["config.json", "tiles"]
    assert folders(file) == [made.name]


@needs_valhalla
def test_a_changed_map_and_another_version_make_them_again(tmp_path, monkeypatch):
    file = write_map(tmp_path / "map.osm.pbf")
    first = tiles_of(file, silent)
    write_map(file, STREETS[:2])
    second = tiles_of(file, silent)
    about = file.stat()
    os.utime(file, ns=(about.st_atime_ns, about.st_mtime_ns + 1))
    third = tiles_of(file, silent)
    package = importlib.metadata.distribution("pyvalhalla")
    newer = SimpleNamespace(version="99", locate_file=package.locate_file)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: newer)
    last = tiles_of(file, silent)
    assert len({first, second, third, last}) == 4
    assert folders(file) == [last.name]


@needs_valhalla
def test_a_folder_that_is_seen_under_another_path_has_its_tiles(tmp_path):
    (tmp_path / "here").mkdir()
    made, said = tiles_of(write_map(tmp_path / "here" / "map.osm.pbf"), silent), []
    (tmp_path / "here").rename(tmp_path / "there")
    found = tiles_of(tmp_path / "there" / "map.osm.pbf", said.append)
    assert (found.name, said) == (made.name, [])


def test_settings_that_valhalla_does_not_tell(tmp_path, monkeypatch):
    folder = tmp_path / "valhalla" / "bin"
    folder.mkdir(parents=True)
    (folder / "valhalla_build_tiles").touch()
    (tmp_path / "valhalla" / "valhalla_build_config.py").write_text("raise OSError('broken')")
    package = SimpleNamespace(version="1", locate_file=lambda name: tmp_path / name)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: package)
    words = r"valhalla_build_config\.py ended with status 1: OSError: broken; install pyvalhalla"
    with pytest.raises(RoadsError, match=words):
        tiles_of(write_map(tmp_path / "map.osm.pbf"), silent)


@needs_valhalla
def test_what_lies_beside_tiles_stays_and_left_overs_go(tmp_path):
    file = write_map(tmp_path / "map.osm.pbf")
    for name in ("mine", f"{'0' * 32}.part", "0" * 32):
        (tmp_path / "map.osm.pbf.valhalla" / name).mkdir(parents=True)
    made = tiles_of(file, silent)
    assert folders(file) == sorted([made.name, "mine"])


@needs_valhalla
def test_who_waited_for_another_process_does_not_make_them_again(tmp_path):
    file = write_map(tmp_path / "map.osm.pbf")
    made, started, found = tiles_of(file, silent), threading.Event(), []
    aside = made.rename(tmp_path / "aside")
    lock = FileLock(made.parent / "lock")
    with lock:
        waiting = threading.Thread(
            target=lambda: found.append(tiles_of(file, lambda _: started.set()))
        )
        waiting.start()
        assert started.wait(10)
        aside.rename(made)
        (made / "of the other").touch()
    waiting.join(20)
    assert found == [made]
    assert (made / "of the other").exists()


def test_files_that_are_no_maps(tmp_path, monkeypatch):
    package = SimpleNamespace(version="1", locate_file=lambda name: __file__)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: package)
    with pytest.raises(OutputError, match=r"no\.osm\.pbf: cannot be read: No such file"):
        tiles_of(tmp_path / "no.osm.pbf", silent)
    with pytest.raises(OutputError, match=r"cannot be read: Is a directory"):
        tiles_of(tmp_path, silent)
    text = tmp_path / "map.osm"
    text.write_text("<osm version='0.6'/>")
    with pytest.raises(RoadsError, match=r"map\.osm: no map; expected an extract of OpenStreetMap"):
        tiles_of(text, silent)
    monkeypatch.setattr(map_tiles, "MAX_MAP_BYTES", 300)
    file = write_map(tmp_path / "map.osm.pbf")
    size = file.stat().st_size
    with pytest.raises(RoadsError, match=f"{size} bytes, the limit is 300; take a smaller extract"):
        tiles_of(file, silent)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["map.osm", "map.osm.pbf"]


@needs_valhalla
def test_maps_that_valhalla_cannot_use_leave_nothing(tmp_path):
    file = write_map(tmp_path / "map.osm.pbf")
    file.write_bytes(file.read_bytes()[:-20])
    message = (
        r"map\.osm\.pbf: Valhalla finds no roads in this map; is it complete, and are there any\? "
    )
    with pytest.raises(RoadsError, match=rf"{message}It says: .*PBF error: unexpected EOF"):
        tiles_of(file, silent)
    write_map(file, [([1, 2], {"building": "yes"})])
    with pytest.raises(RoadsError, match=message):
        tiles_of(file, silent)
    assert folders(file) == []


@needs_valhalla
def test_where_tiles_cannot_be_written(tmp_path):
    file = write_map(tmp_path / "map.osm.pbf")
    (tmp_path / "map.osm.pbf.valhalla").touch()
    with pytest.raises(OutputError, match=r"cannot be written: .*; copy the map to another folder"):
        tiles_of(file, silent)
