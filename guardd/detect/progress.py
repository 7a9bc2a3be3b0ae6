"""Beyond the documented rules: what other calls have repeated ends with a successful call that changes something.

An edit, a write, a commit or an install, of another signature than the call in question. The same change with the
same outcome again is no progress: loops are made of `rm` and `mkdir` too.
"""

from typing import Any

from sqlalchemy import Select, func, select

from guardd.detect.window import IN_WINDOW, LOW, SIGNATURE, compared_in
from guardd.store.schema import calls
from guardd.vocabulary import CallEffect, CallState


def newest_change_statement() -> Select[Any]:
    """The newest call of the window that is such progress; 0 for none. Binds what `window` does."""
    earlier = calls.alias("earlier")
    is_new = ~(
        select(earlier.c.seq)
        .where(
            earlier.c.run_id == calls.c.run_id,
            earlier.c.seq > LOW,
            earlier.c.seq < calls.c.seq,
            earlier.c.signature == calls.c.signature,
            compared_in(earlier) == compared_in(calls),
        )
        .exists()
    )
    return select(func.coalesce(func.max(calls.c.seq), 0)).where(
        IN_WINDOW,
        calls.c.state == CallState.OK.value,
        calls.c.effect == CallEffect.CHANGES.value,
        calls.c.signature != SIGNATURE,
        is_new,
    )
