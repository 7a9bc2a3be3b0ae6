"""What guardd costs on a machine, against a floor that is measured beside it: `guardctl bench` and `tests/bench`."""
