import { argument } from '../../core/param.ts'
import { tugCommand } from './context.ts'

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const

export type Shell = (typeof shells)[number]

const bash = `# To use it:  eval "$(tug completion bash)"
_tug() {
  local line kind=''
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("\${COMP_WORDS[0]}" __complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  case $kind in
  files) kind=default ;;
  directories) kind=dirnames ;;
  open) kind=nospace ;;
  *) return ;;
  esac
  # The bash of macOS has no compopt.
  compopt -o "$kind" 2>/dev/null || if [[ $kind != nospace ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}")
  fi
}
complete -F _tug tug
`

const zsh = `#compdef tug
# To use it:  tug completion zsh > "\${fpath[1]}/_tug"   or, after compinit:  source <(tug completion zsh)
_tug() {
  local line value summary text
  local -a answer whole shown open
  answer=("\${(@f)$("\${words[1]}" __complete zsh "\${compstate[quote]}" "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  case \${answer[1]} in
  (files) _files; return ;;
  (directories) _files -/; return ;;
  esac
  for line in "\${(@)answer[2,-1]}"; do
    value=\${line%%$'\\t'*}
    case $value in
    ('') ;;
    (*[/\\ ]) open+=("$value") ;;
    (*)
      summary=\${line#*$'\\t'}
      text="$value\${summary:+  -- $summary}"
      # A longer line would be wrapped.
      whole+=("$value") shown+=("\${text[1,\${COLUMNS:-80}-1]}") ;;
    esac
  done
  if [[ "\${shown[*]}" == *'  -- '* ]]; then compadd -l -d shown -a -- whole; else compadd -a -- whole; fi
  compadd -S '' -a -- open
  ((\${#whole} + \${#open}))
}
if [[ \${funcstack[1]} == _tug ]]; then _tug "$@"; else compdef _tug tug; fi
`

const fish = `# To use it:  tug completion fish > ~/.config/fish/completions/tug.fish
function __tug_complete
    set -l line (commandline -opc)
    set -l answer (command $line[1] __complete fish $line[2..-1] (commandline -ct | string collect) 2>/dev/null)
    switch "$answer[1]"
        case files
            __fish_complete_path (commandline -ct | string replace -r '^--[^=]*=' '')
        case directories
            __fish_complete_directories (commandline -ct | string replace -r '^--[^=]*=' '')
        case '*'
            printf '%s\\n' $answer[2..-1]
    end
end
complete -c tug -e
complete -c tug -f -a '(__tug_complete)'
`

// Words are passed on, and candidates come back, in ASCII: PowerShell reads programs in the code page of the console, and version 5
// loses quotes and empty words. A blank result keeps it from completing files.
const powershell = `# To use it, in $PROFILE:  tug completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'tug', 'tug.cmd', 'tug.exe', 'tug.ps1' -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @(foreach ($element in $ast.CommandElements) {
    $extent = $element.Extent
    if ($extent.StartOffset -ge $cursor) { break }
    if ($extent.EndOffset -ge $cursor) { $last = $extent.Text.Substring(0, $cursor - $extent.StartOffset); break }
    if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $element.Value } else { $extent.Text }
  })
  $typed = ($words + [string]$last) -join [char]0
  $encoded = [Convert]::ToBase64String([Text.Encoding]::UTF8.GetBytes($typed))
  $answer = & $words[0] __complete powershell $encoded 2>$null | Out-String | ConvertFrom-Json
  if ($answer.kind -eq 'files') { return }
  if ($answer.kind -eq 'directories') {
    [System.Management.Automation.CompletionCompleters]::CompleteFilename($word) | Where-Object ResultType -eq 'ProviderContainer'
    return
  }
  if ($answer.values.Count -eq 0) { return '' }
  foreach ($value in $answer.values) {
    [System.Management.Automation.CompletionResult]::new($value.text, $value.shown, 'ParameterValue', $value.summary)
  }
}
`

/** The completion script of a shell: it asks `tug __complete` at every TAB. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell }

export const completion = tugCommand({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  description: `At every TAB the script runs tug. Names of jobs, secrets, scopes and views are read from the services within a second, and cached for ten.

  bash        eval "$(tug completion bash)"                              in ~/.bashrc
  zsh         tug completion zsh > "\${fpath[1]}/_tug"                    once
  fish        tug completion fish > ~/.config/fish/completions/tug.fish  once
  powershell  tug completion powershell | Out-String | Invoke-Expression in $PROFILE`,
  rawOutput: true,
  params: { shell: argument.choice('shell to complete for', shells, { required: true }) },
  examples: [
    { line: 'completion bash', note: 'for eval in ~/.bashrc' },
    { line: 'completion fish > ~/.config/fish/completions/tug.fish', note: 'stored in a file' },
  ],
  async run({ shell }) {
    return { raw: completionScripts[shell] }
  },
})
