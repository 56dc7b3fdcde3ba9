import type { Capture, Check, ScriptPart, ScriptStep } from '../../judge/repeat/repetition.ts';
import { commentLines, statusesInWords, type Told, variablesOf } from './told.ts';

/** A file for Hurl: it fails as long as the service breaks the rule. Undefined where a request holds bytes that have to be made. */
export function hurlFile(told: Told): string | undefined {
  const { steps, check } = told.repetition;
  const entries = steps.map((step, index) => entryOf(step, index === steps.length - 1 ? check : undefined));
  if (entries.includes(undefined)) return undefined;
  const variables = ['MARK=$(date +%s)', ...variablesOf(told).map(({ name }) => `${name}="$${name}"`)];
  const head = [
    ...commentLines(told),
    `# hurl --test ${variables.map((variable) => `--variable ${variable}`).join(' ')} FILE`,
    ...variablesOf(told).map(({ name, how }) => `# ${how.startsWith(`${name}=`) ? how : `${name}: ${how}`}`),
  ];
  return `${[head.join('\n'), ...entries].join('\n\n')}\n`;
}

function entryOf(step: ScriptStep, check: Check | undefined): string | undefined {
  const url = plainText(step.url);
  const headers = step.headers.map(([name, value]) => [name, plainText(value)] as const);
  const body = bodyOf(step);
  if (url === undefined || body === undefined || headers.some(([, value]) => value === undefined)) return undefined;
  return [
    `${step.method} ${url}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '[Options]',
    'path-as-is: true',
    ...(step.form === undefined ? [] : ['[Form]', ...step.form.map(([name, value]) => `${name}: ${plainText(value)}`)]),
    ...body,
    ...answerLines(step, check),
  ].join('\n');
}

function bodyOf({ body = [] }: ScriptStep): readonly string[] | undefined {
  if (body.length === 0) return [];
  const texts = body.map((part) => ('parts' in part ? quotedText(part.parts) : undefined));
  return texts.includes(undefined) ? undefined : [`\`${texts.join('')}\``];
}

function answerLines({ status, captures }: ScriptStep, check: Check | undefined): readonly string[] {
  const asserts = check === undefined ? [] : assertsOf(check);
  const isExact = check?.kind === 'status' && Array.isArray(check.expected) && check.expected.length === 1;
  const expected = isExact ? String(check.expected[0]) : '*';
  return [
    `HTTP ${check === undefined ? status : expected}`,
    ...(captures.length === 0 ? [] : ['[Captures]', ...captures.map(captureLine)]),
    ...(asserts.length === 0 || isExact ? [] : ['[Asserts]', ...asserts]),
  ];
}

function assertsOf(check: Check): readonly string[] {
  if (check.kind === 'header') return [`header "${check.name}" exists`];
  if (check.kind === 'lines') return lineAsserts(check);
  const { expected } = check;
  if (expected === '2xx') return ['status >= 200', 'status < 300'];
  if (expected === 'refused') return ['status >= 400'];
  if (expected === 'not 2xx') return ['status >= 300', 'status != 304'];
  return [`# ${statusesInWords(expected)}`, `status matches /^(${expected.join('|')})$/`];
}

/** What was found must not be found; of several lines no file of this kind can say that all of them must not. */
function lineAsserts({ lines, expected }: Check & { readonly kind: 'lines' }): readonly string[] {
  const [line] = lines;
  const stated = expected === undefined ? undefined : assertOf(expected, '==');
  if (stated !== undefined) return [stated];
  const found = lines.length === 1 && line !== undefined ? assertOf(line, '!=') : undefined;
  return [found ?? '# what was found is told above; no single assertion says that it must not be found'];
}

function assertOf(line: readonly ScriptPart[], operator: string): string | undefined {
  const text = plainText(line);
  const [, pointer, member] = /^(\/\S*) = (.*)$/s.exec(text ?? '') ?? [];
  if (pointer !== undefined && member !== undefined && !/^[{[]$/.test(member))
    return `jsonpath "${jsonPath(pointer)}" ${operator} ${member}`;
  const [, name, value] = /^([\w-]+): (.*)$/s.exec(text ?? '') ?? [];
  return name === undefined || name === 'cksum' ? undefined : `header "${name}" ${operator} ${JSON.stringify(value)}`;
}

function captureLine({ variable, header, pointer = '', piece }: Capture): string {
  const source = header === undefined ? `jsonpath "${jsonPath(pointer)}"` : `header "${header}"`;
  if (piece === undefined) return `${variable}: ${source}`;
  const behind = piece === 1 ? '' : String.raw`(?:["\/?&=#][^"\/?&=#]*){${piece - 1}}`;
  return `${variable}: ${source} regex /([^"\\/?&=#]*)${behind}$/`;
}

/** A JSON Pointer as a JSONPath in double quotes. */
function jsonPath(pointer: string): string {
  const segments = pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'));
  return `$${segments.map((segment) => (/^\d+$/.test(segment) ? `[${segment}]` : `['${segment.replaceAll("'", String.raw`\\'`)}']`)).join('')}`;
}

/** Undefined where a part has to be computed. */
function plainText(parts: readonly ScriptPart[]): string | undefined {
  return written(parts, (text) => text.replaceAll('\\', '\\\\').replaceAll('#', '\\#'));
}

function quotedText(parts: readonly ScriptPart[]): string | undefined {
  return written(parts, (text) =>
    text
      .replaceAll('\\', '\\\\')
      .replaceAll('`', '\\`')
      .replaceAll(/[\u0000-\u001f\u007f]/g, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`),
  );
}

function written(parts: readonly ScriptPart[], escape: (text: string) => string): string | undefined {
  const texts = parts.map((part) => {
    if ('variable' in part) return `{{${part.variable}}}`;
    return 'text' in part && !part.text.includes('{{') ? escape(part.text) : undefined;
  });
  return texts.includes(undefined) ? undefined : texts.join('');
}
