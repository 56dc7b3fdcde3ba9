import type { State } from '../contract/schemas/report.ts';
import type { Exchange } from '../judge/exchange.ts';
import type { Timeline } from '../judge/outcome.ts';
import type { ReportedRule } from './run.ts';

/**
 * What a report says, whatever it is written as: a report makes one of these, and `terminal.ts`, `markdown.ts` and `page/page.ts` write any of
 * them. Texts stand here in full and raw; a writer escapes them and cuts them to what its readers bear.
 */
export interface Document {
  readonly title: string;
  /** In the place of the title on a terminal. */
  readonly terminalTitle?: string;
  /** What counts, in sentences: first on a page, last on a terminal, where the end is what is seen. */
  readonly verdict: readonly Text[];
  /** Exit code that the verdict leads to, where it leads to one. */
  readonly exitCode?: number;
  /** What was judged, and how; beside the verdict in every form. */
  readonly about: readonly Block[];
  readonly body: readonly Block[];
}

/** Who writes. */
export type Form = 'terminal' | 'markdown' | 'page';

export type Text = string | Marked | readonly Text[];

/** A piece of text and what it is; a `rule` is a link where that rule is on the page, a `file` one in Markdown, `lines` stand below each other. */
export type Marked =
  | { readonly as: 'code' | 'strong' | 'faint' | 'rule' | 'file'; readonly text: string }
  | { readonly as: 'lines'; readonly lines: readonly Text[] };

/** A number of rules in a state. */
export interface Figure {
  readonly count: number;
  readonly state: State;
}

export type Cell = Text | Figure;

/** A part of a document. One that names forms is left out of the others. */
export type Block = { readonly only?: readonly Form[] } & (
  | { readonly kind: 'paragraph'; readonly text: Text }
  | { readonly kind: 'list'; readonly items: readonly Text[] }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [label: string, text: Text])[] }
  | ({ readonly kind: 'section' } & Section)
  | ({ readonly kind: 'table' } & Table)
  | { readonly kind: 'groups'; readonly groups: readonly Group[] }
  | ({ readonly kind: 'finding' } & Finding)
  /** A line for a shell, which no writer cuts. */
  | { readonly kind: 'command'; readonly label?: string; readonly text: string }
  | { readonly kind: 'folded'; readonly title: string; readonly lines: readonly string[] }
  /** Beside each other where there is room. */
  | { readonly kind: 'beside'; readonly blocks: readonly Block[] }
  /** How many rules ended how, the most urgent state first, also as a drawing. */
  | { readonly kind: 'counts'; readonly counts: readonly Figure[] }
  /** A picture as SVG, and what it shows in words; it holds nothing that a target sent. */
  | { readonly kind: 'drawing'; readonly svg: string; readonly says: string }
  /** A form that narrows the findings of the page: by members of a finding, and by text. */
  | { readonly kind: 'filter'; readonly choices: Readonly<Record<string, readonly Choice[]>> }
);

export interface Section {
  readonly title: string;
  /** What is said of it in its heading. */
  readonly aside?: string;
  readonly blocks: readonly Block[];
  /** How many things it tells of, said in its heading. */
  readonly count?: number;
  /** Anchor on a page. */
  readonly id?: string;
  /** On a page shown on demand, under what it holds. */
  readonly folded?: string;
  /** How many times the usual room it may take on a page. */
  readonly room?: number;
}

export interface Table {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  readonly caption?: string;
  /** First and last column of numbers; on a terminal the columns of such a table are aligned. */
  readonly numbers?: readonly [first: number, last: number];
  /** Column from which on a terminal gives each cell a line of its own. */
  readonly below?: number;
  /** Whether the last row sums up the others. */
  readonly hasTotal?: boolean;
}

/** Rules that ended in the same way for the same reason. */
export interface Group {
  readonly title?: string;
  readonly reason: string;
  readonly rules: readonly string[];
}

export type Choice = readonly [value: string, word: string];

/** How a rule stands, with what is known about that. */
export interface Finding {
  readonly rule: ReportedRule;
  readonly state: State;
  readonly evidence: readonly Evidence[];
}

/** What is known about a rule that was judged. */
export type Evidence = { readonly only?: readonly Form[] } & (
  | { readonly kind: 'passage'; readonly label: string; readonly text: string }
  | { readonly kind: 'notes'; readonly label: string; readonly items: readonly Text[] }
  /** Two texts that should have been the same, or near it. */
  | { readonly kind: 'contrast'; readonly expected: string; readonly actual: string }
  /** The smallest generated case that still fails. */
  | { readonly kind: 'smallest'; readonly text: string }
  | { readonly kind: 'schedules'; readonly timelines: readonly Timeline[] }
  | { readonly kind: 'exchange'; readonly exchange: Exchange }
  /** Curl lines, the last of which shows it, and the variables that they name. */
  | { readonly kind: 'script'; readonly lines: readonly string[]; readonly variables: readonly string[] }
  | { readonly kind: 'replay'; readonly command: string }
  | { readonly kind: 'figures'; readonly text: string }
);

export function code(text: string): Text {
  return { as: 'code', text };
}

/** Text of ours with what stands in backticks marked as code. */
export function withCode(text: string): Text {
  const parts = text.split('`');
  if (parts.length % 2 === 0) return text;
  return parts.map((part, index) => (index % 2 === 0 ? part : code(part))).filter((part) => part !== '');
}

export function strong(text: string): Text {
  return { as: 'strong', text };
}

export function ruleName(id: string): Text {
  return { as: 'rule', text: id };
}

export function belowEachOther(lines: readonly Text[]): Text {
  return { as: 'lines', lines };
}

/** @param only the forms that have it; all of them unless given */
export function paragraph(text: Text, ...only: readonly Form[]): Block {
  return { kind: 'paragraph', text, ...(only.length > 0 && { only }) };
}

/** The parts that are for one form. */
export function partsFor<T extends { readonly only?: readonly Form[] }>(form: Form, parts: readonly T[]): readonly T[] {
  return parts.filter(({ only }) => only === undefined || only.includes(form));
}

/** The text without its marks. */
export function plainText(text: Text): string {
  if (typeof text === 'string') return text;
  if ('length' in text) return text.map(plainText).join('');
  return text.as === 'lines' ? text.lines.map(plainText).join(', ') : text.text;
}

/** A section, or nothing where there is nothing to tell. */
export function sectionOf(
  title: string,
  blocks: readonly Block[],
  more: Omit<Section, 'title' | 'blocks'> = {},
): Block[] {
  return blocks.length === 0 ? [] : [{ kind: 'section', title, blocks, ...more }];
}

/** A section that is one list, or nothing where that has no items. */
export function listSection(
  title: string,
  items: readonly Text[],
  more: Omit<Section, 'title' | 'blocks'> = {},
): Block[] {
  return items.length === 0 ? [] : sectionOf(title, [{ kind: 'list', items }], more);
}

/** A section that is one table, or nothing where that has no rows. */
export function tableSection(
  title: string,
  table: Omit<Table, 'caption'>,
  more: Omit<Section, 'title' | 'blocks'> & { readonly only?: readonly Form[] } = {},
): Block[] {
  return table.rows.length === 0 ? [] : [{ kind: 'section', title, blocks: [{ kind: 'table', ...table }], ...more }];
}
