import type { Line } from './completions.ts';
import { tablesText } from './tables.ts';

/** Completion for bash, from version 3.2 on: it needs nothing else. */
export function bashScript(lines: readonly Line[]): string {
  return `# bash completion of svc-conformance: source <(svc-conformance completion bash)

${tablesText(lines)}
${driver}`;
}

// bash cuts words at "=": --report json=FILE arrives as four
const driver = String.raw`
_svc_conformance() {
  local current=${'$'}{COMP_WORDS[COMP_CWORD]} line='' flag='' held='' given=0 index word kind set list more IFS=$' \t\n'
  for ((index = 1; index < COMP_CWORD; index += 1)); do
    word=${'$'}{COMP_WORDS[index]}
    if [[ $word == '=' ]]; then
      flag=$held
    else
      [[ $word != -* ]] || held=$word
      _svc_conformance_pass "$word"
    fi
  done
  [[ $current != '=' ]] || { current=''; flag=$held; }
  IFS=$'\n'
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$(_svc_conformance_flags "$line" | cut -d: -f1)" -- "$current"))
    return
  fi
  if [[ -n $flag ]]; then
    IFS=' ' read -r kind set list more <<< "$(_svc_conformance_taken "$line $flag")"
  else
    [[ $given != 0 ]] || COMPREPLY=($(compgen -W "$(_svc_conformance_below "$line" | cut -d: -f1)" -- "$current"))
    IFS=' ' read -r kind set list more <<< "$(_svc_conformance_taken "$line $given")"
    [[ -n $kind ]] || IFS=' ' read -r kind set list more <<< "$(_svc_conformance_taken "$line last")"
  fi
  _svc_conformance_offer "$current" "$kind" "$set" "$list"
}

_svc_conformance_offer() {
  local current=$1 kind=$2 set=$3 list=$4 before='' IFS=$'\n'
  if [[ $kind == reports && $(_svc_conformance_names "$set") == *"${'$'}{COMP_WORDS[COMP_CWORD - 1]}"* && ${'$'}{COMP_WORDS[COMP_CWORD]} == '=' ]] ||
    [[ $kind == reports && ${'$'}{COMP_WORDS[COMP_CWORD - 1]} == '=' && ${'$'}{COMP_WORDS[COMP_CWORD - 2]} != -* ]]; then
    kind=files
  fi
  case $kind in
    named)
      [[ $list != list || $current != *,* ]] || before=${'$'}{current%,*},
      COMPREPLY+=($(compgen -P "$before" -W "$(_svc_conformance_names "$set")" -- "${'$'}{current#"$before"}"))
      ;;
    reports)
      COMPREPLY+=($(compgen -S = -W "$(_svc_conformance_names "$set")" -- "$current"))
      compopt -o nospace 2> /dev/null
      ;;
    files)
      COMPREPLY+=($(compgen -f -- "$current"))
      compopt -o filenames 2> /dev/null
      ;;
    folders)
      COMPREPLY+=($(compgen -d -- "$current"))
      compopt -o filenames 2> /dev/null
      ;;
  esac
}

complete -F _svc_conformance svc-conformance
`;
