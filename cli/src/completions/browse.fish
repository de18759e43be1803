# Completion of browse for fish: browse completions fish | source
function __browse_complete
    set -l words (commandline --tokenize --cut-at-cursor) (commandline --current-token --cut-at-cursor)
    $words[1] __complete $words[2..-1] 2>/dev/null
end
complete --command browse --condition 'test -n "$(__browse_complete)"' --no-files
complete --command browse --arguments '(__browse_complete)'
