import { stdout } from './outlet.ts';
import type { Command, Option } from 'commander';
import { classes } from '../contract/classes.ts';
import { type Need, needs } from '../contract/needs.ts';
import { profileSchema } from '../contract/profile.ts';
import type { ClassState } from '../contract/schemas/report.ts';
import { unknownName } from '../contract/spelling.ts';
import type { Verdict } from '../judge/outcome.ts';
import { classWords } from '../reports/classes.ts';
import type { FormatName } from '../reports/formats.ts';
import { cassetteFormats, type TopicName, topicNames } from './options.ts';
import { keysFor } from '../judge/needs.ts';
import { isBelow, keysOf, withoutRepeats } from './profile-keys.ts';
import { listedRules } from './rule-list.ts';
import { UsageError } from './usage.ts';

/** A part of a topic: running text, or terms with what they mean. */
type Part = string | readonly (readonly [term: string, meaning: string])[];

export const verdicts: Readonly<Record<Verdict, string>> = {
  pass: 'the rule holds, seen by at least one assertion on a real exchange',
  fail: 'a must rule is broken',
  warn: 'a should rule is broken',
  observed: 'the documents are silent: what was seen is written down',
  blocked:
    'the profile lacks something, a rule that this one stands on failed, or the target did not do what the check needs; it says which',
  broken: 'the suite itself stumbled, or the target was gone meanwhile; says nothing about the service',
};

export const exitCodes: Readonly<Record<0 | 1 | 2 | 3, string>> = {
  0: 'nothing failed, nothing broken, everything blocked was declared',
  1: 'violations, a known failure that passes now, an entry of the profile whose last day is over, or a class that --require names and that is not kept',
  2: 'the command line or the profile cannot be used, or what --start began never answered; says where and what to write instead',
  3: 'the run says nothing: target out of reach, preflight failed, something broken, nothing selected, or something blocked that was not declared',
};

const classStates: Readonly<Record<ClassState, string>> = {
  kept: 'its heart passes, and each other must passes or is declared under notSupported',
  partly: 'something is violated or was left open, or a part of the heart is not offered',
  'not-offered': 'the profile lacks what its heart needs',
  'not-judged': 'the run did not ask',
};

const formatUses: Readonly<Record<FormatName, string>> = {
  json: 'everything, for programs; what compare and --only-changed-since read',
  junit: 'for the test view of a pipeline',
  markdown: 'a page that fits the summary of a step',
  html: 'one file for people: searchable, works offline',
  badge: 'a picture of one line, as SVG',
  'badge-json': 'the same for a service that draws badges',
  sarif: 'for code scanning: violations with the line of the profile',
  ctrf: 'for dashboards that read the common test report format',
};

/** Explains a command or a topic, and without words the program. @throws {UsageError} neither */
export async function helpCommand(words: readonly string[], program: Command): Promise<number> {
  const topic = topicNames.find((name) => name === words.join(' '));
  const parts = topic === undefined ? partsAbout(words) : topicParts(topic, program);
  if (parts === undefined) commandNamed(words, program).outputHelp();
  else stdout.write(`${topicText(parts)}\n`);
  return 0;
}

/** One key of a profile with everything below it, or one need; undefined of anything else. @throws {UsageError} there is none of that name */
function partsAbout([topic, name, ...more]: readonly string[]): readonly Part[] | undefined {
  if (name === undefined || more.length > 0) return undefined;
  if (topic === 'profile') return keyParts(name);
  return topic === 'needs' ? needParts(name) : undefined;
}

function keyParts(name: string): readonly Part[] {
  const keys = keysOf(profileSchema);
  const found = keys.filter(({ path }) => path === name || isBelow(path, name));
  if (found.length === 0)
    throw new UsageError(
      unknownName(
        'key of a profile',
        name,
        withoutRepeats(keys).map(({ path }) => path),
        Object.keys(profileSchema.properties),
      ),
    );
  return [
    found.map(({ path, type, required, description }) => [
      required ? `${path} (required)` : path,
      `${type}${description === '' ? '' : `: ${description}`}`.replaceAll('`', ''),
    ]),
  ];
}

