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
compdef _browse browse
