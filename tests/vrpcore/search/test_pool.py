from vrpcore.search.pool import best_different, signature


def test_order_and_direction_of_routes_do_not_matter():
    assert signature([[1, 2, 3], [4, 5]]) == signature([[5, 4], [3, 2, 1]])
    assert signature([[1, 2, 3]]) != signature([[1, 3, 2]])
    assert signature([[1, 2]], directed=True) != signature([[2, 1]], directed=True)
    assert signature([[1], []]) == signature([[1]])


def test_the_first_different_ones_in_order():
    solutions = [[[1, 2], [3]], [[1], [2], [3]], [[3], [2, 1]], [[1, 3], [2]]]
    assert best_different(solutions, 2) == [solutions[0], solutions[1]]
    assert best_different(solutions, 9) == [solutions[0], solutions[1], solutions[3]]
    assert best_different([], 3) == []


def test_looks_no_further_than_needed():
    def endless():
        while True:
            yield [[1]]
            yield [[2]]

    assert best_different(endless(), 2) == [[[1]], [[2]]]
