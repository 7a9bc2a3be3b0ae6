from guardd.cli.report import moments


def test_times_are_in_utc_and_in_english() -> None:
    assert moments.full("2026-03-01T23:30:00.123-02:00") == "2 Mar 2026, 01:30:00"
    assert moments.of_day("2026-03-01T09:05:00Z", with_day=False) == "09:05:00"
    assert moments.of_day("2026-03-01T09:05:00Z", with_day=True) == "1 Mar 09:05:00"


def test_days_and_seconds() -> None:
    assert moments.same_day("2026-03-01T00:00:00Z", "2026-03-01T23:59:59.999Z")
    assert not moments.same_day("2026-03-01T23:00:00Z", "2026-03-02T00:00:00Z")
    assert moments.seconds_between("2026-03-01T00:00:00Z", "2026-03-01T00:01:00.500Z") == 60.5
