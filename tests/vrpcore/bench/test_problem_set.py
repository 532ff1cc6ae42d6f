import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from tests.build import plain
from vrpcore.bench.problem_set import (
    SetReading,
    evenly,
    generated_set,
    is_generated,
    read_sets,
)
from vrpcore.errors import ConfigError, InstanceError, OutputError
from vrpcore.formats.text.write_vrp import instance_to_vrp

KOOL = Path(__file__).parents[2] / "data" / "kool_n20.npz"


def test_a_larger_set_begins_with_the_smaller_one():
    small, large = (generated_set("uniform20", count, 5) for count in (3, 5))
    assert small.digests() == large.digests()[:3]
    assert len(set(large.digests())) == 5
    assert [instance.name for instance in small.instances] == [f"uniform20-{i}" for i in range(3)]
    assert small.references == (None, None, None)
    assert generated_set("uniform20", 1, 6).digests() != small.digests()[:1]


def test_other_distributions_and_names():
    (found,) = generated_set("xstyle30", 1, 5).instances
    assert (found.num_customers, found.metric) == (30, "euc_2d")
    assert is_generated("clustered50")
    assert is_generated("kool50")
    assert not is_generated("kool30")
    assert not is_generated("uniform20.json")
    with pytest.raises(ConfigError, match="uniformN"):
        generated_set("gaussian20", 1, 5)


@pytest.mark.parametrize("size", [10, 20, 50, 100])
def test_the_fields_sets_and_their_references_are_those_of_the_files(size):
    (stored,) = read_sets([KOOL.with_name(f"kool_n{size}.npz")], {}, 1000)
    drawn = generated_set(f"kool{size}", len(stored.instances), 7)
    assert drawn.digests() == stored.digests()
    assert drawn.references == stored.references
    assert generated_set(f"kool{size}", 300, 7).references[-1] is None


def test_npz_brings_its_references(tmp_path):
    (found,) = read_sets([KOOL], {"kool_n20-1": 3.0}, 2)
    with np.load(KOOL) as arrays:
        assert found.references == (float(arrays["ref_cost"][0]), 3.0)
        assert np.array_equal(found.instances[1].coords, arrays["coords"][1].astype(np.float64))
        assert found.instances[1].capacity == float(arrays["capacity"])
    assert found.name == "kool_n20"
    other = tmp_path / "other.npz"
    np.savez(other, coords=np.zeros((2, 3, 2)), demand=np.ones((2, 3)), capacity=9)
    (found,) = read_sets([other], {}, 9)
    assert found.references == (None, None)


def test_what_a_file_of_arrays_has_wrong_is_named(tmp_path):
    file = tmp_path / "odd.npz"
    arrays = {"coords": np.zeros((2, 3, 2)), "demand": np.ones((2, 3)), "capacity": 9}
    np.savez(file, **arrays | {"demand": np.ones((2, 4))})
    with pytest.raises(InstanceError, match=r"odd\.npz: demand: shape \[2, 4\], expected \[2, 3\]"):
        read_sets([file], {}, 9)
    np.savez(file, **arrays, ref_cost=np.ones(3))
    with pytest.raises(InstanceError, match=r"odd\.npz: ref_cost: float64 \[3\], expected one"):
        read_sets([file], {}, 9)


def test_tours_of_arrays_give_costs_where_none_are_known(tmp_path):
    file = tmp_path / "own.npz"
    arrays = {"coords": np.float32([[[0, 0], [3, 4]]]), "demand": np.array([[0, 1]])}
    arrays |= {"capacity": 9, "tour": np.array([[1, 0]])}
    np.savez(file, **arrays)
    (found,) = read_sets([file], {}, 9)
    assert (found.references, found.instances[0].plan) == ((10.0,), None)
    np.savez(file, **arrays, cost=[11.0])
    assert read_sets([file], {}, 9)[0].references == (11.0,)
    packed = tmp_path / "own.npz.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert read_sets([packed], {}, 9)[0].references == (11.0,)


def test_bytes_that_are_no_npz_and_missing_files(tmp_path):
    file = tmp_path / "text.npz"
    file.write_text("hello")
    with pytest.raises(InstanceError, match="cannot parse 'hello'"):
        read_sets([file], {}, 9)
    with pytest.raises(OutputError, match="absent"):
        read_sets([tmp_path / "absent.npz"], {}, 9)


def test_vrp_files_of_a_folder_are_one_set(tmp_path):
    folder = tmp_path / "X"
    folder.mkdir()
    for name in ("b", "a"):
        instance = plain([(0, 0), (3, 4), (6, 8)], name=name, metric="euc_2d")
        (folder / f"{name}.vrp").write_text(instance_to_vrp(instance))
    (both,) = read_sets([folder], {"a": 20.0}, 9)
    assert both.name == "X"
    assert [instance.name for instance in both.instances] == ["a", "b"]
    assert both.references == (20.0, None)
    (folder / "read_me.txt").write_text("no instance")
    assert read_sets([folder], {}, 9)[0].digests() == both.digests()
    (single,) = read_sets([folder / "b.vrp", folder / "a.vrp"], {}, 1)
    assert (single.name, single.instances[0].name) == ("X", "b")
    empty = tmp_path / "empty.json"
    empty.write_text("[]")
    with pytest.raises(InstanceError, match="contains no instances"):
        read_sets([empty], {}, 9)


