#!/bin/sh
# Installs a release of browse for the user, or with --system for everyone.
#
#   install.sh [--version V] [--from URL] [--sums FILE] [--system | --prefix DIR] [--dry-run]
#   install.sh --uninstall [--system | --prefix DIR]
#
# A release is a folder on a server with SHA256SUMS, its signature where there is one, and
# one archive for each platform. Nothing of an earlier installation is changed before the
# new one is unpacked, checked and run once; then one rename makes it current.
set -eu

# Set when the release is made: where releases are, and the key that signs them (minisign).
release_url=""
release_key=""

say() { printf '%s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}
have() { command -v "$1" >/dev/null 2>&1; }

version=latest
prefix=""
sums=""
system=no
dry=no
action=install
while [ $# -gt 0 ]; do
  case $1 in
    --version | --from | --prefix | --sums)
      [ -n "${2:-}" ] || fail "\`$1\` needs a value" "install.sh --help"
      case $1 in
        --version) version=$2 ;;
        --from) release_url=$2 ;;
        --prefix) prefix=$2 ;;
        --sums)
          sums=$2
          [ -f "$sums" ] || fail "$sums does not exist" "name the SHA256SUMS that you checked"
          ;;
      esac
      shift
      ;;
    --system) system=yes ;;
    --dry-run) dry=yes ;;
    --uninstall) action=uninstall ;;
    -h | --help)
      say "usage: install.sh [--version V] [--from URL] [--sums FILE] [--system | --prefix DIR] [--dry-run]"
      say "       install.sh --uninstall [--system | --prefix DIR]"
      say ""
      say "  --version V   this version; the latest one when left out"
      say "  --from URL    the server of the releases: https, or http on this machine"
      say "  --sums FILE   SHA256SUMS of the release whose origin you checked already"
      say "  --system      installs for everyone, below /usr/local; as root"
      say "  --prefix DIR  installs below this folder; ~/.local when left out"
      say "  --dry-run     says what would be done"
      say "  --uninstall   removes what was installed; settings and skills in ~/.browse stay"
      exit 0
      ;;
    *) fail "unknown argument \`$1\`" "install.sh --help" ;;
  esac
  shift
done

if [ -z "$prefix" ]; then
  if [ "$system" = yes ]; then
    prefix=/usr/local
  else
    [ -n "${HOME:-}" ] || fail "HOME is not set" "set --prefix"
    prefix=$HOME/.local
  fi
