import { styleText } from 'node:util';
import type { State } from '../contract/schemas/report.ts';
import type { Exchange } from '../judge/exchange.ts';
import {
  type Block,
  type Cell,
  type Document,
  type Evidence,
  partsFor,
  plainText,
  type Finding,
  type Table,
  type Text,
} from './document.ts';
import { counted, cutTo, firstOf, oneLine, printable } from './text.ts';

const styles = { title: 'bold', good: 'green', bad: 'red', caution: 'yellow', faint: 'dim' } as const;

/** Colours a text of ours for its role, or leaves it as it is where no colours are wanted. */
type Paint = (role: keyof typeof styles, text: string) => string;

const roles: Readonly<Partial<Record<State, 'good' | 'bad' | 'caution'>>> = {
  pass: 'good',
  fail: 'bad',
  warn: 'caution',
  blocked: 'caution',
  broken: 'bad',
  'not-run': 'bad',
};

const longestPassage = 600;
const longestBody = 300;
const longestLine = 600;
const namedItems = 8;
const namedBriefly = 3;
const labelWidth = 8;

/** A document for a terminal, in colours where they are wanted. */
export function terminalText(document: Document, hasColours = false): string {
  const paint: Paint = hasColours
    ? (role, text) => styleText(styles[role], text, { validateStream: false })
    : (_, text) => text;
  const { title, terminalTitle = title, verdict, exitCode, about, body } = document;
  const role = exitCode === 0 ? 'good' : 'bad';
  return [
    paint('title', lineOf(terminalTitle)),
    ...partsFor('terminal', body).flatMap((block) => afterBlank(linesOf(block, '', paint))),
    '',
    ...partsFor('terminal', about).flatMap((block) => linesOf(block, '', paint)),
    ...verdict.map(lineOf).map((line) => (exitCode === undefined ? line : paint(role, line))),
    '',
  ].join('\n');
}

function afterBlank(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', ...lines];
}

/** On one line, whatever it holds. */
function lineOf(text: Text): string {
  return oneLine(plainText(text));
}

/** Everything but a finding begins after `indent`; what only a page shows is no line. */
function linesOf(block: Block, indent: string, paint: Paint): readonly string[] {
  const short = (text: Text): string => indent + cutTo(longestLine, lineOf(text));
  switch (block.kind) {
    case 'paragraph':
      return [short(block.text)];
    case 'list':
      return nameSome(block.items.map(lineOf), indent);
    case 'facts':
      return factLines(block.rows, indent);
    case 'command':
      return printable(block.text)
        .split('\n')
        .map((line, index) => indent + (index === 0 && block.label !== undefined ? `${block.label}: ` : '') + line);
    case 'section': {
      const inner = partsFor('terminal', block.blocks).map((one) => linesOf(one, `${indent}  `, paint));
      const apart = block.blocks.some(({ kind }) => kind === 'finding');
      const lines = inner.flatMap((one, index) => (apart && index > 0 ? afterBlank(one) : one));
      const aside = block.aside === undefined ? '' : `  ${lineOf(block.aside)}`;
      const heading = lineOf(block.title) + aside + countOf(block.count, apart);
      return lines.length === 0 ? [] : [indent + (indent === '' ? paint('title', heading) : heading), ...lines];
    }
    case 'table':
      return block.numbers === undefined ? rowLines(block, indent) : alignedLines(block, indent, paint);
    case 'groups':
      return block.groups.flatMap(({ reason, rules }) => [
        short(`${counted(rules.length, 'rule')}: ${reason}`),
        ...nameSome(rules, `${indent}  `),
      ]);
    case 'finding':
      return findingLines(block, paint);
    case 'beside':
      return partsFor('terminal', block.blocks).flatMap((one) => linesOf(one, indent, paint));
    case 'folded':
    case 'counts':
    case 'drawing':
    case 'filter':
      return [];
  }
}

function countOf(count: number | undefined, isOfRules: boolean): string {
  if (count === undefined) return '';
  return isOfRules ? `: ${counted(count, 'rule')}` : ` (${count})`;
}

function nameSome(items: readonly string[], indent: string): string[] {
  const more = items.length > namedItems ? [`and ${items.length - namedItems} more`] : [];
  return [...items.slice(0, namedItems), ...more].map((text) => indent + cutTo(longestLine, text));
}

function factLines(rows: readonly (readonly [string, Text])[], indent: string): readonly string[] {
  const width = Math.max(0, ...rows.map(([label]) => label.length)) + 2;
  return rows.map(([label, text]) => indent + label.padEnd(width) + cutTo(longestLine, lineOf(text)));
}

function textOf(cell: Cell): string {
  return typeof cell === 'object' && 'count' in cell ? String(cell.count) : lineOf(cell);
}

