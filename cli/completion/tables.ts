import { singleQuoted } from '../../reports/text.ts';
import type { Line, Taken } from './completions.ts';

/**
 * What bash and zsh ask while a line is typed, as functions that both can read. `_below LINE` and `_flags LINE` print `name:description`;
 * `_taken 'LINE FLAG'` and `_taken 'LINE INDEX'` print what may stand there, as `kind number-of-names list variadic`; `_names NUMBER` prints names.
 */
export function tablesText(lines: readonly Line[]): string {
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
export function nameSets(lines: readonly Line[]): readonly (readonly string[])[] {
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
export function placeOf(names: readonly string[], sets: readonly (readonly string[])[]): number {
  return sets.findIndex((each) => each.join(' ') === names.join(' '));
}
