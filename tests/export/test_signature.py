import pytest

from vrpcore.export.signature import example_inputs, free_axes
from vrpcore.solve.backend import FORMAT, INPUT_NAMES, VARIANTS_FORMAT


@pytest.mark.parametrize("model_format", [FORMAT, VARIANTS_FORMAT])
def test_examples_have_the_shapes_asked_for(model_format):
    inputs = example_inputs(model_format, 4, 7, 5)
    assert tuple(inputs) == INPUT_NAMES[model_format]
    assert inputs["coords"].shape == (4, 7, 2)
    assert inputs["starts"].shape == (4, 5)
    assert inputs["valid"].sum(1).tolist() == [6, 7, 7, 7]
    sizes = {"B": 4, "M": 7, "S": 5}
    for name, axes in free_axes(inputs).items():
        for axis, letter in axes.items():
            assert inputs[name].shape[axis] == sizes[letter]


def test_the_coordinates_and_the_temperature_are_fixed():
    axes = free_axes(example_inputs(FORMAT))
    assert axes["coords"] == {0: "B", 1: "M"}
    assert axes["starts"] == {0: "B", 1: "S"}
    assert "temperature" not in axes
