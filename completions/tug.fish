# fish completion for tug, written by: tug completion fish
# Use it:  tug completion fish > ~/.config/fish/completions/tug.fish   or:  tug completion fish | source

# The flags that take the next word as their value, after these words.
function __tug_takes
    switch "$argv[1]"
        case 'explorer'
            printf '%s\n' --org
        case 'explorer query'
            printf '%s\n' -f --filter -s --sort --fields --page --page-size --limit --org
        case 'explorer export'
            printf '%s\n' -f --filter -s --sort --fields -O --output-file --org
        case 'explorer summary'
            printf '%s\n' --by --sum -f --filter --org
        case 'explorer usage'
            printf '%s\n' --below --by --org
        case 'explorer diff'
            printf '%s\n' -f --filter -s --sort --fields --org
        case 'explorer fields'
            printf '%s\n' --org
        case 'explorer views'
            printf '%s\n' --org
        case 'explorer views list'
            printf '%s\n' --org
        case 'explorer views get'
            printf '%s\n' --org
        case 'explorer views create'
            printf '%s\n' --type -f --filter --fields -s --sort --from-file --body --org
        case 'explorer views update'
            printf '%s\n' --name -f --filter --fields -s --sort --from-file --body --org
        case 'explorer views apply'
            printf '%s\n' --body --org
        case 'explorer views delete'
            printf '%s\n' --org
        case 'explorer views results'
            printf '%s\n' --page --page-size --limit --org
        case 'explorer views export'
            printf '%s\n' -O --output-file --org
        case 'kv'
            printf '%s\n' --mount --list-method
        case 'kv get'
            printf '%s\n' --version --field --wrap-ttl --mount --list-method
        case 'kv set'
            printf '%s\n' --remove --generate --cas --mount --list-method
        case 'kv put'
            printf '%s\n' --generate --cas --mount --list-method
        case 'kv patch'
            printf '%s\n' --remove --cas --mount --list-method
        case 'kv edit'
            printf '%s\n' --format --mount --list-method
        case 'kv list'
            printf '%s\n' --mount --list-method
        case 'kv tree'
            printf '%s\n' --depth --mount --list-method
        case 'kv find'
            printf '%s\n' --older-than --custom-metadata --mount --list-method
        case 'kv subkeys'
            printf '%s\n' --version --depth --mount --list-method
        case 'kv history'
            printf '%s\n' --mount --list-method
        case 'kv diff'
            printf '%s\n' --from --to --other-profile --other-mount --mount --list-method
        case 'kv rollback'
            printf '%s\n' --to --mount --list-method
        case 'kv delete'
            printf '%s\n' --versions --parallel --rate --max-failures --journal --resume --mount --list-method
        case 'kv undelete'
            printf '%s\n' --versions --mount --list-method
        case 'kv destroy'
            printf '%s\n' --versions --mount --list-method
        case 'kv copy'
            printf '%s\n' --mount --list-method
        case 'kv move'
            printf '%s\n' --mount --list-method
        case 'kv export'
            printf '%s\n' --format -O --output-file --mount --list-method
        case 'kv import'
            printf '%s\n' --format --mount --list-method
        case 'kv backup'
            printf '%s\n' -O --output-file --since --mount --list-method
        case 'kv verify'
            printf '%s\n' --mount --list-method
        case 'kv exec'
            printf '%s\n' --version --prefix --mount --list-method
        case 'kv metadata'
            printf '%s\n' --mount --list-method
        case 'kv metadata get'
            printf '%s\n' --mount --list-method
        case 'kv metadata put'
            printf '%s\n' --max-versions --delete-version-after --custom-metadata --metadata-cas --mount --list-method
        case 'kv metadata patch'
            printf '%s\n' --max-versions --delete-version-after --custom-metadata --remove-custom-metadata --metadata-cas --mount --list-method
        case 'kv metadata delete'
            printf '%s\n' --mount --list-method
        case 'kv config'
            printf '%s\n' --mount --list-method
        case 'kv config get'
            printf '%s\n' --mount --list-method
        case 'kv config set'
            printf '%s\n' --max-versions --delete-version-after --mount --list-method
        case 'kmip'
            printf '%s\n' --mount --list-method
        case 'kmip config'
            printf '%s\n' --mount --list-method
        case 'kmip config get'
            printf '%s\n' --mount --list-method
        case 'kmip config set'
            printf '%s\n' --listen-addrs --connection-timeout --server-hostnames --server-ips --tls-ca-key-type --tls-ca-key-bits --tls-min-version --default-tls-client-key-type --default-tls-client-key-bits --default-tls-client-ttl --mount --list-method
        case 'kmip ca'
            printf '%s\n' -O --output-file --mount --list-method
        case 'kmip scope'
            printf '%s\n' --mount --list-method
        case 'kmip scope list'
            printf '%s\n' --mount --list-method
        case 'kmip scope create'
            printf '%s\n' --mount --list-method
        case 'kmip scope delete'
            printf '%s\n' --mount --list-method
        case 'kmip role'
            printf '%s\n' --mount --list-method
        case 'kmip role list'
            printf '%s\n' --mount --list-method
        case 'kmip role get'
            printf '%s\n' --mount --list-method
        case 'kmip role set'
            printf '%s\n' --operation --tls-client-key-type --tls-client-key-bits --tls-client-ttl --mount --list-method
        case 'kmip role delete'
            printf '%s\n' --mount --list-method
        case 'kmip cred'
            printf '%s\n' --mount --list-method
        case 'kmip cred generate'
            printf '%s\n' --format --out-dir --mount --list-method
        case 'kmip cred sign'
            printf '%s\n' --csr --format --out-dir --mount --list-method
        case 'kmip cred lookup'
            printf '%s\n' --serial --format --out-dir --field --mount --list-method
        case 'kmip cred list'
            printf '%s\n' --expiring --mount --list-method
        case 'kmip cred renew'
            printf '%s\n' --serial --certificate --format --out-dir --if-expiring --mount --list-method
        case 'kmip cred revoke'
            printf '%s\n' --serial --certificate --mount --list-method
        case 'job'
            printf '%s\n' --region
        case 'job list'
            printf '%s\n' --prefix --filter --per-page --next-token --region
        case 'job status'
            printf '%s\n' --region
        case 'job get'
            printf '%s\n' --region
        case 'job plan'
            printf '%s\n' --var --var-file --region
        case 'job run'
            printf '%s\n' --var --var-file --check-index --eval-priority --until --wait-timeout --region
        case 'job update'
            printf '%s\n' --var --var-file --check-index --eval-priority --until --wait-timeout --region
        case 'job parse'
            printf '%s\n' --var --var-file --region
        case 'job init'
            printf '%s\n' --region
        case 'job summary'
            printf '%s\n' --region
        case 'job allocs'
            printf '%s\n' --region
        case 'job evals'
            printf '%s\n' --region
        case 'job deployments'
            printf '%s\n' --region
        case 'job deployment'
            printf '%s\n' --region
        case 'job versions'
            printf '%s\n' --region
        case 'job submission'
            printf '%s\n' --version --region
        case 'job dispatch'
            printf '%s\n' --meta --id-prefix-template --idempotency-token --until --wait-timeout --region
        case 'job periodic'
            printf '%s\n' --region
        case 'job periodic force'
            printf '%s\n' --until --wait-timeout --region
        case 'job revert'
            printf '%s\n' --enforce-prior-version --secrets-token-file --discovery-token-file --until --wait-timeout --region
        case 'job stable'
            printf '%s\n' --region
        case 'job evaluate'
            printf '%s\n' --until --wait-timeout --region
        case 'job scale'
            printf '%s\n' --message --error --meta --until --wait-timeout --region
        case 'job scale-status'
            printf '%s\n' --region
        case 'job stop'
            printf '%s\n' --eval-priority --until --wait-timeout --region
        case 'job start'
            printf '%s\n' --until --wait-timeout --region
        case 'job services'
            printf '%s\n' --region
        case 'job actions'
            printf '%s\n' --region
        case 'job action'
            printf '%s\n' --alloc --group --task --region
        case 'login'
            printf '%s\n' --org
        case 'api'
            printf '%s\n' --data --header
        case 'dev'
            printf '%s\n' --port --fault --token
    end
    printf '%s\n' -p --profile -o --output --query --columns --address --token-file -n --namespace --dialect --ca-cert --ca-path --client-cert --client-key --tls-server-name --timeout --retries --max-body --color
end

# The words that lead somewhere.
function __tug_leads
    contains -- "$argv[1]" '' 'explorer' 'explorer query' 'explorer export' 'explorer summary' 'explorer usage' 'explorer diff' 'explorer fields' 'explorer views' 'explorer views list' 'explorer views get' 'explorer views create' 'explorer views update' 'explorer views apply' 'explorer views delete' 'explorer views results' 'explorer views export' 'kv' 'kv get' 'kv set' 'kv put' 'kv patch' 'kv edit' 'kv list' 'kv tree' 'kv find' 'kv subkeys' 'kv history' 'kv diff' 'kv rollback' 'kv delete' 'kv undelete' 'kv destroy' 'kv copy' 'kv move' 'kv export' 'kv import' 'kv backup' 'kv verify' 'kv exec' 'kv metadata' 'kv metadata get' 'kv metadata put' 'kv metadata patch' 'kv metadata delete' 'kv config' 'kv config get' 'kv config set' 'kmip' 'kmip config' 'kmip config get' 'kmip config set' 'kmip ca' 'kmip scope' 'kmip scope list' 'kmip scope create' 'kmip scope delete' 'kmip role' 'kmip role list' 'kmip role get' 'kmip role set' 'kmip role delete' 'kmip cred' 'kmip cred generate' 'kmip cred sign' 'kmip cred lookup' 'kmip cred list' 'kmip cred renew' 'kmip cred revoke' 'job' 'job list' 'job status' 'job get' 'job plan' 'job run' 'job update' 'job parse' 'job init' 'job summary' 'job allocs' 'job evals' 'job deployments' 'job deployment' 'job versions' 'job submission' 'job dispatch' 'job periodic' 'job periodic force' 'job revert' 'job stable' 'job evaluate' 'job scale' 'job scale-status' 'job stop' 'job start' 'job services' 'job actions' 'job action' 'profile' 'profile list' 'profile show' 'profile use' 'profile set' 'profile delete' 'profile path' 'login' 'logout' 'status' 'api' 'endpoints' 'completion' 'help' 'dev'
