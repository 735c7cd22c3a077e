# To use it:  tug completion fish > ~/.config/fish/completions/tug.fish
function __tug_complete
    set -l line (commandline -opc)
    set -l answer (command $line[1] __complete fish $line[2..-1] (commandline -ct | string collect) 2>/dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path (commandline -ct | string replace -r '^--[^=]*=' '')
        case directories
            __fish_complete_directories (commandline -ct | string replace -r '^--[^=]*=' '')
        case '*'
            printf '%s\n' $answer[2..-1]
    end
end
complete -c tug -e
complete -c tug -f -a '(__tug_complete)'
