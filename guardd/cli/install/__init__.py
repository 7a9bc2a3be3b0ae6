"""What `guardctl install` does: one module a kind of target, and below them JSON5 edited in place, and files."""
