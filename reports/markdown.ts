import type { Timeline } from '../judge/outcome.ts';
import {
  type Block,
  type Cell,
  type Document,
  type Evidence,
  type Finding,
  type Form,
  partsFor,
  plainText,
  type Table,
  type Text,
  withCode,
} from './document.ts';
import { capital, cutTo, firstOf, oneLine, printable } from './text.ts';
import { timelineRows, timelineSentence, timelineTitles } from './timeline.ts';

/** How a document is written as Markdown. */
interface MarkdownOptions {
  /** Of the title. */
  readonly level?: 1 | 2;
  /** Bytes of UTF-8; what does not fit is named at the end. */
  readonly mostBytes?: number;
  /** Characters of what stands on one line. */
  readonly longestLine?: number;
}

type Writing = Required<Pick<MarkdownOptions, 'level' | 'longestLine'>>;

/** A part of the text that can be left out by itself; `name` is what the reader misses then. */
interface Part {
  readonly name: string;
  readonly text: string;
}

/** A step summary of GitHub takes no more than 1 MiB; the rest is for what else a step writes there. */
export const stepSummaryBytes = 1_000_000;

const form: Form = 'markdown';
const longestInHead = 2000;
const longestPassage = 8000;
const longestFolded = 20_000;
const mostTimelines = 3;
const noticeBytes = 2000;
const namesInNotice = 10;

/** A document as Markdown in which nothing of a target is structure. */
export function markdownText(document: Document, options: MarkdownOptions = {}): string {
  const { level = 2, mostBytes = stepSummaryBytes, longestLine = 300 } = options;
  const writing = { level, longestLine };
  const headWriting = { level, longestLine: Math.max(longestLine, longestInHead) };
  const { title, verdict, about, body } = document;
  const [only, ...others] = verdict;
  const head = [
    `${'#'.repeat(level)} ${inline(cutTo(longestLine, title))}`,
    ...(others.length === 0 ? [writeText(only ?? '', headWriting)] : [listOf(verdict, headWriting)]),
    ...partsFor(form, about).flatMap((block) => partsOf(block, headWriting, level + 1).map(({ text }) => text)),
  ];
  const parts = partsFor(form, body).flatMap((block) => partsOf(block, writing, level + 1));
  return `${fitParts([{ name: 'the head', text: head.join('\n\n') }, ...parts], mostBytes)}\n`;
}

/** The parts in order, without those that would make the whole longer than `limit` bytes of UTF-8; what is left out is announced. */
function fitParts(parts: readonly Part[], limit: number): string {
  const kept: string[] = [];
  const leftOut: string[] = [];
  let left = limit - noticeBytes;
  for (const { name, text } of parts) {
    const size = Buffer.byteLength(text) + 2;
    if (size > left) leftOut.push(name);
    else {
      left -= size;
      kept.push(text);
    }
  }
  return [...kept, ...noticeOf(leftOut)].join('\n\n');
}

function noticeOf(leftOut: readonly string[]): string[] {
  if (leftOut.length === 0) return [];
  return [
    `> This page is cut to its size limit. Left out: ${firstOf(namesInNotice, leftOut)}. The JSON report holds all of it.`,
  ];
}

/** A section is one part, but what it holds of sections and findings can be left out piece by piece. */
function partsOf(block: Block, writing: Writing, level: number): readonly Part[] {
  if (block.kind !== 'section') return [{ name: nameOf(block), text: textOf(block, writing) }];
  const parts = partsFor(form, block.blocks).flatMap((one) => partsOf(one, writing, level + 1));
  const count = block.count === undefined ? '' : ` (${block.count})`;
  const title = block.aside === undefined ? block.title : `${block.title}: ${block.aside}`;
  const heading = `${'#'.repeat(level)} ${inline(cutTo(writing.longestLine, title))}${count}`;
  const name = inline(cutTo(writing.longestLine, block.title)).toLowerCase();
  const isWhole = partsFor(form, block.blocks).every(({ kind }) => kind !== 'section' && kind !== 'finding');
  if (parts.length === 0) return [];
  return isWhole
    ? [{ name, text: [heading, ...parts.map(({ text }) => text)].join('\n\n') }]
    : [{ name, text: heading }, ...parts];
}

function nameOf(block: Block): string {
  if (block.kind === 'finding') return `the violation of ${block.rule.id}`;
  return block.kind === 'table' ? (block.caption ?? 'a table') : 'a paragraph';
}

