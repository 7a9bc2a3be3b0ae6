"""The wire protocol without a socket, a clock or a task: bytes in, messages out, and back."""
