import pytest

from tests.build import plain
from vrpcore.bench import readme
from vrpcore.bench.readme import cvrplib_sets, field_sets, readme_modes, solve_mode
from vrpcore.errors import OutputError
from vrpcore.formats.text.write_vrp import instance_to_vrp


def write(folder, name, num_customers):
    places = [(number, 0) for number in range(num_customers + 1)]
    folder.mkdir(exist_ok=True)
    instance = plain(places, name=name, capacity=1000, metric="euc_2d")
    (folder / f"{name}.vrp").write_text(instance_to_vrp(instance))


def test_the_fields_sets_end_where_references_do():
    assert [len(found.instances) for found in field_sets(1000)] == [256, 128, 128, 128]
    small = field_sets(3)
    assert [found.name for found in small] == ["kool10", "kool20", "kool50", "kool100"]
    assert all(len(found.references) == 3 and None not in found.references for found in small)


def test_cvrplib_up_to_400_customers(tmp_path):
    write(tmp_path / "A", "a1", 3)
    write(tmp_path / "X", "x400", 400)
    write(tmp_path / "X", "x401", 401)
    (tmp_path / "index.csv").write_text("name,bks\na1,6\nx400,800\nx401,802\n")
    first, second = cvrplib_sets(tmp_path)
    assert (first.name, first.references) == ("A", (6.0,))
    assert [instance.name for instance in second.instances] == ["x400"]
    (tmp_path / "X" / "x400.vrp").unlink()
    assert [found.name for found in cvrplib_sets(tmp_path)] == ["A"]


def test_a_folder_without_cvrplib(tmp_path):
    with pytest.raises(OutputError, match="has none of the folders A, B, P, X"):
        cvrplib_sets(tmp_path)


def test_modes_start_from_all_customers(monkeypatch):
    modes = readme_modes(70)
    assert list(modes) == ["vrp solve", "only the policy, 8 symmetries", "only the policy"]
    assert modes["only the policy"] == {"improve": "none", "starts": 70}
    assert modes["only the policy, 8 symmetries"]["augment"] == 8
    monkeypatch.setattr(readme, "is_built", lambda: False)
    assert solve_mode() == {"vrp solve": {"improve": "none"}}
