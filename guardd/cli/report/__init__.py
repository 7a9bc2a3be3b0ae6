"""A run as one HTML page: gathered from the daemon, put into a model, told, and rendered."""
