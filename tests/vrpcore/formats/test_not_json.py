import gzip

from tests.vrpcore.formats.tiny_vrp import VRP
from vrpcore.formats.read import read_instances
from vrpcore.instance.instance import Instance


def test_vrp_files(tmp_path):
    for name, pack in (("x.vrp", bytes), ("y.json", gzip.compress)):
        (tmp_path / name).write_bytes(pack(VRP.encode()))
        (found,) = read_instances(tmp_path / name)
        assert (found.name, found.ids, found.metric) == ("tiny", (1,), "euc_2d")
    (tmp_path / "bad.vrp").write_text(VRP.replace("2 3 4", "2 nan 4"))
    (found,) = read_instances(tmp_path / "bad.vrp")
    assert (found.name, found.code) == ("bad", "WRONG_TYPE")
    assert found.error.startswith(f"{tmp_path}/bad.vrp: line 8: NODE_COORD_SECTION: 'nan' is not")
    (found,) = read_instances(b"\n" + VRP.replace("tiny", "\xff").encode("latin-1"))
    assert (found.name, found.code) == ("instance-0", "ENCODING")
    assert found.error.startswith("input: line 2: invalid UTF-8")


def test_the_published_sets_are_read(test_data):
    files = sorted((test_data / "cvrplib").glob("*/*.vrp"))
    assert len(files) > 100
    for file, found in zip(files, read_instances(*files), strict=True):
        assert isinstance(found, Instance), found
        assert found.name == file.stem
        assert found.ids == tuple(range(1, found.num_customers + 1))


def test_a_vrp_with_tabs_is_no_spreadsheet():
    (found,) = read_instances(VRP.replace("NAME : tiny", "NAME\t:\tx").encode())
    assert (found.name, found.kind) == ("x", None)
