from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardd.protocol.errors import FrameTooLarge
from guardd.protocol.framer import DEFAULT_LIMIT, Framer


def read_all(limit: int, pieces: list[bytes]) -> tuple[list[bytes], bool]:
    framer = Framer(limit)
    frames: list[bytes] = []
    overflowed = False
    for piece in pieces:
        framer.feed(piece)
        while True:
            try:
                frame = framer.next_frame()
            except FrameTooLarge:
                overflowed = True
                break
            if frame is None:
                break
            frames.append(frame)
    return frames, overflowed


@pytest.mark.parametrize(
    ("stream", "frames", "overflowed"),
    [
        (b"", [], False),
        (b"\n", [], False),
        (b"\r\n\n\r\n", [], False),
        (b"a\n", [b"a"], False),
        (b"a\r\n", [b"a"], False),
        (b"a\rb\n", [b"a\rb"], False),
        (b"a\r\r\n", [b"a\r"], False),
        (b"a\n\nb\n", [b"a", b"b"], False),
        (b"a\nb", [b"a"], False),
        (b" \n", [b" "], False),
        (b"12345678\n", [b"12345678"], False),
        (b"12345678\r\n", [b"12345678"], False),
        (b"12345678\r", [], False),
        (b"123456789\n", [], True),
        (b"123456789", [], True),
        (b"12345678\r\r", [], True),
        (b"12345678\rx", [], True),
        (b"12345678\r\r\n", [], True),
        (b"ok\n123456789\nhidden\n", [b"ok"], True),
        (b"ok\n123456789", [b"ok"], True),
        (b"ok\n123456789abcdef\nhi", [b"ok"], True),
    ],
)
def test_frames_of_a_stream(stream: bytes, frames: list[bytes], overflowed: bool):  # noqa: FBT001
    assert read_all(8, [stream]) == (frames, overflowed)
    assert read_all(8, [stream[i : i + 1] for i in range(len(stream))]) == (frames, overflowed)


@given(
    st.lists(st.sampled_from([b"\n", b"\r", b"\r\n", b"a", b"bcd", b"efghijkl"])).map(b"".join),
    st.lists(st.integers(0, 60)),
    st.integers(1, 12),
)
def test_chunks_do_not_matter(stream: bytes, cuts: list[int], limit: int):
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    pieces = [stream[start:end] for start, end in pairwise(places)]
    assert read_all(limit, pieces) == read_all(limit, [stream])


@given(st.lists(st.binary(min_size=1, max_size=20).filter(lambda line: not set(line) & set(b"\r\n"))))
def test_what_was_sent_arrives(lines: list[bytes]):
    assert read_all(20, [b"".join(line + b"\n" for line in lines)]) == (lines, False)


def test_nothing_after_a_large_frame_is_a_message():
    framer = Framer(4)
    framer.feed(b"12345")
    for data in (b"6\n", b"{}\n", b"ok\n"):
        with pytest.raises(FrameTooLarge, match="4 bytes"):
            framer.next_frame()
        framer.feed(data)
        assert framer.buffered == 0


def test_buffered_counts_what_is_held():
    framer = Framer()
    assert (framer.limit, framer.buffered) == (DEFAULT_LIMIT, 0)
    framer.feed(b"abc\nde")
    assert framer.buffered == 6
    assert framer.next_frame() == b"abc"
    assert framer.buffered == 2
    assert framer.next_frame() is None
    framer.feed(b"f\n")
    framer.feed(b"g")
    assert framer.next_frame() == b"def"
    assert framer.buffered == 1


def test_frames_that_wait_keep_their_order():
    framer = Framer()
    for piece in (b"a\n", b"b\r\n", b"c", b"d\n", b"e\n"):
        framer.feed(piece)
    assert framer.buffered == 10
    assert list(iter(framer.next_frame, None)) == [b"a", b"b", b"cd", b"e"]


def test_iterating_until_more_is_needed():
    framer = Framer()
    framer.feed(b"a\nb\nc")
    assert list(iter(framer.next_frame, None)) == [b"a", b"b"]


def test_the_smallest_pieces_are_read_in_linear_time():
    """Looking through all that is held with each piece would take longer than a test may."""
    framer = Framer()
    for _ in range(3_000_000):
        framer.feed(b"x")
        if framer.next_frame() is not None:
            raise AssertionError
    framer.feed(b"\n")
    assert framer.next_frame() == b"x" * 3_000_000


def test_many_frames_in_one_chunk():
    framer = Framer()
    framer.feed(b"x\n" * 200_000)
    assert sum(1 for _ in iter(framer.next_frame, None)) == 200_000
    assert framer.buffered == 0
