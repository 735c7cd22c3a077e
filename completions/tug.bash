# bash completion for tug, written by: tug completion bash
# Use it:  eval "$(tug completion bash)"

# What may follow some words: words, arguments, flags with the kind of their values.
_tug_about() {
  _tug_subs='' _tug_args='' _tug_flags=''
  case $1 in
  '')
    _tug_subs='explorer kv kmip job profile login logout status api endpoints completion help dev'
    _tug_flags='-V,--version -'
    ;;
  'explorer')
    _tug_subs='query export summary usage diff fields views'
    _tug_flags='--org any'
    ;;
  'explorer query')
    _tug_args='=workspaces,tf_versions,providers,modules'
    _tug_flags='-f,--filter @explorer-filter
-s,--sort @explorer-field
--fields @explorer-field
--no-check -
--page any
--page-size any
--all -
--limit any
--org any'
    ;;
  'explorer export')
    _tug_args='=workspaces,tf_versions,providers,modules'
    _tug_flags='-f,--filter @explorer-filter
-s,--sort @explorer-field
--fields @explorer-field
--no-check -
-O,--output-file file
--force -
--org any'
    ;;
  'explorer summary')
    _tug_args='=workspaces,tf_versions,providers,modules'
    _tug_flags='--by @explorer-field
--sum @explorer-field
-f,--filter @explorer-filter
--no-check -
--org any'
    ;;
  'explorer usage')
    _tug_args='=providers,modules,tf_versions any'
    _tug_flags='--below any
--by =project_name,version
--exit-code -
--org any'
    ;;
  'explorer diff')
    _tug_args='=workspaces,tf_versions,providers,modules file'
    _tug_flags='-f,--filter @explorer-filter
-s,--sort @explorer-field
--fields @explorer-field
--no-check -
--exit-code -
--update -
--org any'
    ;;
  'explorer fields')
    _tug_args='=workspaces,tf_versions,providers,modules'
    _tug_flags='--org any'
    ;;
  'explorer views')
    _tug_subs='list get create update apply delete results export'
    _tug_flags='--org any'
    ;;
  'explorer views list')
    _tug_flags='--org any'
    ;;
  'explorer views get')
    _tug_args='@saved-view'
    _tug_flags='--org any'
    ;;
  'explorer views create')
    _tug_args='any'
    _tug_flags='--type =workspaces,tf_versions,providers,modules
-f,--filter @explorer-filter
--fields @explorer-field
-s,--sort @explorer-field
--from-file file
--body =documented,jsonapi
--no-check -
--org any'
    ;;
  'explorer views update')
    _tug_args='@saved-view'
    _tug_flags='--name any
-f,--filter @explorer-filter
--fields @explorer-field
-s,--sort @explorer-field
--from-file file
--body =documented,jsonapi
--no-check -
--clear-filter -
--clear-fields -
--clear-sort -
--org any'
    ;;
  'explorer views apply')
    _tug_args='file ...'
    _tug_flags='--prune -
--body =documented,jsonapi
--no-check -
--org any'
    ;;
  'explorer views delete')
    _tug_args='@saved-view'
    _tug_flags='--org any'
    ;;
  'explorer views results')
    _tug_args='@saved-view'
    _tug_flags='--page any
--page-size any
--all -
--limit any
--org any'
    ;;
  'explorer views export')
    _tug_args='@saved-view'
    _tug_flags='-O,--output-file file
--force -
--org any'
    ;;
  'kv')
    _tug_subs='get set put patch edit list tree find subkeys history diff rollback delete undelete destroy copy move export import backup verify exec metadata config'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kv get')
    _tug_args='@secret-path @secret-field'
    _tug_flags='--version any
--field @secret-field
--wrap-ttl any
--mount any
--list-method =get,list'
    ;;
  'kv set')
    _tug_args='@secret-path any ...'
    _tug_flags='--remove any
--generate any
--symbols -
--cas any
--mount any
--list-method =get,list'
    ;;
  'kv put')
    _tug_args='@secret-path any ...'
    _tug_flags='--generate any
--symbols -
--cas any
--mount any
--list-method =get,list'
    ;;
  'kv patch')
    _tug_args='@secret-path any ...'
    _tug_flags='--remove any
