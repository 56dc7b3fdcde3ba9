import type { Exchange } from '../../judge/exchange.ts';
import type { Capture, Check, LinesCheck, ScriptPart, ScriptStep } from '../../judge/repeat/repetition.ts';
import { isSentAsWritten } from '../cassette/http.ts';
import { answerLineOf, segmentsOf } from './answer-line.ts';
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

/** A file for the HTTP client of JetBrains, which httpYac runs as well. Undefined where a request holds what has to be made, a token would end in between, requests meet each other, or no member and no header shows what was found. */
export function httpFile(told: Told): string | undefined {
  const { steps } = told.repetition;
  const { check } = told.repetition;
  if (isForShell(told.repetition) || (check.kind === 'lines' && check.sum !== undefined)) return undefined;
  const sent = new Set(namesSent(steps));
  const entries = steps.map((step, index) => {
    const needed = step.captures.filter(({ variable }) => sent.has(variable)).map(neededLine);
    const isLast = index === steps.length - 1;
    const judging = isLast ? testOf(step, told) : foundLines(step, index);
    return entryOf(step, index, judging && [...needed, ...judging]);
  });
  if (entries.includes(undefined)) return undefined;
  const given = variablesNamed(told).filter((name) => name !== 'BASE_URL');
  const command = `# httpyac send --all FILE${given.length === 0 ? '' : ` --var ${given.map((name) => `${name}="$${name}"`).join(' ')}`}`;
  const head = [...commentLines(told), ...variableLines(told), command, `@BASE_URL = ${told.repetition.baseUrl}`];
  return `${[head.join('\n'), ...entries].join('\n\n')}\n`;
}

