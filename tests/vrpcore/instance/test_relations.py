import pytest

from vrpcore.instance.relations import Group, Relation, taken_groups, taken_relations


def test_groups_keep_the_members_that_are_left():
    groups = [Group("a", (1, 3)), Group("b", (2, 4), 5.0), Group("c", (5,), priority=2)]
    assert taken_groups(groups, {1: 2, 4: 1}) == (Group("a", (2,)), Group("b", (1,), 5.0))
    assert taken_groups(groups, {}) == ()


def test_relations_that_say_nothing_any_more_are_gone():
    relations = [
        Relation("order", (1, 2, 3)),
        Relation("apart", (1, 4)),
        Relation("together", (4, 1), vehicle=2),
        Relation("chain", (1, 4), at="end"),
        Relation("chain", (4, 5), vehicle=0, at="start"),
    ]
    assert taken_relations(relations, {3: 1, 1: 2}) == (
        Relation("order", (2, 1)),
        Relation("together", (2,), vehicle=2),
        Relation("chain", (2,), at="end"),
    )


@pytest.mark.parametrize(
    ("kind", "at", "visits", "broken"),
    [
        ("together", None, [(0, 2), (0, 1)], False),
        ("together", None, [(0, 1), (1, 1)], True),
        ("apart", None, [(0, 1), (1, 1)], False),
        ("apart", None, [(0, 1), (1, 1), (0, 3)], True),
        ("order", None, [(0, 1), (0, 4)], False),
        ("order", None, [(0, 4), (0, 1)], True),
        ("order", None, [(0, 1), (1, 4)], True),
        ("chain", None, [(0, 1), (0, 2)], False),
        ("chain", None, [(0, 1), (0, 3)], True),
        ("chain", "start", [(0, 0), (0, 1)], False),
        ("chain", "start", [(0, 1)], True),
    ],
)
def test_places_that_break_a_relation(kind, at, visits, broken):
    assert Relation(kind, (1, 2, 3), None, at).is_broken(visits) == broken
