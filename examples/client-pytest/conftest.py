"""The service and an extension host, started once and as new before each test."""

import json
import os
import shlex
import subprocess
import urllib.request

import pytest

COMMAND = shlex.split(os.environ.get("SVC_CONFORMANCE", "npx svc-conformance"))


class Started:
    """A server or a host of the suite, with its control routes."""

    def __init__(self, *words: str) -> None:
        self._process = subprocess.Popen([*COMMAND, *words, "--control"], stdout=subprocess.PIPE, text=True)
        announced = json.loads(self._process.stdout.readline())
        self.url = announced["url"]
        self._token = announced["controlToken"]

    def control(self, method: str, path: str, body: object = None) -> dict:
        """A request to https://…/_control/; docs/control has the descriptions."""
        request = urllib.request.Request(
            f"{self.url}/_control/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or b"{}")

    def token(self, identity: str, **more: object) -> str:
        return self.control("POST", "tokens", {"identity": identity, **more})["accessToken"]

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()


API_KEY = "c2l4dGVlbiBieXRlcyBvciBtb3JlIG9mIGEga2V5Li4uLi4="


@pytest.fixture(scope="session")
def started_service():
    service = Started("serve")
    yield service
    service.stop()


@pytest.fixture(scope="session")
def started_host():
    host = Started("simulate", "extension", "--api-key", API_KEY)
    yield host
    host.stop()


@pytest.fixture
def service(started_service):
    started_service.control("POST", "reset")
    return started_service


@pytest.fixture
def host(started_host):
    started_host.control("POST", "reset")
    return started_host
