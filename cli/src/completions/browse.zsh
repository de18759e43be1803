#compdef browse
# Completion of browse for zsh: source <(browse completions zsh)
_browse() {
    local -a candidates
    local line
    for line in "${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        [[ -n "$line" ]] || continue
        candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    if (( ${#candidates} )); then
        _describe -V 'browse' candidates
    else
        _files
    fi
}
# A file in fpath is the body of the function when it is first called; otherwise it was sourced.
if [[ "${funcstack[1]}" == _browse ]]; then
    _browse "$@"
else
    compdef _browse browse
fi
