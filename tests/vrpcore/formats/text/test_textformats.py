"""Which format a text has; with VRP_TEST_DATA every public file, and its best known routes."""

import csv
import math
import re

import numpy as np
import pytest

from vrpcore.cost.timeline import Timeline
from vrpcore.formats.not_json import begins_with_header, find_reader
from vrpcore.formats.read import read_instances
from vrpcore.formats.text.cordeau import read_cordeau
from vrpcore.formats.text.cvrplib import read_vrp
from vrpcore.formats.text.hvrp import read_hvrp
from vrpcore.formats.text.sdvrp import read_sdvrp
from vrpcore.formats.text.shipments import read_darp, read_lilim
from vrpcore.formats.text.solomon import read_solomon
from vrpcore.instance.instance import InvalidInstance
from vrpcore.instance.plan import Route


@pytest.mark.parametrize(
    ("head", "reader"),
    [
        (b"C101\r\n\r\nVEHICLE\r\nNUMBER     CAPACITY\r\n", read_solomon),
        (b"NAME : odd\nVEHICLE\nNUMBER CAPACITY\n", read_solomon),
        (b"\n NAME : x\n", read_vrp),
        (b"# a comment\nDIMENSION: 3\n", read_vrp),
        (b"VEHICLES_MAX_DURATION: 3\n", read_vrp),
        (b"25\t200\t1\r\n0\t40\t50\t0\t0\t1236\t0\t0\t0\r\n", read_lilim),
        (b"2 5 80 2\n200 60\n200 60\n 1 -10", read_cordeau),
        (b"3 160\n7 30 16\n30 40\n", read_sdvrp),
        (b"2 16 480 3 30\n  0   0.0   0.0   0   0    0  480\n", read_darp),
        (b" //Lines 1:5 : these comments\n// more\n", read_hvrp),
        (b"/ no comment\n", None),
        (b"2 5 80 2\n200 60\n", None),
        (b"1 2 3\n4 5 6\n", None),
        (b"8 5 80 2\n200 60\n200 60\n", None),
        (b"hello\n", None),
        (b"", None),
    ],
)
def test_the_format_is_recognized_by_how_a_text_begins(head, reader):
    assert find_reader(head) is reader


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (b"# a comment\nNAME\t:\tx\nTYPE\t:\tCVRP\n", True),
        (b"DIMENSION: 3\r\n", True),
        (b"NAME\tx\ty\n", False),
        (b"NAME:\tX:\tY:\n", False),
        (b"NAME:,x\n", False),
        (b"hello: 1\n", False),
    ],
)
def test_a_header_is_told_from_the_heading_of_a_spreadsheet(head, found):
    assert begins_with_header(head) is found


def variants(test_data, *folders):
    """Files of the public sets."""
    for folder in folders:
        for file in sorted((test_data / "variants" / folder).iterdir()):
            if file.suffix not in (".csv", ".sol", ".toml"):
                yield file


def rows_of(file, keyword):
    """Rows of a section, by a reader of its own: its words, without comments."""
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    if keyword not in [line.strip() for line in lines]:
        return []
    start = [line.strip() for line in lines].index(keyword) + 1
    stop = next(i for i in range(start, len(lines)) if re.match(r"[A-Z]", lines[i]))
    return [line.split() for line in lines[start:stop] if line.strip()]


def test_solomon_files(test_data):
    files = list(variants(test_data, "solomon", "gehring_homberger"))
    for file in files:
        (found,) = read_instances(file)
        words = file.read_text().split()
        at = words.index("CAPACITY")
        rows = [line.split() for line in file.read_text().splitlines()]
        rows = [row for row in rows if len(row) == 7 and row[0].isdigit()]
        assert (found.max_vehicles, found.capacity) == (int(words[at + 1]), float(words[at + 2]))
        assert (found.num_customers, found.num_depots) == (len(rows) - 1, 1)
        assert found.own_constraints.windows[-1, 0].tolist() == [
            float(rows[-1][4]),
            float(rows[-1][5]),
        ]
    assert len(files) == 92


