import { type Variants, within, replaces } from '../../breaks.ts';
import { isJson, type Json } from '../answers.ts';

/** Wrong about a kind of text, or about a limit, by one way of several to write. */
export const textFaults = {
  'subtle.merge.makes-numbers-of-texts': replaces('editing', 'mergePatch', (right, areas, target, edits) => {
    const members = Object.entries(edits).map(([name, edit]) => [name, isNumeral(edit) ? Number(edit) : edit]);
    return right(areas, target, Object.fromEntries(members));
  }),

  'subtle.put.composes-texts': replaces('editing', 'replaceContent', (right, areas, old, given) =>
    right(areas, old, composed(given)),
  ),

  'subtle.append.composes-texts': replaces('operations', 'addValue', (right, areas, run, target, value, at) =>
    right(areas, run, target, target.kind === 'array' ? composed(value) : value, at),
  ),

  /** A text that is added to a list is one item for each of its lines. */
  'subtle.append.lines-are-items': replaces('operations', 'addValue', async (right, areas, run, target, value, at) => {
    const items: readonly unknown[] = target.kind === 'list' && typeof value === 'string' ? value.split('\n') : [value];
    if (target.kind !== 'list' || items.length === 1) return right(areas, run, target, value, at);
    const present = Array.isArray(target.value) ? target.value : [];
    await areas.operations.setMember(run, target, [...present, ...items]);
  }),

  'subtle.add.deep-texts-are-trimmed': replaces('operations', 'addValue', (right, areas, run, target, value, at) =>
    right(areas, run, target, target.steps.length > 1 && typeof value === 'string' ? value.trim() : value, at),
  ),

  'subtle.batch.loses-astral-characters': replaces(
    'batch',
    'prepareOperation',
    (right, areas, batch, table, operation, index) =>
      right(
        areas,
        batch,
        table,
        rewritten(operation, (text) => text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, '?')),
        index,
      ),
  ),

  'subtle.merge.knows-one-blank': replaces('editing', 'mergePatch', (right, areas, target, edits) =>
    right(
      areas,
      target,
      rewritten(edits, (text) => text.replaceAll('\u00a0', ' ')),
    ),
  ),

  /** A text that a spreadsheet would reckon with gets an apostrophe before it. */
  'subtle.create.no-formulas': replaces('contents', 'contentFrom', (right, areas, call, softType, view, body) =>
    right(
      areas,
      call,
      softType,
      view,
      rewritten(body, (text) => text.replaceAll('"=', '"\'=')),
    ),
  ),

  'subtle.replace.cuts-long-texts': replaces('operations', 'replaceValue', (right, areas, run, target, value, at) =>
    right(areas, run, target, cut(value), at),
  ),

  /** Blanks at the end of what a PUT brings are lost in objects and arrays. */
  'subtle.put.trims-inside': replaces('contents', 'contentFrom', (right, areas, call, softType, view, body) =>
    right(areas, call, softType, view, call.method === 'PUT' ? trimmedInside(body) : body),
  ),

  /** What an object or an array of a PUT holds as a text without characters is taken for nothing. */
  'subtle.put.drops-empty-texts-inside': replaces(
    'contents',
    'contentFrom',
    (right, areas, call, softType, view, body) =>
      right(areas, call, softType, view, call.method === 'PUT' ? withoutEmptyInside(body) : body),
  ),

  'subtle.entries.objects-are-trimmed': replaces('contents', 'withEntryIds', (right, areas, items) =>
    right(
      areas,
      items.map((item) => ({ ...item, content: { ...item.content, ...onlyObjects(trimmedInside(item.content)) } })),
    ),
  ),

  /** What stands behind a semicolon is taken for the value of something else. */
  'subtle.filter.value-ends-at-semicolon': replaces(
    'entries',
    'filterOf',
    (right, areas, call, softType, parameter) => {
      const filter = right(areas, call, softType, parameter);
      return filter && { ...filter, value: filter.value.split(';', 1)[0] ?? '' };
    },
  ),

  'subtle.filter.index-ends-early': replaces('entries', 'filterOf', (right, areas, ...args) => {
    const filter = right(areas, ...args);
    return filter && { ...filter, value: filter.value.slice(0, 255) };
  }),

  'subtle.filter.null-is-no-value': replaces('entries', 'filterOf', (right, areas, ...args) => {
    const filter = right(areas, ...args);
    return filter && { ...filter, value: filter.value === 'null' ? '' : filter.value };
  }),

  /** A column that is long enough for what a create brings ends before what an edit does. */
  'subtle.edit.cuts-long-texts': replaces('contents', 'editsFrom', (right, areas, call, softType, view, body) =>
    right(
      areas,
      call,
      softType,
      view,
      JSON.parse(JSON.stringify(body), (_name, value: unknown) => cut(value)),
    ),
  ),

  /** A name is a word with a namespace before its slash, and the word alone is looked up. */
  'subtle.multi-create.names-lose-what-stands-before-a-slash': replaces(
    'multiCreate',
    'findItem',
    (_right, _areas, items, $id) =>
      items.find((item) => item.$id !== undefined && lastPart(item.$id) === lastPart($id)),
  ),

  /** What comes behind the first 32 items is left for later, and later never comes. */
  'subtle.multi-create.first-chunk-alone': replaces('multiCreate', 'withinLimit', (right, areas, items) =>
    right(areas, items).slice(0, 32),
  ),

  'subtle.multi-create.unlimited-in-a-batch': replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
    const unlimited = within(areas, { multiCreate: { withinLimit: (items) => items } });
    return right(call.isSibling === undefined ? areas : unlimited, call, writing);
  }),
} satisfies Variants;

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function isNumeral(value: unknown): boolean {
  return typeof value === 'string' && /^\d+$/.test(value);
}

/** Whatever an object or an array of the value holds, without blanks at the end of texts. */
function trimmedInside(value: unknown): Json {
  const inside = Object.entries(isJson(value) ? value : {}).map(([name, member]) => [
    name,
    typeof member === 'object' ? rewritten(member, (text) => text.replaceAll(/ +"/g, '"')) : member,
  ]);
  return Object.fromEntries(inside) as Json;
}

function withoutEmptyInside(body: unknown): Json {
  const members = Object.entries(isJson(body) ? body : {}).map(([name, member]) => [
    name,
    typeof member === 'object'
      ? JSON.parse(JSON.stringify(member), (_name, value: unknown) => (value === '' ? undefined : value))
      : member,
  ]);
  return Object.fromEntries(members) as Json;
}

function onlyObjects(content: Json): Json {
  return Object.fromEntries(Object.entries(content).filter(([, member]) => isJson(member)));
}

function cut(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, 4000) : value;
}

function composed<T>(value: T): T {
  return rewritten(value, (text) => text.normalize('NFC'));
}

function rewritten<T>(value: T, change: (text: string) => string): T {
  return JSON.parse(change(JSON.stringify(value))) as T;
}
