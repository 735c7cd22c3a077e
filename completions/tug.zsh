#compdef tug
# To use it:  tug completion zsh > "${fpath[1]}/_tug"   or, after compinit:  source <(tug completion zsh)
_tug() {
  local line value summary text
  local -a answer whole shown open
  answer=("${(@f)$("${words[1]}" __complete zsh "${compstate[quote]}" "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
  [[ $PREFIX == --*=* ]] && compset -P 1 '*='
  case ${answer[1]} in
  (files) _files; return ;;
  (directories) _files -/; return ;;
  esac
  for line in "${(@)answer[2,-1]}"; do
    value=${line%%$'\t'*}
    case $value in
    ('') ;;
    (*[/\ ]) open+=("$value") ;;
    (*)
      summary=${line#*$'\t'}
      text="$value${summary:+  -- $summary}"
      # A longer line would be wrapped.
      whole+=("$value") shown+=("${text[1,${COLUMNS:-80}-1]}") ;;
    esac
  done
  if [[ "${shown[*]}" == *'  -- '* ]]; then compadd -l -d shown -a -- whole; else compadd -a -- whole; fi
  compadd -S '' -a -- open
  ((${#whole} + ${#open}))
}
if [[ ${funcstack[1]} == _tug ]]; then _tug "$@"; else compdef _tug tug; fi