def test_li_and_lim_files(test_data):
    files = list(variants(test_data, "li_lim_pdptw"))
    for file in files:
        (found,) = read_instances(file)
        head, *rows = [line.split() for line in file.read_text().splitlines() if line.strip()]
        assert (found.max_vehicles, found.capacity) == (int(head[0]), float(head[1]))
        assert found.num_customers == 2 * found.own_constraints.num_shipments == len(rows) - 1
        assert found.own_constraints.shipment.sum() == 0
    assert len(files) == 63


def test_cordeau_files(test_data):
    files = list(variants(test_data, "cordeau_mdvrp"))
    for file in files:
        (found,) = read_instances(file)
        _, count, customers, depots = map(int, file.read_text().split("\n")[0].split())
        assert (found.num_customers, found.num_depots) == (customers, depots)
        assert [each.count for each in found.own_constraints.vehicles] == [count] * depots
    assert len(files) == 18


def test_files_of_mixed_fleets(test_data):
    files = list(variants(test_data, "hvrp_classic"))
    for file in files:
        (found,) = read_instances(file)
        lines = [line.split() for line in file.read_text().splitlines() if "//" not in line]
        customers, types = map(int, lines[0][:2])
        assert (found.num_customers, found.name) == (customers, file.stem)
        assert [each.count for each in found.own_constraints.vehicles] == [
            int(row[0]) for row in lines[1 : types + 1]
        ]
        assert found.own_constraints.delivery[-1, 0] == float(lines[types + 1 + customers][2])
    assert len(files) == 24


def test_files_with_unsupported_sections_are_refused_by_name(test_data):
    refused = {}
    for file in variants(test_data, "pyvrp_tests"):
        (found,) = read_instances(file)
        if isinstance(found, InvalidInstance):
            refused[file.name] = found.error.partition(": ")[2]
    expected = {
        "DepotNotOne.txt": "DEMAND_SECTION: missing",
        "DepotsNotLowerIndices.txt": "DEMAND_SECTION: missing",
        "EdgeWeightsNoExplicit.txt": "EDGE_WEIGHT_TYPE: 'FLFL', expected one of",
        "EdgeWeightsNotFullMatrix.txt": "EDGE_WEIGHT_FORMAT: 'FLFL', expected one of",
        "MissingVehicleData.txt": "VEHICLES_DEPOT_SECTION: 1 vehicles, VEHICLES says 3",
        "TimeWindowOpenLargerThanClose.txt": "opens at 10, after it closes at 5",
        "UnknownEdgeWeightFmt.txt": "DEMAND_SECTION: missing",
        "UnknownEdgeWeightType.txt": "DEMAND_SECTION: missing",
        "lrc206.vrp": "TIME_WINDOW_SECTION: given with PICKUP_AND_DELIVERY_SECTION",
        "pr107.tsp": "TYPE: 'TSP', one tour through all nodes",
    }
    assert refused.keys() == expected.keys()
    assert {name for name, text in expected.items() if text not in refused[name]} == set()


SETS = {
    "pyvrp_hfvrp": ("exact", 53),
    "pyvrp_mdvrptw": ("exact", 12),
    "pyvrp_sdvrptw": ("exact", 24),
    "pyvrp_vrpb": ("round", 47),
    "pyvrp_pcvrptw": ("dimacs", 26),
    "pyvrp_gvrp": ("round", 9),
}


LARGEST = 1000  # customers: more take a second each


@pytest.mark.parametrize("most", [3, pytest.param(None, marks=pytest.mark.slow)])
@pytest.mark.parametrize("folder", SETS)
def test_best_known_routes_are_feasible_and_cost_what_is_said(test_data, folder, most):
    rounding, number = SETS[folder]
    with (test_data / "variants" / folder / "bks.csv").open() as file:
        known = {row["name"]: float(row["bks"]) for row in csv.DictReader(file)}
    files = list(variants(test_data, folder))
    assert len(files) == number
    for file in sorted(files, key=lambda file: file.stat().st_size)[:most]:
        size = int(re.search(r"DIMENSION\s*:\s*(\d+)", file.read_text())[1])
        (found,) = read_instances(file, rounding=rounding)
        depots = [row[0] for row in rows_of(file, "DEPOT_SECTION") if row[0] != "-1"]
        assert found.num_depots == max(1, len(depots))
        assert found.num_customers + found.num_depots == size
        vehicles = re.search(r"VEHICLES\s*:\s*(\d+)", file.read_text())
        counts = [each.count for each in found.own_constraints.vehicles]
        assert counts == [None] if vehicles is None else sum(counts) == int(vehicles[1])
        if found.num_customers <= LARGEST:
            cost = cost_of(found, file.with_suffix(".sol").read_text(), by_vehicle(found))
            assert cost == pytest.approx(known[file.stem], abs=1e-6 * known[file.stem])


