"""The daemon: what it listens on, whom it lets in, and what it does with their calls."""
