# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# A Chromium that a program can drive over a pipe.
#
# Debian has one. Ubuntu's package `chromium` is a stub that installs a snap,
# and a snap cannot be driven: it sees neither the temporary profile nor the
# pipe. So Ubuntu gets Google's own package.

chrome_package=https://dl.google.com/linux/direct/google-chrome-stable_current_amd64.deb

# A browser that the daemon would find by itself; a snap does not count.
chromium_present() {
  local candidate path
  for candidate in "${BROWSE_CHROMIUM:-}" \
    /usr/lib/chromium/chromium-headless-shell /usr/lib/chromium/chromium \
    /opt/google/chrome/chrome /opt/chrome-headless-shell/chrome-headless-shell; do
    [ -z "$candidate" ] || [ ! -x "$candidate" ] || return 0
  done
  for candidate in chrome-headless-shell chromium google-chrome chrome; do
    path=$(command -v "$candidate" 2>/dev/null) || continue
    path=$(readlink -f "$path")
    case "$path" in
      /snap/* | */bin/snap) ;;
      *) grep -qs '/snap/' <(head -c 4096 "$path" | tr -d '\0') || return 0 ;;
    esac
  done
  return 1
}

want_chromium() {
  case "$1" in
    # The shell does the headless work (85 ms to its first answer); the full
    # browser is what shows windows.
    debian) [ -n "${BROWSE_CHROMIUM:-}" ] || want chromium-headless-shell chromium chromium-sandbox ;;
    ubuntu) chromium_present || [ "$(dpkg --print-architecture)" != amd64 ] || want curl ;;
  esac
}

finish_chromium() {
  chromium_present && return 0
  if [ "$1" = ubuntu ] && [ "$(dpkg --print-architecture)" = amd64 ]; then
    install_chrome
  else
    fail "no Chromium that can be driven: this system's package is a snap" \
      "install Chromium without snap, and set BROWSE_CHROMIUM to its program"
  fi
}

install_chrome() {
  local folder
  say "setup: Ubuntu's chromium package is a snap, which cannot be driven over a pipe"
  say "setup: installing Google Chrome from $chrome_package"
  folder=$(mktemp -d)
  if ! curl -fsSL --retry 2 --max-time 300 -o "$folder/chrome.deb" "$chrome_package"; then
    rm -rf "$folder"
    fail "Google Chrome could not be fetched" \
      "install Chromium without snap, and set BROWSE_CHROMIUM to its program"
  fi
  chmod 755 "$folder"
  apt_install "$folder/chrome.deb"
  rm -rf "$folder"
}
