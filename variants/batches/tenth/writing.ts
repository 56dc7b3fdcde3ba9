import { headerNames } from '../../../contract/names.ts';
import { type ArrayItem, isContent, referenceMembers } from '../../../reference-server/areas/content.ts';
import { storedStates } from '../../../reference-server/areas/soft-type.ts';
import { replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt, many } from '../service.ts';
import { named } from '../proofs.ts';

export const writing: Batch = {
  'editing.empty-merge-tells-the-former-version': {
    source: 'core: Common request headers',
    breaks: 'The version that an edit answers with is the one that the object has from then on, whatever was edited.',
    kind: 'combination',
    variant: replaces('editing', 'mergeObject', async (right, areas, call, store) => {
      const answer = await right(areas, call, store);
      if (!isContent(call.json) || Object.keys(call.json).length > 0) return answer;
      return { ...answer, headers: { ...answer.headers, [headerNames.version]: String(call.object.version) } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      const { headers } = await edda.merge(made, 1, {});
      return headers.get(headerNames.version) !== String(at(await edda.read(made), '/version'));
    },
  },
  'editing.put-fills-known-entries-up': {
    source: 'core: Endpoint table, PUT',
    breaks: 'What a complete body leaves out of an entry is gone, though the entry is named by its id.',
    kind: 'combination',
    variant: replaces('editing', 'replaceArray', async (right, areas, store, oid, port, items) => {
      const filled: ArrayItem[] = [];
      for (const item of items) {
        const old = item.entryId === undefined ? undefined : await store.entry(oid, port, item.entryId);
        filled.push({ ...item, content: { ...old?.content, ...item.content } });
      }
      return right(areas, store, oid, port, filled);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', comment: 'c' }] });
      const $entryId = at(await edda.read(made), '/data/files/0/$entryId');
      await edda.replace(made, 1, { title: 't', files: [{ $entryId, name: 'f' }] });
      return at(await edda.read(made), '/data/files/0/comment') !== undefined;
    },
  },
  'editing.texts-of-entries-lose-returns': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'The text of an entry is kept letter by letter, line ends included.',
    kind: 'value',
    variant: replaces('contents', 'withEntryIds', (right, areas, items) => {
      const plain = (value: unknown) => (typeof value === 'string' ? value.replaceAll('\r\n', '\n') : value);
      const contents = items.map(({ content, ...item }) => ({
        ...item,
        content: Object.fromEntries(Object.entries(content).map(([name, value]) => [name, plain(value)])),
      }));
      return right(areas, contents);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'f', comment: 'a\r\nb' }] });
      return at(await edda.read(made), '/data/files/0/comment') !== 'a\r\nb';
    },
  },
  'editing.numbers-have-single-precision': {
    source: 'core: Endpoint table, POST softtype',
    breaks: 'A number is read as it was written, with all digits that JSON numbers commonly have.',
    kind: 'value',
    variant: replaces('contents', 'inputFrom', (right, areas, rules, softType, ...rest) => {
      const input = right(areas, rules, softType, ...rest);
      const pairs = Object.entries(input.content).map(([name, value]) => {
        const isNumber = softType.members.get(name)?.kind === 'number' && typeof value === 'number';
        return [name, isNumber ? Math.fround(value) : value] as const;
      });
      return { ...input, content: Object.fromEntries(pairs) };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', weight: 0.1 });
      return at(await edda.read(made), '/data/weight') !== 0.1;
    },
  },
  'versioning.demote-from-the-end-compares-nothing': {
    source: 'core: Errors 409',
    breaks: 'A demote is compared with the version of the object in its last state as well.',
    kind: 'combination',
    variant: replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      const isLast = storedStates(object)['engineering']?.state === 'released';
      const isGiven = call.headers[headerNames.version.toLowerCase()] !== undefined;
      return isLast && isGiven && call.url.includes('/demote/') ? object.version : right(areas, call, object);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      await edda.move(made, 2);
      return (await edda.move(made, 1, 'demote')).status !== 409;
    },
  },
  'versioning.compares-the-beginning': {
    source: 'core: Versioning 3',
    breaks: 'Version 1 is another one than version 10.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) =>
      String(current).startsWith(String(sent)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Part', { name: 'p' });
      for (const version of many(9, (number) => number)) await edda.merge(made, version, { note: `${version}` });
      return (await edda.merge(made, 1, { note: 'late' })).status !== 409;
    },
  },
  'operations.later-entries-gain-no-items': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'A value is appended to an array of any entry, of one behind the first ten as well.',
    kind: 'combination',
    variant: replaces('operations', 'addValue', async (right, areas, run, target, ...rest) =>
      target.kind === 'array' && (target.row.entry?.entryId ?? 0) > 10 ? undefined : right(areas, run, target, ...rest),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: named(11) });
      const id = at((await edda.page(made, 'files', 1)).json, '/data/0/$entryId');
      await edda.operate(made, 1, [{ op: 'add', path: `/files/${String(id)}/revisions`, value: { text: 'r' } }]);
      return listAt((await edda.page(made, 'files', 1)).json, '/data/0/revisions').length !== 1;
    },
  },
  'operations.reference-without-value-stays': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A reference that loses its value goes with it.',
    kind: 'place',
    variant: replaces(
      'operations',
      'complies',
      (right, areas, members, ...rest) => members === referenceMembers || right(areas, members, ...rest),
    ),
    async shows({ edda }) {
      const { oid } = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: oid } }] });
      const id = at(await edda.read(made), '/data/describes/0/$entryId');
      await edda.operate(made, 1, [{ op: 'remove', path: `/describes/${String(id)}/value` }]);
      return listAt(await edda.read(made), '/data/describes').length !== 0;
    },
  },
  'operations.after-the-fiftieth-are-passed-over': {
    source: 'core: Operations-based PATCH rules 2',
    breaks: 'All operations of the array are carried out, however many they are.',
    kind: 'value',
    variant: replaces('operations', 'operationsOf', (right, areas, body) =>
      right(areas, Array.isArray(body) ? body.slice(0, 50) : body),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const entries = named(50).map((value) => ({ op: 'add', path: '/contacts/-', value }));
      await edda.operate(made, 1, [...entries, { op: 'add', path: '/note', value: 'n' }]);
      return at(await edda.read(made), '/data/note') !== 'n';
    },
  },
  'operations.empty-object-replaces': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An object is no value to replace by, an empty one neither.',
    kind: 'value',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      const isEmpty = isContent(value) && Object.keys(value).length === 0;
      const isObject = target.kind === 'member' && target.member.kind === 'object' && target.value !== undefined;
      if (isEmpty && isObject) return areas.operations.setMember(run, target, {});
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', dimensions: { width: '1' } });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/dimensions', value: {} }])).status < 400;
    },
  },
  'logging.operations-of-a-batch-lose-the-id': {
    source: 'core: Common request headers',
    breaks:
      'The correlation id stands in all log messages of the request, in those about one operation of a batch too.',
    survives: 'How the log of requests is read is not said, so that nobody outside can see what stands in it.',
    kind: 'place',
    variant: replaces('batch', 'runOperation', (right, areas, batch, ...rest) =>
      right(areas, { ...batch, log: areas.log }, ...rest),
    ),
    async shows({ edda, log }) {
      const made = await edda.make('Part', { name: 'p' });
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      await edda.post('/api/space/main/batch', [edit], { [headerNames.correlationId]: 'tenth-log' });
      // a time may hold the same digits
      return !/(?<![\d.])412(?![\d.])/.test(await log('tenth-log'));
    },
  },
};