--cas any
--mount any
--list-method =get,list'
    ;;
  'kv edit')
    _tug_args='@secret-path'
    _tug_flags='--format =yaml,json
--keep-tokens -
--mount any
--list-method =get,list'
    ;;
  'kv list')
    _tug_args='@secret-path'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kv tree')
    _tug_args='@secret-path'
    _tug_flags='--depth any
--mount any
--list-method =get,list'
    ;;
  'kv find')
    _tug_args='any @secret-path'
    _tug_flags='--keys -
-i,--ignore-case -
--older-than any
--custom-metadata any
--exit-code -
--mount any
--list-method =get,list'
    ;;
  'kv subkeys')
    _tug_args='@secret-path'
    _tug_flags='--version any
--depth any
--mount any
--list-method =get,list'
    ;;
  'kv history')
    _tug_args='@secret-path'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kv diff')
    _tug_args='@secret-path any any'
    _tug_flags='--from any
--to any
--other-profile @profile
--other-mount any
--recursive -
--show-values -
--exit-code -
--mount any
--list-method =get,list'
    ;;
  'kv rollback')
    _tug_args='@secret-path any'
    _tug_flags='--to any
--mount any
--list-method =get,list'
    ;;
  'kv delete')
    _tug_args='@secret-path'
    _tug_flags='--versions any
--recursive -
--verify -
--no-verify -
--parallel any
--rate any
--max-failures any
--journal file
--resume file
--mount any
--list-method =get,list'
    ;;
  'kv undelete')
    _tug_args='@secret-path'
    _tug_flags='--versions any
--verify -
--no-verify -
--mount any
--list-method =get,list'
    ;;
  'kv destroy')
    _tug_args='@secret-path'
    _tug_flags='--versions any
--verify -
--no-verify -
--mount any
--list-method =get,list'
    ;;
  'kv copy')
    _tug_args='@secret-path @secret-path'
    _tug_flags='--recursive -
--force -
--mount any
--list-method =get,list'
    ;;
  'kv move')
    _tug_args='@secret-path @secret-path'
    _tug_flags='--recursive -
--force -
--mount any
--list-method =get,list'
    ;;
  'kv export')
    _tug_args='@secret-path'
    _tug_flags='--recursive -
--no-recursive -
--format =json,yaml,dotenv
--skip-deleted -
-O,--output-file file
--force -
--mount any
--list-method =get,list'
    ;;
  'kv import')
    _tug_args='file @secret-path'
    _tug_flags='--recursive -
--no-recursive -
--format =json,yaml,dotenv
--plan -
--update -
--prune -
--force -
--exit-code -
--mount any
--list-method =get,list'
    ;;
  'kv backup')
    _tug_args='@secret-path'
    _tug_flags='-O,--output-file file
--include-deleted -
--since file
--force -
--mount any
--list-method =get,list'
    ;;
  'kv verify')
    _tug_args='file file ...'
    _tug_flags='--partial -
--mount any
--list-method =get,list'
    ;;
  'kv exec')
    _tug_args='@secret-path'
    _tug_flags='--version any
--upper -
--prefix any
--keep-tokens -
--mount any
--list-method =get,list'
    ;;
  'kv metadata')
    _tug_subs='get put patch delete'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kv metadata get')
    _tug_args='@secret-path'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kv metadata put')
    _tug_args='@secret-path'
    _tug_flags='--max-versions any
--cas-required -
--delete-version-after any
--custom-metadata any
--clear-custom-metadata -
--metadata-cas any
--mount any
--list-method =get,list'
    ;;
  'kv metadata patch')
    _tug_args='@secret-path'
    _tug_flags='--max-versions any
--cas-required -
--delete-version-after any
--custom-metadata any
--remove-custom-metadata any
--clear-custom-metadata -
--metadata-cas any
--mount any
--list-method =get,list'
    ;;
  'kv metadata delete')
    _tug_args='@secret-path'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kv config')
    _tug_subs='get set'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kv config get')
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kv config set')
    _tug_flags='--max-versions any
--cas-required -
--delete-version-after any
--mount any
--list-method =get,list'
    ;;
  'kmip')
    _tug_subs='config ca scope role cred'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip config')
    _tug_subs='get set'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip config get')
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip config set')
    _tug_flags='--listen-addrs any
