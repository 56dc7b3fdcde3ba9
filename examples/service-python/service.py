"""The beginning of a service: create, read and merge documents, with tokens and versions. Standard library only.

SERVICE_TOKEN=<any text> python3 service.py --port 8080
"""

import argparse
import base64
import hmac
import json
import os
import re
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MEMBERS = {"title": str, "note": str, "remark": str}
CREATE = re.compile(r"^/api/space/main/softtype/Document/documentInput$")
EDIT = re.compile(r"^/api/space/main/softtype/Document/documentInput/([^/]+)$")
READ = re.compile(r"^/api/space/main/softtype/(?:Document/documentFull/)?([^/]+)$")
SCHEMA = {
    "type": "object",
    "properties": {
        "$version": {"type": "integer"},
        "$oid": {"type": "string"},
        "$softType": {"type": "string"},
        **{name: {"type": "string"} for name in MEMBERS},
    },
}


class Refusal(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class Documents:
    """All documents, in memory, and one writer at a time."""

    def __init__(self) -> None:
        self._documents: dict[str, tuple[int, dict]] = {}
        self._lock = threading.Lock()

    def read(self, oid: str) -> tuple[int, dict]:
        found = self._documents.get(oid)
        if found is None:
            raise Refusal(404, f"There is no document {oid}.")
        return found

    def create(self, content: dict) -> tuple[str, int]:
        if "title" not in content:
            raise Refusal(422, "Expected a title, found none.")
        oid = uuid.uuid4().hex
        self._documents[oid] = (1, content)
        return oid, 1

    def merge(self, oid: str, version: int, changes: dict) -> int:
        with self._lock:
            current, content = self.read(oid)
            if version != current:
                raise Refusal(409, f"Expected version {current}, found {version}; read the document again.")
            merged = {name: value for name, value in {**content, **changes}.items() if value is not None}
            if "title" not in merged:
                raise Refusal(422, "Expected a title, found none.")
            self._documents[oid] = (current + 1, merged)
            return current + 1


class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    documents = Documents()
    token = ""

    def do_GET(self) -> None:
        self.answer([(READ, self.read)])

    def do_POST(self) -> None:
        self.answer([(CREATE, self.create)])

    def do_PATCH(self) -> None:
        self.answer([(EDIT, self.merge)])

    def read(self, oid: str, _body: bytes):
        version, content = self.documents.read(oid)
        system = {"$version": version, "$oid": oid, "$softType": "Document"}
        href = f"/api/space/main/softtype/{oid}"
        links = [
            {"rel": "self", "href": href, "method": "GET"},
            {"rel": "edit", "href": f"/api/space/main/softtype/Document/documentInput/{oid}", "method": "PATCH"},
        ]
        body = {"href": href, "data": {**system, **content}, "version": version, "links": links, "schema": SCHEMA}
        return 200, {}, body

    def create(self, body: bytes):
        content = {name: value for name, value in content_of(body).items() if value is not None}
        oid, version = self.documents.create(content)
        headers = {"Location": f"/api/space/main/softtype/{oid}", "Svc-UOIVersion": str(version)}
        return 201, headers, None

    def merge(self, oid: str, body: bytes):
        self.documents.read(oid)
        given = self.headers.get("Svc-UOIVersion")
        if given is None:
            raise Refusal(412, "Expected the header Svc-UOIVersion, found none.")
        if not re.fullmatch(r"-?\d{1,15}", given):
            raise Refusal(400, "Expected an integer in Svc-UOIVersion.")
        if self.headers.get_content_type() != "application/json":
            raise Refusal(415, "Expected application/json.")
        version = self.documents.merge(oid, int(given), content_of(body))
        return 204, {"Svc-UOIVersion": str(version)}, None

    def answer(self, routes) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            self.send(*self.carry_out(routes, body))
        except Refusal as refusal:
            headers = {"WWW-Authenticate": 'Bearer realm="svc"'} if refusal.status == 401 else {}
            self.send(refusal.status, headers, {"title": "Refused", "detail": str(refusal)})

    def carry_out(self, routes, body: bytes):
        presented = self.headers.get("Authorization") or ""
        if not hmac.compare_digest(presented.encode(), f"Bearer {self.token}".encode()):
            raise Refusal(401, "Expected a bearer token that the service knows.")
        path = self.path.split("?", 1)[0]
        for pattern, work in routes:
            match = pattern.match(path)
            if match is not None:
                self.require_filter()
                return work(*match.groups(), body)
        raise Refusal(404, f"There is no route {path}.")

    def require_filter(self) -> None:
        try:
            decoded = json.loads(base64.b64decode(self.headers["Svc-InformationFilter"], validate=True))
        except (KeyError, TypeError, ValueError):
            decoded = None
        if not isinstance(decoded, dict):
            raise Refusal(400, "Expected the Base64 of a JSON object in Svc-InformationFilter.")

    def send(self, status: int, headers: dict, content) -> None:
        data = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if content is not None:
            self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_arguments) -> None:
        pass


def content_of(body: bytes) -> dict:
    """The members of a body; null stands for no value."""
    try:
        content = json.loads(body)
    except ValueError:
        raise Refusal(400, "Expected a body of JSON.") from None
    if not isinstance(content, dict):
        raise Refusal(422, "Expected a JSON object.")
    for name, value in content.items():
        if name not in MEMBERS:
            raise Refusal(422, f"Expected one of {', '.join(MEMBERS)}, found {name}.")
        if value is not None and not isinstance(value, MEMBERS[name]):
            raise Refusal(422, f"Expected a text as {name}.")
    return content


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=0)
    port = options.parse_args().port
    Service.token = os.environ["SERVICE_TOKEN"]
    server = ThreadingHTTPServer(("127.0.0.1", port), Service)
    server.daemon_threads = True
    print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
