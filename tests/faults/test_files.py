"""Somebody removes or moves what the daemon works with."""

import pytest
from support.daemon import Daemon

from guardd.protocol.errors import StorageUnavailable


def test_nothing_is_acknowledged_that_goes_to_a_removed_file(tmp_path):
    with Daemon(tmp_path).start() as daemon:
        assert daemon.ask("tool.before", runId="r", toolName="t")["seq"] == 1
        moved = daemon.database.rename(tmp_path / "moved.db")
        for _ in range(2):
            with pytest.raises(StorageUnavailable, match="removed or replaced"):
                daemon.ask("tool.before", runId="r", toolName="t")
        assert daemon.log().count("the database cannot be written") == 1
        moved.rename(daemon.database)
        assert daemon.ask("tool.before", runId="r", toolName="t")["seq"] == 2
        assert "the database can be written again" in daemon.log()
