# To use it:  eval "$(tug completion bash)"
_tug() {
  local line kind=''
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ -z $kind ]]; then kind=$line; else COMPREPLY+=("$line"); fi
  done < <("${COMP_WORDS[0]}" __complete bash "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
  case $kind in
  files) kind=default ;;
  directories) kind=dirnames ;;
  open) kind=nospace ;;
  *) return ;;
  esac
  # The bash of macOS has no compopt.
  compopt -o "$kind" 2>/dev/null || if [[ $kind != nospace ]]; then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")
  fi
}
complete -F _tug tug
