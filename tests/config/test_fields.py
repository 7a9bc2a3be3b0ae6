"""The tables are held against the two pages of the specification that they come from, as they stood."""

import pytest

from guardd.config.fields import Field
from guardd.config.guardd_fields import GUARDD_FIELDS
from guardd.config.loop_fields import LOOP_FIELDS

LOOP_DEFAULTS = {
    "enabled": None,
    "historySize": 30,
    "warningThreshold": 10,
    "criticalThreshold": 20,
    "unknownToolThreshold": 10,
    "globalCircuitBreakerThreshold": 30,
    "detectors.genericRepeat": True,
    "detectors.knownPollNoProgress": True,
    "detectors.pingPong": True,
    "detectors.volatileText": False,
    "detectors.cycle": False,
    "detectors.identicalMutation": False,
    "detectors.sameError": False,
    "detectors.progressReset": False,
    "cycle.warning": 3,
    "cycle.critical": 4,
    "identicalMutation.warning": 5,
    "identicalMutation.critical": 8,
    "identicalMutation.tools": (),
    "sameError.warning": 6,
    "sameError.critical": 12,
    "errorCascade.warning": 10,
    "postCompactionGuard.windowSize": 3,
    "postCompactionGuard.volatile": False,
}

GUARDD_DEFAULTS = {
    "profile": "documented",
    "mode": "enforce",
    "inherit": None,
    "socket.path": None,
    "socket.group": None,
    "socket.gateways": (),
    "socket.readers": (),
    "database.path": None,
    "database.durability": "normal",
    "privacy.previews": "redacted",
    "retention.days": 14,
    "retention.maxCallsPerRun": 10_000,
    "retention.maxDatabaseMB": 4096,
    "limits.frameMB": 16,
    "limits.connections": 512,
    "limits.bufferMB": 256,
    "limits.idleSeconds": None,
    "notify.command": None,
    "notify.on": ("block", "abort"),
    "notify.timeoutSeconds": 10,
    "notify.atOnce": 2,
    "sendingTools": (),
    "pollTools": (),
}


def test_every_setting_has_a_meaning():
    for field in [*LOOP_FIELDS.values(), *GUARDD_FIELDS.values()]:
        assert field.meaning.endswith("."), field.key


def test_loop_detection_by_the_page():
    assert {key: field.default for key, field in LOOP_FIELDS.items()} == LOOP_DEFAULTS


def test_the_guardd_section_by_the_page():
    assert {key: field.default for key, field in GUARDD_FIELDS.items()} == GUARDD_DEFAULTS


@pytest.mark.parametrize(
    "field", [*LOOP_FIELDS.values(), *GUARDD_FIELDS.values()], ids=lambda field: field.key
)
def test_a_default_is_of_its_own_kind(field: Field):
    assert field.optional == (field.default is None)
    if field.default is not None:
        written = list(field.default) if isinstance(field.default, tuple) else field.default
        assert field.kind(written) == field.default
