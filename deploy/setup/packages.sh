# shellcheck shell=bash disable=SC2034,SC2154 # sourced: variables are set or used by the others
# Packages of the distribution: collected first, announced, installed in one go.

wanted=()

# debian, ubuntu, or other: what /etc/os-release says, derivatives included.
linux_system() {
  local ID="" ID_LIKE=""
  # shellcheck disable=SC1091
  [ ! -r /etc/os-release ] || . /etc/os-release
  case " $ID $ID_LIKE " in
    *" ubuntu "*) echo ubuntu ;;
    *" debian "*) echo debian ;;
    *) echo other ;;
  esac
}

installed() {
  [ "$(dpkg-query -W -f '${Status}' "$1" 2>/dev/null)" = "install ok installed" ]
}

# Adds packages that are not installed yet to the list.
want() {
  local package
  for package in "$@"; do
    installed "$package" || wanted+=("$package")
  done
}

# Liberation stands in for Arial, Times and Courier; the other two cover emoji
# and what pages in other scripts need, so that screenshots show no boxes.
want_fonts() {
  want fonts-liberation fonts-noto-color-emoji fonts-dejavu-core
}

# A screen in memory, for the tests of the visible browser.
want_screen() {
  want xvfb
}

# Runs a command as root.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif have sudo && sudo -n true 2>/dev/null; then
    sudo -n "$@"
  elif have sudo && [ -t 0 ]; then
    sudo "$@"
  else
    fail "root is needed to install packages" "run as root: $*"
  fi
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >&2
}

install_wanted() {
  [ ${#wanted[@]} -gt 0 ] || return 0
  say "setup: installing from the package archive of your distribution: ${wanted[*]}"
  as_root apt-get update -q >&2
  apt_install "${wanted[@]}"
}
