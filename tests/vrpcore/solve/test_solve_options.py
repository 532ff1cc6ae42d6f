import pytest

from vrpcore.errors import ConfigError
from vrpcore.solve.solve_options import SolveOptions, changed


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("augment", 9),
        ("starts", 0),
        ("improve", "most"),
        ("decode", "x"),
        ("seed", -1),
        ("time_limit", -1.0),
        ("time_per_instance", float("nan")),
    ],
)
def test_options_out_of_range(option, value):
    with pytest.raises(ConfigError, match=option):
        SolveOptions(**{option: value})


def test_fewest_vehicles_need_a_search():
    with pytest.raises(ConfigError, match="fewest_vehicles: needs a search"):
        SolveOptions(fewest_vehicles=True, improve="none")


def test_untimed_options_lack_times_alone():
    options = SolveOptions(time_limit=1.0, time_per_instance=2.0, augment=3)
    assert options.untimed() == SolveOptions(augment=3)


def test_options_about_decoding_are_known():
    assert not SolveOptions(improve="deep", seed=3).says_how_to_decode
    for option in ({"decode": "greedy"}, {"starts": 3}, {"samples": 5}, {"augment": 2}):
        assert SolveOptions(**option).says_how_to_decode


def test_single_options_are_changed():
    assert changed(None, {}) == SolveOptions()
    options = SolveOptions(augment=3, seed=1)
    assert changed(options, {"seed": 2}) == SolveOptions(augment=3, seed=2)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"foo": 1}, "foo: not an option of solve; known are decode, starts, "),
        ({"time_limits": 1}, "time_limits: not an option of solve; did you mean 'time_limit'?"),
        ({"time_limit": "1"}, "time_limit: '1' is not a number"),
        ({"seed": None}, "seed: null is not a whole number"),
    ],
)
def test_changes_are_checked(changes, said):
    with pytest.raises(ConfigError) as caught:
        changed(None, changes)
    assert str(caught.value).startswith(said)
    with pytest.raises(ConfigError, match="options: an object, expected SolveOptions"):
        changed({"seed": 1}, {})