fi
[ "$system" = no ] || umask 022
case $prefix in
  /*) ;;
  *) prefix=$(pwd)/$prefix ;;
esac
# One spelling of the folder, whose links are known again: the part that exists is resolved.
rest=""
while [ ! -d "$prefix" ]; do
  rest=/$(basename "$prefix")$rest
  prefix=$(dirname "$prefix")
done
prefix=$(cd "$prefix" && pwd -P) || fail "$prefix cannot be entered" "choose another folder with --prefix"
prefix=${prefix%/}$rest
home=$prefix/lib/browse
list=$home/installed.txt

# Whether a link leads into this installation, by whatever path.
is_ours() {
  [ -L "$1" ] || return 1
  target=$(readlink "$1")
  case $target in
    "$home"/*) return 0 ;;
    */lib/browse/current/*) [ "$(cd "${target%/current/*}" 2>/dev/null && pwd -P)" = "$home" ] ;;
    *) return 1 ;;
  esac
}

# Removes a link of ours; what somebody else put there stays.
remove_link() {
  if is_ours "$1"; then
    rm -f "$1"
  elif [ -L "$1" ]; then
    say "kept $1: it does not lead to this installation"
  fi
}

# The processes whose program is of this installation, where the system lists them.
running() {
  for process in /proc/[0-9]*; do
    case $(readlink "$process/exe" 2>/dev/null || true) in
      "$home"/*browsed) printf ' %s' "${process#/proc/}" ;;
    esac
  done
}

if [ "$action" = uninstall ]; then
  [ -e "$home" ] || fail "there is no installation below $prefix" "name its folder with --prefix, or use --system"
  # Only a folder that this script made is removed.
  [ -f "$list" ] || fail "$home was not made by this script" "remove it by hand"
  { [ -w "$home" ] && [ -w "$prefix/lib" ]; } || fail "$home cannot be changed" "run this as the user who installed it"
  if [ "$dry" = yes ]; then
    say "would remove:"
    cat "$list"
    say "$home"
    exit 0
  fi
  daemons=$(running)
  while IFS= read -r link; do
    remove_link "$link"
  done <"$list"
  rm -rf "$home"
  # Folders that are empty now; others stay.
  for folder in bin lib share/man/man1 share/man share/bash-completion/completions share/bash-completion \
    share/zsh/site-functions share/zsh share/fish/vendor_completions.d share/fish share; do
    rmdir "$prefix/$folder" 2>/dev/null || true
  done
  say "removed browse from $prefix"
  say "settings, skills and caches in ~/.browse stay"
  [ -z "$daemons" ] || say "daemons still run, and end when nobody has called for long; to end them now: kill$daemons"
  exit 0
fi

# The platform, as the archives are named.
case $(uname -s) in
  Linux) kernel=unknown-linux-gnu ;;
  Darwin) kernel=apple-darwin ;;
  *) fail "there is no release for $(uname -s)" "build it from source: docs/install.md" ;;
esac
case $(uname -m) in
  x86_64 | amd64) machine=x86_64 ;;
  aarch64 | arm64) machine=aarch64 ;;
  *) fail "there is no release for $(uname -m)" "build it from source: docs/install.md" ;;
esac
platform=$machine-$kernel

[ -n "$release_url" ] || fail "this script names no server of releases" "give one with --from, or download a release that has its own install.sh"
release_url=${release_url%/}
protocol='=https'
case $release_url in
  # What stands before an @ is a user name and not the host.
  *@*) fail "the address of the server holds an @" "write it without a user name" ;;
  https://*) ;;
  http://127.0.0.1 | http://127.0.0.1[:/]* | http://localhost | http://localhost[:/]*) protocol='=http' ;;
  *) fail "$release_url is not safe: anybody on the way could change the programs" "use an https address" ;;
esac
case $version in
  *[!A-Za-z0-9.+-]* | .* | -*) fail "\`$version\` is not a version" "for example --version 1.2.3" ;;
esac

if have curl; then
  fetch() { curl --fail --silent --show-error --location --proto "$protocol" --connect-timeout 20 --output "$2" "$1"; }
elif have wget; then
  fetch() { wget -nv -T 20 -O "$2" "$1"; }
else
  fail "neither curl nor wget is installed" "install one of them"
fi
if have sha256sum; then
  sum_of() { sha256sum "$1" | cut -d ' ' -f 1; }
elif have shasum; then
  sum_of() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
else
  fail "neither sha256sum nor shasum is installed" "install coreutils"
fi

for tool in tar gzip; do
  have "$tool" || fail "$tool is not installed" "install it: the release is a .tar.gz"
done

# The first folder that exists tells whether the prefix can be written.
place=$prefix
while [ ! -d "$place" ]; do
  [ ! -e "$place" ] || fail "$place is not a folder" "choose another one with --prefix"
  place=$(dirname "$place")
done
[ -w "$place" ] || fail "$place cannot be written" "install for yourself without --system, choose --prefix, or run this as root"
[ ! -e "$home" ] || [ -f "$list" ] || fail "$home was not made by this script" "move it away, or choose another --prefix"
# The command of somebody else is not replaced.
command=$prefix/bin/browse
if { [ -e "$command" ] || [ -L "$command" ]; } && ! is_ours "$command"; then
  fail "$command is there, and is not of this installation" "remove it, or choose another folder with --prefix"
fi

# The folders of a path that do not exist.
missing_folders() {
  folder=$1
  while [ ! -d "$folder" ]; do
    printf '%s\n' "$folder"
    folder=$(dirname "$folder")
  done
}

made=""
new=""
cleanup() {
  [ -z "$new" ] || rm -rf "$new"
  # A first installation that failed leaves nothing; the list has no line before the links.
  if [ -n "$made" ] && [ ! -s "$list" ]; then
    rm -f "$list"
    printf '%s\n' "$made" | sort -ru | while IFS= read -r folder; do
      rmdir "$folder" 2>/dev/null || true
    done
  fi
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

if [ ! -d "$home" ]; then
  made=$(missing_folders "$home")
  mkdir -p "$home" || fail "$home cannot be made" "choose another folder with --prefix"
  # The folder is of this script from now on, should that be killed.
  : >"$list" || fail "$home cannot be written" "is the disk full?"
fi
# What installations that were killed have left.
for folder in "$home"/.new-*; do
  [ ! -d "$folder" ] || kill -0 "${folder##*-}" 2>/dev/null || rm -rf "$folder"
done
# In the same file system as its final place, so that a rename makes it current.
new=$home/.new-$$
mkdir "$new" || fail "$home cannot be written" "is the disk full?"
no_space="is the disk full? \`df -h $prefix\` shows it"

base=$release_url/$version
if [ -n "$sums" ]; then
  cp "$sums" "$new/SHA256SUMS" || fail "$home cannot be written" "$no_space"
elif ! fetch "$base/SHA256SUMS" "$new/SHA256SUMS" 2>"$new/error"; then
  fail "no release \`$version\` at $release_url: $(tail -n 1 "$new/error")" "check --version, --from and the network"
fi
line=$(grep -E "^[0-9a-f]{64}  browse-[A-Za-z0-9.+-]+-$platform\.tar\.gz\$" "$new/SHA256SUMS" || true)
[ -n "$line" ] || fail "the release has no archive for $platform" "build it from source: docs/install.md"
[ "$(printf '%s\n' "$line" | wc -l)" -eq 1 ] || fail "the release has more than one archive for $platform" "name it with --version"
sum=${line%% *}
archive=${line##* }
found=${archive#browse-}
found=${found%-"$platform".tar.gz}
[ "$version" = latest ] || [ "$version" = "$found" ] || fail "the release \`$version\` holds version $found" "report this to who runs $release_url"

# Where the sums come from: the key of this script, or only the server.
origin="its sums come from the same server: they detect damage, and do not prove who made the release"
if [ -n "$sums" ]; then
  origin="its sums are those of $sums"
elif [ -n "$release_key" ]; then
  if have minisign; then
    fetch "$base/SHA256SUMS.minisig" "$new/SHA256SUMS.minisig" 2>"$new/error" ||
      fail "the release has no signature: $(tail -n 1 "$new/error")" "do not install it; report this to who runs $release_url"
    minisign -V -q -P "$release_key" -m "$new/SHA256SUMS" -x "$new/SHA256SUMS.minisig" >/dev/null 2>&1 ||
      fail "the signature of the release is wrong" "do not install it; report this to who runs $release_url"
    origin="its signature is that of the key in this script"
  else
    origin="$origin (minisign is not installed)"
  fi
fi

current=$(readlink "$home/current" 2>/dev/null || true)
# Whether all that the last installation made is there.
is_whole() {
  [ "$current" = "$found" ] && [ "$(cat "$home/$found/.sum" 2>/dev/null || true)" = "$sum" ] || return 1
  [ -x "$home/$found/bin/browse" ] && [ -e "$home/$found/bin/browsed" ] && [ -s "$list" ] || return 1
  while IFS= read -r link; do
    [ -e "$link" ] || return 1
  done <"$list"
}
if is_whole; then
  say "browse $found is installed already in $prefix"
  exit 0
fi
if [ "$dry" = yes ]; then
  say "would install browse $found for $platform into $home, with links in $prefix/bin and $prefix/share"
  say "$origin"
  exit 0
fi

say "downloading $base/$archive"
if ! fetch "$base/$archive" "$new/$archive" 2>"$new/error"; then
  fail "the download failed: $(tail -n 1 "$new/error" 2>/dev/null)" "check the network; $no_space"
fi
[ "$(sum_of "$new/$archive")" = "$sum" ] ||
  fail "the archive is damaged or was changed: its SHA-256 is not the one in SHA256SUMS" "run this again; if it stays so, do not install it, and report it"
mkdir "$new/tree"
tar -xzf "$new/$archive" -C "$new/tree" 2>"$new/error" || fail "the archive cannot be unpacked: $(sed -n 1p "$new/error" 2>/dev/null)" "$no_space"
tree=$new/tree/browse-$found-$platform
[ -x "$tree/bin/browse" ] || fail "the archive holds no bin/browse" "report this to who runs $release_url"
printf '%s\n' "$sum" >"$tree/.sum" || fail "$home cannot be written" "$no_space"
"$tree/bin/browse" help >/dev/null 2>"$new/error" ||
  fail "the new browse does not run here: $(tail -n 1 "$new/error")" "build it from source: docs/install.md"

# From here on nothing is downloaded or checked. The list comes first: what it names can be
# removed by --uninstall, wherever this stops.
links=""
for file in "$tree"/bin/browse "$tree"/share/man/man1/* "$tree"/share/bash-completion/completions/* \
  "$tree"/share/zsh/site-functions/* "$tree"/share/fish/vendor_completions.d/*; do
  [ -e "$file" ] || continue
  links="$links${file#"$tree"/}
"
done
made=$(
  printf '%s\n' "$made"
  printf '%s' "$links" | while IFS= read -r link; do
    missing_folders "$prefix/$(dirname "$link")"
    mkdir -p "$prefix/$(dirname "$link")" 2>/dev/null || true
  done
)
blocked=$(printf '%s' "$links" | while IFS= read -r link; do
  folder=$prefix/$(dirname "$link")
  [ -w "$folder" ] || printf '%s\n' "$folder"
done | sed -n 1p)
[ -z "$blocked" ] || fail "$blocked cannot be written" "make it yours, or choose another folder with --prefix"
printf '%s' "$links" | while IFS= read -r link; do printf '%s/%s\n' "$prefix" "$link"; done >"$new/list" ||
  fail "$home cannot be written" "$no_space"
before=/dev/null
[ ! -f "$list" ] || before=$list
if ! sort -u "$new/list" "$before" >"$new/sorted" || ! mv -f "$new/sorted" "$list"; then
  fail "$home cannot be written" "$no_space"
fi

# Another version with this number is replaced as a whole.
[ ! -e "$home/$found" ] || mv "$home/$found" "$new/old"
mv "$tree" "$home/$found"
ln -s "$found" "$new/current"
# A rename: at each moment one of the two versions is current.
if ! mv -T -f "$new/current" "$home/current" 2>/dev/null; then
  rm -f "$home/current"
  mv -f "$new/current" "$home/current"
fi
printf '%s' "$links" | while IFS= read -r link; do
  if { [ -e "$prefix/$link" ] || [ -L "$prefix/$link" ]; } && ! is_ours "$prefix/$link"; then
    say "kept $prefix/$link: it is not of this installation"
    continue
  fi
  ln -sf "$home/current/$link" "$prefix/$link"
done
# Versions before: the running one may still be in use by a daemon, so one stays.
for folder in "$home"/[0-9]*; do
  case ${folder##*/} in
    "$found" | "$current") ;;
    *) rm -rf "$folder" ;;
  esac
