import { headerNames } from '../../../contract/names.ts';
import { arrayItem, isContent } from '../../../reference-server/areas/content.ts';
import { nameOf } from '../../../reference-server/areas/operations.ts';
import { breaks, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, listAt, many, movePath } from '../service.ts';

const versionHeader = headerNames.version.toLowerCase();

/** As wide as many a database column. */
const columnChars = 255;

export const editingMistakes: Batch = {
  'editing.zero-is-no-value': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'A merge edits every member that its body has, also where the new value is 0, false or an empty text.',
    kind: 'value',
    variant: replaces('editing', 'mergePatch', (right, areas, target, edits) => {
      const pairs = Object.entries(edits).filter(([, value]) => value !== 0 && value !== false && value !== '');
      return right(areas, target, Object.fromEntries(pairs));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title', pageCount: 5 });
      await edda.merge(made, 1, { pageCount: 0 });
      return at(await edda.read(made), '/data/pageCount') !== 0;
    },
  },

  'editing.merge-clears-what-its-schema-lacks': {
    source: 'core: Endpoint table, PATCH (merge)',
    breaks: 'Members that are not in the body of a merge stay, also those that its input schema does not have.',
    kind: 'place',
    variant: replaces('contents', 'editsFrom', (right, areas, call, softType, view, body) => {
      const edits = right(areas, call, softType, view, body);
      const held = new Set(view.names.values());
      const foreign = [...softType.members.keys()].filter((name) => !held.has(name));
      return { ...edits, content: { ...Object.fromEntries(foreign.map((name) => [name, null])), ...edits.content } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title', pageCount: 5 });
      const path = `/api/space/main/softtype/Document/documentBrief/${made.oid}`;
      await edda.send('PATCH', path, { headers: { [versionHeader]: '1' }, body: { note: 'note' } });
      const read = await edda.read(made);
      return at(read, '/data/note') === 'note' && at(read, '/data/pageCount') === undefined;
    },
  },

  'editing.put-merges-objects': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A PUT removes every field that is absent from its body, also one inside an object that the body has.',
    kind: 'place',
    variant: replaces('editing', 'replaceContent', (right, areas, old, given) => {
      const content = right(areas, old, given);
      const { dimensions } = given;
      if (!isContent(dimensions) || !isContent(old['dimensions'])) return content;
      return { ...content, dimensions: { ...old['dimensions'], ...dimensions } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title', dimensions: { width: '1', height: '2' } });
      await edda.replace(made, 1, { title: 'title', dimensions: { width: '3' } });
      const read = await edda.read(made);
      return at(read, '/data/dimensions/width') === '3' && at(read, '/data/dimensions/height') !== undefined;
    },
  },

  'editing.long-comments-cut': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'What is created is the content that was sent, also where a text in an entry is long.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      return right(areas, items).map((content) => {
        const { comment } = content;
        return typeof comment === 'string' ? { ...content, comment: comment.slice(0, columnChars) } : content;
      });
    }),
    async shows({ edda }) {
      const comment = 'x'.repeat(columnChars + 1);
      const made = await edda.make('Document', { title: 'title', files: [{ name: 'name', comment }] });
      return at(await edda.read(made), '/data/files/0/comment') !== comment;
    },
  },
};

export const versioningMistakes: Batch = {
  'versioning.ahead-is-accepted': {
    source: 'core: Errors 1',
    breaks: 'A version that the object has not reached yet is a mismatch too.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => sent >= current),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      return (await edda.merge(made, 2, { note: 'note' })).status !== 409;
    },
  },

  'versioning.compared-as-beginning-of-text': {
    source: 'core: Versioning 3',
    breaks: 'Versions are compared as integers: 1 is not 10.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) => {
      return String(current).startsWith(String(sent));
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      for (const version of many(9, (number) => number)) await edda.merge(made, version, { note: `note ${version}` });
      return (await edda.merge(made, 1, { note: 'late' })).status !== 409;
    },
  },

  'versioning.demote-without-version': {
    source: 'core: Errors 2',
    breaks: 'A demote without the version header is refused with 412, as every PUT is.',
    kind: 'place',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isBare = call.headers[versionHeader] === undefined && call.url.includes('/demote/');
      return isBare ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      await edda.move(made, 1);
      return (await edda.put(movePath(made, 'demote'), undefined)).status !== 412;
    },
  },

  'versioning.not-compared-in-a-batch': {
    source: 'core: Versioning 3',
    breaks: 'The version of an edit is compared, also when the edit is an operation of a batch.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isOperation = 'isSibling' in call;
      return isOperation && areas.versioning.versionHeaderOf(call) < object.version
        ? object.version
        : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      await edda.merge(made, 1, { note: 'first' });
      const href = `/api/space/main/softtype/Document/documentInput/${made.oid}`;
      const stale = { method: 'PATCH', href, headers: { [headerNames.version]: '1' }, body: { note: 'second' } };
      return (await edda.batch([stale])).status !== 500;
    },
  },
};

