# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# The programs of the test cluster: etcd and nft out of Debian's packages, which are not installed,
# and the control plane of Kubernetes built from Debian's source package. Sourced after lib.sh.

cluster_tools="$tools/cluster"

# Fetches and builds what is missing. The first time takes some ten minutes.
fetch_cluster_tools() {
  local pins="$root/deploy/kubernetes/cluster/tools.txt" scratch built=yes
  ! cmp -s "$pins" "$cluster_tools/tools.txt" || return 0
  [ "$(uname -sm)" = "Linux x86_64" ] && have apt-get && have dpkg && have make ||
    fail "the test cluster can be made on Debian on x86_64 only" "run this there"
  mkdir -p "$cluster_tools"
  # Some 3 GB, beside the result: /tmp may be a file system in memory.
  scratch=$(mktemp -d "$cluster_tools/build.XXXXXX")
  say "cluster: fetching etcd, nft, Go and the source of Kubernetes from Debian into target/tools/cluster"
  # Each step by itself: a caller that goes on without them has turned off `set -e`.
  apt_of_cluster "$scratch" && fetch_cluster_packages "$scratch" "$pins" &&
    build_control_plane "$scratch" && cp "$pins" "$cluster_tools/tools.txt" || built=no
  chmod -R u+w "$scratch"
  rm -rf "$scratch"
  [ "$built" = yes ]
}

# apt with sources and lists of its own in the folder $1: the system need not have the sources of
# packages in its lists, and stays as it is.
apt_of_cluster() {
  mkdir -p "$1/apt/lists/partial" "$1/apt/cache/archives/partial"
  cat >"$1/apt/sources.sources" <<SOURCES
Types: deb deb-src
URIs: http://deb.debian.org/debian
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
  cat >"$1/apt/conf" <<CONF
Dir::Etc::SourceList "$1/apt/sources.sources";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$1/apt/lists";
Dir::Cache "$1/apt/cache";
APT::Sandbox::User "root";
CONF
  APT_CONFIG="$1/apt/conf" apt-get update -q >&2
}

# Unpacks the packages into $1/root, and the source into $1/src. $2 has the versions and sums.
fetch_cluster_packages() {
  local scratch=$1 version sum package
  mkdir -p "$scratch/packages" "$scratch/root" "$scratch/src"
  (
    cd "$scratch/packages" && export APT_CONFIG="$scratch/apt/conf" || exit 1
    read -r version sum < <(awk '$1 == "etcd-server" { print $2, $3 }' "$2") || exit 1
    apt-get download -q "etcd-server=$version" >&2 && check_sum "$sum" etcd-server_*.deb || exit 1
    read -r version sum < <(awk '$1 == "kubernetes" { print $2, $3 }' "$2") || exit 1
    apt-get source -q --download-only "kubernetes=$version" >&2 &&
      check_sum "$sum" kubernetes_*.orig.tar.gz || exit 1
    read -r version sum < <(awk '$1 == "golang-github-modern-go-reflect2-dev" { print $2, $3 }' "$2") || exit 1
    apt-get download -q "golang-github-modern-go-reflect2-dev=$version" >&2 &&
      check_sum "$sum" golang-github-modern-go-reflect2-dev_*.deb || exit 1
    apt-get download -q golang-1.19-go golang-1.19-src rsync libpopt0 libxxhash0 \
      nftables libnftables1 libnftnl11 libmnl0 libjansson4 >&2 || exit 1
    for package in *.deb; do dpkg -x "$package" "$scratch/root" || exit 1; done
    tar -xzf kubernetes_*.orig.tar.gz -C "$scratch/src" --strip-components=1 && rm -- *
  ) || return 1
  mkdir -p "$cluster_tools/lib"
  cp "$scratch/root/usr/bin/etcd" "$scratch/root/usr/sbin/nft" "$cluster_tools/" &&
    cp -P "$scratch"/root/usr/lib/x86_64-linux-gnu/lib{nftables,nftnl,mnl,jansson}.so.* "$cluster_tools/lib/"
}

check_sum() {
  echo "$1  $2" | sha256sum --check --status || {
    say "error: $2 has another SHA-256 than deploy/kubernetes/cluster/tools.txt names"
    return 1
  }
}

# Builds with the Makefile of Kubernetes, which also generates code that `go build` alone lacks.
build_control_plane() {
  local scratch=$1 source="$1/go/src/k8s.io/kubernetes" program
  local programs="kube-apiserver kube-scheduler kube-controller-manager"
  say "cluster: building $programs; this takes some ten minutes, once"
  mkdir -p "$scratch/go/src/k8s.io" "$scratch/cache" "$scratch/tmp"
  mv "$scratch/src" "$source"
  rm "$source"/vendor/github.com/modern-go/reflect2/*.{go,s} &&
    cp "$scratch"/root/usr/share/gocode/src/github.com/modern-go/reflect2/*.{go,s} \
      "$source/vendor/github.com/modern-go/reflect2/" || return 1
  # shellcheck disable=SC2086 # They are words.
  (
    cd "$source" || exit 1
    export GOROOT="$scratch/root/usr/lib/go-1.19" GOPATH="$scratch/go" GOCACHE="$scratch/cache"
    export TMPDIR="$scratch/tmp" LD_LIBRARY_PATH="$scratch/root/usr/lib/x86_64-linux-gnu"
    export PATH="$GOROOT/bin:$scratch/root/usr/bin:$PATH"
    export CGO_ENABLED=0 GO111MODULE=off GOFLAGS=-trimpath GOTOOLCHAIN=local
    nice -n 19 make KUBE_GIT_VERSION=v1.20.2 WHAT="$(printf 'cmd/%s ' $programs)"
  ) >"$cluster_tools/build.log" 2>&1 || {
    say "error: the control plane could not be built; the end of $cluster_tools/build.log:"
    tail -n 20 "$cluster_tools/build.log" >&2
    return 1
  }
  for program in $programs; do
    mv "$source/_output/local/go/bin/$program" "$cluster_tools/" || return 1
  done
}

# nft, with the libraries that lie beside it.
nft() { LD_LIBRARY_PATH="$cluster_tools/lib" "$cluster_tools/nft" "$@"; }