function needParts(name: string): readonly Part[] {
  const need = (Object.keys(needs) as Need[]).find((one) => one === name);
  if (need === undefined) throw new UsageError(unknownName('need', name, Object.keys(needs)));
  const rules = listedRules.filter((rule) => rule.needs.includes(need)).map(({ id }) => id);
  return [
    [
      ['need', needs[need]],
      ['declared by', keysFor(need) ?? 'what the profile says otherwise'],
      [
        'rules',
        `${rules.length}: ${rules.slice(0, mostRules).join(', ')}${rules.length > mostRules ? ' and more' : ''}`,
      ],
    ],
    'svc-conformance help profile KEY says what such a key holds, as help profile softTypes.primary.arrayPort.',
  ];
}

const mostRules = 8;

function commandNamed(words: readonly string[], program: Command): Command {
  const known = linesOf(program);
  const found = known.get(words.join(' '));
  if (found !== undefined) return found;
  const names = [...known.keys()].filter((line) => line !== '');
  throw new UsageError(unknownName('command or topic', words.join(' '), [...topicNames, ...names]));
}

/** Every command by the words that it is called with; the program has none. */
function linesOf(command: Command, line = ''): ReadonlyMap<string, Command> {
  const below = command.commands.flatMap((each) => [...linesOf(each, `${line} ${each.name()}`.trim())]);
  return new Map([[line, command] as const, ...below]);
}

/** What there is to say about a topic, made from what the program itself goes by. */
export function topicParts(topic: TopicName, program: Command): readonly Part[] {
  const makers: Readonly<Record<TopicName, () => readonly Part[]>> = {
    profile: profileParts,
    needs: () => [
      'What a rule needs of a deployment. Where the profile does not declare it the rule is blocked; list the need under notSupported, with a reason, and it no longer spoils the exit code. help needs NAME says what declares one.',
      Object.entries(needs),
    ],
    verdicts: () => ['How a rule ends.', Object.entries(verdicts)],
    classes: () => [
      'What somebody wants a service for, each with the rules that this takes. Reports say how each class stands, rules explain ID of which ones a rule is, and claims of the profile names those to sign for.',
      Object.entries(classes).map(([name, { says }]) => [name, says]),
      Object.entries(classStates).map(([state, meaning]) => [classWords[state as ClassState], meaning]),
      'Where a kept class was seen by fewer rules than it has, the terminal says by how many.',
    ],
    'exit-codes': () => ['How a command ends.', Object.entries(exitCodes)],
    time: () => timeParts(program),
    secrets: () => secretParts(program),
    gate: () => gateParts(program),
    reports: () => [
      '--report FORMAT=FILE writes one more document of a run; report FORMAT FILE makes it of an earlier one. outcomes.ndjson, from which all are made, is always written.',
      Object.entries(formatUses),
      `Of a cassette, which check --record writes, report makes ${cassetteFormats.join(', ')}; scripts that show the findings again lie in the folder repeat of the run.`,
      'Reached counts what the requests of a run met of all that the documents and the schema of a profile name. Conditions are what a request was sent under: who asks, with which filter, version, lock; of these, pairs and triples that came together in one request. rules coverage says what each takes.',
      'The run before stays in the folder former of that of a run: compare FOLDER/former/report.json FOLDER/report.json says what has changed.',
      '--report FORMAT=- prints that document on standard output, and nothing else; what a person watches goes to standard error. --json prints lines of events in its place: how the run began, every verdict as soon as nothing can change it, findings with what to do next, the end; docs/event.schema.json has their members.',
      'The source of a rule names the document, its section and which sentence, row or rule of it; rules explain prints a line for a shell that shows the section in your own copy.',
    ],
  };
  return makers[topic]();
}

