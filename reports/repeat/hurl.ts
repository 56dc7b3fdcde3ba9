import { jsonOf } from '../../contract/json.ts';
import type { Exchange } from '../../judge/exchange.ts';
import type { Capture, Check, LinesCheck, ScriptPart, ScriptStep } from '../../judge/repeat/repetition.ts';
import { type AnswerLine, answerLineOf, segmentsOf } from './answer-line.ts';
import {
  commentLines,
  filledIn,
  isForShell,
  namesSent,
  statusesInWords,
  type Told,
  variableLines,
  variablesNamed,
} from './told.ts';

/**
 * A file for Hurl. It fails as long as the service breaks the rule; where several lines or answers show that together, it passes, and the command
 * on top of it fails. Undefined where a request holds bytes that have to be made, a token would end in between, requests meet each other, or what was found is in no header and no member.
 */
export function hurlFile(told: Told): string | undefined {
  const { repetition } = told;
  const { check } = repetition;
  if (isForShell(repetition) || (check.kind === 'lines' && check.sum !== undefined)) return undefined;
  // one of several that are right, or what takes answers before it to show it, is told from what was found alone
  const isFound = check.kind === 'lines' && (check.lines.length > 0 || check.alsoRight !== undefined);
  const isTogether = isFound || repetition.steps.some(({ found }) => found !== undefined);
  const last = repetition.steps.length - 1;
  const sent = new Set(namesSent(repetition.steps));
  const caught = new Set(repetition.steps.flatMap(({ captures }) => captures.map(({ variable }) => variable)));
  const steps = repetition.steps.map((step) => withoutIds(step, (name) => sent.has(name) || !caught.has(name)));
  const judged = withoutOwnIds(repetition.check, repetition.steps.at(-1));
  const shown = namesIn(judged.kind === 'lines' ? [...judged.lines, judged.expected ?? []] : []);
  const entries = steps.map((step, index) => {
    const isJudged = index === last;
    const captures = step.captures.filter(({ variable }) => sent.has(variable) || shown.includes(variable));
    const asserts = step.found === undefined ? [] : together(step.found, step.exchange.response);
    const judging = isTogether ? unwanted(judged, step.exchange.response) : wanted(judged);
    return entryOf({ ...step, captures }, isJudged ? judging : asserts, isJudged || !isTogether);
  });
  if (entries.includes(undefined)) return undefined;
  const secrets = variablesNamed(told).map((name) => ` --secret ${name}="$${name}"`);
  const command = `hurl --test --variable MARK=$(date +%s | cut -c 3-10)${secrets.join('')} FILE`;
  const how = isTogether
    ? [
        '# Hurl 8 passes this file as long as the service does that, as only all of it together shows it; the next line ends with 1 as long.',
        `# ${command}; ${turnedRound}`,
      ]
    : [`# ${command}`];
  return `${[[...commentLines(told), ...variableLines(told), ...how].join('\n'), ...entries].join('\n\n')}\n`;
}

/** A file that passes shows the violation, one that fails does not, and one that comes to no end tells neither. */
const turnedRound = 'case $? in 0) false ;; 4) true ;; *) (exit 2) ;; esac';

/** Without the lines that hold ids which no request takes: where there is none to catch, Hurl ends as if nobody had answered. */
function withoutIds(step: ScriptStep, isKnown: (name: string) => boolean): ScriptStep {
  const { found } = step;
  if (found === undefined) return step;
  const lines = found.lines.filter((line) => namesIn([line]).every(isKnown));
  return { ...step, found: { ...found, lines } };
}

/** Without the lines that hold what is caught from that very answer: they are as they are. */
function withoutOwnIds(check: Check, judged: ScriptStep | undefined): Check {
  if (check.kind !== 'lines') return check;
  const own = new Set(judged?.captures.map(({ variable }) => variable));
  return { ...check, lines: check.lines.filter((line) => !namesIn([line]).some((name) => own.has(name))) };
}

