# Completion of browse for bash: source <(browse completions bash)
_browse() {
    local IFS=$'\n' line
    COMPREPLY=()
    # Words are taken from the line itself, because bash splits at `=` and `:`.
    local before="${COMP_LINE:0:COMP_POINT}"
    local -a words
    IFS=$' \t\n' read -r -a words <<<"$before"
    [[ "$before" == *[[:space:]] ]] && words+=("")
    for line in $("${words[0]}" __complete "${words[@]:1}" 2>/dev/null); do
        COMPREPLY+=("${line%%$'\t'*}")
    done
}
complete -o default -o bashdefault -F _browse browse
