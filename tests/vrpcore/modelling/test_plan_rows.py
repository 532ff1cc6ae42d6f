import pytest

from tests.vrpcore.plot.pictures import day
from vrpcore.api import Model
from vrpcore.errors import InstanceError
from vrpcore.formats.solutions import read_solutions
from vrpcore.instance.solution import Solution, Unserved
from vrpcore.modelling.model_solution import ModelSolution


def test_a_shipment_that_is_not_served_has_two_rows():
    unserved = (Unserved("s", "FLEET"), Unserved(7, "FLEET"))
    found = ModelSolution.of(day(), Solution(name="day", status="partial", unserved=unserved))
    assert [row["customer"] for row in found.to_rows()] == ["s:pickup", "s:delivery", 7]


def test_a_group_that_is_not_served_has_the_rows_of_its_members():
    group = {"id": "g", "members": [9, "s"], "prize": 3}
    unserved = (Unserved("g", "DISTANCE", "9: too far"), Unserved(8, "PRIZE"))
    answer = Solution(name="day", status="partial", unserved=unserved)
    rows = ModelSolution.of(day(groups=[group]), answer).to_rows()
    assert [(row["customer"], row["reason"]) for row in rows] == [
        (9, "DISTANCE"), ("s:pickup", "DISTANCE"), ("s:delivery", "DISTANCE"), (8, "PRIZE"),
    ]  # fmt: skip
    assert {row["detail"] for row in rows[:3]} == {"9: too far"}


def test_what_is_on_board_and_not_delivered_has_one_row():
    shipments = [{"id": "s", "amount": 1, "on_board": "van", "delivery": {"x": 10, "y": 6}}]
    instance = day(shipments=shipments, vehicles=[{"id": "van", "count": 1}])
    answer = Solution(name="day", status="partial", unserved=(Unserved("s", "WINDOW"),))
    (row,) = ModelSolution.of(instance, answer).to_rows()
    assert (row["customer"], row["x"], row["y"]) == ("s:delivery", 10, 6)


def test_an_answer_to_another_problem_has_no_rows():
    (other,) = read_solutions(b"Route #1: 1 2\nCost 12\n")
    with pytest.raises(InstanceError, match=r": unknown customer '1'$"):
        ModelSolution.of(day(), other).to_rows()
    unserved = Solution(name="day", status="partial", unserved=(Unserved("t", "FLEET"),))
    with pytest.raises(InstanceError, match=r"^day: unknown customer 't'$"):
        ModelSolution.of(day(), unserved).to_rows()


def test_breaks_and_setups_are_part_of_the_timeline():
    model = Model()
    depot = model.add_depot(x=0, y=0)
    model.add_vehicle(id="van", start=depot, capacity=5, breaks=[{"window": (6, 7), "duration": 2}])
    model.add_customer(id="a", x=3, y=4, demand=1, service=1, setup=1, window=(5, 5))
    found = model.solve(improve="none")
    assert [
        (row["activity"], row["begin"], row["end"], row["customer"]) for row in found.timeline()
    ] == [
        ("travel", 0, 5, "a"),
        ("service", 5, 7, "a"),
        ("break", 7, 9, None),
        ("travel", 9, 14, None),
    ]
    (row,) = found.to_rows()
    assert row["finish"] == 7
