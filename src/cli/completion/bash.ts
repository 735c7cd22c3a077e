import { singleQuoted as quoted } from '../../core/shell.ts'
import type { FlagFact, Place } from './places.ts'

/** Needs neither the bash-completion package nor a bash newer than 3.2; may be sourced again. */
export function bashScript(places: readonly Place[], globals: readonly FlagFact[]): string {
  return `# bash completion for tug, written by: tug completion bash
# Use it:  eval "$(tug completion bash)"

# What may follow some words: words, arguments, flags with the kind of their values.
_tug_about() {
  _tug_subs='' _tug_args='' _tug_flags=''
  case $1 in
${places.map(placeCase).join('\n')}
  *) return 1 ;;
  esac
}

_tug_globals=${quoted(flagLines(globals))}

${engine}`
}

function placeCase({ words, subs, args, repeats, flags }: Place): string {
  const facts = [
    ...(subs.length === 0 ? [] : [`_tug_subs=${quoted(subs.map(({ name }) => name).join(' '))}`]),
    ...(args.length === 0 ? [] : [`_tug_args=${quoted([...args, ...(repeats ? ['...'] : [])].join(' '))}`]),
    ...(flags.length === 0 ? [] : [`_tug_flags=${quoted(flagLines(flags))}`]),
  ]
  return `  ${quoted(words)})\n${facts.map((fact) => `    ${fact}\n`).join('')}    ;;`
}

function flagLines(flags: readonly FlagFact[]): string {
  return flags.map(({ name, short, spec }) => `${short === undefined ? '' : `${short},`}${name} ${spec}`).join('\n')
}

const engine = `# Finds the kind of a flag's value.
_tug_spec() {
  local names spec
  while read -r names spec; do
    case ,$names, in
    *,"$1",*) _tug_found=$spec; return 0 ;;
    esac
  done <<<"$_tug_flags"$'\\n'"$_tug_globals"
  return 1
}

# The words up to the cursor, with the pieces joined that bash split at = and :
_tug_split() {
  local line=\${COMP_LINE:0:COMP_POINT} gap word i
  _tug_words=()
  for ((i = 0; i <= COMP_CWORD; i++)); do
    gap=\${line%%[![:space:]]*}
    line=\${line#"$gap"}
    word=\${COMP_WORDS[i]}
    if ((i == COMP_CWORD)); then word=$line; fi
    line=\${line#"$word"}
    if ((i > 0)) && [[ -z $gap ]]; then
      _tug_words[\${#_tug_words[@]}-1]+=$word
    else
      _tug_words+=("$word")
    fi
  done
}

# A word without its quotes.
_tug_bare() {
  _tug_plain=$1
  case $1 in
  \\'*) _tug_plain=\${_tug_plain#\\'}; _tug_plain=\${_tug_plain%\\'} ;;
  \\"*) _tug_plain=\${_tug_plain#\\"}; _tug_plain=\${_tug_plain%\\"} ;;
  *) _tug_plain=\${_tug_plain//\\\\/} ;;
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
  if [[ -z $quote && -n $breaks ]]; then strip=\${_tug_current%"\${_tug_current##*[$breaks]}"}; else before=''; fi
  for candidate in "$@"; do
    [[ $candidate == "$value"* ]] || continue
    case $quote$candidate in
    \\'*\\'*) ;;
    \\"*[\\"\\$\\\`\\\\!]*) ;;
    *) fitting+=("$candidate") ;;
    esac
  done
  for candidate in "\${fitting[@]+"\${fitting[@]}"}"; do
    case $candidate in */ | *' ') compopt -o nospace 2>/dev/null ;; esac
    shown=$candidate
    if [[ -z $quote ]]; then
      printf -v shown %q "$candidate"
      shown=\${shown//\\\\,/,} # a comma means nothing outside of braces, which are quoted
      # A quote is opened where more is to be typed inside it.
      if [[ $candidate == *' '* && $candidate != *\\'* ]] && [[ \${#fitting[@]} -gt 1 || $candidate == *[/\\ ] ]]; then
        shown="'$candidate"
      fi
    fi
    shown=$before$shown
    COMPREPLY+=("\${shown#"$strip"}")
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
  case $3 in \\'* | \\"*) quote=\${3:0:1} ;; esac
  _tug_bare "$3"
  case $1 in
  -) if [[ -n $2 ]]; then _tug_offer "$2" "$quote" "$_tug_plain" true false; fi ;;
  file) _tug_files default "$_tug_plain" ;;
  directory) _tug_files dirnames "$_tug_plain" ;;
  =*)
    list=\${1#=}
    _tug_offer "$2" "$quote" "$_tug_plain" \${list//,/ }
    ;;
  @*)
    list=$_tug_plain
    typed=() found=()
    for ((i = 1; i < \${#_tug_words[@]} - 1; i++)); do
      _tug_bare "\${_tug_words[i]}"
      typed+=("$_tug_plain")
    done
    while IFS= read -r candidate; do found+=("$candidate"); done < <(
      "\${_tug_words[0]}" __complete "\${1#@}" "\${typed[@]+"\${typed[@]}"}" "$list" 2>/dev/null
    )
    if [[ \${#found[@]} -gt 0 ]]; then _tug_offer "$2" "$quote" "$list" "\${found[@]}"; fi
    ;;
  esac
}

_tug() {
  local _tug_subs _tug_args _tug_flags _tug_found _tug_plain _tug_current
  local path='' pending='' after='' position=0 word letter names spec i
  local -a _tug_words args
  COMPREPLY=()
  _tug_split
  _tug_current=\${_tug_words[\${#_tug_words[@]}-1]}
  _tug_about ''
  for ((i = 1; i < \${#_tug_words[@]} - 1; i++)); do
    word=\${_tug_words[i]}
    if [[ -n $pending ]]; then
      pending=''
      continue
    fi
    case $word in
    --)
      # What follows \`dev -- tug\` is a command line of tug again.
      if [[ $path == dev && \${_tug_words[i+1]} == tug ]] && ((i + 2 < \${#_tug_words[@]})); then
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
      word=\${word#-}
      while [[ -n $word ]]; do
        letter=\${word:0:1} word=\${word:1}
        if _tug_spec "-$letter" && [[ $_tug_found != - ]]; then
          if [[ -z $word ]]; then pending=$_tug_found; fi
          break
        fi
      done
      ;;
    *)
      if [[ -n $_tug_subs ]]; then
        path=\${path:+$path }$word
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
      if _tug_spec "\${_tug_current%%=*}"; then
        _tug_value "$_tug_found" "\${_tug_current%%=*}=" "\${_tug_current#*=}"
      fi
      ;;
    -*)
      while read -r names spec; do
        if [[ -n $names ]]; then _tug_offer '' '' "$_tug_current" \${names//,/ }; fi
      done <<<"$_tug_flags"$'\\n'"$_tug_globals"
      ;;
    *)
      if [[ -n $_tug_subs ]]; then
        _tug_offer '' '' "$_tug_current" $_tug_subs
      else
        args=($_tug_args)
        if [[ \${#args[@]} -gt 1 && \${args[\${#args[@]}-1]} == ... && $position -ge $((\${#args[@]} - 1)) ]]; then
          position=$((\${#args[@]} - 2))
        fi
        if [[ $position -lt \${#args[@]} ]]; then _tug_value "\${args[position]}" '' "$_tug_current"; fi
      fi
      ;;
    esac
  fi
  return 0
}

complete -F _tug tug
`
