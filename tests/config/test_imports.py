"""What reading a configuration imports: guardctl and the hook wait for it."""

import subprocess
import sys

LOAD = """
import sys
from guardd.config import ConfigError, parse
parse('{tools: {loopDetection: {enabled: true, warningThreshold: 3}}}', "guardd.json5")
print(*sys.modules)
try:
    parse('{guardd: {mode: "password=hunter2hunter2"}}', "guardd.json5")
except ConfigError as error:
    assert "hunter2" not in str(error), error
print(*sys.modules)
"""


def test_only_a_value_that_is_shown_brings_more_than_json5():
    done = subprocess.run([sys.executable, "-c", LOAD], capture_output=True, text=True, check=True)
    good, bad = (set(line.split()) for line in done.stdout.splitlines())
    own = {name for name in good if name.startswith("guardd.") and not name.startswith("guardd.config")}
    assert own == {"guardd.paths"}
    assert "json5" in good
    assert not good & {"msgspec", "sqlalchemy", "click"}
    assert "guardd.fingerprint.redaction" in bad
    assert not bad & {"sqlalchemy", "click"}