--connection-timeout any
--server-hostnames any
--server-ips any
--tls-ca-key-type =ec,rsa
--tls-ca-key-bits any
--tls-min-version =tls10,tls11,tls12,tls13
--default-tls-client-key-type =ec,rsa
--default-tls-client-key-bits any
--default-tls-client-ttl any
--no-check -
--mount any
--list-method =get,list'
    ;;
  'kmip ca')
    _tug_flags='-O,--output-file file
--force -
--mount any
--list-method =get,list'
    ;;
  'kmip scope')
    _tug_subs='list create delete'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip scope list')
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip scope create')
    _tug_args='@kmip-scope'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip scope delete')
    _tug_args='@kmip-scope'
    _tug_flags='--force -
--mount any
--list-method =get,list'
    ;;
  'kmip role')
    _tug_subs='list get set delete'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip role list')
    _tug_args='@kmip-scope'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip role get')
    _tug_args='@kmip-scope @kmip-role'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip role set')
    _tug_args='@kmip-scope @kmip-role'
    _tug_flags='--operation @kmip-operation
--all-operations -
--no-operations -
--no-check -
--tls-client-key-type =ec,rsa
--tls-client-key-bits any
--tls-client-ttl any
--mount any
--list-method =get,list'
    ;;
  'kmip role delete')
    _tug_args='@kmip-scope @kmip-role'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip cred')
    _tug_subs='generate sign lookup list renew revoke'
    _tug_flags='--mount any
--list-method =get,list'
    ;;
  'kmip cred generate')
    _tug_args='@kmip-scope @kmip-role'
    _tug_flags='--format =pem,pem_bundle,der
--out-dir directory
--force -
--mount any
--list-method =get,list'
    ;;
  'kmip cred sign')
    _tug_args='@kmip-scope @kmip-role'
    _tug_flags='--csr file
--format =pem,pem_bundle,der
--out-dir directory
--force -
--mount any
--list-method =get,list'
    ;;
  'kmip cred lookup')
    _tug_args='@kmip-scope @kmip-role @kmip-serial'
    _tug_flags='--serial @kmip-serial
--format =pem,pem_bundle,der
--out-dir directory
--force -
--field =certificate,ca_chain,serial_number
--mount any
--list-method =get,list'
    ;;
  'kmip cred list')
    _tug_args='@kmip-scope @kmip-role'
    _tug_flags='--details -
--expiring any
--exit-code -
--mount any
--list-method =get,list'
    ;;
  'kmip cred renew')
    _tug_args='@kmip-scope @kmip-role @kmip-serial'
    _tug_flags='--serial @kmip-serial
--certificate file
--format =pem,pem_bundle,der
--out-dir directory
--force -
--if-expiring any
--revoke-old -
--mount any
--list-method =get,list'
    ;;
  'kmip cred revoke')
    _tug_args='@kmip-scope @kmip-role @kmip-serial'
    _tug_flags='--serial @kmip-serial
--certificate file
--mount any
--list-method =get,list'
    ;;
  'job')
    _tug_subs='list status get plan run update parse init summary allocs evals deployments deployment versions submission dispatch periodic revert stable evaluate scale scale-status stop start services actions action'
    _tug_flags='--region any'
    ;;
  'job list')
    _tug_flags='--prefix any
--filter any
--per-page any
--next-token any
--all -
--meta -
--watch -
--stale -
--region any'
    ;;
  'job status')
    _tug_args='@job'
    _tug_flags='--exit-code -
--watch -
--stale -
--region any'
    ;;
  'job get')
    _tug_args='@job'
    _tug_flags='--watch -
--stale -
--region any'
    ;;
  'job plan')
    _tug_args='file'
    _tug_flags='--var any
--var-file file
--hcl1 -
--no-diff -
--policy-override -
--exit-code -
--keep-counts -
--show-values -
--region any'
    ;;
  'job run')
    _tug_args='file'
    _tug_flags='--var any
