import pytest

from benchmarks.curves import Known, SolverRun, best_known, compared, reaches, summed_up


def run(cost, solver_s=1.0, cpu_s=2.0, wall_s=3.0, vehicles=None):
    failure = "gave no routes" if cost is None else None
    return SolverRun(cost, solver_s, cpu_s, wall_s, failure, vehicles)


def known(*costs):
    return [Known(cost) for cost in costs]


def point(method, setting, solver_s, gap, failed=()):
    runs = {0: run(100 * (1 + gap), solver_s)} | {1 + i: run(None, solver_s) for i in failed}
    return summed_up(method, setting, runs, known(*[100.0] * (1 + len(runs))))


def test_the_best_cost_of_any_run_is_the_reference_where_none_is_given():
    runs = [{0: run(12.0), 1: run(5.0)}, {0: run(11.0), 1: run(None)}, {}]
    assert best_known(known(None, None, None), runs) == known(11.0, 5.0, None)
    assert best_known(known(20.0, None, 7.0), runs) == known(20.0, 5.0, 7.0)


def test_means_by_hand():
    runs = {
        0: run(11.0, solver_s=0.1, cpu_s=0.2, wall_s=0.3),
        1: run(21.0, solver_s=0.3, cpu_s=0.4, wall_s=0.5),
        2: run(None, solver_s=0.2, cpu_s=0.3, wall_s=0.4),
    }
    found = summed_up("a", "b", runs, known(10.0, 20.0, 30.0))
    assert found.gap == pytest.approx((0.10 + 0.05) / 2)  # mean of gaps, not gap of means
    assert found.worst == pytest.approx(0.10)
    assert (found.instances, found.failed) == (3, 1)
    assert found.solver_s == pytest.approx(0.2)  # a failed run has used its time as well
    assert found.cpu_s == pytest.approx(0.3)
    assert found.wall_s == pytest.approx(0.4)


def test_without_answers_or_references_there_is_no_gap():
    for runs, references in (({0: run(None)}, known(10.0)), ({0: run(4.0)}, known(None))):
        found = summed_up("a", "b", runs, references)
        assert found.gap is None
        assert found.worst is None


def test_a_reference_of_zero_is_met_or_says_nothing():
    assert summed_up("a", "b", {0: run(0.0)}, known(0.0)).gap == 0.0
    assert summed_up("a", "b", {0: run(1.0)}, known(0.0)).gap is None


def test_a_negative_gap_stays_negative():
    assert summed_up("a", "b", {0: run(9.0)}, known(10.0)).gap == pytest.approx(-0.1)


def test_rivals_reach_a_gap_by_their_quickest_point_that_never_failed():
    points = [
        point("vrp", "fast", 0.05, 0.010),
        point("HGS", "0.01 s", 0.01, 0.020),
        point("HGS", "0.1 s", 0.1, 0.010),
        point("HGS", "1 s", 1.0, 0.0),
        point("PyVRP", "0.01 s", 0.01, 0.0, failed=[0]),
        point("PyVRP", "2 s", 2.0, 0.005),
        point("VROOM", "level 5", 5.0, 0.03),
    ]
    (found,) = reaches(points, "vrp")
    assert found.point.setting == "fast"
    assert found.solver_s == {"HGS": 0.1, "PyVRP": 2.0, "VROOM": None}


def test_a_comparison_is_made_instance_by_instance_with_the_better_rival():
    own = {0: run(10.0), 1: run(22.0), 2: run(30.0), 3: run(None)}
    rivals = {
        "HGS": {place: run(cost) for place, cost in enumerate((11.0, 22.0, 33.0, 40.0))},
        "PyVRP": {place: run(cost) for place, cost in enumerate((20.0, 40.0, 60.0, 40.0))},
        "VROOM": {0: run(10.0)},  # one answer has no standard error
        "OR-Tools": {},
    }
    found = compared("1 s", own, rivals, known(10.0, 20.0, 30.0, 40.0))
    assert (found.setting, found.rival, found.instances) == ("1 s", "HGS", 3)
    differences = [-0.1, 0.0, -0.1]
    assert found.difference == pytest.approx(sum(differences) / 3)
    assert found.error == pytest.approx(0.1 / 3**0.5 / 3**0.5)
    assert compared("1 s", own, {"VROOM": rivals["VROOM"]}, known(*[10.0] * 4)) is None


def test_vehicles_come_before_costs_where_they_are_counted():
    runs = {
        0: run(11.0, vehicles=3),
        1: run(5.0, vehicles=4),
        2: run(30.0, vehicles=1),
        3: run(None),
    }
    best = [Known(10.0, 3), Known(20.0, 2), Known(40.0, 2), Known(40.0, 2)]
    found = summed_up("a", "b", runs, best)
    assert (found.gap, found.worst) == (pytest.approx(0.1), pytest.approx(0.1))
    assert (found.equal, found.above, found.failed) == (1, 2, 1)
    assert summed_up("a", "b", {0: run(11.0)}, known(10.0)).above is None


def test_the_best_answer_of_any_run_has_the_fewest_vehicles():
    runs = [{0: run(9.0, vehicles=4)}, {0: run(12.0, vehicles=3)}, {0: run(11.0, vehicles=3)}]
    assert best_known(known(None), runs) == [Known(11.0, 3)]
    assert best_known([Known(20.0, 5)], runs) == [Known(20.0, 5)]


def test_a_rival_with_more_vehicles_does_not_reach_a_point():
    best = [Known(10.0, 2), Known(10.0, 2)]
    equal = {0: run(11.0, vehicles=2), 1: run(11.0, vehicles=2)}
    above = {0: run(10.0, vehicles=2), 1: run(1.0, vehicles=3)}
    points = [summed_up("vrp", "1 s", equal, best), summed_up("PyVRP", "1 s", above, best)]
    (found,) = reaches(points, "vrp")
    assert found.solver_s == {"PyVRP": None}
    assert compared("1 s", equal, {"PyVRP": above}, best) is None  # one pair alone