function textOf(block: Exclude<Block, { kind: 'section' }>, writing: Writing): string {
  switch (block.kind) {
    case 'paragraph':
      return writeText(block.text, writing);
    case 'list':
      return listOf(block.items, writing);
    case 'facts':
      return listOf(
        block.rows.map(([label, text]) => [capital(label), ': ', text]),
        writing,
      );
    case 'command':
      return `${block.label === undefined ? '' : `${capital(block.label)}: `}${inlineCode(block.text)}`;
    case 'table':
      return tableOf(block, writing);
    case 'groups': {
      const rows = block.groups.map(({ reason, rules }) => [
        rules.map(inlineCode).join('<br>'),
        writeText(reason, writing),
      ]);
      return tableLines(['rules', 'reason'], rows);
    }
    case 'finding':
      return findingOf(block, writing);
    case 'folded':
      return `<details><summary>${inline(block.title)}</summary>\n\n${preformat(cutTo(longestFolded, block.lines.join('\n')))}\n\n</details>`;
    case 'beside':
      return partsFor(form, block.blocks)
        .flatMap((one) => partsOf(one, writing, writing.level + 2))
        .map(({ text }) => text)
        .join('\n\n');
    case 'counts':
    case 'drawing':
    case 'filter':
      return '';
  }
}

/** Text on one line, its marks kept. */
function writeText(text: Text, writing: Writing): string {
  if (typeof text === 'string') return escapeStructure(cutTo(writing.longestLine, text).replaceAll(/\s+/gu, ' '));
  if ('length' in text) return text.map((one) => writeText(one, writing)).join('');
  if (text.as === 'lines') return text.lines.map((one) => writeText(one, writing)).join('<br>');
  const short = cutTo(writing.longestLine, text.text);
  switch (text.as) {
    case 'code':
    case 'rule':
      return inlineCode(short);
    case 'strong':
      return `**${inline(short)}**`;
    case 'file':
      return `[${inline(short)}](${encodeURI(short)})`;
    case 'faint':
      return inline(short);
  }
}

function listOf(items: readonly Text[], writing: Writing): string {
  return items.map((item) => `- ${writeText(item, writing)}`).join('\n');
}

function tableOf({ titles, rows, numbers, hasTotal = false }: Table, writing: Writing): string {
  const cells = rows.map((row, index) => {
    const all = row.map((cell) => cellOf(cell, writing));
    return hasTotal && index === rows.length - 1 ? all.map((cell) => `**${cell}**`) : all;
  });
  return tableLines(titles, cells, numbers);
}

function cellOf(cell: Cell, writing: Writing): string {
  return typeof cell === 'object' && 'count' in cell ? String(cell.count) : writeText(cell, writing);
}

/** A table whose cells are Markdown already. */
export function tableLines(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  numbers?: Table['numbers'],
): string {
  const [first = Infinity, last = Infinity] = numbers ?? [];
  const rule = titles.map((_, index) => (index >= first && index <= last ? '---:' : '---'));
  return [titles, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function findingOf({ rule, evidence }: Finding, writing: Writing): string {
  return [
    `<details><summary>${inlineCode(rule.id)} (${rule.level})</summary>`,
    writeText(withCode(rule.statement), { ...writing, longestLine: longestInHead }),
    ...partsFor(form, evidence).flatMap((one) => evidenceOf(one, writing)),
    '</details>',
  ].join('\n\n');
}

function evidenceOf(evidence: Evidence, writing: Writing): readonly string[] {
  switch (evidence.kind) {
    case 'passage':
      return labelText(evidence.label, evidence.text);
    case 'contrast':
      return [...labelText('expected', evidence.expected), ...labelText('actual', evidence.actual)];
    case 'smallest':
      return labelText('smallest', evidence.text);
    case 'schedules':
      return evidence.timelines.slice(0, mostTimelines).map((timeline) => scheduleOf(timeline, writing));
    case 'script':
      return labelText('curl', evidence.lines.join('\n'));
    case 'replay':
      return labelText('replay', evidence.command);
    case 'notes':
      return labelText(evidence.label, evidence.items.map(plainText).join('\n'));
    case 'exchange':
    case 'figures':
      return [];
  }
}

function labelText(label: string, text: string): readonly string[] {
  return [`**${label}**`, preformat(cutTo(longestPassage, text))];
}

/** A line for each call of a schedule, and for each that did not come. */
function scheduleOf(timeline: Timeline, writing: Writing): string {
  const rows = timelineRows(timeline).map(({ cells, isOff }) => [
    isOff ? '✗' : '✓',
    ...cells.map((cell) => writeText(cell, writing)),
  ]);
  return `**${writeText(timeline.title, writing)}** ${writeText(timelineSentence(timeline), writing)}\n\n${tableLines(['', ...timelineTitles], rows)}`;
}

/** Everything that Markdown or HTML could read as structure becomes an entity, which neither does. */
const structural = /[&<>"'`*_[\](){}\\|~#@!^$]/g;

/** Any text as running text on one line, also inside a table cell. */
export function inline(text: string): string {
  return escapeStructure(oneLine(text));
}

function escapeStructure(line: string): string {
  return printable(line).replace(structural, entityOf);
}

/** Any text as code on one line, also inside a table cell. */
export function inlineCode(text: string): string {
  return `<code>${inline(text)}</code>`;
}

/** Any text as it stands, line by line. It needs an empty line before and after it. */
export function preformat(text: string): string {
  return `<pre>\n${printable(text).replace(/[&<>]/g, entityOf)}\n</pre>`;
}

function entityOf(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
