import type { Capture, Check, ScriptPart, ScriptStep } from '../../judge/repeat/repetition.ts';
import { commentLines, statusesInWords, type Told, variablesOf } from './told.ts';

/** A file for the HTTP client of JetBrains, which httpYac runs in VS Code as well. Undefined where a request holds what has to be made. */
export function httpFile(told: Told): string | undefined {
  const { steps, check } = told.repetition;
  const entries = steps.map((step, index) => {
    const isLast = index === steps.length - 1;
    return entryOf(step, index, isLast ? testOf(check, told) : []);
  });
  if (entries.includes(undefined)) return undefined;
  const variables = variablesOf(told).map(({ name, how }) =>
    name === 'BASE_URL' ? `@${name} = ${how}` : `# ${name} from the environment: ${how}`,
  );
  return `${[[...commentLines(told), ...variables].join('\n'), ...entries].join('\n\n')}\n`;
}

function entryOf(step: ScriptStep, index: number, test: readonly string[]): string | undefined {
  const url = textOf(step.url);
  const headers = step.headers.map(([name, value]) => [name, textOf(value)] as const);
  const body = (step.body ?? []).map((part) => ('parts' in part ? textOf(part.parts) : undefined));
  const form = (step.form ?? []).map(([name, value]) => [name, textOf(value)] as const);
  if (url === undefined || body.includes(undefined) || headers.some(([, value]) => value === undefined))
    return undefined;
  const content = body.length > 0 ? body.join('') : form.map(([name, value]) => `${name}=${value}`).join('&');
  const handler = [...step.captures.map(captureLine), ...test];
  return [
    `### ${index + 1}`,
    ...(index === 0 ? ['< {% client.global.set("MARK", Date.now().toString(16).slice(-8).padStart(8, "0")); %}'] : []),
    `${step.method} ${url}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content === '' ? [] : ['', content]),
    ...(handler.length === 0 ? [] : ['', '> {%', ...handler.map((line) => `  ${line}`), '%}']),
  ].join('\n');
}

function captureLine({ variable, header, pointer = '', piece }: Capture): string {
  const source = header === undefined ? memberOf(pointer) : `response.headers.valueOf(${JSON.stringify(header)})`;
  const part = piece === undefined ? source : `String(${source}).split(/["\\/?&=#]/).at(-${piece})`;
  return `client.global.set(${JSON.stringify(variable)}, ${part});`;
}

function memberOf(pointer: string): string {
  const segments = pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return `response.body${segments.map((segment) => `?.[${JSON.stringify(segment)}]`).join('')}`;
}

function testOf(check: Check, { rule, expected, actual }: Told): readonly string[] {
  const message = JSON.stringify(`expected ${expected}, found ${actual}`);
  return [
    `client.test(${JSON.stringify(rule)}, () => {`,
    ...conditionLines(check).map((line) => `  ${line}`),
    `  client.assert(isRight, ${message});`,
    '});',
  ];
}

function conditionLines(check: Check): readonly string[] {
  if (check.kind === 'header')
    return [`const isRight = Boolean(response.headers.valueOf(${JSON.stringify(check.name)}));`];
  if (check.kind === 'status')
    return [`// ${statusesInWords(check.expected)}`, `const isRight = ${statusCondition(check.expected)};`];
  const found = check.lines.map(lineCondition).filter((condition) => condition !== undefined);
  return [
    `const isFound = response.status === ${check.status}${found.map((condition) => ` &&\n    ${condition}`).join('')};`,
    'const isRight = !isFound;',
  ];
}

function statusCondition(expected: (Check & { readonly kind: 'status' })['expected']): string {
  if (expected === '2xx') return 'response.status >= 200 && response.status < 300';
  if (expected === 'refused') return 'response.status >= 400';
  if (expected === 'not 2xx') return 'response.status >= 300 && response.status !== 304';
  return `[${expected.join(', ')}].includes(response.status)`;
}

function lineCondition(line: readonly ScriptPart[]): string | undefined {
  const whole = line.map((part) => ('text' in part ? part.text : '')).join('');
  const [, pointer] = /^(\/\S*) = /.exec(whole) ?? [];
  const [, name] = /^([\w-]+): /.exec(whole) ?? [];
  if (pointer !== undefined && !/ = [{[]$/.test(whole))
    return `JSON.stringify(${memberOf(pointer)}) === ${textExpression(line, `${pointer} = `)}`;
  if (name === undefined || name === 'cksum') return undefined;
  return `response.headers.valueOf(${JSON.stringify(name)}) === ${textExpression(line, `${name}: `)}`;
}

/** The text behind a beginning, as an expression of a script. */
function textExpression(parts: readonly ScriptPart[], beginning: string): string {
  const [first, ...others] = parts;
  const rest = first !== undefined && 'text' in first ? first.text.slice(beginning.length) : '';
  const pieces = others.map((part) => {
    if ('variable' in part) return `client.global.get(${JSON.stringify(part.variable)})`;
    return JSON.stringify('text' in part ? part.text : '');
  });
  return [JSON.stringify(rest), ...pieces].join(' + ');
}

/** Undefined where a part has to be computed, or would begin a placeholder. */
function textOf(parts: readonly ScriptPart[]): string | undefined {
  const texts = parts.map((part) => {
    if ('variable' in part) return `{{${part.variable}}}`;
    return 'text' in part && !part.text.includes('{{') ? part.text : undefined;
  });
  return texts.includes(undefined) ? undefined : texts.join('');
}
