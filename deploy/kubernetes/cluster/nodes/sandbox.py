"""The namespaces of a pod: network, mounts, processes. Its root is that of the machine, read-only, with
the volumes of the pod over it.

Processes are changed to that root by chroot, so they cannot make user namespaces: as under the
seccomp profile RuntimeDefault.
"""

import contextlib
import shutil
import subprocess
import sys
from pathlib import Path

import network
from processes import Failure, children

# Below it are the roots of pods: not on the file system of the machine's root, which lies under them.
ROOTS = Path("/run/pods")
# Where the programs of the project and these scripts are in each pod.
PROGRAMS, SCRIPTS = "/opt/browse/bin", "/opt/browse/cluster"
PATH = f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"

# Arguments: the folder of the pod, then SOURCE TARGET MODE for each mount.
MOUNTS = r"""
set -e
pod=$1 root=$1/root
shift
mount --make-rprivate /
mount -t overlay -o "lowerdir=$pod/skeleton:/" overlay "$root"
mount -t proc proc "$root/proc"
mount --bind /sys "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
mkdir "$root/dev/shm"
while [ $# -gt 0 ]; do
  mount --bind "$1" "$root$2"
  [ "$3" = rw ] || mount -o remount,bind,ro "$root$2"
  shift 3
done
exec chroot "$root" /bin/bash -c 'echo ready; exec >&-; while :; do sleep infinity & wait $!; done'
"""


class Sandbox:
    """The namespaces of one pod, held by a process that also waits for orphans."""

    def __init__(self, uid, log):
        self.folder, self.uid, self.log = ROOTS / uid, uid, log
        self.holder = self.pid = None

    def start(self, mounts, host_files):
        """Starts the holder. `mounts` are (source, target, is_read_only); `host_files` are texts of
        files below /etc."""
        skeleton = self.folder / "skeleton"
        shutil.rmtree(skeleton, ignore_errors=True)
        (self.folder / "root").mkdir(parents=True, exist_ok=True)
        words = []
        for source, target, is_read_only in mounts:
            self.make_mount_point(Path(source), target)
            words += [source, target, "ro" if is_read_only else "rw"]
        for name, text in host_files.items():
            path = skeleton / "etc" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        command = [
            "nsenter", f"--net={network.namespace(self.uid)}",
            "unshare", "--mount", "--pid", "--ipc", "--uts", "--fork",
            "bash", "-c", MOUNTS, "sandbox", self.folder, *words,
        ]  # fmt: skip
        with open(self.log, "ab") as log:
            self.holder = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        if self.holder.stdout.readline() != b"ready\n":
            self.stop()
            raise Failure(f"the namespaces of a pod could not be made; see {self.log}")
        (self.pid,) = children(self.holder.pid)

    def make_mount_point(self, source, target):
        if target.startswith("/dev/"):
            return
        point = self.folder / "skeleton" / target.lstrip("/")
        point.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            point.mkdir(exist_ok=True)
        else:
            point.touch()

    def enter(self, command, user, variables, log):
        """Starts a command in the pod. `user` is (uid, gid), or None for root."""
        words = ["/usr/bin/nsenter", f"--target={self.pid}", "--mount", "--net", "--pid", "--ipc"]
        words += ["--uts", "--root", "--wd"]
        if user is not None:
            words += ["/usr/bin/setpriv", f"--reuid={user[0]}", f"--regid={user[1]}"]
            words += [f"--groups={user[1]}", "--no-new-privs", "--inh-caps=-all"]
            words += ["--bounding-set=-all"]
        path = PATH if user is not None else f"{Path(sys.executable).parent}:{PATH}"
        return subprocess.Popen(
            [*words, *command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={"PATH": path, **variables},
            start_new_session=True,
        )

    def stop(self):
        """Ends every process of the pod: the kernel does so when the first one ends."""
        if self.holder is None:
            return
        for pid in children(self.holder.pid):
            subprocess.run(["kill", "-KILL", str(pid)], check=False, capture_output=True)
        try:
            self.holder.wait(10)
        except subprocess.TimeoutExpired:
            self.holder.kill()
            self.holder.wait()
        if self.holder.stdout:
            self.holder.stdout.close()
        self.holder = None
        # Nothing is mounted there any more; if it were, these would fail and delete nothing.
        shutil.rmtree(self.folder / "skeleton", ignore_errors=True)
        for folder in (self.folder / "root", self.folder):
            with contextlib.suppress(OSError):
                folder.rmdir()
