"""A daemon of a command's own, in a folder of its own: for the demo and for the benchmark."""
