"""What `guardctl demo` plays: a daemon of its own, a story, and the telling of it."""
