"""One container of a pod: its process, its probes, and how often it was started."""

import os
import subprocess
import threading
import time

import network
from processes import children, send

from .probes import Probe
from .volumes import environment

# Seconds before a container is started again: at once, then longer each time.
DELAYS = [0, 10, 20, 40]

IMAGE_VARIABLES = ["BROWSE_CHROMIUM"]


def timestamp():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class Container:
    """A container that is started, watched, and started again when it ends."""

    def __init__(self, spec, pod, sandbox, address, variables, log, changed):
        self.spec, self.pod, self.sandbox, self.address = spec, pod, sandbox, address
        self.variables, self.log, self.changed = variables, log, changed
        self.process = None
        self.probes = []
        self.restarts = 0
        self.started_at = self.last_state = self.waits_until = None
        self.has_started = self.is_ready = self.is_unhealthy = False
        self.lock = threading.Lock()

    @property
    def user(self):
        own = self.spec.get("securityContext") or {}
        shared = self.pod["spec"].get("securityContext") or {}
        uid = own.get("runAsUser", shared.get("runAsUser"))
        if uid is None:
            return None
        return uid, own.get("runAsGroup", shared.get("runAsGroup", uid))

    def start(self):
        variables = environment(self.spec, self.pod, self.address)
        service = {
            "KUBERNETES_SERVICE_HOST": network.API_SERVICE,
            "KUBERNETES_SERVICE_PORT": "443",
        }
        # What an image would set.
        image = {name: os.environ[name] for name in IMAGE_VARIABLES if name in os.environ}
        command = (self.spec.get("command") or []) + (self.spec.get("args") or [])
        with open(self.log, "ab") as log:
            self.process = self.sandbox.enter(
                command, self.user, {**image, **service, **self.variables, **variables}, log
            )
        self.started_at = timestamp()
        self.waits_until = None
        self.has_started = "startupProbe" not in self.spec
        self.is_ready = self.has_started and "readinessProbe" not in self.spec
        self.is_unhealthy = False
        if self.has_started:
            self.start_probes()
        else:
            self.add_probe("startupProbe", self.startup_reported)
        self.changed()

    def add_probe(self, name, report):
        if name in self.spec:
            with self.lock:
                probe = Probe(self.spec[name], self.spec, self.address, self.execute, report)
                self.probes.append(probe)

    def start_probes(self):
        self.add_probe("readinessProbe", self.readiness_reported)
        self.add_probe("livenessProbe", self.liveness_reported)

    def startup_reported(self, is_good):
        self.stop_probes()
        if not is_good:
            self.is_unhealthy = True
        else:
            self.has_started = True
            self.is_ready = "readinessProbe" not in self.spec
            self.start_probes()
        self.changed()

    def readiness_reported(self, is_good):
        if self.is_ready != is_good:
            self.is_ready = is_good
            self.changed()

    def liveness_reported(self, is_good):
        if not is_good:
            self.is_unhealthy = True
            self.changed()

    def stop_probes(self):
        with self.lock:
            for probe in self.probes:
                probe.stop()
            self.probes = []

    def execute(self, command, timeout):
        """The exit code of a command in the container; 124 when it took too long."""
        with open(self.log, "ab") as log:
            process = self.sandbox.enter(command, self.user, {}, log)
        try:
            return process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            return 124

    def main_pid(self):
        """The process id of the program, outside of the pod; None when it has ended."""
        if self.process is None or self.process.poll() is not None:
            return None
        found = children(self.process.pid)
        return found[0] if found else None

    def look(self):
        """Notices that the program has ended, and starts it again when it is time."""
        if self.is_unhealthy and self.process.poll() is None:
            self.end(self.pod["spec"].get("terminationGracePeriodSeconds", 30))
        if self.process is not None and (code := self.process.poll()) is not None:
            self.stop_probes()
            self.process = None
            self.is_ready = self.has_started = False
            ended = {"exitCode": code if code >= 0 else 128 - code, "finishedAt": timestamp()}
            self.last_state = {"terminated": {"reason": "Error", **ended}}
            delay = DELAYS[min(self.restarts, len(DELAYS) - 1)]
            self.waits_until = time.monotonic() + delay
            self.restarts += 1
            self.changed()
        if self.process is None and time.monotonic() >= (self.waits_until or 0):
            self.start()

    def end(self, seconds):
        """SIGTERM, and SIGKILL when the program has not ended in time."""
        end = time.monotonic() + seconds
        pid = self.main_pid()
        if pid is not None:
            send(pid)
        while self.main_pid() is not None:
            if time.monotonic() > end:
                send(pid, 9)
                self.process.wait()
                return
            time.sleep(0.05)

    def stop(self, seconds):
        """What the kubelet does before a pod ends: preStop, SIGTERM, SIGKILL."""
        end = time.monotonic() + seconds
        before = ((self.spec.get("lifecycle") or {}).get("preStop") or {}).get("exec")
        if before and self.main_pid() is not None:
            self.execute(before["command"], seconds)
        self.end(max(end - time.monotonic(), 2))
        self.stop_probes()

    def status(self):
        if self.process is not None:
            state = {"running": {"startedAt": self.started_at}}
        else:
            state = {"waiting": {"reason": "CrashLoopBackOff"}}
        name = self.spec["name"]
        found = {
            "name": name,
            "image": self.spec["image"],
            "imageID": "",
            "containerID": f"test://{self.pod['metadata']['uid']}/{name}/{self.restarts}",
            "ready": self.is_ready,
            "started": self.has_started,
            "restartCount": self.restarts,
            "state": state,
        }
        if self.last_state:
            found["lastState"] = self.last_state
        return found
