"""Runs the checks of the fleet in a cluster that it makes. deploy/fleet-test.sh starts it in namespaces
of its own, where everything ends with it."""

import argparse
import pathlib
import subprocess
import sys
import time

import checks
from api import ApiError
from cluster import Cluster
from faults import runner
from fleet import Fleet
from processes import Failure, run


def arguments():
    parser = argparse.ArgumentParser(prog="make test-fleet")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--programs", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="checks or faults by a part of their name, with commas between them")
    parser.add_argument("--tries", type=int, default=20, help="tries of each time that is measured")
    parser.add_argument("--faults", action="store_true", help="repeats faults, without the checks")
    parser.add_argument("--times", type=int, default=20, help="repetitions of each fault")
    parser.add_argument(
        "--times-of",
        type=fault_times,
        action="append",
        default=[],
        metavar="PART=N",
        help="repetitions of the faults with this part in their name",
    )
    parser.add_argument("--no-store", action="store_true", help="faults of sessions that are not saved")
    parser.add_argument("--json", type=pathlib.Path, help="a file for the results of the faults")
    parser.add_argument("--shell", action="store_true", help="a shell in the cluster, at the end")
    return parser.parse_args()


def fault_times(text):
    part, _, count = text.rpartition("=")
    return part, int(count)


def main():
    options = arguments()
    # Mounts of the test stay in its own namespace; /run/netns has the networks of pods.
    run("mount", "--make-rprivate", "/")
    run("mount", "-t", "tmpfs", "tmpfs", "/run")
    begun = time.monotonic()
    cluster = Cluster(options.folder, options.tools, options.programs)
    try:
        cluster.start()
        print(f"the cluster runs ({time.monotonic() - begun:.0f} s)", flush=True)
        if options.faults:
            passed, failed = runner.run_all(Fleet(cluster), options)
        else:
            passed, failed = run_checks(cluster, Fleet(cluster), options)
    except (Failure, ApiError, OSError) as error:
        print(f"error: {error}", flush=True)
        passed, failed = 0, 1
    if options.shell:
        open_shell(cluster)
    cluster.stop()
    print(f"{passed} passed, {failed} failed", flush=True)
    return failed > 0


def run_checks(cluster, fleet, options):
    passed = failed = 0
    for check in checks.chosen(options.only):
        begun = time.monotonic()
        try:
            found = check.run(fleet, options)
            cluster.check()
        except (Failure, ApiError, OSError) as error:
            failed += 1
            print(f"FAILED  {check.name}: {error}", flush=True)
            if check.is_needed or not restored(fleet):
                break
        else:
            passed += 1
            note = f": {found}" if found else ""
            print(f"ok      {check.name}{note} ({time.monotonic() - begun:.1f} s)", flush=True)
    return passed, failed


def restored(fleet):
    """Whether the next check finds the fleet as it has to be."""
    try:
        fleet.cluster.check()
        fleet.reset()
    except (Failure, ApiError) as error:
        print(f"error: the other checks cannot run: {error}", flush=True)
        return False
    return True


def open_shell(cluster):
    config = cluster.control_plane.kubeconfig("admin")
    print(f"KUBECONFIG={config}; the logs are in {cluster.logs}; `exit` ends the cluster")
    subprocess.run(["bash", "-i"], check=False, env={"KUBECONFIG": str(config)})


if __name__ == "__main__":
    sys.exit(main())