--var-file file
--hcl1 -
--check-index any
--eval-priority any
--policy-override -
--preserve-resources -
--no-submission -
--wait -
--until =placed,healthy,canary-ready,complete
--wait-timeout any
--plan -
--keep-counts -
--preserve-counts -
--region any'
    ;;
  'job update')
    _tug_args='@job file'
    _tug_flags='--var any
--var-file file
--hcl1 -
--check-index any
--eval-priority any
--policy-override -
--preserve-resources -
--no-submission -
--wait -
--until =placed,healthy,canary-ready,complete
--wait-timeout any
--region any'
    ;;
  'job parse')
    _tug_args='file'
    _tug_flags='--var any
--var-file file
--hcl1 -
--canonicalize -
--region any'
    ;;
  'job init')
    _tug_args='file'
    _tug_flags='--short -
--region any'
    ;;
  'job summary')
    _tug_args='@job'
    _tug_flags='--watch -
--stale -
--region any'
    ;;
  'job allocs')
    _tug_args='@job'
    _tug_flags='--all -
--watch -
--stale -
--region any'
    ;;
  'job evals')
    _tug_args='@job'
    _tug_flags='--watch -
--stale -
--region any'
    ;;
  'job deployments')
    _tug_args='@job'
    _tug_flags='--all -
--watch -
--stale -
--region any'
    ;;
  'job deployment')
    _tug_args='@job'
    _tug_flags='--watch -
--stale -
--region any'
    ;;
  'job versions')
    _tug_args='@job'
    _tug_flags='--diffs -
--watch -
--stale -
--region any'
    ;;
  'job submission')
    _tug_args='@job'
    _tug_flags='--version any
--source -
--region any'
    ;;
  'job dispatch')
    _tug_args='@job file'
    _tug_flags='--meta any
--id-prefix-template any
--idempotency-token any
--wait -
--until =placed,healthy,canary-ready,complete
--wait-timeout any
--region any'
    ;;
  'job periodic')
    _tug_subs='force'
    _tug_flags='--region any'
    ;;
  'job periodic force')
    _tug_args='@job'
    _tug_flags='--wait -
--until =placed,healthy,canary-ready,complete
--wait-timeout any
--region any'
    ;;
  'job revert')
    _tug_args='@job @job-version'
    _tug_flags='--enforce-prior-version any
--secrets-token-file file
--discovery-token-file file
--wait -
--until =placed,healthy,canary-ready,complete
--wait-timeout any
--region any'
    ;;
  'job stable')
    _tug_args='@job @job-version'
    _tug_flags='--unset -
--region any'
    ;;
  'job evaluate')
    _tug_args='@job'
    _tug_flags='--force-reschedule -
--wait -
--until =placed,healthy,canary-ready,complete
--wait-timeout any
--region any'
    ;;
  'job scale')
    _tug_args='@job @job-group any'
    _tug_flags='--message any
--error any
--meta any
--policy-override -
--wait -
--until =placed,healthy,canary-ready,complete
--wait-timeout any
--region any'
    ;;
  'job scale-status')
    _tug_args='@job'
    _tug_flags='--watch -
--stale -
--region any'
    ;;
  'job stop')
    _tug_args='@job'
    _tug_flags='--purge -
--global -
--no-shutdown-delay -
--eval-priority any
--wait -
--until =placed,healthy,canary-ready,complete
--wait-timeout any
--region any'
    ;;
  'job start')
    _tug_args='@job'
    _tug_flags='--wait -
--until =placed,healthy,canary-ready,complete
--wait-timeout any
--region any'
    ;;
  'job services')
    _tug_args='@job'
    _tug_flags='--consistent -
--watch -
--stale -
--region any'
    ;;
  'job actions')
    _tug_args='@job'
    _tug_flags='--region any'
    ;;
  'job action')
    _tug_args='@job @job-action'
    _tug_flags='--alloc @job-alloc
--group @job-group
--task @job-task
-t,--tty -
--all -
--region any'
    ;;
  'profile')
    _tug_subs='list show use set delete path'
    ;;
  'profile list')
    ;;
  'profile show')
    _tug_args='@profile'
    _tug_flags='--effective -'
    ;;
  'profile use')
    _tug_args='@profile'
    ;;
  'profile set')
    _tug_args='@profile any ...'
    ;;
  'profile delete')
    _tug_args='@profile'
    ;;
  'profile path')
    ;;
  'login')
    _tug_args='=explorer,secrets,scheduler'
    _tug_flags='--org any'
    ;;
  'logout')
    _tug_args='=explorer,secrets,scheduler'
    ;;
  'status')
    ;;
  'api')
    _tug_args='=explorer,secrets,scheduler any any'
    _tug_flags='--data any
