"""A client of the API server: calls, and objects that a watch keeps up to date."""

import http.client
import json
import ssl
import threading
import time
import urllib.parse

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


class ApiError(Exception):
    """The API server answered with an error, or not at all (status 0)."""

    def __init__(self, status, message):
        super().__init__(f"{message} (status {status})")
        self.status = status


class Api:
    """The API server at `host`:`port`, called with the token of one user."""

    def __init__(self, host, port, token, authority):
        self.host, self.port, self.token = host, port, token
        self.tls = ssl.create_default_context(cafile=str(authority))
        self.local = threading.local()

    def connect(self, timeout):
        return http.client.HTTPSConnection(self.host, self.port, timeout=timeout, context=self.tls)

    def headers(self, kind="application/json"):
        return {
            "authorization": f"Bearer {self.token}",
            "accept": "application/json",
            "content-type": kind,
        }

    def call(self, method, path, body=None, kind="application/json", timeout=10):
        """Calls `method` on `path`, and returns the object of the answer."""
        text = None if body is None else json.dumps(body)
        fresh = getattr(self.local, "connection", None) is None
        try:
            return self.attempt(method, path, text, kind, timeout)
        except (OSError, http.client.HTTPException) as error:
            self.local.connection = None
            # A kept connection may have ended before this call, which was not sent then.
            if fresh or not isinstance(error, (http.client.RemoteDisconnected, BrokenPipeError)):
                raise ApiError(0, f"no answer: {error!r}") from error
        try:
            return self.attempt(method, path, text, kind, timeout)
        except (OSError, http.client.HTTPException) as error:
            self.local.connection = None
            raise ApiError(0, f"no answer: {error!r}") from error

    def attempt(self, method, path, text, kind, timeout):
        connection = getattr(self.local, "connection", None)
        if connection is None:
            connection = self.local.connection = self.connect(timeout)
        connection.request(method, path, text, self.headers(kind))
        answer = connection.getresponse()
        data = answer.read()
        is_json = answer.getheader("content-type", "").startswith("application/json")
        found = json.loads(data) if is_json else {"text": data.decode()}
        if answer.status >= 300:
            raise ApiError(answer.status, found.get("message", str(found)))
        return found

    def get(self, path):
        return self.call("GET", path)

    def find(self, path):
        """The object at `path`, or None."""
        try:
            return self.get(path)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def list(self, path, **params):
        """The objects at `path`; `labels` and `fields` select some of them."""
        return self.get(path + query(params)).get("items") or []

    def post(self, path, body):
        return self.call("POST", path, body)

    def patch(self, path, body, kind=MERGE):
        return self.call("PATCH", path, body, kind)

    def delete(self, path, grace=None, uid=None):
        options = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if grace is not None:
            options["gracePeriodSeconds"] = grace
        if uid is not None:
            options["preconditions"] = {"uid": uid}
        return self.call("DELETE", path, options)

    def watch(self, path, version, params, seconds=60):
        """The events after `version`, until the API server ends the watch."""
        words = {**params, "watch": "1", "resourceVersion": version, "timeoutSeconds": seconds}
        connection = self.connect(seconds + 15)
        try:
            connection.request("GET", path + query(words), headers=self.headers())
            answer = connection.getresponse()
            if answer.status >= 300:
                raise ApiError(answer.status, answer.read().decode())
            while line := answer.readline():
                yield json.loads(line)
        finally:
            connection.close()


def query(params):
    names = {"labels": "labelSelector", "fields": "fieldSelector"}
    words = {names.get(name, name): value for name, value in params.items()}
    return "?" + urllib.parse.urlencode(words) if words else ""


class Informer:
    """The objects at a path, by uid; `changed(type, object)` is called for each event."""

    def __init__(self, api, path, changed, **params):
        self.api, self.path, self.params, self.changed = api, path, params, changed
        self.objects = {}
        self.is_synced = threading.Event()
        threading.Thread(target=self.run, daemon=True, name=f"watch {path}").start()

    def run(self):
        while True:
            try:
                self.follow()
            except (ApiError, OSError, ValueError, http.client.HTTPException):
                time.sleep(0.5)

    def follow(self):
        found = self.api.get(self.path + query(self.params))
        before, self.objects = self.objects, {}
        for item in found.get("items") or []:
            self.objects[item["metadata"]["uid"]] = item
        for uid, item in before.items():
            if uid not in self.objects:
                self.changed("DELETED", item)
        for item in list(self.objects.values()):
            self.changed("MODIFIED", item)
        self.is_synced.set()
        version = found["metadata"]["resourceVersion"]
        while True:
            for event in self.api.watch(self.path, version, self.params):
                item = event["object"]
                if event["type"] == "ERROR":
                    raise ApiError(item.get("code", 0), item.get("message", ""))
                version = item["metadata"]["resourceVersion"]
                objects = dict(self.objects)
                if event["type"] == "DELETED":
                    objects.pop(item["metadata"]["uid"], None)
                else:
                    objects[item["metadata"]["uid"]] = item
                self.objects = objects
                self.changed(event["type"], item)
