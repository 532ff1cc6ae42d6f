from vrpcore.solve.stage import Improvement, Stage


def test_a_stage_says_nothing_that_it_is_not_about():
    stage = Stage("construct", 3)
    assert (dict(stage.answers), stage.note, stage.improvement) == ({}, "", None)
    found = Improvement(2, "day", 5.0, None, 100, 0.5)
    assert Stage("improve", 0, improvement=found).improvement.cost == 5.0