function namesIn(lines: LinesCheck['lines']): readonly string[] {
  return lines.flat().flatMap((part) => ('variable' in part ? [part.variable] : []));
}

function entryOf(step: ScriptStep, asserts: readonly string[] | undefined, isAny: boolean): string | undefined {
  const url = plainText(step.url);
  const headers = step.headers.map(([name, value]) => [name, plainText(value)] as const);
  const form = (step.form ?? []).map(([name, value]) => [name, plainText(value)] as const);
  const body = bodyOf(step);
  if (url === undefined || body === undefined || asserts === undefined) return undefined;
  if ([...headers, ...form].some(([, value]) => value === undefined)) return undefined;
  return [
    `${step.method} ${url}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '[Options]',
    'path-as-is: true',
    ...(step.pauseMs === undefined ? [] : [`delay: ${step.pauseMs}ms`]),
    ...(form.length === 0 ? [] : ['[Form]', ...form.map(([name, value]) => `${name}: ${value}`)]),
    ...body,
    `HTTP ${isAny ? '*' : step.status}`,
    ...(step.captures.length === 0 ? [] : ['[Captures]', ...step.captures.map(captureLine)]),
    ...(asserts.length === 0 ? [] : ['[Asserts]', ...asserts]),
  ].join('\n');
}

function bodyOf({ body = [] }: ScriptStep): readonly string[] | undefined {
  if (body.length === 0) return [];
  const texts = body.map((part) => ('parts' in part ? quotedText(part.parts) : undefined));
  return texts.includes(undefined) ? undefined : [`\`${texts.join('')}\``];
}

/** What is right. */
function wanted(check: Check): readonly string[] | undefined {
  if (check.kind === 'header') return [`header "${check.name}" exists`];
  if (check.kind === 'lines') return wantedLine(check);
  if (check.kind === 'meeting') return undefined;
  const { expected } = check;
  if (expected === '2xx') return ['status >= 200', 'status < 300'];
  if (expected === 'refused') return ['status >= 400'];
  if (expected === 'not 2xx') return ['status >= 300', 'status != 304'];
  const [status, ...others] = expected;
  if (others.length === 0) return [`status == ${status}`];
  return [`# ${statusesInWords(expected)}`, `status matches /^(${expected.join('|')})$/`];
}

/** What is wrong, where it takes answers before it to show that. */
function unwanted(check: Check, response: Exchange['response']): readonly string[] | undefined {
  if (check.kind === 'status') return [`status == ${check.found}`];
  if (check.kind === 'header') return [`status == ${check.status}`, `header "${check.name}" not exists`];
  if (check.kind === 'meeting') return undefined;
  const found = together(check, response);
  const right = [check.expected, check.alsoRight]
    .filter((line) => line !== undefined)
    .map((line) => {
      const told = answerLineOf(line);
      return told && assertOf(told, '!=');
    });
  if (found === undefined || right.includes(undefined) || found.length + right.length === 0) return undefined;
  return [`status == ${check.status}`, ...found, ...right.filter((assert) => assert !== undefined)];
}

function wantedLine({ expected = [] }: LinesCheck): readonly string[] | undefined {
  const line = answerLineOf(expected);
  const assert = line && assertOf(line, '==');
  return assert === undefined ? undefined : [assert];
}

/** All that was found in an answer. */
function together({ lines, count }: LinesCheck, response: Exchange['response']): readonly string[] | undefined {
  const found = lines.map(answerLineOf).filter((line) => line !== undefined);
  if (found.length < lines.length) return undefined;
  const objects = new Set(found.flatMap((line) => (line.kind === 'object' ? [line.pointer] : [])));
  const isObject: IsObject = (pointer) => objects.has(pointer);
  const told = found.filter(({ kind }) => kind !== 'object' && kind !== 'array');
  const asserts = told.map((line) => assertOf(line, '==', isObject));
  const counted = count === undefined ? undefined : lengthAssert(jsonOf(response?.body ?? ''), isObject);
  if (asserts.includes(undefined)) return undefined;
  return [...asserts.filter((assert) => assert !== undefined), ...(counted === undefined ? [] : [counted])];
}

