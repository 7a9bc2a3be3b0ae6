"""What a daemon says of itself."""

STATUS = {
    "version": "0.1.0",
    "mode": "enforce",
    "uptimeSeconds": 193.4,
    "connections": 4,
    "runs": 340,
    "calls": 1204,
}
"""A `server.status`, as far as it is shown."""
