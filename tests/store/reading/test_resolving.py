import pytest

from guardd.protocol.errors import RunAmbiguous, RunNotFound
from guardd.store.names import stored_name
from guardd.store.reading import resolve_run
from guardd.store.reading.resolving import MOST_CANDIDATES


@pytest.fixture
def name_of(past):
    """Resolves, and gives source and shown id of the run that is meant."""

    def resolved(run):
        scope = past.store.run_by_id(resolve_run(past.core, run)).scope
        return f"{scope.source}|{scope.run}"

    return resolved


def candidates(past, run):
    with pytest.raises(RunAmbiguous) as caught:
        resolve_run(past.core, run)
    return caught.value.data["candidates"]


# Exact ids


def test_an_exact_id(past, name_of):
    past.run("abc")
    past.run("abcd")
    assert name_of("abc") == "default|abc"


def test_an_exact_id_is_looked_for_in_every_source(past, name_of):
    past.run("abc", source="openclaw")
    assert name_of("abc") == "openclaw|abc"


def test_an_exact_id_comes_before_latest(past, name_of):
    past.run("latest", at=1)
    past.run("other", at=2)
    assert name_of("latest") == "default|latest"


def test_an_exact_id_comes_before_a_source(past, name_of):
    past.run("b", source="a")
    past.run("a/b")
    assert name_of("a/b") == "default|a/b"


def test_case_and_spaces_matter(past):
    past.run("abc")
    for other in ("ABC", " abc", "abc "):
        with pytest.raises(RunNotFound):
            resolve_run(past.core, other)


@pytest.mark.parametrize("name", ["%", "_", "a*", "it's", "a\\b", "日本", "a b", "a\nb", "[a]", "a\0b"])
def test_any_letters(past, name_of, name):
    past.run(name)
    past.run("xyz")
    assert name_of(name) == f"default|{name}"


def test_a_name_that_was_cut_is_found_by_its_whole(past, name_of):
    name = "agent:" * 200
    past.run(stored_name(name), kind="session")
    past.run(stored_name(name + "x"), kind="session")
    assert name_of(f"session:{name}") == f"default|session:{stored_name(name)}"


# Sessions and sources


def test_session_and_source_by_their_shown_ids(past, name_of):
    past.run("main")
    past.run("main", kind="session")
    past.run("main", kind="source", source="main")
    assert name_of("main") == "default|main"
    assert name_of("session:main") == "default|session:main"
    assert name_of("source:main") == "main|source:main"


def test_an_id_that_looks_like_a_session(past, name_of):
    past.run("session:main")
    past.run("main", kind="session")
    assert name_of("session:main") == "default|session:main"
    assert past.store.run_by_id(resolve_run(past.core, "session:main")).kind == "session"
    assert past.store.run_by_id(resolve_run(past.core, "run:session:main")).kind == "run"
    assert name_of("run:session:main") == "default|run:session:main"


# source/id


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("openclaw", "r1"),
        ("open/claw", "r1"),
        ("openclaw", "agent/main/r1"),
        ("a/b", "c/d"),
        ("a", ""),
        ("", "a"),
    ],
)
def test_source_and_id(past, name_of, source, name):
    past.run(name, source=source)
    past.run("r1", source="another")
    assert name_of(f"{source}/{name}") == f"{source}|{name}"


def test_source_and_session(past, name_of):
    past.run("main", kind="session", source="openclaw")
    past.run("main", kind="session", source="claude-code")
    assert name_of("openclaw/session:main") == "openclaw|session:main"
    assert sorted(candidates(past, "session:main")) == ["claude-code/session:main", "openclaw/session:main"]


def test_two_ways_to_read_it(past):
    past.run("b/c", source="a")
    past.run("c", source="a/b")
    assert len(candidates(past, "a/b/c")) == 2


def test_a_great_many_slashes(past):
    past.run("r1")
    with pytest.raises(RunNotFound):
        resolve_run(past.core, "/" * 20_000)
    past.run("/" * 400, source="/" * 5)
    assert past.store.run_by_id(resolve_run(past.core, "/" * 406)).source == "/" * 5


def test_an_id_that_looks_like_the_shown_form_of_another(past, name_of):
    past.run("x")
    past.run("run:x")
    past.run("session:k")
    assert name_of("x") == "default|x"
    assert name_of("run:x") == name_of("run:run:x") == "default|run:run:x"
    assert name_of("run:session:k") == "default|run:session:k"


def test_an_error_does_not_repeat_a_long_name(past):
    with pytest.raises(RunNotFound) as raised:
        resolve_run(past.core, "r" * 100_000)
    assert len(raised.value.message) < 300


# Prefixes


def test_a_unique_prefix(past, name_of):
    past.run("abcd")
    past.run("abxy")
    assert name_of("abc") == "default|abcd"
    assert name_of("abx") == "default|abxy"


