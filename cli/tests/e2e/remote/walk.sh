# The walk of a remote agent, with nothing but curl: base, key, pin, URL.
set -eu
base=$1 key=$2 pin=$3 url=$4
# What is refused before its body came may be lost to curl on HTTP/2.
to() { curl -sk --http1.1 --tlsv1.3 --pinnedpubkey "$1" -H 'content-type: application/json' "$base.$2" -d "$3"; }
call() {
  method=$1 body=$2
  shift 2
  curl -sk --http1.1 --tlsv1.3 --pinnedpubkey "$pin" -H 'content-type: application/json' \
    -H "authorization: Bearer $token" "$@" "$base.$method" -d "$body"
}
reason() { sed -n 's/.*"reason":"\([A-Z_]*\)".*/\1/p'; }
to "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" PairService/Redeem "{\"key\":\"$key\"}" || echo "curl $?"
to "$pin" PairService/Redeem '{"key":"setup-00"}' | reason
token=$(to "$pin" PairService/Redeem "{\"key\":\"$key\"}" | sed -n 's/.*"token":"\([^"]*\)".*/\1/p')
call BrowserService/NewTab '{}' >&2
call BrowserService/Goto "{\"url\":\"$url\"}" | grep -o '"status":[0-9]*'
call BrowserService/Snapshot '{"interactive":true}' -H 'accept: text/plain' | grep -c 'button "Press"'
call BrowserService/Click '{"target":"button"}' >&2
call BrowserService/Text '{}' | grep -o Pressed
steps() { i=0; while [ $i -lt 20 ]; do i=$((i + 1)); eval "printf %s \"$1\""; [ $i = 20 ] || printf ,; done; }
new='{\"request\":{\"@type\":\"browse.v1.NewTabRequest\",\"url\":\"$url\"}}'
# The first tab that it opened is named by the walk of the test.
opened=$(call BrowserService/Batch "{\"steps\":[$(steps "$new")]}" | grep -o '"tab_id":"[0-9]*' | tr -dc '0-9\n')
texts=$(for tab in $opened; do printf '{"tab":%s,"request":{"@type":"browse.v1.TextRequest"}},' "$tab"; done)
call BrowserService/Batch "{\"steps\":[${texts%,}]}" | grep -o Hello | wc -l | tr -d ' '
to "$pin" PairService/Redeem "{\"key\":\"$key\"}" | reason
echo waiting
call BrowserService/Wait '{"target":"#never"}' -H 'grpc-timeout: 100S' | reason
call BrowserService/Text '{}' | reason
