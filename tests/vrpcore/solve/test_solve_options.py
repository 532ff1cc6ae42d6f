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
        ("iterations", 0),
        ("iterations", 1.5),
        ("no_improvement", -1),
        ("target_cost", float("inf")),
    ],
)
def test_options_out_of_range(option, value):
    with pytest.raises(ConfigError, match=option):
        SolveOptions(**{option: value})


@pytest.mark.parametrize(
    "option",
    [{"fewest_vehicles": True}, {"iterations": 5}, {"no_improvement": 1}, {"target_cost": 0}],
)
def test_what_is_about_the_search_needs_one(option):
    (name,) = option
    with pytest.raises(ConfigError, match=f"^{name}: needs a search: improve fast or deep$"):
        SolveOptions(**option, improve="none")
    assert SolveOptions(**option).of_search == [name]


@pytest.mark.parametrize("other", [{"fewest_vehicles": True}, {"keep_cost": 0.0}, {"freeze": 5}])
def test_a_target_is_for_the_cost_of_the_answer(other):
    (name,) = other
    message = f"^target_cost: given with {name}, which changes what counts$"
    with pytest.raises(ConfigError, match=message):
        SolveOptions(target_cost=5.0, **other)


@pytest.mark.parametrize("option", [{"lost": "van"}, {"goods": "any"}])
def test_what_is_about_a_freeze_needs_one(option):
    (name,) = option
    with pytest.raises(
        ConfigError, match=f"^{name}: means nothing without freeze; give that, too$"
    ):
        SolveOptions(**option)
    assert getattr(SolveOptions(**option, freeze=5), name) == option[name]


def test_untimed_options_lack_what_ends_a_search():
    ends = {"time_limit": 1.0, "time_per_instance": 2.0, "iterations": 3, "no_improvement": 4.0}
    options = SolveOptions(**ends, target_cost=5.0, augment=3)
    assert options.untimed() == SolveOptions(augment=3)


def test_options_about_decoding_are_known():
    assert not SolveOptions(improve="deep", seed=3).says_how_to_decode
    for option in (
        {"decode": "greedy"},
        {"starts": 3},
        {"decode": "sample", "samples": 5},
        {"augment": 2},
    ):
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
        ({"samples": 5}, "samples: 5 means nothing with decode multistart; it needs decode sample"),
        (
            {"temperature": 0.5, "decode": "greedy"},
            "temperature: 0.5 means nothing with decode greedy; it needs decode sample",
        ),
    ],
)
def test_changes_are_checked(changes, said):
    with pytest.raises(ConfigError) as caught:
        changed(None, changes)
    assert str(caught.value).startswith(said)
    with pytest.raises(ConfigError, match="options: an object, expected SolveOptions"):
        changed({"seed": 1}, {})