done

say "installed browse $found into $home, with links in $prefix/bin and $prefix/share"
say "$origin"
[ -z "$current" ] || [ "$current" = "$found" ] || say "it replaces $current; a daemon that runs goes on until \`browse stop\`"

# What is still missing, each with the next step.
case :$PATH: in
  *":$prefix/bin:"*) ;;
  *) say "next: add it to your PATH: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
first=$(command -v browse || true)
case $first in
  "" | "$prefix/bin/browse") ;;
  *) is_ours "$first" || say "note: \`browse\` is $first in your PATH; this one is $prefix/bin/browse" ;;
esac
chromium=""
for program in "${BROWSE_CHROMIUM:-}" chromium-headless-shell chrome-headless-shell chromium google-chrome; do
  if [ -n "$program" ] && have "$program"; then
    chromium=$program
    break
  fi
done
if [ -n "$chromium" ]; then
  say "Chromium: $(command -v "$chromium")"
elif have apt-get; then
  say "next: install a Chromium: sudo apt-get install chromium-headless-shell (on Ubuntu: Google Chrome, not the snap)"
elif [ "$kernel" = apple-darwin ]; then
  say "next: install a Chromium: brew install --cask google-chrome"
else
  say "next: install a Chromium or Chrome, or set BROWSE_CHROMIUM to its program"
fi
say "then: browse goto https://example.com && browse snapshot -i"
say "to remove it: install.sh --uninstall --prefix \"$prefix\""