end

# The words that have words below them.
function __tug_group
    contains -- "$argv[1]" '' 'explorer' 'explorer views' 'kv' 'kv metadata' 'kv config' 'kmip' 'kmip config' 'kmip scope' 'kmip role' 'kmip cred' 'job' 'job periodic' 'profile'
end

# Reads the line up to the cursor: the words that lead somewhere, how many arguments follow, whether -- was there.
function __tug_read
    set -l line (commandline -opc)
    if test "$line" = "$__tug_line"
        return
    end
    set -g __tug_line $line
    set -g __tug_path ''
    set -g __tug_count 0
    set -g __tug_dashes 0
    set -l pending 0
    set -l index 1
    for word in $line[2..-1]
        set index (math $index + 1)
        if test $pending = 1
            set pending 0
            continue
        end
        switch $word
            case --
                # What follows `dev -- tug` is a command line of tug again.
                set -l next (math $index + 1)
                if test "$__tug_path" = dev; and test "$line[$next]" = tug
                    set -g __tug_path ''
                    set -g __tug_count 0
                    set pending 1
                    continue
                end
                set -g __tug_dashes 1
                return
            case '--*=*'
            case '-*'
                if string match -qr '^-([0-9]|$)' -- $word
                    set -g __tug_count (math $__tug_count + 1)
                else if contains -- $word (__tug_takes "$__tug_path")
                    set pending 1
                else if not string match -q -- '--*' $word; and contains -- -(string sub -s -1 -- $word) (__tug_takes "$__tug_path")
                    set pending 1
                end
            case '*'
                if __tug_group "$__tug_path"
                    set -g __tug_path (string trim -- "$__tug_path $word")
                    if not __tug_leads "$__tug_path"
                        set -g __tug_path nowhere
                    end
                else
                    set -g __tug_count (math $__tug_count + 1)
                end
        end
    end
end

# Whether the cursor follows these words, and is at this argument ("more": or at a later one).
function __tug_at
    __tug_read
    test $__tug_dashes = 0; or return 1
    test "$__tug_path" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    if set -q argv[3]
        test $__tug_count -ge $argv[2]
    else
        test $__tug_count -eq $argv[2]
    end
end

function __tug_after
    __tug_read
    test $__tug_dashes = 1
end

# The value at the cursor, without its flag and its quotes.
function __tug_current
    commandline -ct | string replace -r '^--[^=]*=' '' | string replace -r '^[\'"]' '' | string replace -ra '\\\\(.)' '$1'
end

# Asks tug for names. One that begins with ~ is not offered: fish would expand it to a folder.
function __tug_names
    if string match -qr '^--[^=]*$' -- (commandline -ct)
        return
    end
    set -l line (commandline -opc)
    set -l current (__tug_current)
    command $line[1] __complete $argv[1] $line[2..-1] "$current" 2>/dev/null | string match -v '~*' | string replace -r '$' \t
end

