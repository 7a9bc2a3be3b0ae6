from guardd.protocol.descriptions import meanings, summary


class Animal:
    """An animal,
    ``alive``.

    Attributes:
        name: What it is
            called.
        legs: How many: ``0``
            to 1,000.

    Further words, and no: attribute.
    """


class Cat(Animal):
    """A cat.

    Attributes:
        legs: Four.
    """


class Kitten(Cat): ...


def test_the_summary_is_the_first_paragraph():
    assert summary(Animal) == "An animal, `alive`."
    assert summary(Kitten) == ""


def test_the_meanings_are_those_of_the_attributes():
    assert meanings(Animal) == {"name": "What it is called.", "legs": "How many: `0` to 1,000."}


def test_what_is_inherited_is_said_once_and_may_be_said_anew():
    assert meanings(Kitten) == {"name": "What it is called.", "legs": "Four."}


def test_without_docstrings_nothing_is_said():
    assert meanings(type("Bare", (), {})) == {}
