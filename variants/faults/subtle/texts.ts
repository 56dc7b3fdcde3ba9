import { type Variants, within, replaces } from '../../breaks.ts';

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

  'subtle.multi-create.unlimited-in-a-batch': replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
    const unlimited = within(areas, { multiCreate: { withinLimit: (items) => items } });
    return right(call.isSibling === undefined ? areas : unlimited, call, writing);
  }),
} satisfies Variants;

function isNumeral(value: unknown): boolean {
  return typeof value === 'string' && /^\d+$/.test(value);
}

function composed<T>(value: T): T {
  return rewritten(value, (text) => text.normalize('NFC'));
}

function rewritten<T>(value: T, change: (text: string) => string): T {
  return JSON.parse(change(JSON.stringify(value))) as T;
}