--header any'
    ;;
  'endpoints')
    ;;
  'completion')
    _tug_args='=bash,zsh,fish'
    ;;
  'help')
    _tug_args='@topic ...'
    ;;
  'dev')
    _tug_flags='--port any
--fault any
--token any
--empty -'
    ;;
  *) return 1 ;;
  esac
}

_tug_globals='-p,--profile @profile
-o,--output =table,wide,json,ndjson,yaml,csv,tsv,md,box,name
--raw -
--query any
--columns any
--no-headers -
-0,--null -
--csv-safe -
--csv-bom -
--address any
--token-file file
-n,--namespace any
--dialect =auto,neutral,hashicorp
--ca-cert file
--ca-path directory
--client-cert file
--client-key file
--tls-server-name any
--insecure -
--timeout any
--retries any
--max-body any
--dry-run -
--trace -
-q,--quiet -
-y,--yes -
--no-input -
--color =auto,always,never
-h,--help -'

# Finds the kind of a flag's value.
_tug_spec() {
  local names spec
  while read -r names spec; do
    case ,$names, in
    *,"$1",*) _tug_found=$spec; return 0 ;;
    esac
  done <<<"$_tug_flags"$'\n'"$_tug_globals"
  return 1
}

# The words up to the cursor, with the pieces joined that bash split at = and :
_tug_split() {
  local line=${COMP_LINE:0:COMP_POINT} gap word i
  _tug_words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    gap=${line%%[![:space:]]*}
    line=${line#"$gap"}
    word=${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then word=$line; fi
    line=${line#"$word"}
    if ((i > 0)) && [[ -z $gap ]]; then
      _tug_words[${#_tug_words[@]}-1]+=$word
    else
      _tug_words+=("$word")
    fi
  done
}

# A word without its quotes.
_tug_bare() {
  _tug_plain=$1
  case $1 in
  \'*) _tug_plain=${_tug_plain#\'}; _tug_plain=${_tug_plain%\'} ;;
  \"*) _tug_plain=${_tug_plain#\"}; _tug_plain=${_tug_plain%\"} ;;
  *) _tug_plain=${_tug_plain//\\/} ;;
  esac
}

# Offers candidates: $1 is what precedes the value in the same word, $2 is the quote that is open, $3 the value so far.
# A candidate is quoted, so that nothing in it means anything to the shell; one that an open quote cannot contain is not offered.
_tug_offer() {
  local before=$1 quote=$2 value=$3 candidate shown breaks='' strip='' character
  local -a fitting
  fitting=()
  shift 3
  for character in = : @; do
    case $COMP_WORDBREAKS in *"$character"*) breaks+=$character ;; esac
  done
  if [[ -z $quote && -n $breaks ]]; then strip=${_tug_current%"${_tug_current##*[$breaks]}"}; else before=''; fi
  for candidate in "$@"; do
    [[ $candidate == "$value"* ]] || continue
    case $quote$candidate in
    \'*\'*) ;;
    \"*[\"\$\`\\!]*) ;;
    *) fitting+=("$candidate") ;;
    esac
  done
  for candidate in "${fitting[@]+"${fitting[@]}"}"; do
    case $candidate in */ | *' ') compopt -o nospace 2>/dev/null ;; esac
    shown=$candidate
    if [[ -z $quote ]]; then
      printf -v shown %q "$candidate"
      shown=${shown//\\,/,} # a comma means nothing outside of braces, which are quoted
      # A quote is opened where more is to be typed inside it.
      if [[ $candidate == *' '* && $candidate != *\'* ]] && [[ ${#fitting[@]} -gt 1 || $candidate == *[/\ ] ]]; then
        shown="'$candidate"
      fi
    fi
    shown=$before$shown
    COMPREPLY+=("${shown#"$strip"}")
  done
}

_tug_files() {
  if compopt -o "$1" 2>/dev/null; then return; fi
  local candidate option=-f
  if [[ $1 == dirnames ]]; then option=-d; fi
  while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen "$option" -- "$2")
}

# Completes a value of the kind $1; $2 precedes it in the same word, $3 is the value so far.
_tug_value() {
  local quote='' list candidate i
  local -a typed found
  case $3 in \'* | \"*) quote=${3:0:1} ;; esac
  _tug_bare "$3"
  case $1 in
  -) if [[ -n $2 ]]; then _tug_offer "$2" "$quote" "$_tug_plain" true false; fi ;;
  file) _tug_files default "$_tug_plain" ;;
  directory) _tug_files dirnames "$_tug_plain" ;;
  =*)
    list=${1#=}
    _tug_offer "$2" "$quote" "$_tug_plain" ${list//,/ }
    ;;
  @*)
    list=$_tug_plain
    typed=() found=()
    for ((i = 1; i < ${#_tug_words[@]} - 1; i++)); do
      _tug_bare "${_tug_words[i]}"
      typed+=("$_tug_plain")
    done
    while IFS= read -r candidate; do found+=("$candidate"); done < <(
      "${_tug_words[0]}" __complete "${1#@}" "${typed[@]+"${typed[@]}"}" "$list" 2>/dev/null
    )
    if [[ ${#found[@]} -gt 0 ]]; then _tug_offer "$2" "$quote" "$list" "${found[@]}"; fi
    ;;
  esac
}

_tug() {
  local _tug_subs _tug_args _tug_flags _tug_found _tug_plain _tug_current
  local path='' pending='' after='' position=0 word letter names spec i
  local -a _tug_words args
  COMPREPLY=()
  _tug_split
  _tug_current=${_tug_words[${#_tug_words[@]}-1]}
  _tug_about ''
  for ((i = 1; i < ${#_tug_words[@]} - 1; i++)); do
    word=${_tug_words[i]}
    if [[ -n $pending ]]; then
      pending=''
      continue
    fi
    case $word in
    --)
      # What follows `dev -- tug` is a command line of tug again.
      if [[ $path == dev && ${_tug_words[i+1]} == tug ]] && ((i + 2 < ${#_tug_words[@]})); then
        i=$((i + 1)) path='' position=0
        _tug_about ''
        continue
      fi
      after=1
      break
      ;;
    --*=*) ;;
    --*) if _tug_spec "$word" && [[ $_tug_found != - ]]; then pending=$_tug_found; fi ;;
    -[!0-9]*)
      word=${word#-}
      while [[ -n $word ]]; do
        letter=${word:0:1} word=${word:1}
        if _tug_spec "-$letter" && [[ $_tug_found != - ]]; then
          if [[ -z $word ]]; then pending=$_tug_found; fi
          break
        fi
      done
      ;;
    *)
      if [[ -n $_tug_subs ]]; then
        path=${path:+$path }$word
        _tug_about "$path" || return 0
      else
        position=$((position + 1))
      fi
      ;;
    esac
  done
  if [[ -n $after ]]; then
    _tug_files default "$_tug_current"
  elif [[ -n $pending ]]; then
    _tug_value "$pending" '' "$_tug_current"
  else
    case $_tug_current in
    --*=*)
      if _tug_spec "${_tug_current%%=*}"; then
        _tug_value "$_tug_found" "${_tug_current%%=*}=" "${_tug_current#*=}"
      fi
      ;;
    -*)
      while read -r names spec; do
        if [[ -n $names ]]; then _tug_offer '' '' "$_tug_current" ${names//,/ }; fi
      done <<<"$_tug_flags"$'\n'"$_tug_globals"
      ;;
    *)
      if [[ -n $_tug_subs ]]; then
        _tug_offer '' '' "$_tug_current" $_tug_subs
      else
        args=($_tug_args)
        if [[ ${#args[@]} -gt 1 && ${args[${#args[@]}-1]} == ... && $position -ge $((${#args[@]} - 1)) ]]; then
          position=$((${#args[@]} - 2))
        fi
        if [[ $position -lt ${#args[@]} ]]; then _tug_value "${args[position]}" '' "$_tug_current"; fi
      fi
      ;;
    esac
  fi
  return 0
}

complete -F _tug tug
