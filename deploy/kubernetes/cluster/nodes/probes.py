"""Probes of a container, each in a thread of its own."""

import http.client
import threading
import time


class Probe:
    """One probe. It calls `report(is_good)` when the threshold for that is reached."""

    def __init__(self, spec, container, address, execute, report):
        self.spec, self.container, self.address = spec, container, address
        self.execute, self.report = execute, report
        self.done = threading.Event()
        threading.Thread(target=self.run, daemon=True).start()

    def stop(self):
        self.done.set()

    def run(self):
        spec = self.spec
        time.sleep(spec.get("initialDelaySeconds", 0))
        good = bad = 0
        while not self.done.is_set():
            begun = time.monotonic()
            if self.attempt():
                good, bad = good + 1, 0
            else:
                good, bad = 0, bad + 1
            if self.done.is_set():
                return
            if good >= spec.get("successThreshold", 1):
                self.report(True)
            elif bad >= spec.get("failureThreshold", 3):
                self.report(False)
            pause = spec.get("periodSeconds", 10) - (time.monotonic() - begun)
            self.done.wait(max(pause, 0.01))

    def attempt(self):
        timeout = self.spec.get("timeoutSeconds", 1)
        if "exec" in self.spec:
            return self.execute(self.spec["exec"]["command"], timeout) == 0
        request = self.spec["httpGet"]
        port = port_number(self.container, request["port"])
        connection = http.client.HTTPConnection(self.address, port, timeout=timeout)
        try:
            connection.request("GET", request.get("path", "/"))
            return 200 <= connection.getresponse().status < 400
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


def port_number(container, port):
    """A port by its number or by its name in the container."""
    if isinstance(port, int):
        return port
    named = [item for item in container.get("ports") or [] if item.get("name") == port]
    return named[0]["containerPort"]