/** A line a row; where some columns stand below, the others are its head. */
function rowLines({ titles, rows, below }: Table, indent: string): readonly string[] {
  return rows.flatMap((row) => {
    const cells = row.map((cell) => cutTo(longestLine, textOf(cell)));
    if (below === undefined) return [`${indent}${cells[0] ?? ''}: ${cells.slice(1).join(', ')}`];
    const rest = cells.slice(below).map((cell, index) => [titles[below + index] ?? '', cell] as const);
    const [only, ...others] = rest.filter(([, cell]) => cell !== '');
    const inner = `${indent}  `;
    const lines = others.length > 0 || only === undefined ? factLines(rest, inner) : [inner + only[1]];
    return [indent + cells.slice(0, below).join('  '), ...(only === undefined ? [] : lines)];
  });
}

/** Columns below each other, numbers to the right. */
function alignedLines(
  { titles, rows, numbers: [first, last] = [1, Infinity] }: Table,
  indent: string,
  paint: Paint,
): string[] {
  const shown = (cell: Cell): string => (textOf(cell) === '0' && typeof cell !== 'string' ? '-' : textOf(cell));
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => shown(row[column] ?? '').length)),
  );
  const padded = (text: string, column: number): string =>
    column >= first && column <= last ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  const painted = (cell: Cell, column: number): string => {
    const text = padded(shown(cell), column);
    const role = typeof cell === 'object' && 'count' in cell && cell.count > 0 ? roles[cell.state] : undefined;
    return role === undefined ? text : paint(role, text);
  };
  return [
    indent + paint('faint', titles.map(padded).join('  ').trimEnd()),
    ...rows.map((row) => `${indent}${row.map(painted).join('  ').trimEnd()}`),
  ];
}

function findingLines({ rule, state, evidence }: Finding, paint: Paint): readonly string[] {
  const word = paint(roles[state] ?? 'caution', state.toUpperCase());
  return [
    `${word}  ${paint('title', rule.id)}  ${rule.level}`,
    `  ${oneLine(rule.statement)}`,
    ...partsFor('terminal', evidence).flatMap(evidenceLines),
  ];
}

/** A cut never touches the command: half of one is worse than a long one. */
function evidenceLines(evidence: Evidence): readonly string[] {
  switch (evidence.kind) {
    case 'passage':
      return labelLines(evidence.label, cutTo(longestPassage, evidence.text));
    case 'contrast':
      return [
        ...labelLines('expected', cutTo(longestPassage, evidence.expected)),
        ...labelLines('actual', cutTo(longestPassage, evidence.actual)),
      ];
    case 'smallest':
      return labelLines('smallest', cutTo(longestPassage, evidence.text));
    case 'exchange':
      return exchangeLines(evidence.exchange);
    case 'replay':
      return labelLines('replay', evidence.command);
    case 'notes':
      return labelLines(evidence.label, brieflyOf(evidence.items.map(lineOf)));
    case 'script':
      return labelLines('curl', evidence.lines.join('\n'));
    case 'schedules':
    case 'figures':
      return [];
  }
}

function brieflyOf(rules: readonly string[]): string {
  return `${counted(rules.length, 'rule')}: ${firstOf(namedBriefly, rules)}`;
}

/** Headers of an answer that tell of the connection, not of what was asked for. */
const ofConnection = /^(?:date|connection|keep-alive|content-length|transfer-encoding|server)$/i;

function exchangeLines({ request, response, error }: Exchange): readonly string[] {
  const { method, url, headers, body } = request;
  const answered = response?.headers.filter(([name]) => !ofConnection.test(name)) ?? [];
  return [
    ...labelLines('request', messageOf(`${method} ${url}`, headers, body)),
    ...labelLines(
      'answer',
      response === undefined
        ? cutTo(longestPassage, `none: ${error ?? 'not recorded'}`)
        : messageOf(answerOf(response.status, answered), [], response.body),
    ),
  ];
}

function answerOf(status: number, headers: Exchange['request']['headers']): string {
  return cutTo(longestPassage, [status, ...headers.map(([name, value]) => `${name}: ${value}`)].join(', '));
}

/** A line for the start, one for the headers, one for the body. */
function messageOf(start: string, headers: Exchange['request']['headers'], body = ''): string {
  const fields = headers.map(([name, value]) => `${name}: ${value}`).join(', ');
  return [start, cutTo(longestPassage, oneLine(fields)), cutTo(longestBody, oneLine(body))]
    .filter((line) => line !== '')
    .join('\n');
}

function labelLines(label: string, text: string): string[] {
  return printable(text)
    .split('\n')
    .map((part, index) => `  ${(index === 0 ? label : '').padEnd(labelWidth)}  ${part}`);
}
