# shellcheck shell=sh disable=SC2154
# Becomes the program `$program` of the package for this platform, which is beside the launcher
# `$self` or in its node_modules. Sourced by the launchers.
#
# A shell does this in 2 ms, and Node needs 30 ms to start. What is not as usual is left to
# Node: other places, the packages of several platforms, and the messages.
found=
for file in "${self%/*}"-*/bin/"$program" "${self%/*}"/node_modules/*/browse-*/bin/"$program"; do
  [ -x "$file" ] || continue
  if [ -n "$found" ]; then
    found=
    break
  fi
  found=$file
done
[ -z "$found" ] || exec "$found" "$@"
exec node "$self" "$@"
