import { singleQuoted as quoted } from '../../core/shell.ts'
import type { FlagFact, Place } from './places.ts'

/** For a folder of `$fpath` (as `_tug`), or to be sourced after `compinit`. */
export function zshScript(places: readonly Place[], globals: readonly FlagFact[]): string {
  return `#compdef tug
# zsh completion for tug, written by: tug completion zsh
# Use it:  tug completion zsh > "\${fpath[1]}/_tug"   or, after compinit:  source <(tug completion zsh)

# What may follow some words: words, arguments, flags with the kind of their values.
_tug_about() {
  tug_subs=() tug_args=() tug_flags=()
  case $1 in
${places.map(placeCase).join('\n')}
  (*) return 1 ;;
  esac
}

typeset -ga _tug_globals
_tug_globals=(
${flagLines(globals)}
)

${engine}`
}

function placeCase({ words, subs, args, repeats, flags }: Place): string {
  const subLines = subs.map(({ name, summary }) => `      ${quoted(`${name}:${summary}`)}`).join('\n')
  const facts = [
    ...(subs.length === 0 ? [] : [`tug_subs=(\n${subLines}\n    )`]),
    ...(args.length === 0 ? [] : [`tug_args=(${[...args, ...(repeats ? ['...'] : [])].map(quoted).join(' ')})`]),
    ...(flags.length === 0 ? [] : [`tug_flags=(\n${flagLines(flags)}\n    )`]),
  ]
  return `  (${quoted(words)})\n${facts.map((fact) => `    ${fact}\n`).join('')}    ;;`
}

function flagLines(flags: readonly FlagFact[]): string {
  return flags
    .map(({ name, short, spec, summary }) => {
      const names = short === undefined ? name : `${short},${name}`
      return `      ${quoted(names)} ${quoted(spec)} ${quoted(summary)}`
    })
    .join('\n')
}

const engine = `# Finds the kind of a flag's value.
_tug_spec() {
  local names spec summary
  for names spec summary in "\${tug_flags[@]}" "\${_tug_globals[@]}"; do
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
  ('='*) compadd -- \${(s:,:)\${1#=}} ;;
  (@*)
    typed=("\${(@Q)words[2,CURRENT-1]}")
    value=\${(Q)PREFIX}
    found=("\${(@f)$(\${words[1]} __complete \${1#@} "\${typed[@]}" "$value" 2>/dev/null)}")
    for candidate in "\${found[@]}"; do
      case $candidate in
      ('') ;;
      # In an open quote, zsh cannot keep a ! from the history.
      (*!*) if [[ -z \${compstate[quote]} ]]; then whole+=("$candidate"); fi ;;
      (*[/\\ ]) open+=("$candidate") ;;
      (*) whole+=("$candidate") ;;
      esac
    done
    compadd -- "\${whole[@]}"
    compadd -S '' -- "\${open[@]}"
    (( \${#whole} + \${#open} ))
    ;;
  esac
}

_tug() {
  local tug_found tug_path pending word letter names spec summary name
  local -a tug_subs tug_args tug_flags tug_offers
  integer i position=0
  _tug_about ''
  for ((i = 2; i < CURRENT; i++)); do
    word=\${(Q)words[i]}
    if [[ -n $pending ]]; then
      pending=
      continue
    fi
    case $word in
    (--)
      # What follows \`dev -- tug\` is a command line of tug again.
      if [[ $tug_path == dev && \${words[i+1]} == tug ]] && ((i + 1 < CURRENT)); then
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
      word=\${word#-}
      while [[ -n $word ]]; do
        letter=\${word[1]} word=\${word[2,-1]}
        if _tug_spec -$letter && [[ $tug_found != - ]]; then
          if [[ -z $word ]]; then pending=$tug_found; fi
          break
        fi
      done
      ;;
    (*)
      if ((\${#tug_subs})); then
        tug_path=\${tug_path:+$tug_path }$word
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
    _tug_spec \${PREFIX%%=*} || return 1
    compset -P 1 '*='
    _tug_value $tug_found
  elif [[ $PREFIX == -* ]]; then
    for names spec summary in "\${tug_flags[@]}" "\${_tug_globals[@]}"; do
      for name in \${(s:,:)names}; do tug_offers+=("$name:$summary"); done
    done
    _describe -o flag tug_offers
  elif ((\${#tug_subs})); then
    _describe command tug_subs
  else
    if [[ \${#tug_args} -gt 1 && \${tug_args[-1]} == ... && $position -ge $((\${#tug_args} - 1)) ]]; then
      position=$((\${#tug_args} - 2))
    fi
    ((position < \${#tug_args})) && _tug_value \${tug_args[position + 1]}
  fi
}

if [[ \${funcstack[1]} == _tug ]]; then
  _tug "$@"
else
  compdef _tug tug
fi
`
