import type { Line, Taken } from './completions.ts';
import { nameSets, placeOf } from './tables.ts';

type NameSets = ReturnType<typeof nameSets>;

/** Completion for fish. */
export function fishScript(lines: readonly Line[]): string {
  const sets = nameSets(lines);
  return `# fish completion of svc-conformance: svc-conformance completion fish > ~/.config/fish/completions/svc-conformance.fish
${driver(lines)}
${namesFunction(sets)}
complete -c svc-conformance -f
${lines.flatMap((line) => completeLines(line, sets)).join('\n')}
`;
}

function namesFunction(sets: NameSets): string {
  const cases = sets.map((names, index) => `    case ${index}\n      printf '%s\\n' ${names.map(quoted).join(' ')}`);
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
function driver(lines: readonly Line[]): string {
  const known = lines.flatMap(({ line }) => (line === '' ? [] : [quoted(line)]));
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
  const start = `complete -c svc-conformance -n ${quoted(`__svc_conformance_at ${line}`.trim())}`;
  return [
    ...below.map(({ name, description }) => `${start} -a ${name} -d ${quoted(description)}`),
    ...flags.map(
      ({ name, description, takes: taken }) =>
        `${start} -l ${name.replace(/^--/, '')}${taken === undefined ? '' : valueOf(taken, sets)} -d ${quoted(description)}`,
    ),
    ...takes.flatMap((taken) => (taken.kind === 'free' ? [] : [`${start}${valueOf(taken, sets).replace(' -r', '')}`])),
  ];
}

function valueOf({ kind, names = [], isList }: Taken, sets: NameSets): string {
  const listing = `__svc_conformance_names ${placeOf(names, sets)}`;
  switch (kind) {
    case 'named':
      return ` -r -a ${quoted(`(${isList ? listing.replace('names', 'list') : listing})`)}`;
    case 'reports':
      return ` -r -F -a ${quoted(`(${listing} | string replace -r '$' =)`)}`;
    case 'files':
    case 'folders':
      return ' -r -F';
    case 'free':
      return ' -r';
  }
}

/** As one word for fish. */
function quoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
