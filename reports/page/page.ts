import { withoutUser } from '../../contract/credentials.ts';
import { createHash } from 'node:crypto';
import { stateWords, wordOf } from '../assessment.ts';
import {
  type Block,
  type Cell,
  type Choice,
  type Document,
  type Figure,
  type Finding,
  type Group,
  partsFor,
  type Section,
  type Table,
  type Text,
  withCode,
} from '../document.ts';
import { capital, counted, cutTo } from '../text.ts';
import { copyable, type Limits, showEvidence } from './evidence.ts';
import { Markup, markup, type Part } from './markup.ts';
import { script } from './script.ts';
import { style } from './style.ts';

const full: Limits = { text: 8000, lines: 40, timelines: 12, curls: 400 };
const short: Limits = { text: 300, lines: 3, timelines: 0, curls: 3 };

/** Of what target and profile added to a section of the page, in bytes of UTF-8; the catalogue takes about half a megabyte more. */
const mostBytes = 250_000;
const longestTitle = 200;

/** What stands open of the lists of a section, and of each at least, so that the rules begin on the second screen. */
const mostOpen = { items: 10, least: 2, groups: 5 };
const longestVerdict = 2000;
const longestText = 1000;
/** A number with its unit, which stay on one line. */
const figure = /^[-+]?[\d.,]+ ?[^\s\d]{0,3}$/;
const longestCell = 300;

/** Least share of the bar that a state gets, so that one rule of six hundred can be seen. */
const leastShare = 0.008;

/** One file that asks nothing of any network, with an article a document; they share the space for what targets sent. */
export function pageText(title: string, documents: readonly Document[]): string {
  const room = Math.floor(mostBytes / Math.max(1, documents.length));
  const articles = documents.map((document, index) => new Article(document, index + 1, room));
  const isLively = articles.some((article) => article.findings.length > 0);
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(
    isLively,
    documents.some(({ body }) => body.some(isDrawn)),
  )}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${cutTo(longestTitle, title)}</title>
<style>${new Markup(style)}</style>
</head>
<body>
${
  isLively &&
  markup`<a class="skip" href="#rules">Skip to the rules</a>
`
}<main>${articles.map((article) => article.text())}</main>
${
  isLively &&
  markup`<p id="said" role="status"></p>
<script>${new Markup(script)}</script>
`
}</body>
</html>
`.text;
}

/** The policy admits the style and the script of this page and nothing else, so that no other could run even if one came in. */
function policyOf(isLively: boolean, isDrawn: boolean): string {
  const scripts = isLively ? ` script-src '${hashOf(script)}';` : '';
  return `default-src 'none'; style-src '${hashOf(style)}';${scripts}${isDrawn ? ' img-src data:;' : ''} base-uri 'none'; form-action 'none'`;
}

/** As an image, so that the looks of a drawing are its own and no script in it could run. */
function isDrawn(block: Block): boolean {
  return block.kind === 'drawing' || (block.kind === 'section' && block.blocks.some(isDrawn));
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Bytes of UTF-8 that may still be written. */
class Room {
  #left: number;
  #given = 0;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** The first of the forms that fits; undefined when none does. A form that once did not fit is not tried again, but for the last. */
  first(...forms: readonly (() => Markup)[]): Markup | undefined {
    for (const [index, form] of [...forms.entries()].slice(Math.min(this.#given, forms.length - 1))) {
      const made = form();
      const size = Buffer.byteLength(made.text);
      if (size <= this.#left) {
        this.#left -= size;
        return made;
      }
      this.#given = Math.max(this.#given, index + 1);
    }
    return undefined;
  }

  /** As many of the items as fit, in order, and how many were left out. */
  fit<T>(
    items: readonly T[],
    form: (item: T) => Markup,
  ): { readonly shown: readonly Markup[]; readonly leftOut: number } {
    const shown = items.map((item) => this.first(() => form(item))).filter((made) => made !== undefined);
    return { shown, leftOut: items.length - shown.length };
  }
}

/** Where a block stands: the title above it, how deep its headings are, and the room of its section. */
interface Place {
  readonly title: string;
  readonly depth: number;
  readonly room: Room;
  /** Items of lists that may still stand open. */
  readonly open: { items: number };
}

/** A document on a page. */
class Article {
  readonly findings: readonly Finding[];
  readonly #document: Document;
  /** 1 for the first of the page, whose rules are reached by their plain ids. */
  readonly #number: number;
  /** Bytes a section. */
  readonly #room: number;
  readonly #linked: ReadonlySet<string>;
  readonly #bodies = new Map<string, Markup>();

  constructor(document: Document, number: number, room: number) {
    this.#document = document;
    this.#number = number;
    this.#room = room;
    this.findings = document.body.flatMap(findingsIn);
    this.#linked = new Set(this.findings.map(({ rule }) => rule.id));
  }

  text(): Markup {
    const { title, verdict, exitCode, about, body } = this.#document;
    const place = { title, depth: 2, room: new Room(this.#room), open: { items: mostOpen.items } };
    const frame = exitCode !== undefined && markup` class="exit exit-${exitCode}"`;
    return markup`<article>