export const operationsMistakes: Batch = {
  'operations.null-for-remove': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A remove has no value member, not even one that is null.',
    kind: 'value',
    variant: replaces('operations', 'operationOf', (right, areas, item, pointer) => {
      if (!isContent(item) || item['op'] !== 'remove' || item['value'] !== null) return right(areas, item, pointer);
      const { value: _null, ...rest } = item;
      return right(areas, rest, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title', note: 'note' });
      return (await edda.operate(made, 1, [{ op: 'remove', path: '/note', value: null }])).status < 300;
    },
  },

  'operations.reference-stays-without-target': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'An entry that does not comply without what was removed goes too, be it a reference without its value.',
    kind: 'place',
    variant: replaces('operations', 'cascadeTo', async (right, areas, run, entry) => {
      if (entry.array.kind !== 'references') await right(areas, run, entry);
    }),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'part' });
      const made = await edda.make('Document', { title: 'title', describes: [{ value: { $oid: part.oid } }] });
      const entryId = String(at(await edda.read(made), '/data/describes/0/$entryId'));
      const { status } = await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${entryId}/value` }]);
      return status < 300 && listAt(await edda.read(made), '/data/describes').length > 0;
    },
  },

  'operations.date-of-the-first-filter': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'A replaced dated element gets the date of the filter of its own request, not of one before.',
    kind: 'copy',
    variant: breaks('contents', 'effectivityOf', (right) => {
      const kept = new Map<string, string>();
      return (areas, call) => {
        const known = kept.get(call.url);
        if (known !== undefined) return known;
        const date = right(areas, call);
        kept.set(call.url, date);
        return date;
      };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title', price: '10' });
      const [first, second] = ['2030-01-01T00:00:00Z', '2031-01-01T00:00:00Z'] as const;
      await edda.operate(made, 1, [{ op: 'replace', path: '/price', value: '11' }], { time: first });
      await edda.operate(made, 2, [{ op: 'replace', path: '/price', value: '12' }], { time: second });
      return Date.parse(String(at(await edda.read(made), '/data/price/effectivity'))) !== Date.parse(second);
    },
  },

  'operations.tilde-decoded-first': {
    source: 'core: Operations-based PATCH rules 3',
    breaks: 'In a JSON Pointer ~1 is decoded before ~0, so that ~01 means a tilde and a one.',
    kind: 'value',
    variant: replaces('operations', 'pointerTokens', (right, areas, path) => {
      return (
        right(areas, path) &&
        path
          .split('/')
          .slice(1)
          .map((token) => token.replaceAll('~0', '~').replaceAll('~1', '/'))
      );
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title' });
      await edda.operate(made, 1, [{ op: 'add', path: '/scale~1~01', value: '1:5' }]);
      return at(await edda.read(made), '/data/scale~1~01') !== '1:5';
    },
  },

  'operations.add-over-false': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member that has a value fails, also where the value is false.',
    kind: 'value',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, pointer) => {
      const isFalse = target.kind === 'member' && target.value === false;
      return right(areas, run, isFalse ? { ...target, value: undefined } : target, value, pointer);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'title', confidential: false });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/confidential', value: true }])).status < 300;
    },
  },

  'operations.appended-to-the-first-page': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An entry is appended as the last one of its array, not of the page that is shown.',
    kind: 'place',
    variant: replaces('operations', 'appendToPort', async (right, areas, run, target, contents) => {
      const before = await run.writing.entries(run.object.oid, nameOf(target), { from: 0, to: 10_000 });
      if (before.length <= 10) return right(areas, run, target, contents);
      const fresh = areas.contents.withEntryIds(contents.map(arrayItem)).map((content) => ({ content }));
      await run.writing.replaceEntries(run.object.oid, nameOf(target), [
        ...before.slice(0, 10),
        ...fresh,
        ...before.slice(10),
      ]);
    }),
    async shows({ edda }) {
      const files = many(12, (number) => ({ name: `file ${number}` }));
      const made = await edda.make('Document', { title: 'title', files });
      await edda.operate(made, 1, [{ op: 'add', path: '/files/-', value: { name: 'last' } }]);
      return at(listAt((await edda.page(made, 'files', 1)).json, '/data').at(-1), '/name') !== 'last';
    },
  },
};
