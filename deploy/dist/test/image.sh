#!/usr/bin/env bash
# Runs the image of a release in containers, as root: deploy/dist/test/image.sh IMAGE.oci.tar
#
# Each container has a read-only root, no capabilities, no network but loopback, and an
# ordinary user. RUNTIME=crun takes another runtime than runc.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
[ -f "${1:-}" ] || fail "an image is needed" "deploy/dist/test/image.sh target/dist/browse-….oci.tar"
runtime=${RUNTIME:-runc}
for tool in umoci "$runtime"; do
  have "$tool" || fail "\`$tool\` is missing, which runs the image" "apt-get install umoci runc"
done
[ "$(id -u)" = 0 ] || fail "containers are made by root here" "run this as root, in a virtual machine if you like"

scratch=$(mktemp -d)
id="browse-test-$$"
cleanup() {
  "$runtime" delete --force "$id" >/dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap cleanup EXIT
mkdir "$scratch/layout"
tar -C "$scratch/layout" -xf "$1"
tag=$(sed -n 's/.*"org.opencontainers.image.ref.name":"\([^"]*\)".*/\1/p' "$scratch/layout/index.json")
umoci unpack --image "$scratch/layout:$tag" "$scratch/bundle" >&2
say "image: $(du -sm "$scratch/bundle/rootfs" | cut -f 1) MiB in $(find "$scratch/bundle/rootfs" -type f | wc -l) files"
cp "$scratch/bundle/config.json" "$scratch/image.json"

# Writes the configuration: namespaces allowed or forbidden, size of /dev/shm, user, variables.
configure() {
  node - "$scratch" "$@" <<'JS'
const fs = require("node:fs");
const [scratch, namespaces, memory, user, ...variables] = process.argv.slice(2);
const config = JSON.parse(fs.readFileSync(`${scratch}/image.json`, "utf8"));
config.process.terminal = false;
config.process.noNewPrivileges = true;
config.process.capabilities = Object.fromEntries(["bounding", "effective", "permitted"].map((set) => [set, []]));
config.process.env.push(...variables);
if (user) [config.process.user.uid, config.process.user.gid] = user.split(":").map(Number);
config.root.readonly = true;
config.mounts = config.mounts.filter(({ destination }) => !["/dev/shm", "/etc/resolv.conf", "/sys/fs/cgroup"].includes(destination));
const memoryDisk = (destination, options) =>
  config.mounts.push({ destination, type: "tmpfs", source: "tmpfs", options: ["nosuid", "nodev", ...options] });
memoryDisk("/dev/shm", ["mode=1777", `size=${memory}`]);
memoryDisk("/tmp", ["mode=1777"]);
memoryDisk("/home/browse", ["mode=1777"]);
config.mounts.push({ destination: "/work", type: "bind", source: `${scratch}/work`, options: ["bind", "rw"] });
config.linux.namespaces = ["pid", "network", "ipc", "uts", "mount"].map((type) => ({ type }));
config.linux.resources = {};
delete config.linux.uidMappings;
delete config.linux.gidMappings;
if (namespaces === "forbidden") {
  // What Docker's default profile says of them.
  const CLONE_NEWUSER = 0x10000000;
  const flag = { index: 0, value: CLONE_NEWUSER, valueTwo: CLONE_NEWUSER, op: "SCMP_CMP_MASKED_EQ" };
  const refused = (names, more) => ({ names, action: "SCMP_ACT_ERRNO", errnoRet: 1, ...more });
  config.linux.seccomp = {
    defaultAction: "SCMP_ACT_ALLOW",
    syscalls: [
      refused(["clone", "unshare"], { args: [flag] }),
      refused(["clone3"], { errnoRet: 38 }),
      refused(["mount", "umount2", "pivot_root", "open_tree", "move_mount", "mount_setattr", "setns"]),
    ],
  };
}
fs.writeFileSync(`${scratch}/bundle/config.json`, JSON.stringify(config));
JS
}

inside() { "$runtime" exec "$id" "$@"; }
. "$root/deploy/dist/test/expect.sh"

new_project() {
  rm -rf "$scratch/work"
  mkdir -p "$scratch/work/site"
  chmod 755 "$scratch"
}

start() {
  "$runtime" run --detach --bundle "$scratch/bundle" "$id" </dev/null >"$scratch/printed" 2>&1 && return
  cat "$scratch/printed" >&2
  fail "$runtime cannot run a container here"
}

# Waits up to ten seconds for the container to end, with a probe at each look.
expect_end() {
  for _ in $(seq 100); do
    ! "$runtime" state "$id" | grep -q '"status": "stopped"' || break
    inside browse-health >/dev/null 2>&1 || true
    sleep 0.1
  done
  expect "$1" '"status": "stopped"' "$runtime" state "$id"
  "$runtime" delete --force "$id" >/dev/null 2>&1 || true
}

# container TITLE NAMESPACES MEMORY USER SANDBOX SKILLS: starts one, and does what a user does.
container() {
  local title=$1 sandbox=$5 skills=$6 begin shown
  say "image: $title"
  new_project
  echo '<!doctype html><title>Harbour</title><main><h1>Tides</h1><p>High water at noon.</p><a href=/more>More</a></main>' \
    >"$scratch/work/site/index.html"
  configure "$2" "$3" "$4"
  chown -R "${4:-1000:1000}" "$scratch/work"
  begin=$(milliseconds)
  start
  inside browse load-html site/index.html >/dev/null
  shown=$(inside browse snapshot -i)
  say "  $(($(milliseconds) - begin)) ms from the start of the container to the first snapshot"
  grep -q 'link "More"' <<<"$shown" || { say "  FAILS the first snapshot: $shown"; failed=1; }
  "$runtime" exec --detach "$id" python3 -m http.server --bind 127.0.0.1 --directory /work/site 8000 >/dev/null 2>&1 </dev/null
  expect "a page on loopback" "Tides" inside sh -c 'until browse goto http://127.0.0.1:8000/ >/dev/null 2>&1; do sleep 0.2; done; browse text'
  expect "a screenshot" "PNG" inside sh -c 'browse screenshot page.png >/dev/null; head -c 8 page.png'
  expect "a PDF" "%PDF" inside sh -c 'browse pdf page.pdf >/dev/null; head -c 8 page.pdf'
  expect "an untrusted skill" "High water" inside browse skill run page-to-markdown --arg url=http://127.0.0.1:8000/
  expect "the browser's sandbox" "$sandbox" inside browse status
  expect "the sandbox of skills" "$skills" inside browse doctor
  expect "the gateway of a fleet" "browse-gate [0-9]" inside browse-gate --version
  expect "an ordinary user" "^${4:-1000:1000} 0000000000000000$" inside sh -c "echo \$(id -u):\$(id -g) \$(sed -n 's/^CapEff:.//p' /proc/self/status)"
  expect "a root that is read-only" "Read-only file system" inside touch /usr/local/file
  expect "no network but loopback" "^1$" inside sh -c 'ls /sys/class/net | wc -l'
  expect "a probe that finds it healthy" "^0$" inside sh -c 'browse-health; echo $?'
  expect "no process without a parent that waits for it" "^0$" inside sh -c 'grep -l "State:.Z" /proc/[0-9]*/status 2>/dev/null | wc -l'
  expect "a stop" "stopped" inside browse stop
  expect_end "an end with the daemon"
}

on='sandbox: *on'
off='No usable sandbox'
container "user namespaces allowed, 64 MB of /dev/shm" allowed 64m "" "$on" 'namespaces'
container "user namespaces allowed, 1 MB of /dev/shm" allowed 1m "" "$on" 'namespaces'
container "user namespaces forbidden" forbidden 64m "" "$off" 'landlock'
container "another user" allowed 64m 4242:4242 "$on" 'namespaces'

say "image: ends that nobody asked for"
new_project
chown -R 1000:1000 "$scratch/work"
configure allowed 64m "" BROWSE_IDLE_TIMEOUT=2s
start
expect_end "of an idle daemon, which probes do not keep"
configure allowed 64m ""
start
inside browse load-html - <<<'<p>open</p>' >/dev/null
"$runtime" kill "$id" TERM
expect_end "at a signal"
expect "nothing left of it" "^0$" sh -c "find $scratch/work -name daemon.json -o -name unclean | wc -l"
chown -R root:root "$scratch/work" && chmod -R go-w "$scratch/work"
start
expect_end "where the project cannot be written"
expect "a reason" "cannot write to the project" cat "$scratch/printed"
[ "$failed" = 0 ] || fail "the image does not do what it should"