function entryOf(step: ScriptStep, index: number, test: readonly string[] | undefined): string | undefined {
  const url = filledIn(step.url);
  const headers = step.headers.map(([name, value]) => [name, filledIn(value)] as const);
  const body = (step.body ?? []).map((part) => ('parts' in part ? filledIn(part.parts) : undefined));
  const form = (step.form ?? []).map(([name, value]) => [name, filledIn(value, encodeURIComponent)] as const);
  if (url === undefined || body.includes(undefined) || test === undefined) return undefined;
  if ([...headers, ...form].some(([, value]) => value === undefined)) return undefined;
  const content =
    body.length > 0 ? body.join('') : form.map(([name, value]) => `${encodeURIComponent(name)}=${value}`).join('&');
  if (!isSentAsWritten(content)) return undefined;
  const handler = [...step.captures.map(captureLine), ...test];
  return [
    `### ${index + 1}`,
    ...(index === 0
      ? [
          `< {% client.global.set("${nothingShown}", "false"); client.global.set("MARK", Date.now().toString(16).slice(-8).padStart(8, "0")); %}`,
        ]
      : []),
    ...(step.pauseMs === undefined
      ? []
      : [`< {% { const until = Date.now() + ${step.pauseMs}; while (Date.now() < until); } %}`]),
    `${step.method} ${url}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content === '' ? [] : ['', content]),
    ...(handler.length === 0 ? [] : ['', '> {%', ...handler.map((line) => `  ${line}`), '%}']),
  ].join('\n');
}

function captureLine({ variable, header, pointer = '', piece, stem, filled }: Capture): string {
  const source = header === undefined ? memberOf(pointer) : `response.headers.valueOf(${JSON.stringify(header)})`;
  const piecePart = piece === undefined ? source : `String(${source}).split(/["\\/?&=#]/).at(-${piece})`;
  if (filled !== undefined)
    return `client.global.set(${JSON.stringify(variable)}, String(${source}).replace(/\\{[^}]*\\}/, "${filled}"));`;
  const part = stem === true ? `String(${source}).split("{")[0]` : piecePart;
  return `client.global.set(${JSON.stringify(variable)}, ${part});`;
}

/** What is not told, or told as a template, is not followed in vain: what comes of it shows nothing. */
function neededLine({ variable }: Capture): string {
  const name = JSON.stringify(variable);
  return `if (/^undefined$|^$|\\{.*\\}/.test(String(client.global.get(${name})))) client.global.set("${nothingShown}", "true");`;
}

const nothingShown = 'NOTHING_SHOWN';

function memberOf(pointer: string): string {
  return `response.body${segmentsOf(pointer)
    .map((segment) => `?.[${JSON.stringify(segment)}]`)
    .join('')}`;
}

/** Notes whether an answer before the last is as it was found, where what was found is made of several. */
function foundLines({ found, exchange }: ScriptStep, index: number): readonly string[] | undefined {
  if (found === undefined) return [];
  const condition = linesCondition(found, exchange);
  return condition && [...condition, `client.global.set(${JSON.stringify(nameOfFound(index))}, String(isFound));`];
}

function nameOfFound(index: number): string {
  return `FOUND${index + 1}`;
}

function testOf({ exchange }: ScriptStep, { rule, expected, actual, repetition }: Told): readonly string[] | undefined {
  const message = JSON.stringify(`expected ${expected}, found ${actual}`);
  const before = repetition.steps.flatMap(({ found }, index) => (found === undefined ? [] : [nameOfFound(index)]));
  const condition = conditionLines(repetition.check, exchange, before);
  return (
    condition && [
      `client.test(${JSON.stringify(rule)}, () => {`,
      ...condition.map((line) => `  ${line}`),
      `  client.assert(isRight || client.global.get("${nothingShown}") === "true", ${message});`,
      '});',
    ]
  );
}

function conditionLines(check: Check, exchange: Exchange, before: readonly string[]): readonly string[] | undefined {
  if (check.kind === 'meeting') return undefined;
  const others = before.map((name) => `client.global.get(${JSON.stringify(name)}) !== "true"`);
  const right = (condition: string): string => `const isRight = ${[condition, ...others].join(' || ')};`;
  if (check.kind === 'header') return [right(`Boolean(response.headers.valueOf(${JSON.stringify(check.name)}))`)];
  if (check.kind === 'status')
    return [`// ${statusesInWords(check.expected)}`, right(`(${statusCondition(check.expected)})`)];
  const condition = linesCondition(check, exchange);
  return condition && [...condition, right('!isFound')];
}

function statusCondition(expected: (Check & { readonly kind: 'status' })['expected']): string {
  if (expected === '2xx') return 'response.status >= 200 && response.status < 300';
  if (expected === 'refused') return 'response.status >= 400';
  if (expected === 'not 2xx') return 'response.status >= 300 && response.status !== 304';
  return `[${expected.join(', ')}].includes(response.status)`;
}

/** Lines that say whether the answer is as it was found. */
function linesCondition(
  { status, lines, expected, alsoRight, count, ofBody }: LinesCheck,
  exchange: Exchange,
): readonly string[] | undefined {
  const found = lines.map(lineCondition).filter((condition) => condition !== undefined);
  const right = [expected, alsoRight].filter((line) => line !== undefined);
  const stated = right.map(lineCondition).filter((condition) => condition !== undefined);
  if (found.length < lines.length || stated.length < right.length) return undefined;
  // headers that a client of its own adds or takes away are none of it
  const inBody = count === undefined ? undefined : count - (ofBody ? 0 : headerCount(exchange));
  const conditions = [
    `response.status === ${status}`,
    ...(inBody === undefined || inBody <= 0 ? [] : [`linesOf(response.body) === ${inBody}`]),
    ...stated.map((condition) => `!(${condition})`),
    ...found.filter((condition) => condition !== ''),
  ];
  return [
    ...(conditions.some((condition) => /\bis\(/.test(condition)) ? [sameMember] : []),
    ...(conditions.some((condition) => condition.startsWith('linesOf')) ? [lineCount] : []),
    `const isFound = ${conditions.join(' &&\n    ')};`,
  ];
}

const sameMember =
  'const is = (member, text) => member !== undefined && JSON.stringify(member) === JSON.stringify(JSON.parse(text));';
const lineCount =
  'const linesOf = (value) => 1 + (value && typeof value === "object" ? Object.values(value).reduce((sum, member) => sum + linesOf(member), 0) : 0);';

function headerCount({ response }: Exchange): number {
  return response?.headers.filter(([name]) => !passing.test(name)).length ?? 0;
}

/** Headers that are no line of an answer. */
const passing = /^(?:date|content-length|connection|keep-alive|transfer-encoding)$/i;

/** '' where it tells nothing that others do not tell; undefined where it cannot be asked for. */
function lineCondition(line: readonly ScriptPart[]): string | undefined {
  const found = answerLineOf(line);
  if (found === undefined) return undefined;
  if (found.kind === 'header')
    return `response.headers.valueOf(${JSON.stringify(found.name)}) === ${textExpression(found.value)}`;
  if (found.kind === 'empty') return '!response.body';
  return found.kind === 'member' ? `is(${memberOf(found.pointer)}, ${textExpression(found.value)})` : '';
}

function textExpression(parts: readonly ScriptPart[]): string {
  const pieces = parts.map((part) => {
    if ('variable' in part) return `client.global.get(${JSON.stringify(part.variable)})`;
    return JSON.stringify('text' in part ? part.text : '');
  });
  return pieces.join(' + ');
}