/** A condition selects members of the body, of which an empty one has none. */
function lengthAssert(value: unknown, isObject: IsObject): string | undefined {
  const lengths = lengthConditions(value, '', isObject);
  if (lengths.length === 0) return undefined;
  const isEmpty = Object.keys(value as object).length === 0;
  return isEmpty ? 'jsonpath "$" isEmpty' : `jsonpath ${quoted(`$[?${lengths.join(' && ')}]`)} exists`;
}

function assertOf(line: AnswerLine, operator: '==' | '!=', isObject?: IsObject): string | undefined {
  if (line.kind === 'empty') return `bytes count ${operator} 0`;
  if (line.kind === 'object' || line.kind === 'array') return undefined;
  const text = filledIn(line.value);
  if (text === undefined) return undefined;
  if (line.kind === 'header') return `header "${line.name}" ${operator} ${quoted(text)}`;
  const value = jsonOf(text);
  if (value === undefined) return undefined;
  return `jsonpath ${quoted(jsonPath(line.pointer, isObject))} ${operator} ${typeof value === 'string' ? quoted(value) : text}`;
}

/** How many members each object and array has, but where it is about the form of the data. */
function lengthConditions(value: unknown, pointer: string, isObject: IsObject): readonly string[] {
  if (typeof value !== 'object' || value === null || pointer === '/schema') return [];
  return [
    `length(${jsonPath(pointer, isObject)}) == ${Object.keys(value).length}`,
    ...Object.entries(value).flatMap(([name, member]) =>
      lengthConditions(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, isObject),
    ),
  ];
}

function captureLine({ variable, header, pointer = '', piece, stem, filled }: Capture): string {
  const source = header === undefined ? `jsonpath ${quoted(jsonPath(pointer))}` : `header "${header}"`;
  if (stem === true) return `${variable}: ${source} regex /^([^{]*)/`;
  if (filled !== undefined) return `${variable}: ${source} replaceRegex /\\{[^}]*\\}/ "${filled}"`;
  // a template is no link that can be followed: Hurl ends there, as where nothing is caught
  if (piece === undefined) return `${variable}: ${source}${variable.startsWith('LINK') ? ' regex /^([^{]*)$/' : ''}`;
  const behind = piece === 1 ? '' : String.raw`(?:["\/?&=#][^"\/?&=#]*){${piece - 1}}`;
  return `${variable}: ${source} regex /([^"\\/?&=#]*)${behind}$/`;
}

type IsObject = (pointer: string) => boolean;

/** A JSON Pointer as a JSONPath; digits are an index, but below what is known to be an object. */
function jsonPath(pointer: string, isObject: IsObject = () => false): string {
  const places = pointer.split('/');
  const steps = segmentsOf(pointer).map((segment, index) => {
    const isIndex = /^\d+$/.test(segment) && !isObject(places.slice(0, index + 1).join('/'));
    return isIndex ? `[${segment}]` : `[${literalOf(segment)}]`;
  });
  return `$${steps.join('')}`;
}

/** As RFC 9535 writes it. */
function literalOf(value: unknown): string {
  const text = JSON.stringify(value);
  if (typeof value !== 'string') return text;
  return `'${text
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", String.raw`\'`)}'`;
}

/** A text as Hurl reads it, which fills its placeholders in. */
function quoted(text: string): string {
  return `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[\u0000-\u001f\u007f]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)}"`;
}

/** Undefined where a part has to be computed. */
function plainText(parts: readonly ScriptPart[]): string | undefined {
  return filledIn(parts, (text) => text.replaceAll('\\', '\\\\').replaceAll('#', '\\#'));
}

function quotedText(parts: readonly ScriptPart[]): string | undefined {
  return filledIn(parts, (text) =>
    text
      .replaceAll('\\', '\\\\')
      .replaceAll('`', '\\`')
      .replaceAll(/[\u0000-\u001f\u007f]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`),
  );
}