<header>
<h1>${cutTo(longestTitle, title)}</h1>
${verdict.map((sentence) => markup`<p${frame}>${this.#text(sentence, longestVerdict)}</p>`)}
${this.#blocks(about, place)}
${this.#contents()}</header>
${this.#blocks(body, place)}
</article>
`;
  }

  /** Links to the sections that have a name. */
  #contents(): Part {
    const named = partsFor('page', this.#document.body).flatMap((block) =>
      block.kind === 'section' && block.id !== undefined ? [{ title: block.title, id: block.id }] : [],
    );
    if (named.length === 0) return undefined;
    return markup`<nav aria-label="Sections"${this.#number > 1 && markup` class="further"`}>${named.map(
      ({ title, id }) => markup`<a href="#${this.#anchor(id)}">${title}</a>
`,
    )}</nav>
`;
  }

  #anchor(name: string): string {
    return this.#number === 1 ? name : `${name}~${this.#number}`;
  }

  #text(text: Text, longest = longestText): Markup {
    if (typeof text === 'string') return markup`${cutTo(longest, text)}`;
    if ('length' in text) return markup`${text.map((one) => this.#text(one, longest))}`;
    if (text.as === 'lines')
      return markup`${text.lines.map((one, index) => markup`${index > 0 && markup`<br>`}${this.#text(one, longest)}`)}`;
    const shown = cutTo(longest, text.text);
    switch (text.as) {
      case 'code':
        return markup`<code>${shown}</code>`;
      case 'strong':
        return markup`<strong>${shown}</strong>`;
      case 'faint':
        return markup`<span class="open">${shown}</span>`;
      case 'rule':
        return this.#linked.has(text.text) ? markup`<a href="#${this.#anchor(shown)}">${shown}</a>` : markup`${shown}`;
      case 'file':
        return markup`${shown}`;
    }
  }

  #blocks(blocks: readonly Block[], place: Place): Part {
    return partsFor('page', blocks).map((block) => this.#block(block, place));
  }

  #block(block: Block, place: Place): Part {
    switch (block.kind) {
      case 'paragraph':
        return markup`<p>${this.#text(block.text)}</p>`;
      case 'list':
        return this.#list(block.items, place);
      case 'facts':
        return markup`<dl class="facts">${block.rows.map(([label, text]) => markup`<div><dt>${capital(label)}</dt><dd>${this.#text(text)}</dd></div>`)}</dl>`;
      case 'command':
        return commandOf(block.text, block.label);
      case 'section':
        return place.depth === 2 ? this.#section(block) : this.#part(block, place);
      case 'table':
        return this.#table(block, place);
      case 'groups':
        return this.#groups(block.groups, place);
      case 'finding':
        return this.#finding(block);
      case 'folded':
        return foldedOf(block.title, block.lines, place.room);
      case 'beside':
        return markup`<div class="tables">${this.#blocks(block.blocks, place)}</div>`;
      case 'counts':
        return countsOf(block.counts);
      case 'drawing':
        return markup`<p><img class="drawing" alt="${block.says}" src="data:image/svg+xml;base64,${Buffer.from(block.svg).toString('base64')}"></p>`;
      case 'filter':
        return this.#number === 1 && filterOf(block.choices);
    }
  }

  #list(items: readonly Text[], { open }: Place): Markup {
    const count = Math.max(mostOpen.least, open.items);
    const [first, rest] = [items.slice(0, count), items.slice(count)];
    open.items -= first.length;
    const list = (some: readonly Text[]): Markup =>
      markup`<ul>${some.map((item) => markup`<li>${this.#text(item)}</li>`)}</ul>`;
    return markup`${list(first)}${rest.length > 0 && markup`<details class="more"><summary>and ${rest.length} more</summary>${list(rest)}</details>`}`;
  }

  #section({ title, aside, count, id, blocks, folded, room = 1 }: Section): Part {
    if (partsFor('page', blocks).length === 0) return undefined;
    const place = { title, depth: 3, room: new Room(room * this.#room), open: { items: mostOpen.items } };
    this.#writeBodies(blocks.flatMap(findingsIn), place.room);
    const [outer, inner] =
      id === undefined
        ? ['', '']
        : [
            markup` id="${this.#anchor(id)}" aria-labelledby="${this.#anchor(id)}-title"`,
            markup` id="${this.#anchor(id)}-title"`,
          ];
    return markup`<section${outer}>
<h2${inner}>${headingOf(title, aside, count)}</h2>
${folded === undefined ? this.#blocks(blocks, place) : markup`<details class="fold"><summary>${folded}</summary>${this.#blocks(blocks, place)}</details>`}
</section>
`;
  }

  /** A section of a section. */
  #part({ title, aside, count, blocks }: Section, { depth, room, open }: Place): Markup {
    const holdsFindings = blocks.flatMap(findingsIn).length > 0;
    const heading = new Markup(`h${Math.min(depth, 4)}`);
    return markup`<div class="${holdsFindings ? 'area' : 'part'}"><${heading}>${headingOf(title, aside, count)}</${heading}>
${this.#blocks(blocks, { title, depth: depth + 1, room, open })}</div>
`;
  }

  /** A table that scrolls by itself where the window is narrow. What did not fit is counted in the last row. */
  #table(table: Table, { title, room }: Place): Markup {
    const { titles, rows, caption, numbers } = table;
    const row = (cells: readonly Cell[]): Markup =>
      markup`<tr>${cells.map((cell, index) => (numbers !== undefined && index === 0 ? markup`<th scope="row">${this.#cell(cell)}</th>` : this.#column(cell)))}</tr>`;
    const { shown, leftOut } = room.fit(rows, row);
    return markup`<div class="scroll" role="group" aria-label="${cutTo(longestTitle, caption ?? title)}" tabindex="0"><table>${caption !== undefined && markup`<caption>${caption}</caption>`}
<thead><tr>${titles.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${shown}${leftOut > 0 && markup`<tr><td colspan="${titles.length}">… and ${leftOut} more in the JSON report</td></tr>`}</tbody></table></div>
`;
  }

  #column(cell: Cell): Markup {
    if (typeof cell === 'string' && figure.test(cell)) return markup`<td class="figure">${cell}</td>`;
    if (typeof cell === 'string' || !('count' in cell)) return markup`<td>${this.#cell(cell)}</td>`;
    return markup`<td class="${cell.count === 0 ? 'none' : cell.state}">${cell.count}</td>`;
  }

  #cell(cell: Cell): Part {
    return typeof cell === 'object' && 'count' in cell ? cell.count : this.#text(cell, longestCell);
  }

  #groups(groups: readonly Group[], { room }: Place): Markup {
    const form = ({ title, reason, rules }: Group): Markup =>
      markup`<details class="gap"><summary>${title !== undefined && markup`<strong>${title}</strong>, `}${counted(rules.length, 'rule')}: ${cutTo(2 * longestCell, reason)}</summary>
<ul>${rules.map((rule) => markup`<li>${this.#text({ as: 'rule', text: rule })}</li>`)}</ul></details>
`;
    const { shown, leftOut } = room.fit(groups, form);
    const [first, rest] = [shown.slice(0, mostOpen.groups), shown.slice(mostOpen.groups)];
    return markup`${first}${rest.length > 0 && markup`<details class="more"><summary>and ${counted(rest.length, 'more reason')}</summary>${rest}</details>`}${leftOut > 0 && markup`<p>… and ${leftOut} more groups in the JSON report.</p>`}`;
  }

  /** What the target and the profile added is bounded; the worst rules are served first. */
  #writeBodies(findings: readonly Finding[], room: Room): void {
    const rank = new Map(stateWords.map(([state], index) => [state, index]));
    const byUrgency = findings.toSorted((one, other) => (rank.get(one.state) ?? 0) - (rank.get(other.state) ?? 0));
    for (const { rule, evidence } of byUrgency) {
      const form = (limits: Limits) => (): Markup =>
        markup`${partsFor('page', evidence).map((one) => showEvidence(one, { id: rule.id, limits, write: (text) => this.#text(text) }))}`;
      const body = room.first(form(full), form(short));
      if (body !== undefined) this.#bodies.set(rule.id, body);
    }
  }

  #finding({ rule, state }: Finding): Markup {
    const leftOut = markup`<p>What was seen is left out here, because this page is as long as it may become; the JSON report holds it.</p>`;
    return markup`<details class="rule" id="${this.#anchor(rule.id)}" data-verdict="${state}" data-area="${rule.area}" data-level="${rule.level}" data-side="${rule.side}"${state === 'fail' && markup` open`}>
<summary><span class="verdict ${state}">${wordOf(state)}</span> <code>${rule.id}</code> <span class="level">${rule.level}</span> <span class="statement">${this.#text(withCode(rule.statement))}</span></summary>
<div class="body">${this.#bodies.get(rule.id) ?? leftOut}</div>
</details>
`;
  }
}

/** Lines that are shown on demand, as many as fit. */
function foldedOf(title: string, lines: readonly string[], room: Room): Markup {
  const { shown, leftOut } = room.fit(lines, (line) => markup`${cutTo(full.text, line)}\n`);
  return markup`<details><summary>${title}</summary><pre>${shown}${leftOut > 0 && `… and ${leftOut} more lines in the JSON report`}</pre></details>`;
}

function commandOf(text: string, label: string | undefined): Markup {
  const heading = label !== undefined && markup`<h3>${capital(label)}</h3>`;
  return markup`${heading}${copyable(label ?? 'the line', withoutUser(text))}`;
}

function findingsIn(block: Block): readonly Finding[] {
  if (block.kind === 'finding') return [block];
  return block.kind === 'section' ? partsFor('page', block.blocks).flatMap(findingsIn) : [];
}

function headingOf(title: string, aside: string | undefined, count: number | undefined): Markup {
  const whole = aside === undefined ? title : `${title}: ${aside}`;
  return markup`${cutTo(longestCell, whole)}${count !== undefined && ` (${count})`}`;
}

/** The numbers, and a drawing of them, which is hidden from those who hear them. */
function countsOf(counts: readonly Figure[]): Markup {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  let from = 0;
  const parts = counts.map(({ state, count }) => {
    const width = Math.max(count, total * leastShare);
    const part = markup`<rect class="${state}" x="${from}" y="0" width="${width}" height="10"></rect>`;
    from += width;
    return part;
  });
  return markup`<ul class="counts">${counts.map(({ state, count }) => markup`<li class="${state}"><strong>${count}</strong> ${wordOf(state)}</li>`)}</ul>
<svg class="bar" viewBox="0 0 ${Math.max(1, from)} 10" preserveAspectRatio="none" aria-hidden="true">${parts}</svg>
`;
}

/** The form shows itself when the script runs. */
function filterOf(choices: Readonly<Record<string, readonly Choice[]>>): Markup {
  const choiceOf = ([name, values]: readonly [string, readonly Choice[]]): Markup =>
    markup`<label>${name} <select name="${name}"><option value="">any</option>${values.map(([value, word]) => markup`<option value="${value}">${word}</option>`)}</select></label>
`;
  return markup`<form id="filter" role="search" aria-label="Rules" hidden>
${Object.entries(choices).map(choiceOf)}<label>text <input type="search" name="text" autocomplete="off" placeholder="id, statement, evidence"></label>
<button type="reset">Show all</button>
<p><output name="count"></output></p>
</form>
`;
}
