import pytest

from vrpcore.bench import readme
from vrpcore.bench.readme import cvrplib_sets, field_sets, readme_modes, solve_mode
from vrpcore.errors import OutputError

VRP = """NAME : {name}
TYPE : CVRP
DIMENSION : {nodes}
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 1000
NODE_COORD_SECTION
{coords}
DEMAND_SECTION
{demands}
DEPOT_SECTION
1
-1
EOF
"""


def write(folder, name, num_customers):
    nodes = range(1, num_customers + 2)
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.vrp").write_text(
        VRP.format(
            name=name,
            nodes=len(nodes),
            coords="\n".join(f"{node} {node} 0" for node in nodes),
            demands="\n".join(f"{node} {min(node - 1, 1)}" for node in nodes),
        )
    )


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
