import pytest

from vrpcore.bench.bks import BestKnown, read_best_known, read_reference_files
from vrpcore.errors import InstanceError, OutputError

TABLE = """name,bks,hier_vehicles_2024,hier_distance_2024,convention
LC1,10.5,3,12.25,"times ten, cut"
lc2,,4,,
"""


def test_best_known_values_by_file_name(tmp_path):
    file = tmp_path / "bks.csv"
    file.write_text(TABLE)
    assert read_best_known(file, fewest_vehicles=False) == {
        "lc1": BestKnown(10.5, None, "times ten, cut")
    }
    assert read_best_known(file, fewest_vehicles=True) == {
        "lc1": BestKnown(12.25, 3, "columns hier_vehicles_2024 and hier_distance_2024")
    }
    file.write_text(TABLE.replace("10.5", "12.25"))
    assert read_best_known(file, fewest_vehicles=True)["lc1"].convention == "times ten, cut"


@pytest.mark.parametrize(
    ("text", "fewest", "said"),
    [
        ("name,bks\na,1\n", True, "no column hier..._vehicles, which --fewest-vehicles needs"),
        ("name,cost\na,1\n", False, "expected name and bks"),
        ("bks\n1\n", False, "expected name and bks"),
        ("name,hier_vehicles\na,1\n", True, "expected name and hier_distance"),
        ("name,bks\na,ten\n", False, "a: bks: 'ten', expected a number such as 10.5"),
        ("name,bks\na,nan\n", False, "a: bks: 'nan', expected a number"),
        ("name;bks\na;10,5\n", False, "a: bks: '10,5', expected a number such as 10.5"),
        ("name,hier_vehicles,hier_distance\na,two,1\n", True, "a: hier_vehicles: 'two', expected"),
        ("name,hier_vehicles,hier_distance\na,inf,1\n", True, "a: hier_vehicles: 'inf', expected"),
        (f"name,bks\na,{'1' * 140_000}\n", False, "row 2: field larger than field limit"),
        ("name,bks\na,1,2\n", False, "row 2: 3 cells, but the first row names 2 columns"),
        ("", False, "columns [], expected name and bks"),
    ],
)
def test_other_tables_are_refused(tmp_path, text, fewest, said):
    file = tmp_path / "bks.csv"
    file.write_text(text)
    with pytest.raises(InstanceError) as error:
        read_best_known(file, fewest_vehicles=fewest)
    assert str(error.value).startswith(f"{file}: ")
    assert said in str(error.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(OutputError, match="absent"):
        read_best_known(tmp_path / "absent.csv", fewest_vehicles=False)


def test_the_public_tables_are_read(test_data):
    tables = sorted((test_data / "variants").glob("*/bks.csv"))
    # Longest rides and split deliveries are not solved.
    tables = [each for each in tables if each.parent.name not in ("darp", "sdvrp")]
    for table in tables:
        known = read_best_known(table, fewest_vehicles=False)
        stems = {file.stem.lower() for file in table.parent.iterdir() if file != table}
        assert known.keys() == stems
        assert all(each.cost > 0 and each.convention for each in known.values())
    assert len(tables) >= 10
    pairs = read_best_known(
        test_data / "variants" / "li_lim_pdptw" / "bks.csv", fewest_vehicles=True
    )
    assert pairs["lc102"][:2] == (828.9369, 10)


def test_a_folder_of_solutions_has_a_cost_for_each(tmp_path):
    for name, cost in (("b-1", 7), ("a-2", 5)):
        (tmp_path / f"{name}.sol").write_text(f"Route #1: 1 2\nCost {cost}\n")
    (tmp_path / "readme.txt").write_text("no solution")
    assert read_reference_files([tmp_path]) == {"a-2": 5, "b-1": 7}


def test_references_from_json_and_csv(tmp_path):
    table = tmp_path / "index.csv"
    table.write_text("name,bks,free_fleet_best\na,10,9\nb,8,\nc,,\n")
    costs = tmp_path / "costs.json"
    costs.write_text('{"b": 7, "d": 1.5}')
    assert read_reference_files([table, costs]) == {"a": 9.0, "b": 7.0, "d": 1.5}
    table.write_text("name,length\na,10\n")
    with pytest.raises(InstanceError, match="expected name and one of"):
        read_reference_files([table])
    table.write_text("name,bks\na,-inf\n")
    with pytest.raises(InstanceError, match="a: bks: '-inf', expected a number"):
        read_reference_files([table])
    table.write_text("name;bks\na;10.5\n\u0142ód\u017a;7\n", "utf-8-sig")  # as Excel may write it
    assert read_reference_files([table]) == {"a": 10.5, "\u0142ód\u017a": 7.0}
    table.write_bytes(b"name,bks\n\x81\x8d,7\n")
    with pytest.raises(InstanceError, match=r"index\.csv: line 2: neither UTF-8 nor Windows-1252"):
        read_reference_files([table])