@pytest.mark.parametrize("prefix", ["a", "ab", "ab%", "ab_", "ab*"])
def test_a_prefix_has_no_wildcards(past, prefix):
    past.run("xab")
    with pytest.raises(RunNotFound):
        resolve_run(past.core, prefix)


def test_a_prefix_of_any_letters(past, name_of):
    past.run("日本語")
    past.run("日中")
    assert name_of("日本") == "default|日本語"


def test_a_prefix_with_a_source(past, name_of):
    past.run("abcd", source="openclaw")
    past.run("abcd", source="claude-code")
    assert name_of("openclaw/ab") == "openclaw|abcd"


@pytest.mark.parametrize("prefix", ["s", "ses", "session", "session:", "session:m", "session:mai"])
def test_a_prefix_of_a_session(past, name_of, prefix):
    past.run("main", kind="session")
    assert name_of(prefix) == "default|session:main"


def test_a_prefix_of_the_kind_and_of_ids(past):
    past.run("sesame")
    past.run("main", kind="session")
    past.run("x", kind="source", source="x")
    assert sorted(candidates(past, "s")) == ["sesame", "session:main", "source:x"]
    assert sorted(candidates(past, "ses")) == ["sesame", "session:main"]


def test_a_prefix_of_a_source_and_kind(past, name_of):
    past.run("main", kind="session", source="openclaw")
    past.run("main", kind="session", source="other")
    assert name_of("openclaw/sess") == "openclaw|session:main"


# Several


def test_candidates_are_newest_first_and_each_is_exact(past, name_of):
    past.run("ab1", at=1)
    past.run("ab2", at=3)
    past.run("ab3", at=2)
    found = candidates(past, "ab")
    assert found == ["ab2", "ab3", "ab1"]
    assert [name_of(run) for run in found] == ["default|ab2", "default|ab3", "default|ab1"]


def test_the_same_id_in_two_sources_needs_its_source(past, name_of):
    past.run("abc", source="one")
    past.run("abc", source="two")
    found = sorted(candidates(past, "abc"))
    assert found == ["one/abc", "two/abc"]
    assert [name_of(run) for run in found] == ["one|abc", "two|abc"]


def test_candidates_within_a_source_are_exact_in_all(past, name_of):
    for source in ("one", "two"):
        past.run("abc", source=source)
    past.run("abd", source="one")
    found = sorted(candidates(past, "one/ab"))
    assert found == ["abd", "one/abc"]
    assert [name_of(run) for run in found] == ["one|abd", "one|abc"]


def test_of_very_many_candidates_some_are_named_and_each_is_exact(past, name_of):
    for number in range(MOST_CANDIDATES + 5):
        past.run(f"ab{number:02}", at=number, source="one")
        past.run(f"ab{number:02}", at=-number, source="two")
    found = candidates(past, "ab")
    assert len(found) == MOST_CANDIDATES
    for run in found:
        assert name_of(run) == "one|" + run.removeprefix("one/")


def test_the_error_says_what_was_asked(past):
    past.run("ab1")
    past.run("ab2")
    with pytest.raises(RunAmbiguous, match="'ab' may mean several runs") as caught:
        resolve_run(past.core, "ab")
    assert caught.value.to_wire()["data"] == {"kind": "run_ambiguous", "candidates": ["ab2", "ab1"]}


# latest, and none


def test_latest_is_the_run_with_the_newest_activity(past, name_of):
    past.run("a", at=1)
    past.run("b", at=3)
    past.run("c", at=2)
    assert name_of("latest") == "default|b"
    past.run("a", at=4)
    assert name_of("latest") == "default|a"


def test_of_the_same_moment_the_later_run_is_latest(past, name_of):
    past.run("a", at=1)
    past.run("b", at=1)
    assert name_of("latest") == "default|b"


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("latest", "there are no runs yet"),
        ("", "no run has an empty id"),
        ("r1", "no run is called 'r1', and none begins so"),
    ],
)
def test_without_runs(past, run, message):
    with pytest.raises(RunNotFound) as caught:
        resolve_run(past.core, run)
    assert caught.value.message == message


def test_a_run_without_a_name_is_named_by_its_source(past, name_of):
    past.run("")
    assert name_of("default/") == "default|"


def test_resolving_takes_no_walk_over_all_runs(past):
    for number in range(3000):
        past.run(f"r{number:04}", at=number)
    steps = 0

    def tick():
        nonlocal steps
        steps += 1

    past.database.connection.set_progress_handler(tick, 100)
    for run in ("r0007", "default/r0007", "latest", "nothing"):
        try:
            resolve_run(past.core, run)
        except RunNotFound:
            assert run == "nothing"
    past.database.connection.set_progress_handler(None, 100)
    assert steps < 20
