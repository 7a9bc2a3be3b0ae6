"""Write the regions of the README that are made from the program: `python tests/write_reference.py`."""

from support.reference import README, written

if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