function profileParts(): readonly Part[] {
  return [
    'A YAML file that says where a deployment is, who may act on it, and what it does where the documents leave a choice. init writes a first one, doctor tries one out, docs/profile.md has every key; help profile KEY says what stands below one.',
    Object.entries(profileSchema.properties).map(([key, schema]) => [
      profileSchema.required.includes(key as 'space') ? `${key} (required)` : key,
      meaningOf(schema),
    ]),
  ];
}

/** Its description, or what stands below it. */
function meaningOf(schema: object): string {
  if ('description' in schema) return String(schema.description);
  const { properties = {}, ...rest } = schema as { readonly properties?: object; readonly const?: unknown };
  return 'const' in rest ? String(rest.const) : Object.keys(properties).join(', ');
}

function timeParts(program: Command): readonly Part[] {
  const schedules = listedRules.filter(({ kind }) => kind === 'schedule');
  return [
    `${schedules.length} rules are about schedules: retries, timeouts, lifetimes. Where the clock of the service can be moved (time.control in the profile; docs/control.md has the protocol) they take seconds. Else they take the time that they are about, and are blocked with the seconds they would need where that is too long.`,
    checkFlags(program, ['--time', '--time-budget']),
  ];
}

function secretParts(program: Command): readonly Part[] {
  const fromEnvironment = [...linesOf(program)].flatMap(([line, command]) =>
    command.options.flatMap((option) => {
      const name = option.envVar ?? (option.long?.endsWith('-env') ? String(option.defaultValue ?? '') : '');
      return name === '' ? [] : [[name, `${line} ${option.long ?? ''}`] as const];
    }),
  );
  return [
    'A text ${NAME} in a profile stands for the environment variable of that name, or for what the file holds that NAME_FILE names, so that no secret has to stand in a file. No report, no curl line and no message shows the value of one: it stands as the name of its variable. A value of three characters or fewer is no secret, and shown.',
    'Variables that commands read by themselves, and the flags that they take the place of or are named by:',
    [
      ...fromEnvironment,
      ['SVC_READER_PASSWORD', 'init --identity reader=…, and so on for each identity'],
      ['SVC_CLAIM_KEY', 'claim --key, as PEM'],
    ],
  ];
}

function gateParts(program: Command): readonly Part[] {
  const flags = [
    '--fail-on',
    '--max-warnings',
    '--require',
    '--only-changed-since',
    '--update-known',
    '--shard',
    '--bail',
  ];
  const { notSupported, knownFailures } = profileSchema.properties;
  return [
    'The exit code is the gate (help exit-codes). What counts for it is said by the profile, where it stays with its reason, and by flags.',
    [
      ['notSupported', meaningOf(notSupported)],
      ['knownFailures', meaningOf(knownFailures)],
    ],
    checkFlags(program, flags),
    'A key of either may hold *, and a value is a reason or { reason: …, until: 2027-01-31 }: when that day is over, the entry fails the run.',
  ];
}

function checkFlags(program: Command, names: readonly string[]): Part {
  const options: readonly Option[] = linesOf(program).get('check')?.options ?? [];
  return options
    .filter(({ long }) => names.includes(long ?? ''))
    .map(({ flags, description, argChoices }) => [
      flags,
      argChoices === undefined ? description : `${description} (${argChoices.join(', ')})`,
    ]);
}

const widestLine = 100;

function topicText(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? folded(part, widestLine) : listed(part))).join('\n\n');
}

function listed(rows: readonly (readonly [term: string, meaning: string])[]): string {
  const width = Math.max(...rows.map(([term]) => term.length)) + 4;
  return rows
    .map(([term, meaning]) => {
      const lines = folded(meaning, Math.max(40, widestLine - width));
      return `  ${term}`.padEnd(width) + lines.replaceAll('\n', `\n${' '.repeat(width)}`);
    })
    .join('\n');
}

/** Lines of so many characters, where words let it. */
function folded(text: string, width: number): string {
  return text.replaceAll(new RegExp(`(.{1,${width}})(?:\\s+|$)`, 'g'), '$1\n').trimEnd();
}
