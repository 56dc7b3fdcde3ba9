import type { Line } from './completions.ts';
import { tablesText } from './tables.ts';

/** Completion for zsh: a file of `fpath`, or sourced. */
export function zshScript(lines: readonly Line[]): string {
  return `#compdef svc-conformance
# zsh completion of svc-conformance: svc-conformance completion zsh > "\${fpath[1]}/_svc-conformance"

${tablesText(lines)}
${driver}`;
}

const driver = String.raw`
_svc_conformance() {
  emulate -L zsh
  local current=$words[CURRENT] line='' flag='' given=0 word kind set list more
  for word in "${'$'}{(@)words[2,CURRENT-1]}"; do
    if [[ $word == -*=* ]]; then flag=''; else _svc_conformance_pass "$word"; fi
  done
  if [[ $current == -*=* ]]; then
    flag=${'$'}{current%%=*}
    compset -P 1 '*='
  elif [[ $current == -* ]]; then
    local -a flags=("${'$'}{(@f)$(_svc_conformance_flags "$line")}")
    _describe flag flags
    return
  fi
  if [[ -n $flag ]]; then
    read -r kind set list more <<< "$(_svc_conformance_taken "$line $flag")"
  else
    local -a below=("${'$'}{(@f)$(_svc_conformance_below "$line")}")
    [[ $given != 0 || -z $below ]] || _describe command below
    read -r kind set list more <<< "$(_svc_conformance_taken "$line $given")"
    [[ -n $kind ]] || read -r kind set list more <<< "$(_svc_conformance_taken "$line last")"
  fi
  case $kind in
    named)
      [[ $list != list ]] || compset -P '*,'
      compadd -- "${'$'}{(@f)$(_svc_conformance_names "$set")}"
      ;;
    reports)
      if compset -P 1 '*='; then _files; else compadd -S = -- "${'$'}{(@f)$(_svc_conformance_names "$set")}"; fi
      ;;
    files) _files ;;
    folders) _files -/ ;;
  esac
}

if [[ $funcstack[1] == _svc-conformance || $funcstack[1] == _svc_conformance ]]; then
  _svc_conformance "$@"
else
  compdef _svc_conformance svc-conformance
fi
`;
