#!/bin/bash
# Tries to get out, one way after the other, and says which ways led out.
value() { sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/" targets.json; }
found=""
probe() {
  name=$1
  shift
  if "$@" >&2; then found="$found,\"$name\":true"; else found="$found,\"$name\":false"; fi
}
writes() { echo x >"$1" && rm "$1"; }
tcp() { (exec 3<>"/dev/tcp/127.0.0.1/$(value tcp)") }
udp() { (echo x >"/dev/udp/127.0.0.1/$(value udp)") }
fills() {
  folder=${TMPDIR:-/tmp}
  for number in 1 2 3 4 5; do
    head -c 20971520 /dev/zero >"$folder/browse-fill-$$-$number" || { rm -f "$folder/browse-fill-$$"-*; return 1; }
  done
  rm "$folder/browse-fill-$$"-*
}
forks() {
  perl -e 'for (1..200) { my $c = fork; if (!defined $c) { kill 9, @all; exit 1 } if (!$c) { sleep 60; exit } push @all, $c } kill 9, @all'
}
other_host() { (exec 3<>/dev/tcp/127.0.0.2/"$(value tcp)") }
probe reads_private_key cat "$(value key)"
probe reads_root_token cat "$(value state)"
probe reads_other_skill cat "$(value other)"
probe reads_environment_of_daemon cat "/proc/$(value daemon)/environ"
probe lists_home ls "$(dirname "$(dirname "$(value key)")")"
probe writes_outside writes "$(value outside)"
probe writes_own_folder writes written
probe tcp_other_port tcp
probe tcp_other_host other_host
probe udp udp
probe unix_path perl -MSocket -e 'socket(my $s, AF_UNIX, SOCK_STREAM, 0) && connect($s, sockaddr_un($ARGV[0])) or exit 1' "$(value unix)"
probe signals_daemon kill -0 "$(value daemon)"
probe fills_scratch fills
probe forks_beyond_limit forks
echo "{${found#,}}"