complete -c tug -e
complete -c tug -f
complete -c tug -n __tug_after -F
complete -c tug -n "not __tug_after" -s p -l profile -r -f -a '(__tug_names profile)' -d 'saved profile to use'
complete -c tug -n "not __tug_after" -s o -l output -r -f -a 'table\\t wide\\t json\\t ndjson\\t yaml\\t csv\\t tsv\\t md\\t box\\t name\\t' -d 'output format'
complete -c tug -n "not __tug_after" -l raw -d 'print the server\'s response body unchanged (implies json)'
complete -c tug -n "not __tug_after" -l query -r -f -d 'select from the JSON result with a JMESPath expression'
complete -c tug -n "not __tug_after" -l columns -r -f -d 'columns of table, csv, tsv and md, in this order'
complete -c tug -n "not __tug_after" -l no-headers -d 'omit the header line of table, csv and tsv'
complete -c tug -n "not __tug_after" -s 0 -l null -d 'with `-o name`, end each name with a NUL byte instead of a newline'
complete -c tug -n "not __tug_after" -l csv-safe -d 'escape csv cells that a spreadsheet would run as formulas'
complete -c tug -n "not __tug_after" -l csv-bom -d 'start csv with a byte order mark'
complete -c tug -n "not __tug_after" -l address -r -f -d 'base URL of the service (unix:///path works too)'
complete -c tug -n "not __tug_after" -l token-file -r -F -d 'read the token from a file (- for standard input)'
complete -c tug -n "not __tug_after" -s n -l namespace -r -f -d 'namespace of the secrets store or the scheduler'
complete -c tug -n "not __tug_after" -l dialect -r -f -a 'auto\\t neutral\\t hashicorp\\t' -d 'API dialect: auto, or the names of the specification or of the products'
complete -c tug -n "not __tug_after" -l ca-cert -r -F -d 'CA certificate to trust (PEM)'
complete -c tug -n "not __tug_after" -l ca-path -r -f -a '(__fish_complete_directories (__tug_current))' -d 'folder of CA certificates to trust (PEM)'
complete -c tug -n "not __tug_after" -l client-cert -r -F -d 'client certificate (PEM)'
complete -c tug -n "not __tug_after" -l client-key -r -F -d 'private key of the client certificate (PEM)'
complete -c tug -n "not __tug_after" -l tls-server-name -r -f -d 'server name to send and to verify in the certificate'
complete -c tug -n "not __tug_after" -l insecure -d 'skip verification of the TLS certificate (prints a warning)'
complete -c tug -n "not __tug_after" -l timeout -r -f -d 'time limit for a response to start, and for pauses inside it'
complete -c tug -n "not __tug_after" -l retries -r -f -d 'how many times to retry a failed request'
complete -c tug -n "not __tug_after" -l max-body -r -f -d 'largest response body to read into memory, in bytes'
complete -c tug -n "not __tug_after" -l dry-run -d 'print each request as a curl command and send nothing'
complete -c tug -n "not __tug_after" -l trace -d 'print requests, responses and timings on stderr, with secrets redacted'
complete -c tug -n "not __tug_after" -s q -l quiet -d 'no progress, hints or confirmations on stderr'
complete -c tug -n "not __tug_after" -s y -l yes -d 'answer yes to every confirmation'
complete -c tug -n "not __tug_after" -l no-input -d 'never prompt (also if CI is set)'
complete -c tug -n "not __tug_after" -l color -r -f -a 'auto\\t always\\t never\\t' -d 'when to use color'
complete -c tug -n "not __tug_after" -s h -l help -d 'show help'
complete -c tug -n '__tug_at \'\'' -a 'explorer' -d 'Query and export an organization\'s workspaces, versions, providers and modules'
complete -c tug -n '__tug_at \'\'' -a 'kv' -d 'Read and write versioned secrets'
complete -c tug -n '__tug_at \'\'' -a 'kmip' -d 'Manage the KMIP engine: scopes, roles and client certificates'
complete -c tug -n '__tug_at \'\'' -a 'job' -d 'Plan, run, scale, follow and stop the jobs of the scheduler'
complete -c tug -n '__tug_at \'\'' -a 'profile' -d 'Manage saved profiles: addresses, namespaces, TLS files, token sources'
complete -c tug -n '__tug_at \'\'' -a 'login' -d 'Store a token for a service in the current profile'
complete -c tug -n '__tug_at \'\'' -a 'logout' -d 'Remove the stored tokens of the current profile'
complete -c tug -n '__tug_at \'\'' -a 'status' -d 'Check each configured service and show how to fix what is wrong'
complete -c tug -n '__tug_at \'\'' -a 'api' -d 'Send any request to a service'
complete -c tug -n '__tug_at \'\'' -a 'endpoints' -d 'List the API endpoints with their commands'
complete -c tug -n '__tug_at \'\'' -a 'completion' -d 'Print the completion script of a shell'
complete -c tug -n '__tug_at \'\'' -a 'help' -d 'Explain a topic or a command'
complete -c tug -n '__tug_at \'\'' -a 'dev' -d 'Run a local server of all three services with demo data, or a command against it'
complete -c tug -n '__tug_at \'\'' -s V -l version -d 'print the version'
complete -c tug -n '__tug_at \'explorer\'' -a 'query' -d 'Query workspaces, tool versions, providers or modules'
complete -c tug -n '__tug_at \'explorer\'' -a 'export' -d 'Export all rows of a query as CSV'
complete -c tug -n '__tug_at \'explorer\'' -a 'summary' -d 'Count the rows of a view by the values of its fields, and add up numbers'
complete -c tug -n '__tug_at \'explorer\'' -a 'usage' -d 'List the workspaces that use a provider, module or tool version'
complete -c tug -n '__tug_at \'explorer\'' -a 'diff' -d 'Show what changed in a query since an earlier result'
complete -c tug -n '__tug_at \'explorer\'' -a 'fields' -d 'List the fields, types and operators of each view, offline'
complete -c tug -n '__tug_at \'explorer\'' -a 'views' -d 'Saved views: list, change, run and export them'
complete -c tug -n '__tug_at \'explorer\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer query\' 0' -f -a 'workspaces\\t tf_versions\\t providers\\t modules\\t'
complete -c tug -n '__tug_at \'explorer query\'' -s f -l filter -r -f -a '(__tug_names explorer-filter)' -d 'keep rows that match \'<field> <operator> [<value>]\'; repeat it to combine with AND'
complete -c tug -n '__tug_at \'explorer query\'' -s s -l sort -r -f -a '(__tug_names explorer-field)' -d 'sort by this field; descending: --sort=-field'
complete -c tug -n '__tug_at \'explorer query\'' -l fields -r -f -a '(__tug_names explorer-field)' -d 'only these fields, in this order'
complete -c tug -n '__tug_at \'explorer query\'' -l no-check -d 'send unknown views, fields and operators as typed'
complete -c tug -n '__tug_at \'explorer query\'' -l page -r -f -d 'the page to read, from 1'
complete -c tug -n '__tug_at \'explorer query\'' -l page-size -r -f -d 'rows per page'
complete -c tug -n '__tug_at \'explorer query\'' -l all -d 'every page, in order'
complete -c tug -n '__tug_at \'explorer query\'' -l limit -r -f -d 'stop after this many rows, reading as many pages as needed'
complete -c tug -n '__tug_at \'explorer query\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer export\' 0' -f -a 'workspaces\\t tf_versions\\t providers\\t modules\\t'
complete -c tug -n '__tug_at \'explorer export\'' -s f -l filter -r -f -a '(__tug_names explorer-filter)' -d 'keep rows that match \'<field> <operator> [<value>]\'; repeat it to combine with AND'
complete -c tug -n '__tug_at \'explorer export\'' -s s -l sort -r -f -a '(__tug_names explorer-field)' -d 'sort by this field; descending: --sort=-field'
complete -c tug -n '__tug_at \'explorer export\'' -l fields -r -f -a '(__tug_names explorer-field)' -d 'only these fields, in this order'
complete -c tug -n '__tug_at \'explorer export\'' -l no-check -d 'send unknown views, fields and operators as typed'
complete -c tug -n '__tug_at \'explorer export\'' -s O -l output-file -r -F -d 'write to this file, completely or not at all (-: standard output)'
complete -c tug -n '__tug_at \'explorer export\'' -l force -d 'replace the file if it exists'
complete -c tug -n '__tug_at \'explorer export\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer summary\' 0' -f -a 'workspaces\\t tf_versions\\t providers\\t modules\\t'
complete -c tug -n '__tug_at \'explorer summary\'' -l by -r -f -a '(__tug_names explorer-field)' -d 'count by the values of this field, or of several fields together'
complete -c tug -n '__tug_at \'explorer summary\'' -l sum -r -f -a '(__tug_names explorer-field)' -d 'add up the values of this number field'
complete -c tug -n '__tug_at \'explorer summary\'' -s f -l filter -r -f -a '(__tug_names explorer-filter)' -d 'keep rows that match \'<field> <operator> [<value>]\'; repeat it to combine with AND'
complete -c tug -n '__tug_at \'explorer summary\'' -l no-check -d 'send unknown views, fields and operators as typed'
complete -c tug -n '__tug_at \'explorer summary\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer usage\' 0' -f -a 'providers\\t modules\\t tf_versions\\t'
complete -c tug -n '__tug_at \'explorer usage\'' -l below -r -f -d 'only versions below this one'
complete -c tug -n '__tug_at \'explorer usage\'' -l by -r -f -a 'project_name\\t version\\t' -d 'count workspaces by project or version'
complete -c tug -n '__tug_at \'explorer usage\'' -l exit-code -d 'exit with 9 if a workspace is listed'
complete -c tug -n '__tug_at \'explorer usage\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer diff\' 0' -f -a 'workspaces\\t tf_versions\\t providers\\t modules\\t'
complete -c tug -n '__tug_at \'explorer diff\' 1' -F
complete -c tug -n '__tug_at \'explorer diff\'' -s f -l filter -r -f -a '(__tug_names explorer-filter)' -d 'keep rows that match \'<field> <operator> [<value>]\'; repeat it to combine with AND'
complete -c tug -n '__tug_at \'explorer diff\'' -s s -l sort -r -f -a '(__tug_names explorer-field)' -d 'sort by this field; descending: --sort=-field'
complete -c tug -n '__tug_at \'explorer diff\'' -l fields -r -f -a '(__tug_names explorer-field)' -d 'only these fields, in this order'
complete -c tug -n '__tug_at \'explorer diff\'' -l no-check -d 'send unknown views, fields and operators as typed'
complete -c tug -n '__tug_at \'explorer diff\'' -l exit-code -d 'exit with 9 if anything differs'
complete -c tug -n '__tug_at \'explorer diff\'' -l update -d 'replace the baseline with the current result after the comparison'
complete -c tug -n '__tug_at \'explorer diff\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer fields\' 0' -f -a 'workspaces\\t tf_versions\\t providers\\t modules\\t'
complete -c tug -n '__tug_at \'explorer fields\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer views\'' -a 'list' -d 'List the saved views of the organization'
complete -c tug -n '__tug_at \'explorer views\'' -a 'get' -d 'Show a saved view'
complete -c tug -n '__tug_at \'explorer views\'' -a 'create' -d 'Store a query by name'
complete -c tug -n '__tug_at \'explorer views\'' -a 'update' -d 'Change a saved view; everything else is kept'
complete -c tug -n '__tug_at \'explorer views\'' -a 'apply' -d 'Create or update saved views from files'
complete -c tug -n '__tug_at \'explorer views\'' -a 'delete' -d 'Delete a saved view'
complete -c tug -n '__tug_at \'explorer views\'' -a 'results' -d 'Run a saved view and show its rows'
complete -c tug -n '__tug_at \'explorer views\'' -a 'export' -d 'Run a saved view and export its rows as CSV'
complete -c tug -n '__tug_at \'explorer views\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer views list\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer views get\' 0' -f -a '(__tug_names saved-view)'
complete -c tug -n '__tug_at \'explorer views get\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer views create\'' -l type -r -f -a 'workspaces\\t tf_versions\\t providers\\t modules\\t' -d 'the view to query: workspaces, tf_versions, providers or modules'
complete -c tug -n '__tug_at \'explorer views create\'' -s f -l filter -r -f -a '(__tug_names explorer-filter)' -d 'keep rows that match \'<field> <operator> [<value>]\'; repeat it to combine with AND'
complete -c tug -n '__tug_at \'explorer views create\'' -l fields -r -f -a '(__tug_names explorer-field)' -d 'only these fields, in this order'
complete -c tug -n '__tug_at \'explorer views create\'' -s s -l sort -r -f -a '(__tug_names explorer-field)' -d 'sort by these fields, in this order; descending: --sort=-field'
complete -c tug -n '__tug_at \'explorer views create\'' -l from-file -r -F -d 'read name, query_type and query from a JSON or YAML file (-: standard input)'
complete -c tug -n '__tug_at \'explorer views create\'' -l body -r -f -a 'documented\\t jsonapi\\t' -d 'the form of the request, if a service needs the other one'
complete -c tug -n '__tug_at \'explorer views create\'' -l no-check -d 'send unknown views, fields and operators as typed'
complete -c tug -n '__tug_at \'explorer views create\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer views update\' 0' -f -a '(__tug_names saved-view)'
complete -c tug -n '__tug_at \'explorer views update\'' -l name -r -f -d 'its new name'
complete -c tug -n '__tug_at \'explorer views update\'' -s f -l filter -r -f -a '(__tug_names explorer-filter)' -d 'keep rows that match \'<field> <operator> [<value>]\'; repeat it to combine with AND'
complete -c tug -n '__tug_at \'explorer views update\'' -l fields -r -f -a '(__tug_names explorer-field)' -d 'only these fields, in this order'
complete -c tug -n '__tug_at \'explorer views update\'' -s s -l sort -r -f -a '(__tug_names explorer-field)' -d 'sort by these fields, in this order; descending: --sort=-field'
complete -c tug -n '__tug_at \'explorer views update\'' -l from-file -r -F -d 'read name, query_type and query from a JSON or YAML file (-: standard input)'
complete -c tug -n '__tug_at \'explorer views update\'' -l body -r -f -a 'documented\\t jsonapi\\t' -d 'the form of the request, if a service needs the other one'
complete -c tug -n '__tug_at \'explorer views update\'' -l no-check -d 'send unknown views, fields and operators as typed'
complete -c tug -n '__tug_at \'explorer views update\'' -l clear-filter -d 'remove all filters'
complete -c tug -n '__tug_at \'explorer views update\'' -l clear-fields -d 'show all fields again'
complete -c tug -n '__tug_at \'explorer views update\'' -l clear-sort -d 'remove the sorting'
complete -c tug -n '__tug_at \'explorer views update\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer views apply\' 0 more' -F
complete -c tug -n '__tug_at \'explorer views apply\'' -l prune -d 'delete the saved views that no file has'
complete -c tug -n '__tug_at \'explorer views apply\'' -l body -r -f -a 'documented\\t jsonapi\\t' -d 'the form of the request, if a service needs the other one'
complete -c tug -n '__tug_at \'explorer views apply\'' -l no-check -d 'send unknown views, fields and operators as typed'
complete -c tug -n '__tug_at \'explorer views apply\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer views delete\' 0' -f -a '(__tug_names saved-view)'
complete -c tug -n '__tug_at \'explorer views delete\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer views results\' 0' -f -a '(__tug_names saved-view)'
complete -c tug -n '__tug_at \'explorer views results\'' -l page -r -f -d 'the page to read, from 1'
complete -c tug -n '__tug_at \'explorer views results\'' -l page-size -r -f -d 'rows per page'
complete -c tug -n '__tug_at \'explorer views results\'' -l all -d 'every page, in order'
complete -c tug -n '__tug_at \'explorer views results\'' -l limit -r -f -d 'stop after this many rows, reading as many pages as needed'
complete -c tug -n '__tug_at \'explorer views results\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'explorer views export\' 0' -f -a '(__tug_names saved-view)'
complete -c tug -n '__tug_at \'explorer views export\'' -s O -l output-file -r -F -d 'write to this file, completely or not at all (-: standard output)'
complete -c tug -n '__tug_at \'explorer views export\'' -l force -d 'replace the file if it exists'
complete -c tug -n '__tug_at \'explorer views export\'' -l org -r -f -d 'organization'
complete -c tug -n '__tug_at \'kv\'' -a 'get' -d 'Show a secret'
complete -c tug -n '__tug_at \'kv\'' -a 'set' -d 'Change keys of a secret and keep the others: read, merge, write'
complete -c tug -n '__tug_at \'kv\'' -a 'put' -d 'Write a secret, replacing its whole value'
complete -c tug -n '__tug_at \'kv\'' -a 'patch' -d 'Change or remove keys of a secret on the server, without reading it'
complete -c tug -n '__tug_at \'kv\'' -a 'edit' -d 'Edit a secret in your editor, and write it unless there was a concurrent change'
complete -c tug -n '__tug_at \'kv\'' -a 'list' -d 'List the names in a folder'
complete -c tug -n '__tug_at \'kv\'' -a 'tree' -d 'List all secrets below a folder as a tree'
complete -c tug -n '__tug_at \'kv\'' -a 'find' -d 'Find secrets and folders by name, key names, age or custom metadata'
complete -c tug -n '__tug_at \'kv\'' -a 'subkeys' -d 'Show the names of a secret\'s keys, without values'
complete -c tug -n '__tug_at \'kv\'' -a 'history' -d 'List the versions of a secret: live, deleted or destroyed, and when'
complete -c tug -n '__tug_at \'kv\'' -a 'diff' -d 'Show which keys differ between two versions of a secret, two secrets or two folders'
complete -c tug -n '__tug_at \'kv\'' -a 'rollback' -d 'Write an older version of a secret again, as its newest'
complete -c tug -n '__tug_at \'kv\'' -a 'delete' -d 'Delete the latest version of a secret, or other versions; kv undelete undoes it'
complete -c tug -n '__tug_at \'kv\'' -a 'undelete' -d 'Restore deleted versions of a secret'
complete -c tug -n '__tug_at \'kv\'' -a 'destroy' -d 'Permanently remove the data of versions'
complete -c tug -n '__tug_at \'kv\'' -a 'copy' -d 'Copy the latest version of a secret, or of every secret below a folder, to another path'
complete -c tug -n '__tug_at \'kv\'' -a 'move' -d 'Move a secret, or every secret below a folder, to another path'
complete -c tug -n '__tug_at \'kv\'' -a 'export' -d 'Write secrets as JSON, YAML or dotenv, for kv import to read back'
complete -c tug -n '__tug_at \'kv\'' -a 'import' -d 'Write secrets from what kv export wrote: JSON, YAML or dotenv'
complete -c tug -n '__tug_at \'kv\'' -a 'backup' -d 'Write every version of every secret to a file, for kv restore'
complete -c tug -n '__tug_at \'kv\'' -a 'verify' -d 'Compare a backup with what is stored: every version, state and setting'
complete -c tug -n '__tug_at \'kv\'' -a 'exec' -d 'Run a command with a secret\'s keys as environment variables'
complete -c tug -n '__tug_at \'kv\'' -a 'metadata' -d 'A secret\'s settings and custom metadata'
complete -c tug -n '__tug_at \'kv\'' -a 'config' -d 'Settings of the whole engine'
complete -c tug -n '__tug_at \'kv\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv get\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv get\' 1' -f -a '(__tug_names secret-field)'
complete -c tug -n '__tug_at \'kv get\'' -l version -r -f -d 'the version to read (0: the latest)'
complete -c tug -n '__tug_at \'kv get\'' -l field -r -f -a '(__tug_names secret-field)' -d 'print only this value (a.b reads inside a map)'
complete -c tug -n '__tug_at \'kv get\'' -l wrap-ttl -r -f -d 'print a single-use token, valid for this long, instead of the secret'
complete -c tug -n '__tug_at \'kv get\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv get\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv set\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv set\'' -l remove -r -f -d 'remove this key'
complete -c tug -n '__tug_at \'kv set\'' -l generate -r -f -d 'set this key to a random value (default: 32 characters)'
complete -c tug -n '__tug_at \'kv set\'' -l symbols -d 'generated values contain symbols too'
complete -c tug -n '__tug_at \'kv set\'' -l cas -r -f -d 'write only if this is the current version (0: only if the secret doesn\'t exist)'
complete -c tug -n '__tug_at \'kv set\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv set\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv put\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv put\'' -l generate -r -f -d 'set this key to a random value (default: 32 characters)'
complete -c tug -n '__tug_at \'kv put\'' -l symbols -d 'generated values contain symbols too'
complete -c tug -n '__tug_at \'kv put\'' -l cas -r -f -d 'write only if this is the current version (0: only if the secret doesn\'t exist)'
complete -c tug -n '__tug_at \'kv put\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv put\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv patch\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv patch\'' -l remove -r -f -d 'remove this key'
complete -c tug -n '__tug_at \'kv patch\'' -l cas -r -f -d 'write only if this is the current version'
complete -c tug -n '__tug_at \'kv patch\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv patch\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv edit\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv edit\'' -l format -r -f -a 'yaml\\t json\\t' -d 'format of the file'
complete -c tug -n '__tug_at \'kv edit\'' -l keep-tokens -d 'pass on the variables with tokens'
complete -c tug -n '__tug_at \'kv edit\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv edit\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv list\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv list\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv list\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv tree\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv tree\'' -l depth -r -f -d 'levels to show'
complete -c tug -n '__tug_at \'kv tree\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv tree\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv find\' 1' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv find\'' -l keys -d 'search the names of the secrets\' keys too'
complete -c tug -n '__tug_at \'kv find\'' -s i -l ignore-case -d 'ignore case'
complete -c tug -n '__tug_at \'kv find\'' -l older-than -r -f -d 'the current version was written longer ago than this, such as 90d'
complete -c tug -n '__tug_at \'kv find\'' -l custom-metadata -r -f -d 'the secret has this custom metadata'
complete -c tug -n '__tug_at \'kv find\'' -l exit-code -d 'exit with 9 if anything is found'
complete -c tug -n '__tug_at \'kv find\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv find\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv subkeys\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv subkeys\'' -l version -r -f -d 'the version to read (0: the latest)'
complete -c tug -n '__tug_at \'kv subkeys\'' -l depth -r -f -d 'levels of maps to show (0: all)'
complete -c tug -n '__tug_at \'kv subkeys\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv subkeys\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv history\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv history\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv history\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv diff\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv diff\'' -l from -r -f -d 'the older version'
complete -c tug -n '__tug_at \'kv diff\'' -l to -r -f -d 'the newer version'
complete -c tug -n '__tug_at \'kv diff\'' -l other-profile -r -f -a '(__tug_names profile)' -d 'the other secret is reached with this profile'
complete -c tug -n '__tug_at \'kv diff\'' -l other-mount -r -f -d 'the other secret is in this mount'
complete -c tug -n '__tug_at \'kv diff\'' -l recursive -d 'compare all secrets of two folders'
complete -c tug -n '__tug_at \'kv diff\'' -l show-values -d 'show the values too'
complete -c tug -n '__tug_at \'kv diff\'' -l exit-code -d 'exit with 9 if there are differences'
complete -c tug -n '__tug_at \'kv diff\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv diff\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv rollback\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv rollback\'' -l to -r -f -d 'the same as a flag'
complete -c tug -n '__tug_at \'kv rollback\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv rollback\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv delete\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv delete\'' -l versions -r -f -d 'versions to delete (default the latest)'
complete -c tug -n '__tug_at \'kv delete\'' -l recursive -d 'work on every secret below the folder'
complete -c tug -n '__tug_at \'kv delete\'' -l verify -d 'fail if the metadata may not be read'
complete -c tug -n '__tug_at \'kv delete\'' -l no-verify -d 'send only the request itself, without reading the metadata before and after'
complete -c tug -n '__tug_at \'kv delete\'' -l parallel -r -f -d 'how many at once'
complete -c tug -n '__tug_at \'kv delete\'' -l rate -r -f -d 'at most so many requests a second'
complete -c tug -n '__tug_at \'kv delete\'' -l max-failures -r -f -d 'stop sending after so many failures'
complete -c tug -n '__tug_at \'kv delete\'' -l journal -r -F -d 'append a line for each item to this file as it ends, without values'
complete -c tug -n '__tug_at \'kv delete\'' -l resume -r -F -d 'skip what this journal says is done, check what it leaves unknown, and go on'
complete -c tug -n '__tug_at \'kv delete\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv delete\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv undelete\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv undelete\'' -l versions -r -f -d 'versions to restore (default the latest)'
complete -c tug -n '__tug_at \'kv undelete\'' -l verify -d 'fail if the metadata may not be read'
complete -c tug -n '__tug_at \'kv undelete\'' -l no-verify -d 'send only the request itself, without reading the metadata before and after'
complete -c tug -n '__tug_at \'kv undelete\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv undelete\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv destroy\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv destroy\'' -l versions -r -f -d 'versions to destroy'
complete -c tug -n '__tug_at \'kv destroy\'' -l verify -d 'fail if the metadata may not be read'
complete -c tug -n '__tug_at \'kv destroy\'' -l no-verify -d 'send only the request itself, without reading the metadata before and after'
complete -c tug -n '__tug_at \'kv destroy\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv destroy\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv copy\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv copy\' 1' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv copy\'' -l recursive -d 'work on every secret below the folder'
complete -c tug -n '__tug_at \'kv copy\'' -l force -d 'write a new version of an existing secret'
complete -c tug -n '__tug_at \'kv copy\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv copy\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv move\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv move\' 1' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv move\'' -l recursive -d 'work on every secret below the folder'
complete -c tug -n '__tug_at \'kv move\'' -l force -d 'write a new version of an existing secret'
complete -c tug -n '__tug_at \'kv move\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv move\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv export\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv export\'' -l recursive -d 'every level below the folder'
complete -c tug -n '__tug_at \'kv export\'' -l no-recursive -d 'only the secrets directly in the folder'
complete -c tug -n '__tug_at \'kv export\'' -l format -r -f -a 'json\\t yaml\\t dotenv\\t' -d 'format of the file'
complete -c tug -n '__tug_at \'kv export\'' -l skip-deleted -d 'skip secrets whose latest version is deleted, without exit status 10'
complete -c tug -n '__tug_at \'kv export\'' -s O -l output-file -r -F -d 'write to this file, completely or not at all (-: standard output)'
complete -c tug -n '__tug_at \'kv export\'' -l force -d 'replace the file if it exists'
complete -c tug -n '__tug_at \'kv export\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv export\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv import\' 0' -F
complete -c tug -n '__tug_at \'kv import\' 1' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv import\'' -l recursive -d 'every level below the folder'
complete -c tug -n '__tug_at \'kv import\'' -l no-recursive -d 'only the secrets directly in the folder'
complete -c tug -n '__tug_at \'kv import\'' -l format -r -f -a 'json\\t yaml\\t dotenv\\t' -d 'format of the file'
complete -c tug -n '__tug_at \'kv import\'' -l plan -d 'show what would change, without values, and write nothing'
complete -c tug -n '__tug_at \'kv import\'' -l update -d 'write changes of existing secrets too'
complete -c tug -n '__tug_at \'kv import\'' -l prune -d 'delete secrets below the folder that the file doesn\'t contain'
complete -c tug -n '__tug_at \'kv import\'' -l force -d 'write a new version of every existing secret'
complete -c tug -n '__tug_at \'kv import\'' -l exit-code -d 'with --plan, exit with 9 if there are changes'
complete -c tug -n '__tug_at \'kv import\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv import\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv backup\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv backup\'' -s O -l output-file -r -F -d 'write to this file, completely or not at all (-: standard output)'
complete -c tug -n '__tug_at \'kv backup\'' -l include-deleted -d 'read deleted versions too: restores them and deletes them again'
complete -c tug -n '__tug_at \'kv backup\'' -l since -r -F -d 'write only changes since this backup; repeat it for incremental ones'
complete -c tug -n '__tug_at \'kv backup\'' -l force -d 'replace the file if it exists'
complete -c tug -n '__tug_at \'kv backup\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv backup\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv verify\' 0' -F
complete -c tug -n '__tug_at \'kv verify\' 1 more' -F
complete -c tug -n '__tug_at \'kv verify\'' -l partial -d 'accept a file that ends early, and use the secrets it contains'
complete -c tug -n '__tug_at \'kv verify\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv verify\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv exec\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv exec\'' -l version -r -f -d 'the version to read (0: the latest)'
complete -c tug -n '__tug_at \'kv exec\'' -l upper -d 'convert names to upper case, with _ for anything but letters and digits'
complete -c tug -n '__tug_at \'kv exec\'' -l prefix -r -f -d 'prefix for each name'
complete -c tug -n '__tug_at \'kv exec\'' -l keep-tokens -d 'pass on the variables with tokens'
complete -c tug -n '__tug_at \'kv exec\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv exec\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv metadata\'' -a 'get' -d 'Show a secret\'s settings, custom metadata and versions'
complete -c tug -n '__tug_at \'kv metadata\'' -a 'put' -d 'Set a secret\'s settings and custom metadata'
complete -c tug -n '__tug_at \'kv metadata\'' -a 'patch' -d 'Change some of a secret\'s settings and custom metadata'
complete -c tug -n '__tug_at \'kv metadata\'' -a 'delete' -d 'Permanently remove a secret: every version and all metadata'
complete -c tug -n '__tug_at \'kv metadata\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv metadata\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv metadata get\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv metadata get\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv metadata get\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv metadata put\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv metadata put\'' -l max-versions -r -f -d 'number of versions to keep (0: the default)'
complete -c tug -n '__tug_at \'kv metadata put\'' -l cas-required -d 'require check-and-set for every write'
complete -c tug -n '__tug_at \'kv metadata put\'' -l delete-version-after -r -f -d 'delete each version after this time (0: the engine\'s setting)'
complete -c tug -n '__tug_at \'kv metadata put\'' -l custom-metadata -r -f -d 'the custom metadata, replacing the present one'
complete -c tug -n '__tug_at \'kv metadata put\'' -l clear-custom-metadata -d 'remove all custom metadata'
complete -c tug -n '__tug_at \'kv metadata put\'' -l metadata-cas -r -f -d 'write only if this is the current version of the metadata (0: only if there is none; OpenBao)'
complete -c tug -n '__tug_at \'kv metadata put\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv metadata put\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv metadata patch\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv metadata patch\'' -l max-versions -r -f -d 'number of versions to keep (0: the default)'
complete -c tug -n '__tug_at \'kv metadata patch\'' -l cas-required -d 'require check-and-set for every write'
complete -c tug -n '__tug_at \'kv metadata patch\'' -l delete-version-after -r -f -d 'delete each version after this time (0: the engine\'s setting)'
complete -c tug -n '__tug_at \'kv metadata patch\'' -l custom-metadata -r -f -d 'add to the custom metadata'
complete -c tug -n '__tug_at \'kv metadata patch\'' -l remove-custom-metadata -r -f -d 'remove this key of the custom metadata'
complete -c tug -n '__tug_at \'kv metadata patch\'' -l clear-custom-metadata -d 'remove all custom metadata'
complete -c tug -n '__tug_at \'kv metadata patch\'' -l metadata-cas -r -f -d 'write only if this is the current version of the metadata (0: only if there is none; OpenBao)'
complete -c tug -n '__tug_at \'kv metadata patch\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv metadata patch\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv metadata delete\' 0' -f -a '(__tug_names secret-path)'
complete -c tug -n '__tug_at \'kv metadata delete\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv metadata delete\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv config\'' -a 'get' -d 'Show the settings of the whole engine'
complete -c tug -n '__tug_at \'kv config\'' -a 'set' -d 'Change settings of the whole engine'
complete -c tug -n '__tug_at \'kv config\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv config\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv config get\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv config get\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kv config set\'' -l max-versions -r -f -d 'number of versions to keep (0: the default)'
complete -c tug -n '__tug_at \'kv config set\'' -l cas-required -d 'require check-and-set for every write'
complete -c tug -n '__tug_at \'kv config set\'' -l delete-version-after -r -f -d 'delete each version after this time (0: never; negative: never, for all secrets)'
complete -c tug -n '__tug_at \'kv config set\'' -l mount -r -f -d 'where the key-value engine is mounted'
complete -c tug -n '__tug_at \'kv config set\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip\'' -a 'config' -d 'The engine\'s configuration'
complete -c tug -n '__tug_at \'kmip\'' -a 'ca' -d 'Print the engine\'s CA certificates as PEM'
complete -c tug -n '__tug_at \'kmip\'' -a 'scope' -d 'Scopes: namespaces of managed objects'
complete -c tug -n '__tug_at \'kmip\'' -a 'role' -d 'Roles: which operations the certificates of a scope may perform'
complete -c tug -n '__tug_at \'kmip\'' -a 'cred' -d 'Client certificates: issue, renew, look up, list, revoke'
complete -c tug -n '__tug_at \'kmip\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip config\'' -a 'get' -d 'Show the engine\'s configuration'
complete -c tug -n '__tug_at \'kmip config\'' -a 'set' -d 'Configure the engine, which creates its CA and starts its listener'
complete -c tug -n '__tug_at \'kmip config\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip config\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip config get\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip config get\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip config set\'' -l listen-addrs -r -f -d 'addresses to listen on'
complete -c tug -n '__tug_at \'kmip config set\'' -l connection-timeout -r -f -d 'time limit for establishing a connection'
complete -c tug -n '__tug_at \'kmip config set\'' -l server-hostnames -r -f -d 'DNS names of the server\'s certificate, the common name first'
complete -c tug -n '__tug_at \'kmip config set\'' -l server-ips -r -f -d 'IP addresses of the server\'s certificate'
complete -c tug -n '__tug_at \'kmip config set\'' -l tls-ca-key-type -r -f -a 'ec\\t rsa\\t' -d 'the CA\'s key type'
complete -c tug -n '__tug_at \'kmip config set\'' -l tls-ca-key-bits -r -f -d 'the CA\'s key size in bits'
complete -c tug -n '__tug_at \'kmip config set\'' -l tls-min-version -r -f -a 'tls10\\t tls11\\t tls12\\t tls13\\t' -d 'minimum TLS version'
complete -c tug -n '__tug_at \'kmip config set\'' -l default-tls-client-key-type -r -f -a 'ec\\t rsa\\t' -d 'key type of clients'
complete -c tug -n '__tug_at \'kmip config set\'' -l default-tls-client-key-bits -r -f -d 'key size of clients in bits'
complete -c tug -n '__tug_at \'kmip config set\'' -l default-tls-client-ttl -r -f -d 'lifetime of client certificates'
complete -c tug -n '__tug_at \'kmip config set\'' -l no-check -d 'send key sizes that tug does not know'
complete -c tug -n '__tug_at \'kmip config set\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip config set\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip ca\'' -s O -l output-file -r -F -d 'write to this file, completely or not at all (-: standard output)'
complete -c tug -n '__tug_at \'kmip ca\'' -l force -d 'replace the file if it exists'
complete -c tug -n '__tug_at \'kmip ca\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip ca\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip scope\'' -a 'list' -d 'List the scopes'
complete -c tug -n '__tug_at \'kmip scope\'' -a 'create' -d 'Create a scope, or leave an existing one unchanged'
complete -c tug -n '__tug_at \'kmip scope\'' -a 'delete' -d 'Delete a scope; --force is needed if it contains managed objects'
complete -c tug -n '__tug_at \'kmip scope\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip scope\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip scope list\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip scope list\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip scope create\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip scope create\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip scope create\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip scope delete\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip scope delete\'' -l force -d 'delete its managed objects too'
complete -c tug -n '__tug_at \'kmip scope delete\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip scope delete\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip role\'' -a 'list' -d 'List the roles of a scope'
complete -c tug -n '__tug_at \'kmip role\'' -a 'get' -d 'Show a role\'s operations, and the key and lifetime of its certificates'
complete -c tug -n '__tug_at \'kmip role\'' -a 'set' -d 'Create or change a role: its operations, and the key and lifetime of its certificates'
complete -c tug -n '__tug_at \'kmip role\'' -a 'delete' -d 'Delete a role'
complete -c tug -n '__tug_at \'kmip role\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip role\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip role list\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip role list\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip role list\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip role get\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip role get\' 1' -f -a '(__tug_names kmip-role)'
complete -c tug -n '__tug_at \'kmip role get\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip role get\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip role set\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip role set\' 1' -f -a '(__tug_names kmip-role)'
complete -c tug -n '__tug_at \'kmip role set\'' -l operation -r -f -a '(__tug_names kmip-operation)' -d 'operations to allow, without their prefix'
complete -c tug -n '__tug_at \'kmip role set\'' -l all-operations -d 'allow every operation'
complete -c tug -n '__tug_at \'kmip role set\'' -l no-operations -d 'allow no operation'
complete -c tug -n '__tug_at \'kmip role set\'' -l no-check -d 'send operations and key sizes that tug does not know'
complete -c tug -n '__tug_at \'kmip role set\'' -l tls-client-key-type -r -f -a 'ec\\t rsa\\t' -d 'key type of clients'
complete -c tug -n '__tug_at \'kmip role set\'' -l tls-client-key-bits -r -f -d 'key size of clients in bits'
complete -c tug -n '__tug_at \'kmip role set\'' -l tls-client-ttl -r -f -d 'lifetime of client certificates'
complete -c tug -n '__tug_at \'kmip role set\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip role set\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip role delete\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip role delete\' 1' -f -a '(__tug_names kmip-role)'
complete -c tug -n '__tug_at \'kmip role delete\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip role delete\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip cred\'' -a 'generate' -d 'Issue a client certificate with a new private key'
complete -c tug -n '__tug_at \'kmip cred\'' -a 'sign' -d 'Issue a client certificate for a signing request (CSR)'
complete -c tug -n '__tug_at \'kmip cred\'' -a 'lookup' -d 'Show an issued certificate by its serial number'
complete -c tug -n '__tug_at \'kmip cred\'' -a 'list' -d 'List the certificates of a role, a scope or the whole engine'
complete -c tug -n '__tug_at \'kmip cred\'' -a 'renew' -d 'Issue a new certificate in place of one that expires soon, without a gap'
complete -c tug -n '__tug_at \'kmip cred\'' -a 'revoke' -d 'Revoke a certificate, by its serial number or by itself'
complete -c tug -n '__tug_at \'kmip cred\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip cred\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip cred generate\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip cred generate\' 1' -f -a '(__tug_names kmip-role)'
complete -c tug -n '__tug_at \'kmip cred generate\'' -l format -r -f -a 'pem\\t pem_bundle\\t der\\t' -d 'encoding of certificate, key and chain'
complete -c tug -n '__tug_at \'kmip cred generate\'' -l out-dir -r -f -a '(__fish_complete_directories (__tug_current))' -d 'write certificate, chain and key into this folder (made 0700 when missing)'
complete -c tug -n '__tug_at \'kmip cred generate\'' -l force -d 'replace files in the folder'
complete -c tug -n '__tug_at \'kmip cred generate\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip cred generate\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip cred sign\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip cred sign\' 1' -f -a '(__tug_names kmip-role)'
complete -c tug -n '__tug_at \'kmip cred sign\'' -l csr -r -F -d 'file with the CSR in PEM (-: standard input)'
complete -c tug -n '__tug_at \'kmip cred sign\'' -l format -r -f -a 'pem\\t pem_bundle\\t der\\t' -d 'encoding of certificate, key and chain'
complete -c tug -n '__tug_at \'kmip cred sign\'' -l out-dir -r -f -a '(__fish_complete_directories (__tug_current))' -d 'write certificate, chain and key into this folder (made 0700 when missing)'
complete -c tug -n '__tug_at \'kmip cred sign\'' -l force -d 'replace files in the folder'
complete -c tug -n '__tug_at \'kmip cred sign\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip cred sign\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip cred lookup\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip cred lookup\' 1' -f -a '(__tug_names kmip-role)'
complete -c tug -n '__tug_at \'kmip cred lookup\' 2' -f -a '(__tug_names kmip-serial)'
complete -c tug -n '__tug_at \'kmip cred lookup\'' -l serial -r -f -a '(__tug_names kmip-serial)' -d 'the serial number as a flag'
complete -c tug -n '__tug_at \'kmip cred lookup\'' -l format -r -f -a 'pem\\t pem_bundle\\t der\\t' -d 'encoding of certificate, key and chain'
complete -c tug -n '__tug_at \'kmip cred lookup\'' -l out-dir -r -f -a '(__fish_complete_directories (__tug_current))' -d 'write certificate, chain and key into this folder (made 0700 when missing)'
complete -c tug -n '__tug_at \'kmip cred lookup\'' -l force -d 'replace files in the folder'
complete -c tug -n '__tug_at \'kmip cred lookup\'' -l field -r -f -a 'certificate\\t ca_chain\\t serial_number\\t' -d 'print only this part of it, as it is'
complete -c tug -n '__tug_at \'kmip cred lookup\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip cred lookup\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip cred list\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip cred list\' 1' -f -a '(__tug_names kmip-role)'
complete -c tug -n '__tug_at \'kmip cred list\'' -l details -d 'look each one up: subject, expiry'
complete -c tug -n '__tug_at \'kmip cred list\'' -l expiring -r -f -d 'only those that end within this time, such as 30d, or have ended'
complete -c tug -n '__tug_at \'kmip cred list\'' -l exit-code -d 'exit 9 when --expiring finds any'
complete -c tug -n '__tug_at \'kmip cred list\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip cred list\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip cred renew\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip cred renew\' 1' -f -a '(__tug_names kmip-role)'
complete -c tug -n '__tug_at \'kmip cred renew\' 2' -f -a '(__tug_names kmip-serial)'
complete -c tug -n '__tug_at \'kmip cred renew\'' -l serial -r -f -a '(__tug_names kmip-serial)' -d 'the serial number as a flag'
complete -c tug -n '__tug_at \'kmip cred renew\'' -l certificate -r -F -d 'file with the certificate in PEM (-: standard input)'
complete -c tug -n '__tug_at \'kmip cred renew\'' -l format -r -f -a 'pem\\t pem_bundle\\t der\\t' -d 'encoding of certificate, key and chain'
complete -c tug -n '__tug_at \'kmip cred renew\'' -l out-dir -r -f -a '(__fish_complete_directories (__tug_current))' -d 'folder for certificate, chain and key (created 0700 if missing)'
complete -c tug -n '__tug_at \'kmip cred renew\'' -l force -d 'replace files in the folder'
complete -c tug -n '__tug_at \'kmip cred renew\'' -l if-expiring -r -f -d 'renew only what expires within this time, such as 30d, or has expired'
complete -c tug -n '__tug_at \'kmip cred renew\'' -l revoke-old -d 'revoke the old certificate once the new files are written'
complete -c tug -n '__tug_at \'kmip cred renew\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip cred renew\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'kmip cred revoke\' 0' -f -a '(__tug_names kmip-scope)'
complete -c tug -n '__tug_at \'kmip cred revoke\' 1' -f -a '(__tug_names kmip-role)'
complete -c tug -n '__tug_at \'kmip cred revoke\' 2' -f -a '(__tug_names kmip-serial)'
complete -c tug -n '__tug_at \'kmip cred revoke\'' -l serial -r -f -a '(__tug_names kmip-serial)' -d 'the serial number as a flag'
complete -c tug -n '__tug_at \'kmip cred revoke\'' -l certificate -r -F -d 'file with the certificate in PEM (-: standard input)'
complete -c tug -n '__tug_at \'kmip cred revoke\'' -l mount -r -f -d 'where the KMIP engine is mounted'
complete -c tug -n '__tug_at \'kmip cred revoke\'' -l list-method -r -f -a 'get\\t list\\t' -d 'send lists as GET …?list=true or with the method LIST'
complete -c tug -n '__tug_at \'job\'' -a 'list' -d 'List jobs'
complete -c tug -n '__tug_at \'job\'' -a 'status' -d 'Show on one screen how a job is, why, and what to do about it'
complete -c tug -n '__tug_at \'job\'' -a 'get' -d 'Show a job'
complete -c tug -n '__tug_at \'job\'' -a 'plan' -d 'Show what registering a job file would change, and change nothing'
complete -c tug -n '__tug_at \'job\'' -a 'run' -d 'Register a job, or a new version of it, from a job file'
complete -c tug -n '__tug_at \'job\'' -a 'update' -d 'Register a new version of a job; the file must have the same job ID'
complete -c tug -n '__tug_at \'job\'' -a 'parse' -d 'Convert an HCL job file to JSON'
complete -c tug -n '__tug_at \'job\'' -a 'init' -d 'Write an example job file to start from'
complete -c tug -n '__tug_at \'job\'' -a 'summary' -d 'Count a job\'s allocations by state, for each group'
complete -c tug -n '__tug_at \'job\'' -a 'allocs' -d 'List a job\'s allocations, the live ones first'
complete -c tug -n '__tug_at \'job\'' -a 'evals' -d 'List a job\'s evaluations, the newest first'
complete -c tug -n '__tug_at \'job\'' -a 'deployments' -d 'List a job\'s deployments, the newest first'
complete -c tug -n '__tug_at \'job\'' -a 'deployment' -d 'Show a job\'s latest deployment'
complete -c tug -n '__tug_at \'job\'' -a 'versions' -d 'List a job\'s versions, the newest first, and how each differs from the one before'
complete -c tug -n '__tug_at \'job\'' -a 'submission' -d 'Show the job file of a version'
complete -c tug -n '__tug_at \'job\'' -a 'dispatch' -d 'Start an instance of a parameterized job'
complete -c tug -n '__tug_at \'job\'' -a 'periodic' -d 'Launch periodic jobs'
complete -c tug -n '__tug_at \'job\'' -a 'revert' -d 'Make an older version of a job the current one again'
complete -c tug -n '__tug_at \'job\'' -a 'stable' -d 'Mark a version of a job as stable, so that a failed deployment may go back to it'
complete -c tug -n '__tug_at \'job\'' -a 'evaluate' -d 'Create a new evaluation for a job'
complete -c tug -n '__tug_at \'job\'' -a 'scale' -d 'Set how many instances of a task group run'
complete -c tug -n '__tug_at \'job\'' -a 'scale-status' -d 'Show a job\'s desired and actual counts and its last scaling events'
complete -c tug -n '__tug_at \'job\'' -a 'stop' -d 'Stop a job'
complete -c tug -n '__tug_at \'job\'' -a 'start' -d 'Start a stopped job again'
complete -c tug -n '__tug_at \'job\'' -a 'services' -d 'List the addresses of a job\'s services'
complete -c tug -n '__tug_at \'job\'' -a 'actions' -d 'List a job\'s actions'
complete -c tug -n '__tug_at \'job\'' -a 'action' -d 'Run a predefined action of a job in one of its running allocations'
complete -c tug -n '__tug_at \'job\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job list\'' -l prefix -r -f -d 'only jobs whose ID begins with this'
complete -c tug -n '__tug_at \'job list\'' -l filter -r -f -d 'only jobs for which this expression is true'
complete -c tug -n '__tug_at \'job list\'' -l per-page -r -f -d 'jobs per page; by default one page has all'
complete -c tug -n '__tug_at \'job list\'' -l next-token -r -f -d 'start at this page'
complete -c tug -n '__tug_at \'job list\'' -l all -d 'every page'
complete -c tug -n '__tug_at \'job list\'' -l meta -d 'with the jobs\' meta'
complete -c tug -n '__tug_at \'job list\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job list\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job list\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job status\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job status\'' -l exit-code -d 'exit with 9 if the job is not healthy'
complete -c tug -n '__tug_at \'job status\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job status\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job status\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job get\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job get\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job get\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job get\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job plan\' 0' -F
complete -c tug -n '__tug_at \'job plan\'' -l var -r -f -d 'a variable of the job file; overrides var-files and NOMAD_VAR_<name>'
complete -c tug -n '__tug_at \'job plan\'' -l var-file -r -F -d 'a file with variables; if several set a variable, the last one wins'
complete -c tug -n '__tug_at \'job plan\'' -l hcl1 -d 'read the file as HCL version 1'
complete -c tug -n '__tug_at \'job plan\'' -l no-diff -d 'omit the diff; show only what the scheduler would do'
complete -c tug -n '__tug_at \'job plan\'' -l policy-override -d 'override soft mandatory policies'
complete -c tug -n '__tug_at \'job plan\'' -l exit-code -d 'exit with 9 if there are changes'
complete -c tug -n '__tug_at \'job plan\'' -l keep-counts -d 'write the groups\' current counts into the job, in place of the file\'s'
complete -c tug -n '__tug_at \'job plan\'' -l show-values -d 'show values of env, templates, meta and tokens'
complete -c tug -n '__tug_at \'job plan\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job run\' 0' -F
complete -c tug -n '__tug_at \'job run\'' -l var -r -f -d 'a variable of the job file; overrides var-files and NOMAD_VAR_<name>'
complete -c tug -n '__tug_at \'job run\'' -l var-file -r -F -d 'a file with variables; if several set a variable, the last one wins'
complete -c tug -n '__tug_at \'job run\'' -l hcl1 -d 'read the file as HCL version 1'
complete -c tug -n '__tug_at \'job run\'' -l check-index -r -f -d 'only if the job\'s JobModifyIndex is this (0: only if it is new)'
complete -c tug -n '__tug_at \'job run\'' -l eval-priority -r -f -d 'priority of the evaluation, 1 to 100'
complete -c tug -n '__tug_at \'job run\'' -l policy-override -d 'override soft mandatory policies'
complete -c tug -n '__tug_at \'job run\'' -l preserve-resources -d 'keep the resources that the tasks have now, not those of the file'
complete -c tug -n '__tug_at \'job run\'' -l no-submission -d 'do not store the job file with the job'
complete -c tug -n '__tug_at \'job run\'' -l wait -d 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
complete -c tug -n '__tug_at \'job run\'' -l until -r -f -a 'placed\\t healthy\\t canary-ready\\t complete\\t' -d 'how far to wait (implies --wait)'
complete -c tug -n '__tug_at \'job run\'' -l wait-timeout -r -f -d 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
complete -c tug -n '__tug_at \'job run\'' -l plan -d 'show the plan first, ask, and register exactly that'
complete -c tug -n '__tug_at \'job run\'' -l keep-counts -d 'write the groups\' current counts into the job, in place of the file\'s'
complete -c tug -n '__tug_at \'job run\'' -l preserve-counts -d 'let the server keep the groups\' current counts, which a plan does not show'
complete -c tug -n '__tug_at \'job run\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job update\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job update\' 1' -F
complete -c tug -n '__tug_at \'job update\'' -l var -r -f -d 'a variable of the job file; overrides var-files and NOMAD_VAR_<name>'
complete -c tug -n '__tug_at \'job update\'' -l var-file -r -F -d 'a file with variables; if several set a variable, the last one wins'
complete -c tug -n '__tug_at \'job update\'' -l hcl1 -d 'read the file as HCL version 1'
complete -c tug -n '__tug_at \'job update\'' -l check-index -r -f -d 'only if the job\'s JobModifyIndex is this (0: only if it is new)'
complete -c tug -n '__tug_at \'job update\'' -l eval-priority -r -f -d 'priority of the evaluation, 1 to 100'
complete -c tug -n '__tug_at \'job update\'' -l policy-override -d 'override soft mandatory policies'
complete -c tug -n '__tug_at \'job update\'' -l preserve-resources -d 'keep the resources that the tasks have now, not those of the file'
complete -c tug -n '__tug_at \'job update\'' -l no-submission -d 'do not store the job file with the job'
complete -c tug -n '__tug_at \'job update\'' -l wait -d 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
complete -c tug -n '__tug_at \'job update\'' -l until -r -f -a 'placed\\t healthy\\t canary-ready\\t complete\\t' -d 'how far to wait (implies --wait)'
complete -c tug -n '__tug_at \'job update\'' -l wait-timeout -r -f -d 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
complete -c tug -n '__tug_at \'job update\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job parse\' 0' -F
complete -c tug -n '__tug_at \'job parse\'' -l var -r -f -d 'a variable of the job file; overrides var-files and NOMAD_VAR_<name>'
complete -c tug -n '__tug_at \'job parse\'' -l var-file -r -F -d 'a file with variables; if several set a variable, the last one wins'
complete -c tug -n '__tug_at \'job parse\'' -l hcl1 -d 'read the file as HCL version 1'
complete -c tug -n '__tug_at \'job parse\'' -l canonicalize -d 'fill in defaults'
complete -c tug -n '__tug_at \'job parse\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job init\' 0' -F
complete -c tug -n '__tug_at \'job init\'' -l short -d 'without comments'
complete -c tug -n '__tug_at \'job init\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job summary\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job summary\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job summary\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job summary\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job allocs\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job allocs\'' -l all -d 'stopped ones too, and those of an earlier registration of the same ID'
complete -c tug -n '__tug_at \'job allocs\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job allocs\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job allocs\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job evals\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job evals\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job evals\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job evals\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job deployments\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job deployments\'' -l all -d 'include those of an earlier job with the same ID'
complete -c tug -n '__tug_at \'job deployments\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job deployments\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job deployments\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job deployment\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job deployment\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job deployment\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job deployment\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job versions\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job versions\'' -l diffs -d 'with the changes between versions'
complete -c tug -n '__tug_at \'job versions\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job versions\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job versions\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job submission\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job submission\'' -l version -r -f -d 'the version of the job'
complete -c tug -n '__tug_at \'job submission\'' -l source -d 'print only the job file, unchanged'
complete -c tug -n '__tug_at \'job submission\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job dispatch\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job dispatch\' 1' -F
complete -c tug -n '__tug_at \'job dispatch\'' -l meta -r -f -d 'meta for this instance'
complete -c tug -n '__tug_at \'job dispatch\'' -l id-prefix-template -r -f -d 'prefix for the ID of the instance'
complete -c tug -n '__tug_at \'job dispatch\'' -l idempotency-token -r -f -d 'start only one instance per token'
complete -c tug -n '__tug_at \'job dispatch\'' -l wait -d 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
complete -c tug -n '__tug_at \'job dispatch\'' -l until -r -f -a 'placed\\t healthy\\t canary-ready\\t complete\\t' -d 'how far to wait (implies --wait)'
complete -c tug -n '__tug_at \'job dispatch\'' -l wait-timeout -r -f -d 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
complete -c tug -n '__tug_at \'job dispatch\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job periodic\'' -a 'force' -d 'Launch an instance of a periodic job now'
complete -c tug -n '__tug_at \'job periodic\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job periodic force\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job periodic force\'' -l wait -d 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
complete -c tug -n '__tug_at \'job periodic force\'' -l until -r -f -a 'placed\\t healthy\\t canary-ready\\t complete\\t' -d 'how far to wait (implies --wait)'
complete -c tug -n '__tug_at \'job periodic force\'' -l wait-timeout -r -f -d 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
complete -c tug -n '__tug_at \'job periodic force\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job revert\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job revert\' 1' -f -a '(__tug_names job-version)'
complete -c tug -n '__tug_at \'job revert\'' -l enforce-prior-version -r -f -d 'only if the job is at this version now'
complete -c tug -n '__tug_at \'job revert\'' -l secrets-token-file -r -F -d 'a file with the token for the secrets store'
complete -c tug -n '__tug_at \'job revert\'' -l discovery-token-file -r -F -d 'a file with the token for the discovery service'
complete -c tug -n '__tug_at \'job revert\'' -l wait -d 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
complete -c tug -n '__tug_at \'job revert\'' -l until -r -f -a 'placed\\t healthy\\t canary-ready\\t complete\\t' -d 'how far to wait (implies --wait)'
complete -c tug -n '__tug_at \'job revert\'' -l wait-timeout -r -f -d 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
complete -c tug -n '__tug_at \'job revert\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job stable\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job stable\' 1' -f -a '(__tug_names job-version)'
complete -c tug -n '__tug_at \'job stable\'' -l unset -d 'mark it as not stable'
complete -c tug -n '__tug_at \'job stable\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job evaluate\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job evaluate\'' -l force-reschedule -d 'reschedule failed allocations at once, despite their limit or delay'
complete -c tug -n '__tug_at \'job evaluate\'' -l wait -d 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
complete -c tug -n '__tug_at \'job evaluate\'' -l until -r -f -a 'placed\\t healthy\\t canary-ready\\t complete\\t' -d 'how far to wait (implies --wait)'
complete -c tug -n '__tug_at \'job evaluate\'' -l wait-timeout -r -f -d 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
complete -c tug -n '__tug_at \'job evaluate\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job scale\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job scale\' 1' -f -a '(__tug_names job-group)'
complete -c tug -n '__tug_at \'job scale\'' -l message -r -f -d 'why, for the record'
complete -c tug -n '__tug_at \'job scale\'' -l error -r -f -d 'what went wrong, for the record'
complete -c tug -n '__tug_at \'job scale\'' -l meta -r -f -d 'meta for the record'
complete -c tug -n '__tug_at \'job scale\'' -l policy-override -d 'override soft mandatory policies'
complete -c tug -n '__tug_at \'job scale\'' -l wait -d 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
complete -c tug -n '__tug_at \'job scale\'' -l until -r -f -a 'placed\\t healthy\\t canary-ready\\t complete\\t' -d 'how far to wait (implies --wait)'
complete -c tug -n '__tug_at \'job scale\'' -l wait-timeout -r -f -d 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
complete -c tug -n '__tug_at \'job scale\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job scale-status\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job scale-status\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job scale-status\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job scale-status\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job stop\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job stop\'' -l purge -d 'remove the job with its versions and allocations'
complete -c tug -n '__tug_at \'job stop\'' -l global -d 'stop a multi-region job in all regions'
complete -c tug -n '__tug_at \'job stop\'' -l no-shutdown-delay -d 'skip shutdown delays; connections to the allocations will fail'
complete -c tug -n '__tug_at \'job stop\'' -l eval-priority -r -f -d 'priority of the evaluation, 1 to 100'
complete -c tug -n '__tug_at \'job stop\'' -l wait -d 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
complete -c tug -n '__tug_at \'job stop\'' -l until -r -f -a 'placed\\t healthy\\t canary-ready\\t complete\\t' -d 'how far to wait (implies --wait)'
complete -c tug -n '__tug_at \'job stop\'' -l wait-timeout -r -f -d 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
complete -c tug -n '__tug_at \'job stop\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job start\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job start\'' -l wait -d 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
complete -c tug -n '__tug_at \'job start\'' -l until -r -f -a 'placed\\t healthy\\t canary-ready\\t complete\\t' -d 'how far to wait (implies --wait)'
complete -c tug -n '__tug_at \'job start\'' -l wait-timeout -r -f -d 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
complete -c tug -n '__tug_at \'job start\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job services\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job services\'' -l consistent -d 'let the leader confirm that it still is the leader before it answers'
complete -c tug -n '__tug_at \'job services\'' -l watch -d 'show it again on every change, until Ctrl-C'
complete -c tug -n '__tug_at \'job services\'' -l stale -d 'accept an answer from any server, even one behind the leader'
complete -c tug -n '__tug_at \'job services\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job actions\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job actions\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'job action\' 0' -f -a '(__tug_names job)'
complete -c tug -n '__tug_at \'job action\' 1' -f -a '(__tug_names job-action)'
complete -c tug -n '__tug_at \'job action\'' -l alloc -r -f -a '(__tug_names job-alloc)' -d 'the allocation: its ID or any prefix of it'
complete -c tug -n '__tug_at \'job action\'' -l group -r -f -a '(__tug_names job-group)' -d 'only allocations of this group'
complete -c tug -n '__tug_at \'job action\'' -l task -r -f -a '(__tug_names job-task)' -d 'the task'
complete -c tug -n '__tug_at \'job action\'' -s t -l tty -d 'give it a terminal'
complete -c tug -n '__tug_at \'job action\'' -l all -d 'run it on every allocation'
complete -c tug -n '__tug_at \'job action\'' -l region -r -f -d 'region of the scheduler'
complete -c tug -n '__tug_at \'profile\'' -a 'list' -d 'List the saved profiles'
complete -c tug -n '__tug_at \'profile\'' -a 'show' -d 'Show a profile, or with --effective every setting in effect and its source'
complete -c tug -n '__tug_at \'profile\'' -a 'use' -d 'Make a profile the current one'
complete -c tug -n '__tug_at \'profile\'' -a 'set' -d 'Create or change a profile; an empty value removes a key'
complete -c tug -n '__tug_at \'profile\'' -a 'delete' -d 'Delete a profile and the tokens stored for it (asks first)'
complete -c tug -n '__tug_at \'profile\'' -a 'path' -d 'Print the path of the configuration file'
complete -c tug -n '__tug_at \'profile show\' 0' -f -a '(__tug_names profile)'
complete -c tug -n '__tug_at \'profile show\'' -l effective -d 'each value in effect, from flags, environment, profile and defaults'
complete -c tug -n '__tug_at \'profile use\' 0' -f -a '(__tug_names profile)'
complete -c tug -n '__tug_at \'profile set\' 0' -f -a '(__tug_names profile)'
complete -c tug -n '__tug_at \'profile delete\' 0' -f -a '(__tug_names profile)'
complete -c tug -n '__tug_at \'login\' 0' -f -a 'explorer\\t secrets\\t scheduler\\t'
complete -c tug -n '__tug_at \'login\'' -l org -r -f -d 'organization of the explorer, saved in the profile'
complete -c tug -n '__tug_at \'logout\' 0' -f -a 'explorer\\t secrets\\t scheduler\\t'
complete -c tug -n '__tug_at \'api\' 0' -f -a 'explorer\\t secrets\\t scheduler\\t'
complete -c tug -n '__tug_at \'api\'' -l data -r -f -d 'the body: JSON, @file, or - for standard input'
complete -c tug -n '__tug_at \'api\'' -l header -r -f -d 'an additional header'
complete -c tug -n '__tug_at \'completion\' 0' -f -a 'bash\\t zsh\\t fish\\t'
complete -c tug -n '__tug_at \'help\' 0 more' -f -a '(__tug_names topic)'
complete -c tug -n '__tug_at \'dev\'' -l port -r -f -d 'port to listen on'
complete -c tug -n '__tug_at \'dev\'' -l fault -r -f -d 'failure to cause; may be repeated'
complete -c tug -n '__tug_at \'dev\'' -l token -r -f -d 'token with all permissions for all three services; other users of this machine may see it'
complete -c tug -n '__tug_at \'dev\'' -l empty -d 'start without demo data'
