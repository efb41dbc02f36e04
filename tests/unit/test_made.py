"""What was made of an object is not made again, and nothing is remembered of objects that are gone."""

from claw_adapter.made import SPARE, Made


def test_each_object_is_looked_at_once():
    memory, made, objects = Made[int](), [], [{"n": n} for n in range(100)]

    def make(value):
        made.append(value["n"])
        return value["n"]

    for size in range(100):
        assert memory.of(objects[:size], make) == list(range(size))
    assert made == list(range(99))


def test_what_is_no_longer_asked_for_is_forgotten():
    memory = Made[int]()
    for number in range(10 * SPARE):
        assert memory.of([[number]], lambda value: value[0]) == [number]
    assert len(memory) <= SPARE + 3
