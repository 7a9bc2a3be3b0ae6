"""The detectors: a module a rule, over figures that one SQL statement returns."""
