from vrpcore.plot.training import draw_training

LINES = [
    {"step": 10, "cost": 5.0, "gradient_norm": 2.0, "learning_rate": 1e-3, "note": "words"},
    {"step": 20, "cost": 4.0, "gradient_norm": 1.0, "learning_rate": 5e-4},
    {"step": 20, "validation_gap": 0.02, "validation_gap/u20": 0.01, "validation_gap/u50": 0.03},
    {"step": 40, "validation_gap": 0.01, "validation_gap/u20": 0.005, "validation_gap/u50": 0.015},
]


def test_a_panel_for_each_kind_of_number_that_is_there():
    axes = [axis for axis in draw_training(LINES).axes if axis.get_title()]
    titles = [axis.get_title() for axis in axes]
    assert titles == [
        "mean cost of the tours that are learned from",
        "validation: gap in percent",
        "norm of the gradient",
        "learning rate",
    ]
    (cost,) = axes[0].lines
    assert cost.get_xydata().tolist() == [[10, 5.0], [20, 4.0]]
    assert [line.get_label() for line in axes[1].lines] == ["all", "u20", "u50"]
    assert axes[1].lines[2].get_ydata().tolist() == [3.0, 1.5]
    assert axes[2].get_yscale() == "log"


def test_a_gradient_of_0_has_no_logarithm():
    lines = [{"step": step, "gradient_norm": 0.0} for step in (1, 2)]
    (axis,) = [axis for axis in draw_training(lines).axes if axis.get_title()]
    axis.figure.canvas.draw()
    assert axis.get_yscale() == "linear"


def test_nothing_to_draw_is_an_empty_picture():
    assert not any(axis.get_title() for axis in draw_training([]).axes)
