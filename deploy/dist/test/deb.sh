#!/usr/bin/env bash
# Tries the Debian package as a new user does, in a Debian of its own: deploy/dist/test/deb.sh DIST
#
# debootstrap makes that Debian once: of SUITE (bookworm), in DEB_TEST_FOLDER (target/deb-test).
# Each run changes only a copy, in namespaces with a systemd of their own.
set -euo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../lib.sh"
# shellcheck source=../release.sh
. "$root/deploy/dist/release.sh"
[ $# -eq 1 ] || fail "a folder is needed" "deploy/dist/test/deb.sh DIST"
[ "$(id -u)" = 0 ] || fail "a Debian is made by root" "run this as root, in a virtual machine if you like"
for tool in debootstrap unshare nsenter; do
  have "$tool" || fail "\`$tool\` is missing" "apt-get install debootstrap util-linux"
done
package=$(find "$1" -maxdepth 1 -name 'browse_*.deb')
[ -f "$package" ] || fail "$1 does not have exactly one package browse_….deb" "deploy/dist/deb.sh TREE $1"
package=$(realpath "$package")
suite=${SUITE:-$release_debian}
folder=${DEB_TEST_FOLDER:-$root/target/deb-test}
base="$folder/$suite"

# What a user of Debian has: no browser, no compiler.
if [ ! -e "$base/etc/debian-test" ]; then
  say "deb: making a Debian ($suite) in $base"
  rm -rf "$base"
  mkdir -p "$base"
  debootstrap --variant=minbase "$suite" "$base" http://deb.debian.org/debian >&2
  printf 'deb http://deb.debian.org/debian %s main\ndeb http://deb.debian.org/debian-security %s-security main\n' \
    "$suite" "$suite" >"$base/etc/apt/sources.list"
  chroot "$base" sh -c 'export DEBIAN_FRONTEND=noninteractive; apt-get update && apt-get install --yes --no-install-recommends \
    systemd systemd-sysv dbus libpam-systemd procps man-db bash-completion zsh fish sudo python3' >&2
  chroot "$base" useradd --create-home --shell /bin/bash ada
  chroot "$base" apt-get clean
  touch "$base/etc/debian-test"
fi

scratch=$(mktemp -d -p "$folder")
control=$(findmnt --noheadings --first-only --types cgroup2 --output TARGET) || fail "there is no cgroup2 here, which systemd needs"
group="$control/browse-test-$$"
machine=""
cleanup() {
  [ -z "$machine" ] || kill -9 "$machine" 2>/dev/null || true
  wait || true
  find "$group" -depth -type d -exec rmdir {} \; 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT
mkdir "$group"
# shellcheck disable=SC2016 # the inner shell expands them
setsid sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec unshare --mount --pid --fork --kill-child --cgroup --uts --ipc --propagation private "$@"' \
  sh "$group" "$root/deploy/dist/test/deb/machine.sh" "$base" "$scratch" "$package" >"$scratch/boot.log" 2>&1 </dev/null &
outer=$!
for _ in $(seq 100); do
  machine=$(pgrep -P "$outer" || true)
  [ -z "$machine" ] || [ "$(cat "/proc/$machine/comm")" != systemd ] || break
  kill -0 "$outer" 2>/dev/null || fail "the Debian did not start: $(cat "$scratch/boot.log")"
  sleep 0.1
done

inside() {
  nsenter --target "$machine" --mount --pid --uts --ipc --cgroup \
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
}
user=$(inside id -u ada)
ada() {
  inside setpriv --reuid ada --regid ada --init-groups env --chdir=/home/ada HOME=/home/ada USER=ada SHELL=/bin/bash \
    "XDG_RUNTIME_DIR=/run/user/$user" "$@"
}
# The user of the system unit, as an administrator is told to become it.
service() { inside sudo -H -u _browse browse --project /var/lib/browse/project "$@"; }
. "$root/deploy/dist/test/expect.sh"
# Whether a condition holds within ten seconds.
soon() {
  for _ in $(seq 100); do
    "$@" >/dev/null 2>&1 && return
    sleep 0.1
  done
  return 1
}
apt() { inside apt-get --quiet --yes --option Dpkg::Use-Pty=0 "$@" >"$scratch/apt.log" 2>&1 || fail "apt-get $*: $(tail -n 20 "$scratch/apt.log")"; }
file="/srv/$(basename "$package")"
# What is there: paths, users, and which packages.
listing() {
  inside find / -xdev \( -path /tmp -o -path /home -o -path /var/log -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache/apt -o -path /var/cache/man \
    -o -path /srv \) -prune -o -print | LC_ALL=C sort
  inside cat /etc/passwd /etc/group
  inside dpkg --get-selections
}
# How many renderers a user has, and how many of them lack seccomp or a user namespace of their own:
# those are outside of Chromium's sandbox, whatever it says itself.
# shellcheck disable=SC2016 # the inner shell expands them
renderers='all=0 outside=0
for status in /proc/[0-9]*/status; do
  folder=${status%/status}
  grep -q "^Uid:.$1	" "$status" 2>/dev/null && tr "\0" " " <"$folder/cmdline" | grep -q -e "--type=renderer" || continue
  all=$((all + 1))
  grep -q "^Seccomp:.2" "$status" && grep -q "^NoNewPrivs:.1" "$status" &&
    [ "$(readlink "$folder/ns/user")" != "$(readlink /proc/1/ns/user)" ] || outside=$((outside + 1))
done
echo "$all renderers, $outside outside"'

say "deb: $(basename "$package"), $(du -m "$package" | cut -f 1) MB, on Debian $(inside cat /etc/debian_version)"
soon inside systemctl is-active --quiet multi-user.target || fail "systemd does not come up: $(cat "$scratch/boot.log")"
apt update

# Serves a page, as a project of ada would.
ada mkdir -p shop site "my shop"
# shellcheck disable=SC2016
ada sh -c 'echo "<title>Harbour</title><h1>Tides</h1><p>High water at noon.</p><a href=/more>More</a>" >site/index.html'
ada python3 -u -m http.server --bind 127.0.0.1 --directory site 0 >"$scratch/served" 2>&1 &
soon grep -q 'port [0-9]' "$scratch/served"
page="http://127.0.0.1:$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$scratch/served")/"
shop() { ada env --chdir=/home/ada/shop "$@"; }

# first TITLE: installs the package, and takes the first snapshot.
first() {
  local begin shown
  begin=$(milliseconds)
  apt install "$file"
  local installed=$(($(milliseconds) - begin))
  shop browse goto "$page" >/dev/null
  shown=$(shop browse snapshot -i)
  say "  $(($(milliseconds) - begin)) ms from the start of the installation to the first snapshot ($1); $installed of them for apt"
  grep -q 'link "More"' <<<"$shown" || { say "  FAILS the first snapshot: $shown"; failed=1; }
}

say "deb: a new user"
first "without a browser: apt fetches $(inside apt-get --print-uris --yes install "$file" | grep -c "^'http") packages"
expect "the programs" "^browsed $(release_version)" ada browsed --version
expect "Chromium's sandbox is on" "sandbox: *on" shop browse status
expect "each renderer is in it" "^[1-9][0-9]* renderers, 0 outside" inside sh -c "$renderers" sh "$user"
expect "the sandbox of skills" "^ok sandbox of skills: namespaces" shop browse doctor
expect "an untrusted skill" "High water" shop browse skill run page-to-markdown --arg "url=$page"
expect "the programs that the daemon starts" "browsed. starts it" ada sh -c '/usr/libexec/browse/browse-onnx; /usr/libexec/browse/browse-ngrok'
expect "an MCP server" '"serverInfo"' shop sh -c "echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}}' | timeout 20 browse mcp"
expect "man browse" "browse-snapshot(1)" ada env MANPAGER=cat man browse
expect "man browsed" "browsed@.service" ada env MANPAGER=cat man browsed
# shellcheck disable=SC2016
expect "completion in bash" "snapshot" ada bash -c '. /usr/share/bash-completion/bash_completion; _completion_loader browse; COMP_WORDS=(browse sna) COMP_CWORD=1 COMP_LINE="browse sna" COMP_POINT=10
  eval "$(complete -p browse | sed -n "s/.*-F \([^ ]*\) .*/\1/p") browse sna browse"; echo "${COMPREPLY[@]}"'
# shellcheck disable=SC2016
expect "completion in zsh" "^_browse" ada zsh -c 'autoload -U compinit; compinit -D; echo $_comps[browse]'
expect "completion in fish" "snapshot" ada fish -c 'complete -C "browse sna"'

say "deb: the unit of a user"
expect "it is not enabled" "^disabled\|^static\|^indirect" inside systemctl is-enabled browsed.service
inside loginctl enable-linger ada || fail "there is no user manager: $(inside journalctl --no-pager -n 20)"
soon inside test -S "/run/user/$user/systemd/private" || fail "no systemd for ada: $(inside journalctl --no-pager -n 20)"
unit=$(ada systemd-escape --template browsed@.service --path "/home/ada/my shop")
temporary() { inside find /tmp -maxdepth 1 -user ada -name 'browse-*' | LC_ALL=C sort; }
temporary >"$scratch/others"
ada systemctl --user start "$unit" || { say "  FAILS start: $(ada systemctl --user status "$unit" 2>&1)"; failed=1; }
mine() { ada env --chdir="/home/ada/my shop" "$@"; }
running() { ada systemctl --user show --property MainPID --value "$unit"; }
soon inside test -e "/home/ada/my shop/.browse/daemon.json" || true
expect "a command finds its daemon" "\"pid\": *$(running)[^0-9]" mine cat .browse/daemon.json
expect "a page in it" "Tides" mine sh -c "browse goto $page >/dev/null; browse text"
expect "Chromium's sandbox is on" "sandbox: *on" mine browse status
temporary | LC_ALL=C comm -13 "$scratch/others" - >"$scratch/dead"
before=$(running)
inside kill -9 "$before"
restarted() { [ "$(running)" != "$before" ] && [ "$(running)" != 0 ]; }
soon restarted || { say "  FAILS it starts again after a crash"; failed=1; }
soon mine browse status
temporary | LC_ALL=C comm -12 "$scratch/dead" - >"$scratch/left"
[ -s "$scratch/dead" ] || { say "  FAILS its profile is not in /tmp"; failed=1; }
expect "nothing of the dead daemon is in /tmp" "^0$" sh -c "wc -l <'$scratch/left'"
expect "browse stop" "stopped" mine browse stop
inactive() { [ "$(ada systemctl --user is-active "$unit")" = inactive ]; }
soon inactive || true
expect "it is inactive then" "^inactive" ada systemctl --user is-active "$unit"
expect "a folder that is not there" "Assert" ada sh -c 'systemctl --user start browsed@home-ada-nothing.service; systemctl --user status browsed@home-ada-nothing.service'

say "deb: the unit of a host"
inside systemd-analyze verify /usr/lib/systemd/system/browsed.service /usr/lib/systemd/user/browsed@.service >&2 || failed=1
say "  $(inside systemd-analyze security --offline=true /usr/lib/systemd/system/browsed.service | tail -n 1)"
inside systemctl start browsed || { say "  FAILS start: $(inside systemctl status browsed 2>&1)"; failed=1; }
soon inside test -e /var/lib/browse/project/.browse/daemon.json || true
expect "a page in it" "Tides" service --raw chain <<<"[[\"goto\", \"$page\"], [\"text\"]]"
expect "Chromium's sandbox is on" "sandbox: *on" service status
expect "each renderer is in it" "^[1-9][0-9]* renderers, 0 outside" inside sh -c "$renderers" sh "$(inside id -u _browse)"
expect "the sandbox of skills" "^ok sandbox of skills: namespaces" service doctor
expect "an untrusted skill" "High water" service skill run page-to-markdown --arg "url=$page"
expect "a pairing" "browse-pair://" service pair new laptop
daemon() { inside systemctl show --property MainPID --value browsed; }
# shellcheck disable=SC2016
confined() { inside nsenter --target "$(daemon)" --mount setpriv --reuid _browse --regid _browse --clear-groups "$@"; }
expect "it writes nowhere else" "Read-only file system" confined touch /var/tmp/../file
expect "it sees no home" "No such file" confined ls /home/ada
expect "it has no capabilities" "^CapBnd:.0000000000000000$" inside grep CapBnd "/proc/$(daemon)/status"
expect "root is told to become its user" "another user" inside browse --project /var/lib/browse/project status
inside mkdir -p /run/systemd/system/browsed.service.d
inside sh -c 'printf "[Service]\nRestrictNamespaces=~user\n" >/run/systemd/system/browsed.service.d/test.conf; systemctl daemon-reload; systemctl stop browsed'
expect "without user namespaces it does not start" "allow user namespaces" inside sh -c 'systemctl start browsed; journalctl --sync; systemctl status browsed --no-pager -n 20'
inside sh -c 'rm -r /run/systemd/system/browsed.service.d; systemctl daemon-reload; systemctl reset-failed browsed; systemctl enable --now browsed' >"$scratch/enabled" 2>&1 || { cat "$scratch/enabled" >&2; failed=1; }
inside sh -c 'printf "bogus = 1\n" >/var/lib/browse/.browse/config.toml; systemctl restart browsed' || true
expect "an invalid setting is reported and not tried again" "bogus" inside sh -c 'sleep 3; systemctl status browsed --no-pager -n 20'
expect "it has failed then" "^failed" inside systemctl is-active browsed
inside sh -c 'rm /var/lib/browse/.browse/config.toml; systemctl reset-failed browsed; systemctl restart browsed'

say "deb: upgrade and removal"
before=$(daemon)
shop browse goto "$page" >/dev/null
kept=$(shop sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' .browse/daemon.json)
apt install --reinstall "$file"
another() { [ "$(daemon)" != "$before" ] && [ "$(daemon)" != 0 ]; }
soon another || { say "  FAILS the daemon of the host is restarted"; failed=1; }
expect "the daemon of a user goes on" "\"pid\": *${kept}[^0-9]" shop cat .browse/daemon.json
expect "and answers" "More" shop browse snapshot -i
apt remove browse
expect "after remove the state is there" "project" inside ls /var/lib/browse
expect "and the daemon of the host is stopped" "^inactive\|^failed" inside systemctl is-active browsed
apt purge browse
listing >"$scratch/without"
expect "after purge nothing is left of it" "^0$" grep -c '\(^\|/\)_\?browsed\?\([-.@:/[:space:]]\|$\)' "$scratch/without"
first "Chromium is there"
shop browse stop >/dev/null || true
apt purge browse
listing >"$scratch/again"
cmp -s "$scratch/without" "$scratch/again" || { say "  FAILS a second installation leaves something: $(diff "$scratch/without" "$scratch/again")"; failed=1; }
[ "$failed" = 0 ] || fail "the package does not do what it should"
say "deb: the package works on Debian $(inside cat /etc/debian_version)"
