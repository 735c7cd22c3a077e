import type { Candidate, Offer } from './offer.ts'

export const shells = ['bash', 'zsh', 'fish'] as const

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
  local line value
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
    (*) whole+=("$value") shown+=("\${line/$'\\t'/  -- }") ;;
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

/** The completion script of a shell: it asks `tug __complete` at every TAB. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish }

/** A bash line up to the cursor: its words without quotes, and the last one as typed. */
export interface BashLine {
  readonly words: readonly string[]
  readonly typed: string
}

/** Splits a line as bash does, but expands nothing. */
export function splitBash(line: string): BashLine {
  const words: string[] = ['']
  let start = 0
  let quote = ''
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] as string
    const add = (text: string) => void (words[words.length - 1] += text)
    if (character === '\\' && quote !== "'") {
      index += 1
      add(line[index] ?? '')
    } else if (character === quote) quote = ''
    else if (quote === '' && (character === "'" || character === '"')) quote = character
    else if (quote === '' && /\s/.test(character)) {
      if (words.at(-1) !== '' || index > start) words.push('')
      start = index + 1
    } else add(character)
  }
  return { words, typed: line.slice(start) }
}

/**
 * The replies for bash, quoted so that nothing in them means anything to it; what an open quote cannot contain is not offered.
 * Readline replaces the word from the last of its `breaks` on.
 */
export function bashReplies({ lead, values }: Offer, typed: string, breaks: string): string[] {
  const value = typed.slice(/^--[^=]+=/.exec(typed)?.[0].length ?? 0)
  const quote = /^['"]/.exec(value)?.[0] ?? ''
  const fitting = values.map((candidate) => candidate.value).filter((text) => fits(text, quote))
  if (quote !== '') return fitting
  const broken = typed.slice(
    0,
    Math.max(...['=', ':', '@'].map((one) => (breaks.includes(one) ? typed.lastIndexOf(one) : -1))) + 1,
  )
  return fitting.map((text) => {
    const isContinued = fitting.length > 1 || /[/ ]$/.test(text)
    // A quote is opened if more is to be typed inside it.
    const opens = text.includes(' ') && !text.includes("'") && isContinued
    const shown = lead + (opens ? `'${text}` : text.replaceAll(/[^\w@%+=:,./\u0080-\uffff-]/g, String.raw`\$&`))
    return shown.startsWith(broken) ? shown.slice(broken.length) : shown
  })
}

function fits(text: string, quote: string): boolean {
  return quote === "'" ? !text.includes("'") : quote === '' || !/["$`\\!]/.test(text)
}

/** The lines for zsh, which quotes by itself but cannot keep a `!` from the history inside quotes. */
export function zshLines({ values }: Offer, quote: string): string[] {
  return values.filter(({ value }) => quote === '' || !value.includes('!')).map(lineOf)
}

/** The lines for fish, which quotes by itself but would expand a leading `~` to a folder. */
export function fishLines({ lead, values }: Offer): string[] {
  return values.filter(({ value }) => !value.startsWith('~')).map((one) => lineOf({ ...one, value: lead + one.value }))
}

function lineOf({ value, summary }: Candidate): string {
  return `${value}\t${summary ?? ''}`
}

/** The word at the cursor of a fish line, without its quotes. */
export function unquoteFish(typed: string): string {
  return typed.replace(/^(--[^=]*=)?['"]/, '$1').replaceAll(/\\(.)/g, '$1')
}
