from vrpcore.api import Solver
from vrpcore.cost.check import check_solution
from vrpcore.formats.jsonio import read_instances
from vrpcore.formats.sheets.options import SheetOptions
from vrpcore.formats.sheets.template import TEMPLATE


def test_the_template_is_solved_as_it_is(tmp_path):
    for name, text in TEMPLATE.items():
        (tmp_path / name).write_text(text)
    options = SheetOptions(fleet=str(tmp_path / "vans.csv"))
    (instance,) = read_instances(tmp_path / "stops.csv", sheet=options)
    assert instance.sheet.notes == [
        f"{tmp_path}/stops.csv: not used: name, phone (a CSV answer keeps them)"
    ]
    (answer,) = Solver(device="cpu").solve([instance])
    assert answer.status == "solved"
    assert check_solution(instance, answer).ok
    assert len(answer.routes) > 1
