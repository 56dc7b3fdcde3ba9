import json
import urllib.error
import urllib.request

import pytest
from client import FILTER, Client
from conftest import API_KEY


@pytest.fixture
def document(service):
    seed = {"objects": [{"$id": "doc-1", "$softType": "Document", "data": {"title": "First"}, "version": 3}]}
    return service.control("POST", "seed", seed)["objects"][0]["$oid"]


def test_renames_a_document_that_somebody_else_edited_meanwhile(service, document):
    mine = Client(service.url, lambda: service.token("editor"))
    theirs = Client(service.url, lambda: service.token("secondEditor"))
    read = mine.read(document)
    theirs.rename(theirs.read(document), "Theirs")

    mine.rename(read, "Mine")

    now = mine.read(document)
    assert (now["data"]["title"], now["version"]) == ("Mine", 5)


def test_gives_up_when_it_may_not_try_again(service, document):
    mine = Client(service.url, lambda: service.token("editor"))
    stale = mine.read(document)
    mine.rename(stale, "Once")
    with pytest.raises(urllib.error.HTTPError, match="409"):
        mine.rename(stale, "Twice", tries=1)


def test_logs_in_again_when_its_token_has_run_out(service, document):
    log_ins = []

    def log_in() -> str:
        log_ins.append(service.token("editor", lifetimeSeconds=60))
        return log_ins[-1]

    client = Client(service.url, log_in)
    client.read(document)
    service.control("POST", "clock", {"by": 61_000})
    assert client.read(document)["data"]["title"] == "First"
    assert len(log_ins) == 2


def test_waits_when_the_gateway_asks_for_it(service, document):
    client = Client(service.url, lambda: service.token("editor"))
    busy = {"when": {"path": "/api/*"}, "steps": [{"status": 429, "headers": {"Retry-After": "0.1"}}]}
    service.control("PUT", "script", {"answers": [busy]})
    assert client.read(document)["data"]["title"] == "First"
    sent = service.control("GET", f"journal?path=*/{document}")["requests"]
    assert [request["status"] for request in sent] == [429, 200]


def test_sees_its_own_edit_when_the_answer_is_lost(service, document):
    client = Client(service.url, lambda: service.token("editor"))
    read = client.read(document)
    service.control("PUT", "script", {"answers": [{"when": {"method": "PATCH"}, "steps": [{"cut": "before-answer"}]}]})
    with pytest.raises(OSError):
        client.rename(read, "Mine")
    assert client.read(document)["data"]["title"] == "Mine"


def test_an_event_is_delivered_again_and_signed_until_it_is_taken(service, host):
    """What an extension has to expect: the same id, a right signature, two seconds later."""
    host.control("PUT", "script", {"answers": [{"when": {"kind": "event"}, "steps": [{"status": 503}]}]})
    post(service, "administrator", "/api/admin/svcExtension", {"hostUri": host.url, "apiKey": API_KEY, "tokenLifeTime": 5})
    service.control("POST", "clock", {"run": False})

    event = {"recordId": "simulated-event", "contentPayload": {"changed": "doc-1"}}
    post(service, "editor", "/api/space/main/externalEvent", event)
    first = host.control("GET", "journal?kind=event&awaitMs=10000&ended=true")["entries"]
    service.control("POST", "clock", {"by": 2000})
    both = host.control("GET", "journal?kind=event&count=2&awaitMs=10000&ended=true")["entries"]

    assert [entry["status"] for entry in both] == [503, 200]
    assert first[0]["correlationId"] == both[1]["correlationId"]
    assert all(entry["signature"]["ok"] for entry in both)
    assert both[1]["envelope"]["payload"]["contentPayload"] == {"changed": "doc-1"}


def post(service, identity: str, path: str, body: dict) -> None:
    headers = {
        "Authorization": f"Bearer {service.token(identity)}",
        "Svc-InformationFilter": FILTER,
        "Content-Type": "application/json",
    }
    request = urllib.request.Request(service.url + path, json.dumps(body).encode(), headers, method="POST")
    urllib.request.urlopen(request).close()
