import { stdout } from './outlet.ts';
import type { Command } from 'commander';
import { type Line, linesOf, type Taken } from './completion/completions.ts';
import type { ShellName } from './options.ts';
import { singleQuoted } from '../reports/text.ts';

/** Goes past a word that is typed already: a flag, its value, a command or an argument. Its caller has `line`, `flag`, `given`, `kind`, `set`, `list` and `more`. */
const passing = String.raw`_svc_conformance_pass() {
  if [[ $1 == -* ]]; then
    flag=$1
    read -r kind set list more <<< "$(_svc_conformance_taken "$line $1")"
    [[ -n $kind ]] || flag=''
  elif [[ -n $flag ]]; then
    [[ $more == variadic ]] || flag=''
  elif _svc_conformance_below "$line" | grep -q "^$1:"; then
    line=${'$'}{line:+$line }$1
  else
    given=$((given + 1))
  fi
}`;

const writers = { bash: bashScript, zsh: zshScript, fish: fishScript } as const satisfies Record<ShellName, unknown>;

/** Prints the script by which a shell completes the command lines of the program. */
export async function completionCommand(shell: ShellName, program: Command): Promise<number> {
  stdout.write(writers[shell](linesOf(program)));
  return 0;
}

/** Completion for bash, from version 3.2 on: it needs nothing else. */
function bashScript(lines: readonly Line[]): string {
  return `# bash completion of svc-conformance: source <(svc-conformance completion bash)

${tablesText(lines)}
${bashDriver}`;
}

// bash cuts words at "=": --report json=FILE arrives as four
const bashDriver = String.raw`
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

/** Completion for zsh: a file of `fpath`, or sourced. */
function zshScript(lines: readonly Line[]): string {
  return `#compdef svc-conformance
# zsh completion of svc-conformance: svc-conformance completion zsh > "\${fpath[1]}/_svc-conformance"

${tablesText(lines)}
${zshDriver}`;
}

const zshDriver = String.raw`
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

type NameSets = ReturnType<typeof nameSets>;

function fishScript(lines: readonly Line[]): string {
  const sets = nameSets(lines);
  return `# fish completion of svc-conformance: svc-conformance completion fish > ~/.config/fish/completions/svc-conformance.fish
${fishDriver(lines)}
${namesFunction(sets)}
complete -c svc-conformance -f
${lines.flatMap((line) => completeLines(line, sets)).join('\n')}
`;
}

function namesFunction(sets: NameSets): string {
  const cases = sets.map((names, index) => `    case ${index}\n      printf '%s\\n' ${names.map(fishWord).join(' ')}`);
  return `function __svc_conformance_names
  switch $argv
${cases.join('\n')}
  end
end

# the same behind those that were typed already, with commas between
function __svc_conformance_list
  set -l typed (commandline -ct | string replace -r '^--[^=]*=' '')
  set -l before (string match -r '^.*,' -- $typed)
  __svc_conformance_names $argv | string replace -r '^' "$before"
end`;
}

/** Tells at which command a line that is typed has arrived; values of flags may have the names of commands, so that the longest line counts. */
function fishDriver(lines: readonly Line[]): string {
  const known = lines.flatMap(({ line }) => (line === '' ? [] : [fishWord(line)]));
  return `
function __svc_conformance_at
  set -l typed (commandline -opc)[2..-1]
  set -l line
  for word in $typed
    set -l further (string join -- ' ' $line $word)
    contains -- $further ${known.join(' ')}; and set line $line $word
  end
  test "$line" = "$argv"
end
`;
}

function completeLines({ line, below, flags, takes }: Line, sets: NameSets): readonly string[] {
  const start = `complete -c svc-conformance -n ${fishWord(`__svc_conformance_at ${line}`.trim())}`;
  return [
    ...below.map(({ name, description }) => `${start} -a ${name} -d ${fishWord(description)}`),
    ...flags.map(
      ({ name, description, takes: taken }) =>
        `${start} -l ${name.replace(/^--/, '')}${taken === undefined ? '' : valueOf(taken, sets)} -d ${fishWord(description)}`,
    ),
    ...takes.flatMap((taken) => (taken.kind === 'free' ? [] : [`${start}${valueOf(taken, sets).replace(' -r', '')}`])),
  ];
}

function valueOf({ kind, names = [], isList }: Taken, sets: NameSets): string {
  const listing = `__svc_conformance_names ${placeOf(names, sets)}`;
  switch (kind) {
    case 'named':
      return ` -r -a ${fishWord(`(${isList ? listing.replace('names', 'list') : listing})`)}`;
    case 'reports':
      return ` -r -F -a ${fishWord(`(${listing} | string replace -r '$' =)`)}`;
    case 'files':
    case 'folders':
      return ' -r -F';
    case 'free':
      return ' -r';
  }
}

function fishWord(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}

/**
 * What bash and zsh ask while a line is typed, as functions that both can read. `_below LINE` and `_flags LINE` print `name:description`;
 * `_taken 'LINE FLAG'` and `_taken 'LINE INDEX'` print what may stand there, as `kind number-of-names list variadic`; `_names NUMBER` prints names.
 */
function tablesText(lines: readonly Line[]): string {
  const sets = nameSets(lines);
  const described = (name: 'below' | 'flags'): readonly Case[] =>
    lines
      .filter((each) => each[name].length > 0)
      .map((each) => [[each.line], each[name].map((one) => `${one.name}:${one.description}`)]);
  return [
    asked('below', described('below')),
    asked('flags', described('flags')),
    asked('taken', takenCases(lines, sets)),
    asked(
      'names',
      sets.map((names, index) => [[String(index)], names]),
    ),
    passing,
  ].join('\n');
}

/** Words asked about, and the lines that answer. */
type Case = readonly [words: readonly string[], answer: readonly string[]];

function asked(name: string, cases: readonly Case[]): string {
  const branches = cases.map(
    ([words, answer]) =>
      `    ${words.map(singleQuoted).join('|')}) printf '%s\\n' ${answer.map(singleQuoted).join(' ')} ;;`,
  );
  return [`_svc_conformance_${name}() {`, '  case $1 in', ...branches, '  esac', '}'].join('\n');
}

/** Lists of names, each once. */
function nameSets(lines: readonly Line[]): readonly (readonly string[])[] {
  const all = lines.flatMap(({ flags, takes }) => [...flags.flatMap((flag) => flag.takes ?? []), ...takes]);
  return [...new Map(all.flatMap(({ names }) => (names === undefined ? [] : [[names.join(' '), names]]))).values()];
}

function takenCases(lines: readonly Line[], sets: readonly (readonly string[])[]): readonly Case[] {
  const answers = lines.flatMap(({ line, flags, takes }) => [
    ...flags.flatMap(({ name, takes: taken }) => (taken === undefined ? [] : [[`${line} ${name}`, taken] as const])),
    ...takes.map((taken, index) => [`${line} ${taken.isVariadic ? 'last' : index}`, taken] as const),
  ]);
  const byAnswer = Map.groupBy(answers, ([, taken]) => answerOf(taken, sets));
  return [...byAnswer].map(([answer, places]) => [places.map(([place]) => place), [answer]]);
}

function answerOf({ kind, names, isList, isVariadic }: Taken, sets: readonly (readonly string[])[]): string {
  return [
    kind,
    names === undefined ? '-' : placeOf(names, sets),
    isList ? 'list' : '-',
    isVariadic ? 'variadic' : '-',
  ].join(' ');
}

/** Which of the lists it is. */
function placeOf(names: readonly string[], sets: readonly (readonly string[])[]): number {
  return sets.findIndex((each) => each.join(' ') === names.join(' '));
}