def test_reloads_and_release_times_of_best_known_routes(test_data):
    files = list(variants(test_data, "pyvrp_mtvrptwr"))
    assert len(files) == 79
    for file in files:
        (found,) = read_instances(file, rounding="dimacs")
        count = int(re.search(r"VEHICLES\s*:\s*(\d+)", file.read_text())[1])
        (vehicle,) = found.own_constraints.vehicles
        assert (vehicle.count, vehicle.reloads, vehicle.max_reloads) == (count, (0,), math.inf)
        releases = [float(row[1]) for row in rows_of(file, "RELEASE_TIME_SECTION")]
        assert found.own_constraints.release.tolist() == releases[1:]
        served = check_trips(found, file.with_suffix(".sol").read_text())
        assert sorted(served) == list(range(1, found.num_customers + 1))


def check_trips(instance, text):
    """Drives the routes of a solution file, each trip as early as it can, and the stops served."""
    constraints, lengths = instance.own_constraints, instance.distances
    (depot,), (vehicle,) = constraints.depots, constraints.vehicles
    served = []
    for line in re.findall(r"Route #\d+:([\d ]*)", text):
        clock = depot.window[0]
        for trip in re.findall(r"\b[1-9][\d ]*?(?= 0\b| *$)", line):
            stops = [int(word) for word in trip.split()]
            assert constraints.delivery[np.array(stops) - 1, 0].sum() <= vehicle.capacity[0]
            clock = max([clock, *(constraints.release[stop - 1] for stop in stops)])
            for origin, stop in zip([0, *stops], [*stops, 0], strict=True):
                clock += lengths[origin, stop]
                if stop:
                    opens, closes = constraints.windows[stop - 1, 0]
                    clock = max(clock, opens)
                    assert clock <= closes + 1e-6
                    clock += constraints.service[stop - 1]
            assert clock <= depot.window[1] + 1e-6
            served += stops
    return served


def by_vehicle(instance):
    """Type of each vehicle; None where there are as many as needed of one."""
    vehicles = instance.own_constraints.vehicles
    if vehicles[0].count is None:
        return None
    return np.repeat(np.arange(len(vehicles)), [each.count for each in vehicles]).tolist()


def cost_of(instance, text, types):
    """Cost of the routes of a solution file, all limits checked."""
    constraints, timeline = instance.own_constraints, Timeline(instance)
    stops, cost = [], []
    for vehicle, line in re.findall(r"Route #(\d+):([\d ]*)", text):
        if not line.strip():
            continue
        # Locations are counted from 0, depots first.
        route = tuple(int(word) - instance.num_depots + 1 for word in line.split())
        kind = 0 if types is None else types[int(vehicle) - 1]
        own = constraints.vehicles[kind]
        found = timeline.schedule(Route(kind, route))
        assert found is not None
        assert all(np.array(found.load) <= np.array(own.capacity) + 1e-9)
        assert found.duration <= own.max_duration + 1e-6
        assert found.distance <= own.max_distance + 1e-6
        assert all(constraints.may_serve(kind, stop) for stop in route)
        if constraints.backhauls == "last":
            pickups = [bool(constraints.pickup[stop - 1].any()) for stop in route]
            assert pickups == sorted(pickups)
            assert constraints.pickup_only_routes or not pickups[0]
        stops += route
        cost.append(found.cost)
    assert len(stops) == len(set(stops))
    members = {stop for group in constraints.groups for stop in group.members}
    assert all(len(set(group.members) & set(stops)) == 1 for group in constraints.groups)
    alone = set(range(1, instance.num_customers + 1)) - members
    left = sorted(alone - set(stops))
    return sum(cost) + sum(float(constraints.prize[stop - 1]) for stop in left)
