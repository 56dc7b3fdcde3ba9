import type { Repetition, ScriptPart } from '../../judge/repeat/repetition.ts';
import type { TraceName } from '../../judge/outcome.ts';
import { calleePath, signatureVariable } from '../../contract/names.ts';
import type { Statuses } from '../../judge/violation.ts';
import { traceInWords } from '../finding.ts';
import { singleQuoted } from '../text.ts';

/** A finding as the writers of its scripts see it. */
export interface Told {
  readonly rule: string;
  readonly statement: string;
  readonly expected: string;
  readonly actual: string;
  readonly repetition: Repetition;
  readonly trace?: TraceName;
  /** How a reader gets each variable: a line of a shell, or where to find it; of the run. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface NeededVariable {
  readonly name: string;
  /** A value, `NAME=…` as a line of a shell, or `# ` and where to find it. */
  readonly how: string;
}

const nobody = 'http://127.0.0.1:9';
const listener = 'LISTENER_URL';

/** Whether the service calls somebody, whom `simulate callee` plays. */
export function isCalled({ steps }: Repetition): boolean {
  return steps.some(isOrder);
}

/** Whether it does what other clients cannot: several things at once, something to files, to a token or below HTTP, or takes another token or signature in between. */
export function isForShell({ steps }: Repetition): boolean {
  if (signaturesIn(steps).length > 1) return true;
  return steps.some(
    ({ isLater, atOnce, unanswered, raw, isOfToken, file }) =>
      (isLater ?? atOnce ?? unanswered ?? raw ?? isOfToken ?? false) || file !== undefined,
  );
}

/** Lines of a shell that sign paths, each once. */
function signaturesIn(steps: Repetition['steps']): readonly string[] {
  return [...new Set(steps.flatMap(({ signature }) => signature ?? []))];
}

/** Whether a step goes to whoever plays what the service calls, and not to the service. */
export function isOrder({ url: [first, second] }: Pick<Repetition['steps'][number], 'url'>): boolean {
  const isListener = first !== undefined && 'variable' in first && first.variable === listener;
  return isListener && second !== undefined && 'text' in second && second.text.startsWith(calleePath);
}

/** The variables that the requests name, each after those that it needs itself; captured ones and MARK are not among them. */
export function variablesOf({ repetition, variables }: Told): readonly NeededVariable[] {
  const { baseUrl } = repetition;
  const known: Readonly<Record<string, string>> = {
    BASE_URL: baseUrl,
    BASE_HOST: 'BASE_HOST="${BASE_URL#*:}"',
    ...Object.fromEntries(signaturesIn(repetition.steps).map((line) => [signatureVariable, line])),
    [listener]: isCalled(repetition) ? '# the url that `svc-conformance simulate callee` prints' : nobody,
    ...Object.fromEntries(
      Object.entries({ ...variables, ...repetition.variables }).map(([name, how]) => [
        name,
        how.replaceAll(`'${baseUrl}`, `"$BASE_URL"'`),
      ]),
    ),
  };
  const needed = new Map<string, string>();
  const add = (name: string): void => {
    const how = known[name];
    if (how === undefined || needed.has(name)) return;
    for (const other of Object.keys(known)) if (other !== name && names(how, other)) add(other);
    needed.set(name, how);
  };
  add('BASE_URL');
  for (const name of usedIn(repetition)) add(name);
  return [...needed].map(([name, how]) => ({ name, how }));
}

function names(how: string, name: string): boolean {
  return new RegExp(`\\$\\{?${name}\\b`).test(how);
}

/** The variables without which some request cannot be sent. */
export function namesSent(steps: Repetition['steps']): readonly string[] {
  return partsSent(steps).flatMap(variablesIn);
}

/** Comments that tell a reader how to get each variable, each a line of a shell where that is possible. */
export function variableLines(told: Told): readonly string[] {
  return variablesOf(told).map(({ name, how }) => {
    if (how.startsWith(`${name}=`)) return `# ${how}`;
    return how.startsWith('# ') ? `# ${name}: ${how.slice(2)}` : `# ${name}=${singleQuoted(how)}`;
  });
}

/** The variables that a file names itself; the others are needed to make these. */
export function variablesNamed(told: Told): readonly string[] {
  const used = new Set(usedIn(told.repetition));
  return variablesOf(told).flatMap(({ name }) => (name === 'BASE_URL' || used.has(name) ? [name] : []));
}

function usedIn({ steps, check, afterwards = [] }: Repetition): readonly string[] {
  const lines = check.kind === 'lines' ? [...check.lines, check.expected ?? []] : [];
  const found = steps.flatMap((step) => step.found?.lines.flat() ?? []);
  return [...partsSent([...steps, ...afterwards]), ...found, ...lines.flat()].flatMap(variablesIn);
}

function partsSent(steps: Repetition['steps']): readonly ScriptPart[] {
  return steps.flatMap(({ url, headers, body = [], form = [], signature }) => [
    ...url,
    ...headers.flatMap(([, value]) => value),
    ...form.flatMap(([, value]) => value),
    ...body.flatMap((part) => ('parts' in part ? part.parts : [])),
    ...(signature === undefined ? [] : [{ variable: 'EXTENSION_API_KEY' }]),
  ]);
}

function variablesIn(part: ScriptPart): readonly string[] {
  if ('variable' in part) return [part.variable];
  if ('command' in part) return [part.of];
  return 'base64' in part ? part.base64.flatMap(variablesIn) : [];
}

/** The text of parts, in which clients fill in what stands in braces; undefined where a part has to be computed, or would begin a placeholder. */
export function filledIn(parts: readonly ScriptPart[], escape = (text: string): string => text): string | undefined {
  const texts = parts.map((part) => {
    if ('variable' in part) return `{{${part.variable}}}`;
    return 'text' in part && !part.text.includes('{{') ? escape(part.text) : undefined;
  });
  return texts.includes(undefined) ? undefined : texts.join('');
}

/** What stands on top of each script. */
export function commentLines({ rule, statement, expected, actual, repetition, trace }: Told): readonly string[] {
  const { recorded, steps, shown } = repetition;
  const lines = [
    rule,
    statement,
    `expected: ${expected}`,
    `found:    ${actual}`,
    `${steps.length} of the ${recorded} requests of the case${shown ? '' : '; they were not played to the service again'}`,
    ...(trace === undefined
      ? []
      : [`found as ${traceInWords(trace)} in the log of the service, when the rule was judged`]),
  ];
  return lines.map((line) => `# ${cutLine(line)}`);
}

/** A text of the target on one line. */
export function cutLine(text: string, longest = 300): string {
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ');
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

export function statusesInWords(expected: Statuses): string {
  if (expected === 'refused') return '400 or above';
  if (expected === 'not 2xx') return 'other than 2xx and 304';
  return expected === '2xx' ? expected : expected.join(' or ');
}