def test_known_routes_are_no_warm_start(tmp_path):
    file = tmp_path / "own.json"
    instance = {"capacity": 9, "depot": [0, 0], "coords": [[1, 1]], "demands": [1]}
    file.write_text(json.dumps([instance | {"routes": [[1]]}, instance | {"routes": []}, instance]))
    (found,) = read_sets([file], {}, 9)
    assert [each.plan for each in found.instances] == [None] * 3
    assert found.references == (pytest.approx(2 * 2**0.5), None, None)


def test_only_routes_that_keep_all_limits_give_a_cost(tmp_path):
    file = tmp_path / "own.json"
    stop = {"id": "a", "x": 3, "y": 4, "demand": 2}
    van = {"id": "v", "capacity": 2}
    instance = {"depots": [{"id": "d", "x": 0, "y": 0}], "customers": [stop], "vehicles": [van]}
    late = instance | {"customers": [stop | {"window": [0, 1]}]}
    routes = [{"vehicle": "v", "customers": ["a"]}]
    plain = {"capacity": 3, "depot": [0, 0], "coords": [[1, 1], [2, 2]], "demands": [2, 2]}
    cases = [instance, instance | {"routes": routes}, late | {"routes": routes}]
    cases += [plain | {"routes": [[1], [2]]}, plain | {"routes": [[1, 2]]}]
    file.write_text(json.dumps(cases))
    cases.append(plain | {"routes": [[1], [2]], "name": "known"})
    two = instance | {"vehicles": [van, van | {"id": "w"}]}
    cases.append(two | {"routes": [{"customers": ["a"]}]})  # of which type?
    file.write_text(json.dumps(cases))
    (found,) = read_sets([file], {"known": 7.0}, 9)
    assert found.references == (None, 10.0, None, pytest.approx(6 * 2**0.5), None, 7.0, None)


def test_an_invalid_instance_is_refused(tmp_path):
    file = tmp_path / "bad.json"
    file.write_text(
        json.dumps([{"capacity": -1, "depot": [0, 0], "coords": [[1, 1]], "demands": [1]}])
    )
    with pytest.raises(InstanceError, match=r"bad\.json.*capacity"):
        read_sets([file], {}, 9)


def test_digests_tell_constraints_apart(tmp_path):
    customer = {"x": 1, "y": 1, "demand": 1}
    rows = [
        {"name": "a", "capacity": 2, "depot": [0, 0], "customers": [{**customer, **more}]}
        for more in ({}, {"service": 1}, {"service": 2}, {"service": 2})
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    (found,) = read_sets([tmp_path / "a.json"], {}, 10)
    plain, first, second, third = found.digests()
    assert len({plain, first, second}) == 3
    assert second == third


SOLOMON = """{name}

VEHICLE
NUMBER CAPACITY
 25 200

CUSTOMER
CUST NO. XCOORD. YCOORD. DEMAND READY TIME DUE DATE SERVICE TIME
 0 0 0 0 0 100 0
 1 1 1 10 0 50 5
"""


@pytest.fixture
def folder(tmp_path):
    """Five instances and what is known of four of them."""
    found = tmp_path / "windows"
    found.mkdir()
    for number in range(5):
        (found / f"c{number}.txt").write_text(SOLOMON.format(name=f"C{number} of a set"))
    (found / "bks.csv").write_text(
        "name,bks,hier_vehicles,hier_distance,convention\n"
        + "".join(f"C{number},2.{number},{number + 1},3.5,cut\n" for number in (0, 2, 3, 4))
    )
    return found


def test_a_table_beside_files_gives_their_best_known_values(folder):
    (found,) = read_sets([folder], {"C3 of a set": 9.0}, 10, SetReading("dimacs"))
    assert (found.name, found.conventions, found.vehicles) == ("windows", ("cut",), None)
    assert found.references == (2.0, None, 2.2, 9.0, 2.4)
    assert found.instances[0].distances[0, 1] == 1.4
    (unrounded,) = read_sets([folder], {}, 1)
    assert unrounded.instances[0].distances is None


def test_such_files_are_taken_evenly_spread(folder):
    names = [each.name[:2] for each in read_sets([folder], {}, 3)[0].instances]
    assert names == ["C0", "C2", "C4"]
    listed = [folder / f"c{number}.txt" for number in (3, 1, 2)]
    (found,) = read_sets(listed, {}, 2)
    assert [each.name[:2] for each in found.instances] == ["C3", "C2"]
    assert evenly(listed, 9) == listed
    (folder / "bks.csv").unlink()
    (first,) = read_sets([folder], {}, 2)
    assert [each.name[:2] for each in first.instances] == ["C0", "C1"]


def test_fewest_vehicles_take_other_values_and_a_name_of_their_own(folder):
    (found,) = read_sets([folder], {}, 10, SetReading(fewest_vehicles=True))
    assert found.name == "windows, fewest vehicles"
    assert found.references == (3.5, None, 3.5, 3.5, 3.5)
    assert found.vehicles == (1, None, 3, 4, 5)
    with pytest.raises(ConfigError, match="kool_n20-0 is a plain instance, expected constraints"):
        read_sets([KOOL], {}, 1, SetReading(fewest_vehicles=True))


# Groups; vehicles that reload; longest rides; split deliveries.
NOT_CARRIED = {"pyvrp_gvrp", "pyvrp_mtvrptwr", "darp", "sdvrp"}


def test_public_sets_are_read(test_data):
    """One file of each, under the convention of its best known value."""
    folders = sorted(file.parent for file in (test_data / "variants").glob("*/bks.csv"))
    folders = [each for each in folders if each.name not in NOT_CARRIED]
    for problems in read_sets(folders, {}, 1):
        (instance,), (reference,) = problems.instances, problems.references
        assert instance.constraints is not None
        assert reference > 0
        assert problems.conventions
    assert len(folders) >= 10
