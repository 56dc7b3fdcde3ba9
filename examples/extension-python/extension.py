"""An extension that validates documents: metadata, signature check, one validation and one event. Standard library only.

EXTENSION_API_KEY=<Base64> python3 extension.py --port 8090
"""

import argparse
import base64
import hashlib
import hmac
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RECORDS = [
    {
        "id": "title-check",
        "version": "1.0.0",
        "name": "Title check",
        "endpoint": "/validate",
        "extensionType": "ExternalValidation",
        "category": "quality",
        "requestTimeout": 10,
        "capabilities": [{"capabilityType": "SoftType", "capabilities": ["Document"]}],
    },
    {
        "id": "change-log",
        "version": "1.0.0",
        "name": "Change log",
        "endpoint": "/changed",
        "extensionType": "ExternalEvent",
        "category": "quality",
    },
]


def signature(api_key: str, path: str) -> str:
    """HMAC SHA512 of the route path, in the alphabet of URLs and without padding."""
    mac = hmac.new(base64.b64decode(api_key), path.encode(), hashlib.sha512).digest()
    return base64.urlsafe_b64encode(mac).decode().rstrip("=")


class Extension(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    api_key = ""

    def do_GET(self) -> None:
        self.answer(lambda path, _body: (200, RECORDS) if path == "/svc/extension" else (404, None))

    def do_POST(self) -> None:
        self.answer(self.handle_call)

    def handle_call(self, path: str, body: bytes):
        if path not in ("/validate", "/changed"):
            return 404, None
        try:
            payload = json.loads(body)["payload"]
        except (ValueError, KeyError, TypeError):
            return 400, {"errors": [{"message": "Expected an envelope with a payload."}]}
        return self.validate(payload) if path == "/validate" else (200, None)

    def validate(self, payload: dict):
        object_id = str(payload.get("objectId", ""))
        if object_id.startswith("draft-"):
            return 200, {"isValid": False, "message": f"{object_id} is a draft."}
        return 200, {"isValid": True, "message": ""}

    def answer(self, work) -> None:
        # the body is read before anything is refused, so that the connection can be used again
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.split("?", 1)[0]
        expected = f"Bearer {signature(self.api_key, path)}"
        presented = self.headers.get("Authorization") or ""
        if not hmac.compare_digest(presented.encode(), expected.encode()):
            return self.send(401, None)
        self.send(*work(path, body))

    def send(self, status: int, content) -> None:
        data = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        if content is not None:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_arguments) -> None:
        pass


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--port", type=int, default=0)
    port = options.parse_args().port
    Extension.api_key = os.environ["EXTENSION_API_KEY"]
    server = ThreadingHTTPServer(("127.0.0.1", port), Extension)
    server.daemon_threads = True
    print(json.dumps({"url": f"http://127.0.0.1:{server.server_port}"}), flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
