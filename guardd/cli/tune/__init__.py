"""What `guardctl tune` is made of: which thresholds to try, what to judge by them, and its screen."""
