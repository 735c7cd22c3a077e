#compdef tug
# zsh completion for tug, written by: tug completion zsh
# Use it:  tug completion zsh > "${fpath[1]}/_tug"   or, after compinit:  source <(tug completion zsh)

# What may follow some words: words, arguments, flags with the kind of their values.
_tug_about() {
  tug_subs=() tug_args=() tug_flags=()
  case $1 in
  ('')
    tug_subs=(
      'explorer:Query and export an organization'\''s workspaces, versions, providers and modules'
      'kv:Read and write versioned secrets'
      'kmip:Manage the KMIP engine: scopes, roles and client certificates'
      'job:Plan, run, scale, follow and stop the jobs of the scheduler'
      'profile:Manage saved profiles: addresses, namespaces, TLS files, token sources'
      'login:Store a token for a service in the current profile'
      'logout:Remove the stored tokens of the current profile'
      'status:Check each configured service and show how to fix what is wrong'
      'api:Send any request to a service'
      'endpoints:List the API endpoints with their commands'
      'completion:Print the completion script of a shell'
      'help:Explain a topic or a command'
      'dev:Run a local server of all three services with demo data, or a command against it'
    )
    tug_flags=(
      '-V,--version' '-' 'print the version'
    )
    ;;
  ('explorer')
    tug_subs=(
      'query:Query workspaces, tool versions, providers or modules'
      'export:Export all rows of a query as CSV'
      'summary:Count the rows of a view by the values of its fields, and add up numbers'
      'usage:List the workspaces that use a provider, module or tool version'
      'diff:Show what changed in a query since an earlier result'
      'fields:List the fields, types and operators of each view, offline'
      'views:Saved views: list, change, run and export them'
    )
    tug_flags=(
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer query')
    tug_args=('=workspaces,tf_versions,providers,modules')
    tug_flags=(
      '-f,--filter' '@explorer-filter' 'keep rows that match '\''<field> <operator> [<value>]'\''; repeat it to combine with AND'
      '-s,--sort' '@explorer-field' 'sort by this field; descending: --sort=-field'
      '--fields' '@explorer-field' 'only these fields, in this order'
      '--no-check' '-' 'send unknown views, fields and operators as typed'
      '--page' 'any' 'the page to read, from 1'
      '--page-size' 'any' 'rows per page'
      '--all' '-' 'every page, in order'
      '--limit' 'any' 'stop after this many rows, reading as many pages as needed'
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer export')
    tug_args=('=workspaces,tf_versions,providers,modules')
    tug_flags=(
      '-f,--filter' '@explorer-filter' 'keep rows that match '\''<field> <operator> [<value>]'\''; repeat it to combine with AND'
      '-s,--sort' '@explorer-field' 'sort by this field; descending: --sort=-field'
      '--fields' '@explorer-field' 'only these fields, in this order'
      '--no-check' '-' 'send unknown views, fields and operators as typed'
      '-O,--output-file' 'file' 'write to this file, completely or not at all (-: standard output)'
      '--force' '-' 'replace the file if it exists'
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer summary')
    tug_args=('=workspaces,tf_versions,providers,modules')
    tug_flags=(
      '--by' '@explorer-field' 'count by the values of this field, or of several fields together'
      '--sum' '@explorer-field' 'add up the values of this number field'
      '-f,--filter' '@explorer-filter' 'keep rows that match '\''<field> <operator> [<value>]'\''; repeat it to combine with AND'
      '--no-check' '-' 'send unknown views, fields and operators as typed'
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer usage')
    tug_args=('=providers,modules,tf_versions' 'any')
    tug_flags=(
      '--below' 'any' 'only versions below this one'
      '--by' '=project_name,version' 'count workspaces by project or version'
      '--exit-code' '-' 'exit with 9 if a workspace is listed'
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer diff')
    tug_args=('=workspaces,tf_versions,providers,modules' 'file')
    tug_flags=(
      '-f,--filter' '@explorer-filter' 'keep rows that match '\''<field> <operator> [<value>]'\''; repeat it to combine with AND'
      '-s,--sort' '@explorer-field' 'sort by this field; descending: --sort=-field'
      '--fields' '@explorer-field' 'only these fields, in this order'
      '--no-check' '-' 'send unknown views, fields and operators as typed'
      '--exit-code' '-' 'exit with 9 if anything differs'
      '--update' '-' 'replace the baseline with the current result after the comparison'
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer fields')
    tug_args=('=workspaces,tf_versions,providers,modules')
    tug_flags=(
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer views')
    tug_subs=(
      'list:List the saved views of the organization'
      'get:Show a saved view'
      'create:Store a query by name'
      'update:Change a saved view; everything else is kept'
      'apply:Create or update saved views from files'
      'delete:Delete a saved view'
      'results:Run a saved view and show its rows'
      'export:Run a saved view and export its rows as CSV'
    )
    tug_flags=(
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer views list')
    tug_flags=(
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer views get')
    tug_args=('@saved-view')
    tug_flags=(
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer views create')
    tug_args=('any')
    tug_flags=(
      '--type' '=workspaces,tf_versions,providers,modules' 'the view to query: workspaces, tf_versions, providers or modules'
      '-f,--filter' '@explorer-filter' 'keep rows that match '\''<field> <operator> [<value>]'\''; repeat it to combine with AND'
      '--fields' '@explorer-field' 'only these fields, in this order'
      '-s,--sort' '@explorer-field' 'sort by these fields, in this order; descending: --sort=-field'
      '--from-file' 'file' 'read name, query_type and query from a JSON or YAML file (-: standard input)'
      '--body' '=documented,jsonapi' 'the form of the request, if a service needs the other one'
      '--no-check' '-' 'send unknown views, fields and operators as typed'
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer views update')
    tug_args=('@saved-view')
    tug_flags=(
      '--name' 'any' 'its new name'
      '-f,--filter' '@explorer-filter' 'keep rows that match '\''<field> <operator> [<value>]'\''; repeat it to combine with AND'
      '--fields' '@explorer-field' 'only these fields, in this order'
      '-s,--sort' '@explorer-field' 'sort by these fields, in this order; descending: --sort=-field'
      '--from-file' 'file' 'read name, query_type and query from a JSON or YAML file (-: standard input)'
      '--body' '=documented,jsonapi' 'the form of the request, if a service needs the other one'
      '--no-check' '-' 'send unknown views, fields and operators as typed'
      '--clear-filter' '-' 'remove all filters'
      '--clear-fields' '-' 'show all fields again'
      '--clear-sort' '-' 'remove the sorting'
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer views apply')
    tug_args=('file' '...')
    tug_flags=(
      '--prune' '-' 'delete the saved views that no file has'
      '--body' '=documented,jsonapi' 'the form of the request, if a service needs the other one'
      '--no-check' '-' 'send unknown views, fields and operators as typed'
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer views delete')
    tug_args=('@saved-view')
    tug_flags=(
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer views results')
    tug_args=('@saved-view')
    tug_flags=(
      '--page' 'any' 'the page to read, from 1'
      '--page-size' 'any' 'rows per page'
      '--all' '-' 'every page, in order'
      '--limit' 'any' 'stop after this many rows, reading as many pages as needed'
      '--org' 'any' 'organization'
    )
    ;;
  ('explorer views export')
    tug_args=('@saved-view')
    tug_flags=(
      '-O,--output-file' 'file' 'write to this file, completely or not at all (-: standard output)'
      '--force' '-' 'replace the file if it exists'
      '--org' 'any' 'organization'
    )
    ;;
  ('kv')
    tug_subs=(
      'get:Show a secret'
      'set:Change keys of a secret and keep the others: read, merge, write'
      'put:Write a secret, replacing its whole value'
      'patch:Change or remove keys of a secret on the server, without reading it'
      'edit:Edit a secret in your editor, and write it unless there was a concurrent change'
      'list:List the names in a folder'
      'tree:List all secrets below a folder as a tree'
      'find:Find secrets and folders by name, key names, age or custom metadata'
      'subkeys:Show the names of a secret'\''s keys, without values'
      'history:List the versions of a secret: live, deleted or destroyed, and when'
      'diff:Show which keys differ between two versions of a secret, two secrets or two folders'
      'rollback:Write an older version of a secret again, as its newest'
      'delete:Delete the latest version of a secret, or other versions; kv undelete undoes it'
      'undelete:Restore deleted versions of a secret'
      'destroy:Permanently remove the data of versions'
      'copy:Copy the latest version of a secret, or of every secret below a folder, to another path'
      'move:Move a secret, or every secret below a folder, to another path'
      'export:Write secrets as JSON, YAML or dotenv, for kv import to read back'
      'import:Write secrets from what kv export wrote: JSON, YAML or dotenv'
      'backup:Write every version of every secret to a file, for kv restore'
      'verify:Compare a backup with what is stored: every version, state and setting'
      'exec:Run a command with a secret'\''s keys as environment variables'
      'metadata:A secret'\''s settings and custom metadata'
      'config:Settings of the whole engine'
    )
    tug_flags=(
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv get')
    tug_args=('@secret-path' '@secret-field')
    tug_flags=(
      '--version' 'any' 'the version to read (0: the latest)'
      '--field' '@secret-field' 'print only this value (a.b reads inside a map)'
      '--wrap-ttl' 'any' 'print a single-use token, valid for this long, instead of the secret'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv set')
    tug_args=('@secret-path' 'any' '...')
    tug_flags=(
      '--remove' 'any' 'remove this key'
      '--generate' 'any' 'set this key to a random value (default: 32 characters)'
      '--symbols' '-' 'generated values contain symbols too'
      '--cas' 'any' 'write only if this is the current version (0: only if the secret doesn'\''t exist)'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv put')
    tug_args=('@secret-path' 'any' '...')
    tug_flags=(
      '--generate' 'any' 'set this key to a random value (default: 32 characters)'
      '--symbols' '-' 'generated values contain symbols too'
      '--cas' 'any' 'write only if this is the current version (0: only if the secret doesn'\''t exist)'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv patch')
    tug_args=('@secret-path' 'any' '...')
    tug_flags=(
      '--remove' 'any' 'remove this key'
      '--cas' 'any' 'write only if this is the current version'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv edit')
    tug_args=('@secret-path')
    tug_flags=(
      '--format' '=yaml,json' 'format of the file'
      '--keep-tokens' '-' 'pass on the variables with tokens'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv list')
    tug_args=('@secret-path')
    tug_flags=(
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv tree')
    tug_args=('@secret-path')
    tug_flags=(
      '--depth' 'any' 'levels to show'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv find')
    tug_args=('any' '@secret-path')
    tug_flags=(
      '--keys' '-' 'search the names of the secrets'\'' keys too'
      '-i,--ignore-case' '-' 'ignore case'
      '--older-than' 'any' 'the current version was written longer ago than this, such as 90d'
      '--custom-metadata' 'any' 'the secret has this custom metadata'
      '--exit-code' '-' 'exit with 9 if anything is found'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv subkeys')
    tug_args=('@secret-path')
    tug_flags=(
      '--version' 'any' 'the version to read (0: the latest)'
      '--depth' 'any' 'levels of maps to show (0: all)'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv history')
    tug_args=('@secret-path')
    tug_flags=(
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv diff')
    tug_args=('@secret-path' 'any' 'any')
    tug_flags=(
      '--from' 'any' 'the older version'
      '--to' 'any' 'the newer version'
      '--other-profile' '@profile' 'the other secret is reached with this profile'
      '--other-mount' 'any' 'the other secret is in this mount'
      '--recursive' '-' 'compare all secrets of two folders'
      '--show-values' '-' 'show the values too'
      '--exit-code' '-' 'exit with 9 if there are differences'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv rollback')
    tug_args=('@secret-path' 'any')
    tug_flags=(
      '--to' 'any' 'the same as a flag'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv delete')
    tug_args=('@secret-path')
    tug_flags=(
      '--versions' 'any' 'versions to delete (default the latest)'
      '--recursive' '-' 'work on every secret below the folder'
      '--verify' '-' 'fail if the metadata may not be read'
      '--no-verify' '-' 'send only the request itself, without reading the metadata before and after'
      '--parallel' 'any' 'how many at once'
      '--rate' 'any' 'at most so many requests a second'
      '--max-failures' 'any' 'stop sending after so many failures'
      '--journal' 'file' 'append a line for each item to this file as it ends, without values'
      '--resume' 'file' 'skip what this journal says is done, check what it leaves unknown, and go on'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv undelete')
    tug_args=('@secret-path')
    tug_flags=(
      '--versions' 'any' 'versions to restore (default the latest)'
      '--verify' '-' 'fail if the metadata may not be read'
      '--no-verify' '-' 'send only the request itself, without reading the metadata before and after'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv destroy')
    tug_args=('@secret-path')
    tug_flags=(
      '--versions' 'any' 'versions to destroy'
      '--verify' '-' 'fail if the metadata may not be read'
      '--no-verify' '-' 'send only the request itself, without reading the metadata before and after'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv copy')
    tug_args=('@secret-path' '@secret-path')
    tug_flags=(
      '--recursive' '-' 'work on every secret below the folder'
      '--force' '-' 'write a new version of an existing secret'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv move')
    tug_args=('@secret-path' '@secret-path')
    tug_flags=(
      '--recursive' '-' 'work on every secret below the folder'
      '--force' '-' 'write a new version of an existing secret'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv export')
    tug_args=('@secret-path')
    tug_flags=(
      '--recursive' '-' 'every level below the folder'
      '--no-recursive' '-' 'only the secrets directly in the folder'
      '--format' '=json,yaml,dotenv' 'format of the file'
      '--skip-deleted' '-' 'skip secrets whose latest version is deleted, without exit status 10'
      '-O,--output-file' 'file' 'write to this file, completely or not at all (-: standard output)'
      '--force' '-' 'replace the file if it exists'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv import')
    tug_args=('file' '@secret-path')
    tug_flags=(
      '--recursive' '-' 'every level below the folder'
      '--no-recursive' '-' 'only the secrets directly in the folder'
      '--format' '=json,yaml,dotenv' 'format of the file'
      '--plan' '-' 'show what would change, without values, and write nothing'
      '--update' '-' 'write changes of existing secrets too'
      '--prune' '-' 'delete secrets below the folder that the file doesn'\''t contain'
      '--force' '-' 'write a new version of every existing secret'
      '--exit-code' '-' 'with --plan, exit with 9 if there are changes'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv backup')
    tug_args=('@secret-path')
    tug_flags=(
      '-O,--output-file' 'file' 'write to this file, completely or not at all (-: standard output)'
      '--include-deleted' '-' 'read deleted versions too: restores them and deletes them again'
      '--since' 'file' 'write only changes since this backup; repeat it for incremental ones'
      '--force' '-' 'replace the file if it exists'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv verify')
    tug_args=('file' 'file' '...')
    tug_flags=(
      '--partial' '-' 'accept a file that ends early, and use the secrets it contains'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv exec')
    tug_args=('@secret-path')
    tug_flags=(
      '--version' 'any' 'the version to read (0: the latest)'
      '--upper' '-' 'convert names to upper case, with _ for anything but letters and digits'
      '--prefix' 'any' 'prefix for each name'
      '--keep-tokens' '-' 'pass on the variables with tokens'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv metadata')
    tug_subs=(
      'get:Show a secret'\''s settings, custom metadata and versions'
      'put:Set a secret'\''s settings and custom metadata'
      'patch:Change some of a secret'\''s settings and custom metadata'
      'delete:Permanently remove a secret: every version and all metadata'
    )
    tug_flags=(
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv metadata get')
    tug_args=('@secret-path')
    tug_flags=(
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv metadata put')
    tug_args=('@secret-path')
    tug_flags=(
      '--max-versions' 'any' 'number of versions to keep (0: the default)'
      '--cas-required' '-' 'require check-and-set for every write'
      '--delete-version-after' 'any' 'delete each version after this time (0: the engine'\''s setting)'
      '--custom-metadata' 'any' 'the custom metadata, replacing the present one'
      '--clear-custom-metadata' '-' 'remove all custom metadata'
      '--metadata-cas' 'any' 'write only if this is the current version of the metadata (0: only if there is none; OpenBao)'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv metadata patch')
    tug_args=('@secret-path')
    tug_flags=(
      '--max-versions' 'any' 'number of versions to keep (0: the default)'
      '--cas-required' '-' 'require check-and-set for every write'
      '--delete-version-after' 'any' 'delete each version after this time (0: the engine'\''s setting)'
      '--custom-metadata' 'any' 'add to the custom metadata'
      '--remove-custom-metadata' 'any' 'remove this key of the custom metadata'
      '--clear-custom-metadata' '-' 'remove all custom metadata'
      '--metadata-cas' 'any' 'write only if this is the current version of the metadata (0: only if there is none; OpenBao)'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv metadata delete')
    tug_args=('@secret-path')
    tug_flags=(
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv config')
    tug_subs=(
      'get:Show the settings of the whole engine'
      'set:Change settings of the whole engine'
    )
    tug_flags=(
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv config get')
    tug_flags=(
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kv config set')
    tug_flags=(
      '--max-versions' 'any' 'number of versions to keep (0: the default)'
      '--cas-required' '-' 'require check-and-set for every write'
      '--delete-version-after' 'any' 'delete each version after this time (0: never; negative: never, for all secrets)'
      '--mount' 'any' 'where the key-value engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip')
    tug_subs=(
      'config:The engine'\''s configuration'
      'ca:Print the engine'\''s CA certificates as PEM'
      'scope:Scopes: namespaces of managed objects'
      'role:Roles: which operations the certificates of a scope may perform'
      'cred:Client certificates: issue, renew, look up, list, revoke'
    )
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip config')
    tug_subs=(
      'get:Show the engine'\''s configuration'
      'set:Configure the engine, which creates its CA and starts its listener'
    )
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip config get')
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip config set')
    tug_flags=(
      '--listen-addrs' 'any' 'addresses to listen on'
      '--connection-timeout' 'any' 'time limit for establishing a connection'
      '--server-hostnames' 'any' 'DNS names of the server'\''s certificate, the common name first'
      '--server-ips' 'any' 'IP addresses of the server'\''s certificate'
      '--tls-ca-key-type' '=ec,rsa' 'the CA'\''s key type'
      '--tls-ca-key-bits' 'any' 'the CA'\''s key size in bits'
      '--tls-min-version' '=tls10,tls11,tls12,tls13' 'minimum TLS version'
      '--default-tls-client-key-type' '=ec,rsa' 'key type of clients'
      '--default-tls-client-key-bits' 'any' 'key size of clients in bits'
      '--default-tls-client-ttl' 'any' 'lifetime of client certificates'
      '--no-check' '-' 'send key sizes that tug does not know'
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip ca')
    tug_flags=(
      '-O,--output-file' 'file' 'write to this file, completely or not at all (-: standard output)'
      '--force' '-' 'replace the file if it exists'
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip scope')
    tug_subs=(
      'list:List the scopes'
      'create:Create a scope, or leave an existing one unchanged'
      'delete:Delete a scope; --force is needed if it contains managed objects'
    )
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip scope list')
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip scope create')
    tug_args=('@kmip-scope')
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip scope delete')
    tug_args=('@kmip-scope')
    tug_flags=(
      '--force' '-' 'delete its managed objects too'
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip role')
    tug_subs=(
      'list:List the roles of a scope'
      'get:Show a role'\''s operations, and the key and lifetime of its certificates'
      'set:Create or change a role: its operations, and the key and lifetime of its certificates'
      'delete:Delete a role'
    )
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip role list')
    tug_args=('@kmip-scope')
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip role get')
    tug_args=('@kmip-scope' '@kmip-role')
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip role set')
    tug_args=('@kmip-scope' '@kmip-role')
    tug_flags=(
      '--operation' '@kmip-operation' 'operations to allow, without their prefix'
      '--all-operations' '-' 'allow every operation'
      '--no-operations' '-' 'allow no operation'
      '--no-check' '-' 'send operations and key sizes that tug does not know'
      '--tls-client-key-type' '=ec,rsa' 'key type of clients'
      '--tls-client-key-bits' 'any' 'key size of clients in bits'
      '--tls-client-ttl' 'any' 'lifetime of client certificates'
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip role delete')
    tug_args=('@kmip-scope' '@kmip-role')
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip cred')
    tug_subs=(
      'generate:Issue a client certificate with a new private key'
      'sign:Issue a client certificate for a signing request (CSR)'
      'lookup:Show an issued certificate by its serial number'
      'list:List the certificates of a role, a scope or the whole engine'
      'renew:Issue a new certificate in place of one that expires soon, without a gap'
      'revoke:Revoke a certificate, by its serial number or by itself'
    )
    tug_flags=(
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip cred generate')
    tug_args=('@kmip-scope' '@kmip-role')
    tug_flags=(
      '--format' '=pem,pem_bundle,der' 'encoding of certificate, key and chain'
      '--out-dir' 'directory' 'write certificate, chain and key into this folder (made 0700 when missing)'
      '--force' '-' 'replace files in the folder'
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip cred sign')
    tug_args=('@kmip-scope' '@kmip-role')
    tug_flags=(
      '--csr' 'file' 'file with the CSR in PEM (-: standard input)'
      '--format' '=pem,pem_bundle,der' 'encoding of certificate, key and chain'
      '--out-dir' 'directory' 'write certificate, chain and key into this folder (made 0700 when missing)'
      '--force' '-' 'replace files in the folder'
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip cred lookup')
    tug_args=('@kmip-scope' '@kmip-role' '@kmip-serial')
    tug_flags=(
      '--serial' '@kmip-serial' 'the serial number as a flag'
      '--format' '=pem,pem_bundle,der' 'encoding of certificate, key and chain'
      '--out-dir' 'directory' 'write certificate, chain and key into this folder (made 0700 when missing)'
      '--force' '-' 'replace files in the folder'
      '--field' '=certificate,ca_chain,serial_number' 'print only this part of it, as it is'
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip cred list')
    tug_args=('@kmip-scope' '@kmip-role')
    tug_flags=(
      '--details' '-' 'look each one up: subject, expiry'
      '--expiring' 'any' 'only those that end within this time, such as 30d, or have ended'
      '--exit-code' '-' 'exit 9 when --expiring finds any'
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip cred renew')
    tug_args=('@kmip-scope' '@kmip-role' '@kmip-serial')
    tug_flags=(
      '--serial' '@kmip-serial' 'the serial number as a flag'
      '--certificate' 'file' 'file with the certificate in PEM (-: standard input)'
      '--format' '=pem,pem_bundle,der' 'encoding of certificate, key and chain'
      '--out-dir' 'directory' 'folder for certificate, chain and key (created 0700 if missing)'
      '--force' '-' 'replace files in the folder'
      '--if-expiring' 'any' 'renew only what expires within this time, such as 30d, or has expired'
      '--revoke-old' '-' 'revoke the old certificate once the new files are written'
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('kmip cred revoke')
    tug_args=('@kmip-scope' '@kmip-role' '@kmip-serial')
    tug_flags=(
      '--serial' '@kmip-serial' 'the serial number as a flag'
      '--certificate' 'file' 'file with the certificate in PEM (-: standard input)'
      '--mount' 'any' 'where the KMIP engine is mounted'
      '--list-method' '=get,list' 'send lists as GET …?list=true or with the method LIST'
    )
    ;;
  ('job')
    tug_subs=(
      'list:List jobs'
      'status:Show on one screen how a job is, why, and what to do about it'
      'get:Show a job'
      'plan:Show what registering a job file would change, and change nothing'
      'run:Register a job, or a new version of it, from a job file'
      'update:Register a new version of a job; the file must have the same job ID'
      'parse:Convert an HCL job file to JSON'
      'init:Write an example job file to start from'
      'summary:Count a job'\''s allocations by state, for each group'
      'allocs:List a job'\''s allocations, the live ones first'
      'evals:List a job'\''s evaluations, the newest first'
      'deployments:List a job'\''s deployments, the newest first'
      'deployment:Show a job'\''s latest deployment'
      'versions:List a job'\''s versions, the newest first, and how each differs from the one before'
      'submission:Show the job file of a version'
      'dispatch:Start an instance of a parameterized job'
      'periodic:Launch periodic jobs'
      'revert:Make an older version of a job the current one again'
      'stable:Mark a version of a job as stable, so that a failed deployment may go back to it'
      'evaluate:Create a new evaluation for a job'
      'scale:Set how many instances of a task group run'
      'scale-status:Show a job'\''s desired and actual counts and its last scaling events'
      'stop:Stop a job'
      'start:Start a stopped job again'
      'services:List the addresses of a job'\''s services'
      'actions:List a job'\''s actions'
      'action:Run a predefined action of a job in one of its running allocations'
    )
    tug_flags=(
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job list')
    tug_flags=(
      '--prefix' 'any' 'only jobs whose ID begins with this'
      '--filter' 'any' 'only jobs for which this expression is true'
      '--per-page' 'any' 'jobs per page; by default one page has all'
      '--next-token' 'any' 'start at this page'
      '--all' '-' 'every page'
      '--meta' '-' 'with the jobs'\'' meta'
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job status')
    tug_args=('@job')
    tug_flags=(
      '--exit-code' '-' 'exit with 9 if the job is not healthy'
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job get')
    tug_args=('@job')
    tug_flags=(
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job plan')
    tug_args=('file')
    tug_flags=(
      '--var' 'any' 'a variable of the job file; overrides var-files and NOMAD_VAR_<name>'
      '--var-file' 'file' 'a file with variables; if several set a variable, the last one wins'
      '--hcl1' '-' 'read the file as HCL version 1'
      '--no-diff' '-' 'omit the diff; show only what the scheduler would do'
      '--policy-override' '-' 'override soft mandatory policies'
      '--exit-code' '-' 'exit with 9 if there are changes'
      '--keep-counts' '-' 'write the groups'\'' current counts into the job, in place of the file'\''s'
      '--show-values' '-' 'show values of env, templates, meta and tokens'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job run')
    tug_args=('file')
    tug_flags=(
      '--var' 'any' 'a variable of the job file; overrides var-files and NOMAD_VAR_<name>'
      '--var-file' 'file' 'a file with variables; if several set a variable, the last one wins'
      '--hcl1' '-' 'read the file as HCL version 1'
      '--check-index' 'any' 'only if the job'\''s JobModifyIndex is this (0: only if it is new)'
      '--eval-priority' 'any' 'priority of the evaluation, 1 to 100'
      '--policy-override' '-' 'override soft mandatory policies'
      '--preserve-resources' '-' 'keep the resources that the tasks have now, not those of the file'
      '--no-submission' '-' 'do not store the job file with the job'
      '--wait' '-' 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
      '--until' '=placed,healthy,canary-ready,complete' 'how far to wait (implies --wait)'
      '--wait-timeout' 'any' 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
      '--plan' '-' 'show the plan first, ask, and register exactly that'
      '--keep-counts' '-' 'write the groups'\'' current counts into the job, in place of the file'\''s'
      '--preserve-counts' '-' 'let the server keep the groups'\'' current counts, which a plan does not show'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job update')
    tug_args=('@job' 'file')
    tug_flags=(
      '--var' 'any' 'a variable of the job file; overrides var-files and NOMAD_VAR_<name>'
      '--var-file' 'file' 'a file with variables; if several set a variable, the last one wins'
      '--hcl1' '-' 'read the file as HCL version 1'
      '--check-index' 'any' 'only if the job'\''s JobModifyIndex is this (0: only if it is new)'
      '--eval-priority' 'any' 'priority of the evaluation, 1 to 100'
      '--policy-override' '-' 'override soft mandatory policies'
      '--preserve-resources' '-' 'keep the resources that the tasks have now, not those of the file'
      '--no-submission' '-' 'do not store the job file with the job'
      '--wait' '-' 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
      '--until' '=placed,healthy,canary-ready,complete' 'how far to wait (implies --wait)'
      '--wait-timeout' 'any' 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job parse')
    tug_args=('file')
    tug_flags=(
      '--var' 'any' 'a variable of the job file; overrides var-files and NOMAD_VAR_<name>'
      '--var-file' 'file' 'a file with variables; if several set a variable, the last one wins'
      '--hcl1' '-' 'read the file as HCL version 1'
      '--canonicalize' '-' 'fill in defaults'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job init')
    tug_args=('file')
    tug_flags=(
      '--short' '-' 'without comments'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job summary')
    tug_args=('@job')
    tug_flags=(
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job allocs')
    tug_args=('@job')
    tug_flags=(
      '--all' '-' 'stopped ones too, and those of an earlier registration of the same ID'
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job evals')
    tug_args=('@job')
    tug_flags=(
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job deployments')
    tug_args=('@job')
    tug_flags=(
      '--all' '-' 'include those of an earlier job with the same ID'
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job deployment')
    tug_args=('@job')
    tug_flags=(
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job versions')
    tug_args=('@job')
    tug_flags=(
      '--diffs' '-' 'with the changes between versions'
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job submission')
    tug_args=('@job')
    tug_flags=(
      '--version' 'any' 'the version of the job'
      '--source' '-' 'print only the job file, unchanged'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job dispatch')
    tug_args=('@job' 'file')
    tug_flags=(
      '--meta' 'any' 'meta for this instance'
      '--id-prefix-template' 'any' 'prefix for the ID of the instance'
      '--idempotency-token' 'any' 'start only one instance per token'
      '--wait' '-' 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
      '--until' '=placed,healthy,canary-ready,complete' 'how far to wait (implies --wait)'
      '--wait-timeout' 'any' 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job periodic')
    tug_subs=(
      'force:Launch an instance of a periodic job now'
    )
    tug_flags=(
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job periodic force')
    tug_args=('@job')
    tug_flags=(
      '--wait' '-' 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
      '--until' '=placed,healthy,canary-ready,complete' 'how far to wait (implies --wait)'
      '--wait-timeout' 'any' 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job revert')
    tug_args=('@job' '@job-version')
    tug_flags=(
      '--enforce-prior-version' 'any' 'only if the job is at this version now'
      '--secrets-token-file' 'file' 'a file with the token for the secrets store'
      '--discovery-token-file' 'file' 'a file with the token for the discovery service'
      '--wait' '-' 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
      '--until' '=placed,healthy,canary-ready,complete' 'how far to wait (implies --wait)'
      '--wait-timeout' 'any' 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job stable')
    tug_args=('@job' '@job-version')
    tug_flags=(
      '--unset' '-' 'mark it as not stable'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job evaluate')
    tug_args=('@job')
    tug_flags=(
      '--force-reschedule' '-' 'reschedule failed allocations at once, despite their limit or delay'
      '--wait' '-' 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
      '--until' '=placed,healthy,canary-ready,complete' 'how far to wait (implies --wait)'
      '--wait-timeout' 'any' 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job scale')
    tug_args=('@job' '@job-group' 'any')
    tug_flags=(
      '--message' 'any' 'why, for the record'
      '--error' 'any' 'what went wrong, for the record'
      '--meta' 'any' 'meta for the record'
      '--policy-override' '-' 'override soft mandatory policies'
      '--wait' '-' 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
      '--until' '=placed,healthy,canary-ready,complete' 'how far to wait (implies --wait)'
      '--wait-timeout' 'any' 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job scale-status')
    tug_args=('@job')
    tug_flags=(
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job stop')
    tug_args=('@job')
    tug_flags=(
      '--purge' '-' 'remove the job with its versions and allocations'
      '--global' '-' 'stop a multi-region job in all regions'
      '--no-shutdown-delay' '-' 'skip shutdown delays; connections to the allocations will fail'
      '--eval-priority' 'any' 'priority of the evaluation, 1 to 100'
      '--wait' '-' 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
      '--until' '=placed,healthy,canary-ready,complete' 'how far to wait (implies --wait)'
      '--wait-timeout' 'any' 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job start')
    tug_args=('@job')
    tug_flags=(
      '--wait' '-' 'follow the work to its outcome: exit 0 if it succeeded, 8 if not'
      '--until' '=placed,healthy,canary-ready,complete' 'how far to wait (implies --wait)'
      '--wait-timeout' 'any' 'stop waiting after this long (exit 124); nothing is cancelled (implies --wait)'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job services')
    tug_args=('@job')
    tug_flags=(
      '--consistent' '-' 'let the leader confirm that it still is the leader before it answers'
      '--watch' '-' 'show it again on every change, until Ctrl-C'
      '--stale' '-' 'accept an answer from any server, even one behind the leader'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job actions')
    tug_args=('@job')
    tug_flags=(
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('job action')
    tug_args=('@job' '@job-action')
    tug_flags=(
      '--alloc' '@job-alloc' 'the allocation: its ID or any prefix of it'
      '--group' '@job-group' 'only allocations of this group'
      '--task' '@job-task' 'the task'
      '-t,--tty' '-' 'give it a terminal'
      '--all' '-' 'run it on every allocation'
      '--region' 'any' 'region of the scheduler'
    )
    ;;
  ('profile')
    tug_subs=(
      'list:List the saved profiles'
      'show:Show a profile, or with --effective every setting in effect and its source'
      'use:Make a profile the current one'
      'set:Create or change a profile; an empty value removes a key'
      'delete:Delete a profile and the tokens stored for it (asks first)'
      'path:Print the path of the configuration file'
    )
    ;;
  ('profile list')
    ;;
  ('profile show')
    tug_args=('@profile')
    tug_flags=(
      '--effective' '-' 'each value in effect, from flags, environment, profile and defaults'
    )
    ;;
  ('profile use')
    tug_args=('@profile')
    ;;
  ('profile set')
    tug_args=('@profile' 'any' '...')
    ;;
  ('profile delete')
    tug_args=('@profile')
    ;;
  ('profile path')
    ;;
  ('login')
    tug_args=('=explorer,secrets,scheduler')
    tug_flags=(
      '--org' 'any' 'organization of the explorer, saved in the profile'
    )
    ;;
  ('logout')
    tug_args=('=explorer,secrets,scheduler')
    ;;
  ('status')
    ;;
  ('api')
    tug_args=('=explorer,secrets,scheduler' 'any' 'any')
    tug_flags=(
      '--data' 'any' 'the body: JSON, @file, or - for standard input'
      '--header' 'any' 'an additional header'
    )
    ;;
  ('endpoints')
    ;;
  ('completion')
    tug_args=('=bash,zsh,fish')
    ;;
  ('help')
    tug_args=('@topic' '...')
    ;;
  ('dev')
    tug_flags=(
      '--port' 'any' 'port to listen on'
      '--fault' 'any' 'failure to cause; may be repeated'
      '--token' 'any' 'token with all permissions for all three services; other users of this machine may see it'
      '--empty' '-' 'start without demo data'
    )
    ;;
  (*) return 1 ;;
  esac
}

typeset -ga _tug_globals
_tug_globals=(
      '-p,--profile' '@profile' 'saved profile to use'
      '-o,--output' '=table,wide,json,ndjson,yaml,csv,tsv,md,box,name' 'output format'
      '--raw' '-' 'print the server'\''s response body unchanged (implies json)'
      '--query' 'any' 'select from the JSON result with a JMESPath expression'
      '--columns' 'any' 'columns of table, csv, tsv and md, in this order'
      '--no-headers' '-' 'omit the header line of table, csv and tsv'
      '-0,--null' '-' 'with `-o name`, end each name with a NUL byte instead of a newline'
      '--csv-safe' '-' 'escape csv cells that a spreadsheet would run as formulas'
      '--csv-bom' '-' 'start csv with a byte order mark'
      '--address' 'any' 'base URL of the service (unix:///path works too)'
      '--token-file' 'file' 'read the token from a file (- for standard input)'
      '-n,--namespace' 'any' 'namespace of the secrets store or the scheduler'
      '--dialect' '=auto,neutral,hashicorp' 'API dialect: auto, or the names of the specification or of the products'
      '--ca-cert' 'file' 'CA certificate to trust (PEM)'
      '--ca-path' 'directory' 'folder of CA certificates to trust (PEM)'
      '--client-cert' 'file' 'client certificate (PEM)'
      '--client-key' 'file' 'private key of the client certificate (PEM)'
      '--tls-server-name' 'any' 'server name to send and to verify in the certificate'
      '--insecure' '-' 'skip verification of the TLS certificate (prints a warning)'
      '--timeout' 'any' 'time limit for a response to start, and for pauses inside it'
      '--retries' 'any' 'how many times to retry a failed request'
      '--max-body' 'any' 'largest response body to read into memory, in bytes'
      '--dry-run' '-' 'print each request as a curl command and send nothing'
      '--trace' '-' 'print requests, responses and timings on stderr, with secrets redacted'
      '-q,--quiet' '-' 'no progress, hints or confirmations on stderr'
      '-y,--yes' '-' 'answer yes to every confirmation'
      '--no-input' '-' 'never prompt (also if CI is set)'
      '--color' '=auto,always,never' 'when to use color'
      '-h,--help' '-' 'show help'
)

# Finds the kind of a flag's value.
_tug_spec() {
  local names spec summary
  for names spec summary in "${tug_flags[@]}" "${_tug_globals[@]}"; do
    if [[ ",$names," == *",$1,"* ]]; then
      tug_found=$spec
      return 0
    fi
  done
  return 1
}

# Completes a value of the kind $1.
_tug_value() {
  local value candidate
  local -a found typed whole open
  case $1 in
  (-) compadd -- true false ;;
  (any) _message value ;;
  (file) _files ;;
  (directory) _files -/ ;;
  ('='*) compadd -- ${(s:,:)${1#=}} ;;
  (@*)
    typed=("${(@Q)words[2,CURRENT-1]}")
    value=${(Q)PREFIX}
    found=("${(@f)$(${words[1]} __complete ${1#@} "${typed[@]}" "$value" 2>/dev/null)}")
    for candidate in "${found[@]}"; do
      case $candidate in
      ('') ;;
      # In an open quote, zsh cannot keep a ! from the history.
      (*!*) if [[ -z ${compstate[quote]} ]]; then whole+=("$candidate"); fi ;;
      (*[/\ ]) open+=("$candidate") ;;
      (*) whole+=("$candidate") ;;
      esac
    done
    compadd -- "${whole[@]}"
    compadd -S '' -- "${open[@]}"
    (( ${#whole} + ${#open} ))
    ;;
  esac
}

_tug() {
  local tug_found tug_path pending word letter names spec summary name
  local -a tug_subs tug_args tug_flags tug_offers
  integer i position=0
  _tug_about ''
  for ((i = 2; i < CURRENT; i++)); do
    word=${(Q)words[i]}
    if [[ -n $pending ]]; then
      pending=
      continue
    fi
    case $word in
    (--)
      # What follows `dev -- tug` is a command line of tug again.
      if [[ $tug_path == dev && ${words[i+1]} == tug ]] && ((i + 1 < CURRENT)); then
        ((i += 1))
        tug_path= position=0
        _tug_about ''
        continue
      fi
      shift i words
      ((CURRENT -= i))
      _normal
      return
      ;;
    (--*=*) ;;
    (--*) if _tug_spec $word && [[ $tug_found != - ]]; then pending=$tug_found; fi ;;
    (-[^0-9]*)
      word=${word#-}
      while [[ -n $word ]]; do
        letter=${word[1]} word=${word[2,-1]}
        if _tug_spec -$letter && [[ $tug_found != - ]]; then
          if [[ -z $word ]]; then pending=$tug_found; fi
          break
        fi
      done
      ;;
    (*)
      if ((${#tug_subs})); then
        tug_path=${tug_path:+$tug_path }$word
        _tug_about $tug_path || return 1
      else
        ((position += 1))
      fi
      ;;
    esac
  done
  if [[ -n $pending ]]; then
    _tug_value $pending
  elif [[ $PREFIX == --*=* ]]; then
    _tug_spec ${PREFIX%%=*} || return 1
    compset -P 1 '*='
    _tug_value $tug_found
  elif [[ $PREFIX == -* ]]; then
    for names spec summary in "${tug_flags[@]}" "${_tug_globals[@]}"; do
      for name in ${(s:,:)names}; do tug_offers+=("$name:$summary"); done
    done
    _describe -o flag tug_offers
  elif ((${#tug_subs})); then
    _describe command tug_subs
  else
    if [[ ${#tug_args} -gt 1 && ${tug_args[-1]} == ... && $position -ge $((${#tug_args} - 1)) ]]; then
      position=$((${#tug_args} - 2))
    fi
    ((position < ${#tug_args})) && _tug_value ${tug_args[position + 1]}
  fi
}

if [[ ${funcstack[1]} == _tug ]]; then
  _tug "$@"
else
  compdef _tug tug
fi
