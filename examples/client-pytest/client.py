"""A small client of the service: reads documents and renames them, whoever else edits them meanwhile."""

import base64
import json
import time
import urllib.error
import urllib.request
from typing import Callable

FILTER = base64.b64encode(b"{}").decode()


class Client:
    def __init__(self, url: str, log_in: Callable[[], str]) -> None:
        self._space = f"{url}/api/space/main"
        self._log_in = log_in
        self._token = log_in()

    def read(self, oid: str) -> dict:
        return self._send("GET", f"/softtype/{oid}")

    def rename(self, document: dict, title: str, tries: int = 3) -> None:
        """Sets the title of a document that was read; reads it again where somebody was quicker."""
        oid = document["data"]["$oid"]
        path = f"/softtype/Document/documentInput/{oid}"
        try:
            self._send("PATCH", path, {"title": title}, {"Svc-UOIVersion": str(document["version"])})
        except urllib.error.HTTPError as error:
            if error.code != 409 or tries == 1:
                raise
            self.rename(self.read(oid), title, tries - 1)

    def _send(self, method: str, path: str, body: dict | None = None, headers: dict | None = None, again: bool = True):
        request = urllib.request.Request(
            self._space + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self._token}",
                "Svc-InformationFilter": FILTER,
                "Content-Type": "application/json",
                **(headers or {}),
            },
        )
        try:
            with urllib.request.urlopen(request) as answer:
                text = answer.read()
                return json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            if error.code not in (401, 429) or not again:
                raise
            if error.code == 429:
                time.sleep(float(error.headers.get("Retry-After", 1)))
            else:
                self._token = self._log_in()
            return self._send(method, path, body, headers, again=False)
