import pytest
from support.daemon import Daemon
from support.mock_model import MockModel
from support.node import RELEASES, need_release
from support.openclaw import OpenClaw

LOW = {
    "enabled": True,
    "warningThreshold": 3,
    "criticalThreshold": 5,
    "globalCircuitBreakerThreshold": 7,
}
PATIENT = {"timeoutMs": 8000}
"""On a machine with other work a daemon may take longer to start than calls usually wait for it."""


@pytest.fixture(scope="module", params=RELEASES)
def release(request):
    need_release(request.param)
    return request.param


@pytest.fixture(scope="module")
def model():
    with MockModel() as model:
        yield model


@pytest.fixture(scope="module")
def daemon(release, tmp_path_factory):
    with Daemon(tmp_path_factory.mktemp(f"guardd-{release}"), {"tools": {"loopDetection": LOW}}) as daemon:
        yield daemon.start()


@pytest.fixture(scope="module")
def openclaw(release, tmp_path_factory, model, daemon):
    directory = tmp_path_factory.mktemp("openclaw")
    with OpenClaw(release, directory, model.url, PATIENT | {"socketPath": str(daemon.socket)}) as openclaw:
        yield openclaw


@pytest.fixture
def history(daemon):
    """The calls of the run with the newest activity, and its status."""

    def newest(run="latest"):
        return daemon.ask("run.history", run=run)["calls"], daemon.ask("run.get", run=run)["status"]

    return newest
