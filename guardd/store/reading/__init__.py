"""Operators' questions about the database, answered in the forms of the protocol from a read-only connection."""

from guardd.store.reading.events import list_events
from guardd.store.reading.explaining import explain_call
from guardd.store.reading.history import run_history
from guardd.store.reading.resolving import resolve_run
from guardd.store.reading.runs import describe_run, list_runs

__all__ = ["describe_run", "explain_call", "list_events", "list_runs", "resolve_run", "run_history"]
