from guardd.detect.figures import Figures, Further


def test_of_nothing_there_is_nothing():
    assert Figures() == (None,) * 8 + (0,) * 8 + (Further(),)


def test_the_newest_call(count):
    figures = count("b=1 a~gone", "b")
    assert figures[:8] == (
        "a", b"call a          ", "gone", 4, "unknown_tool_repeat", 7, None, "key of a",
    )  # fmt: skip


def test_a_newest_call_that_was_answered_with_nothing(count):
    assert count("a! b-gone", "a")[:8] == ("b", b"call b          ", "gone", 3, None, None, None, None)
