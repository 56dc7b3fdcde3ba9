import { printable } from './text.ts';

/** An element whose content is already XML. Attributes are plain text, in the order given. */
export function element(name: string, attributes: Readonly<Record<string, string | number>>, content = ''): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${xmlAttribute(String(value))}"`);
  const start = `<${name}${written.join('')}`;
  return content === '' ? `${start}/>` : `${start}>${content}</${name}>`;
}

/** Any text as character data. Characters that XML forbids, escaped or not, are written out as their code. */
export function xmlText(text: string): string {
  return printable(text).replace(/[&<>]/g, entityOf);
}

function xmlAttribute(text: string): string {
  return printable(text).replace(/[&<>"'\n\t]/g, entityOf);
}

function entityOf(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

/** A test case of JUnit. */
export interface JunitCase {
  readonly name: string;
  readonly group: string;
  readonly durationMs: number;
  /** How it ended, where it did not go well; what is skipped has no type and no text. */
  readonly end?: {
    readonly kind: 'failure' | 'error' | 'skipped';
    readonly message: string;
    readonly type?: string;
    readonly text?: string;
  };
}

/** A test suite of JUnit. */
export interface JunitSuite {
  readonly name: string;
  /** What was judged, where, and since when. */
  readonly about: { readonly implementation: string; readonly url: string; readonly startedAt: string };
  readonly durationMs: number;
  readonly properties: Readonly<Record<string, string | number>>;
  readonly cases: readonly JunitCase[];
  readonly out: readonly string[];
  readonly err?: readonly string[];
}

/** A document of JUnit. */
export function junitText(suites: readonly JunitSuite[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', {}, lines(suites.map(suiteElement)))}\n`;
}

function suiteElement({ name, about, durationMs, properties, cases, out, err = [] }: JunitSuite, id: number): string {
  const number = (kind: string): number => cases.filter(({ end }) => end?.kind === kind).length;
  const attributes = {
    name,
    package: about.implementation,
    id,
    timestamp: about.startedAt.slice(0, 19),
    hostname: URL.parse(about.url)?.hostname || 'localhost',
    tests: cases.length,
    failures: number('failure'),
    errors: number('error'),
    skipped: number('skipped'),
    time: secondsOf(durationMs),
  };
  const content = [
    element(
      'properties',
      {},
      lines(Object.entries(properties).map(([key, value]) => element('property', { name: key, value }))),
    ),
    ...cases.map(caseElement),
    element('system-out', {}, xmlText(out.join('\n'))),
    element('system-err', {}, xmlText(err.join('\n'))),
  ];
  return element('testsuite', attributes, lines(content));
}

function caseElement({ name, group, durationMs, end }: JunitCase): string {
  const attributes = { name, classname: `svc-conformance.${group}`, time: secondsOf(durationMs) };
  if (end === undefined) return element('testcase', attributes);
  const { kind, message, type, text = '' } = end;
  const result = element(kind, { message, ...(type !== undefined && { type }) }, xmlText(text));
  return element('testcase', attributes, result);
}

/** Elements below each other. */
function lines(parts: readonly string[]): string {
  return parts.length === 0 ? '' : `\n${parts.join('\n')}\n`;
}

function secondsOf(durationMs: number): string {
  return (durationMs / 1000).toFixed(3);
}
