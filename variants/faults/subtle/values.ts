import type { ArrayItem, InputContent } from '../../../reference-server/areas/content.ts';
import { type Variants, replaces, within } from '../../breaks.ts';
import { isJson } from '../answers.ts';

/** Wrong for values that programs take for none. */
export const valueFaults = {
  'subtle.merge.skips-zero-and-false': replaces('contents', 'editsFrom', (right, areas, ...args) =>
    withoutEmpty(right(areas, ...args)),
  ),

  'subtle.schema.lacks-arrays': replaces('instances', 'schemaOf', (right, areas, softType, view) => {
    const schema = right(areas, softType, view);
    const properties = Object.entries(schema['properties'] ?? {}).filter(
      ([, member]) => !(isJson(member) && member['type'] === 'array'),
    );
    return { ...schema, properties: Object.fromEntries(properties) };
  }),

  'subtle.put.empty-list-is-none': replaces('editing', 'replaceContent', (right, areas, old, given) => {
    const empty = Object.entries(given).flatMap(([name, value]) =>
      Array.isArray(value) && value.length === 0 ? [[name, old[name] ?? value]] : [],
    );
    return right(areas, old, { ...given, ...Object.fromEntries(empty) });
  }),

  'subtle.create.drops-zero-and-false': replaces('contents', 'contentFrom', (right, areas, ...args) =>
    withoutEmpty(right(areas, ...args)),
  ),

  'subtle.remove.empty-list-is-no-value': replaces('operations', 'operationOf', (right, areas, item, at) => {
    if (!isJson(item) || item['op'] !== 'remove' || JSON.stringify(item['value']) !== '[]')
      return right(areas, item, at);
    const { value: _none, ...removal } = item;
    return right(areas, removal, at);
  }),

  'subtle.remove.finds-no-false': replaces('operations', 'removeTarget', (right, areas, run, target) =>
    right(areas, run, target.kind === 'member' && target.value === false ? { ...target, value: undefined } : target),
  ),

  'subtle.multi-create.zero-is-no-name': replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) =>
    $id === '0' ? undefined : right(areas, items, $id, referrer),
  ),

  'subtle.add.rounds-numbers': replaces('operations', 'addValue', (right, areas, run, target, value, at) =>
    right(areas, run, target, rounded(value), at),
  ),

  'subtle.batch.put-rounds-numbers': replaces('contents', 'contentFrom', (right, areas, call, ...args) => {
    const { content, arrays } = right(areas, call, ...args);
    if (call.method !== 'PUT' || !isOfBatch(call)) return { content, arrays };
    return {
      content: Object.fromEntries(Object.entries(content).map(([name, value]) => [name, rounded(value)])),
      arrays,
    };
  }),

  /** A list is a text in which its items stand behind one another. */
  'subtle.merge.joins-lists': replaces('editing', 'mergePatch', (right, areas, target, edits) => {
    const joined = Object.entries(edits).map(([name, edit]) => {
      const isList = Array.isArray(edit) && edit.every((item) => typeof item === 'string');
      return [name, isList ? edit.join(', ').split(', ') : edit];
    });
    return right(areas, target, Object.fromEntries(joined));
  }),

  /** What a multi-create brings for a dated member does not fit the column. */
  'subtle.multi-create.loses-dated-members': replaces('multiCreate', 'multiCreate', (right, areas, call, writing) => {
    const undated = within(areas, {
      contents: {
        inputFrom: (...args) => {
          const { content, arrays } = areas.contents.inputFrom(...args);
          const kept = Object.entries(content).filter(([, value]) => !(isJson(value) && 'effectivity' in value));
          return { content: Object.fromEntries(kept), arrays };
        },
      },
    });
    return right(undated, call, writing);
  }),

  /** What an entry lacks that is not the first of its array it has of the entry before, of whichever object. */
  'subtle.entries.later-ones-are-filled-up': (classes) => {
    let last: ArrayItem['content'] = {};
    return replaces('contents', 'withEntryIds', (right, areas, items) => {
      const filled = items.map((item, index) => ({
        ...item,
        content: index === 0 ? item.content : { ...last, ...item.content },
      }));
      last = { ...last, ...filled.at(-1)?.content };
      return right(areas, filled);
    })(classes);
  },

  /** What an entry inside an entry lacks it has of the one before, of whichever object. */
  'subtle.entries.inner-ones-are-filled-up': (classes) => {
    let last: object = {};
    const filled = (value: unknown): unknown => {
      if (!Array.isArray(value)) return value;
      return value.map((inner: unknown) => {
        if (!isJson(inner)) return inner;
        last = { ...last, ...inner };
        return last;
      });
    };
    return replaces('contents', 'withEntryIds', (right, areas, items) =>
      right(
        areas,
        items.map((item) => ({
          ...item,
          content: Object.fromEntries(Object.entries(item.content).map(([name, value]) => [name, filled(value)])),
        })),
      ),
    )(classes);
  },
} satisfies Variants;

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value;
}

function isOfBatch(call: object): boolean {
  return 'isSibling' in call && call.isSibling !== undefined;
}

function withoutEmpty({ content, arrays }: InputContent): InputContent {
  const kept = Object.entries(content).filter(([, value]) => value !== 0 && value !== false);
  return { content: Object.fromEntries(kept), arrays };
}
