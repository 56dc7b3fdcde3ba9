import { headerNames } from '../../../contract/names.ts';
import { breaks, replaces, together, type Variant } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { named } from '../proofs.ts';
import { at, editPath, listAt, versionHeader } from '../service.ts';

const versionName = headerNames.version.toLowerCase();

export const listsMistakes: Batch = {
  'multi-create.first-without-arrays-ends': {
    source: 'core: Multi-create rules 1',
    breaks: 'All items come with all that is in them, also behind one that has no arrays.',
    kind: 'place',
    variant: replaces('multiCreate', 'createItems', (right, areas, call, writing, items, inputs) => {
      const end = inputs.findIndex(({ arrays }) => arrays.size === 0);
      const cut = inputs.map((input, index) => (end < 0 || index < end ? input : { ...input, arrays: new Map() }));
      return right(areas, call, writing, items, cut);
    }),
    async shows({ edda }) {
      const made = await edda.multiCreate([
        { $softType: 'Part', data: { name: 'a' } },
        { $softType: 'Part', data: { name: 'b', usages: named(1) } },
      ]);
      const read = await edda.get(String(at(made.json, '/1/href')));
      return listAt(read.json, '/data/usages').length === 0;
    },
  },

  'multi-create.ids-of-earlier-requests': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to an item of its own request, and to none of an earlier one with that id.',
    kind: 'copy',
    variant: breaks('multiCreate', 'findItem', (right) => {
      type Items = Parameters<typeof right>[1];
      const known = new Map<string | undefined, Items[number]>();
      return (areas, items, $id, referrer) => {
        for (const item of items) known.set(item.$id, item);
        return right(areas, items, $id, referrer) ?? known.get($id);
      };
    }),
    async shows({ edda }) {
      const reference = { id: 'd', value: { instanceRef: 'd', softTypeId: 'Document' } };
      await edda.multiCreate([
        { $id: 'd', $softType: 'Document', data: { title: 't' } },
        { $id: 'p', $softType: 'Part', data: { name: 'n', describedBy: [reference] } },
      ]);
      const { status } = await edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'n', describedBy: [reference] } },
      ]);
      return status === 201;
    },
  },

  'multi-create.ids-in-any-case': {
    source: 'core: Multi-create item',
    breaks: 'A reference leads to the item whose id it holds, also beside one whose id differs in its letter case.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.toLowerCase() === $id.toLowerCase()),
    ),
    async shows({ edda }) {
      const made = await edda.multiCreate([
        { $id: 'p', $softType: 'Part', data: { name: 'small' } },
        { $id: 'P', $softType: 'Part', data: { name: 'large' } },
        {
          $id: 'd',
          $softType: 'Document',
          data: { title: 't', describes: [{ id: 'r', value: { instanceRef: 'P', softTypeId: 'Part' } }] },
        },
      ]);
      const read = await edda.get(String(at(made.json, '/2/href')));
      const target = String(at(read.json, '/data/describes/0/value/$oid'));
      return !String(at(made.json, '/1/href')).endsWith(target);
    },
  },

  'batch.version-of-the-batch': {
    source: 'core: Errors, rule 2',
    breaks: 'An edit without a version gets 412, also as an operation of a batch whose own request has one.',
    kind: 'combination',
    variant: replaces('batch', 'operationHeaders', (right, areas, batch, operation) => ({
      [versionName]: batch.headers[versionName],
      ...right(areas, batch, operation),
    })),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const edit = { method: 'PATCH', href: editPath(made), body: { note: 'n' } };
      return (await edda.post('/api/space/main/batch', [edit], versionHeader(1))).status === 200;
    },
  },

  'batch.goes-on-without-a-version': {
    source: 'core: Batch rules 1',
    breaks: 'Everything is rolled back when an operation fails, also when what it lacks is a version.',
    kind: 'value',
    variant: replaces(
      'batch',
      'failsBatch',
      (right, areas, outcome) => outcome.answer.status !== 412 && right(areas, outcome),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      const first = { method: 'PATCH', href: editPath(made), headers: versionHeader(1), body: { note: 'kept' } };
      const other = await edda.make('Document', { title: 't' });
      await edda.batch([first, { method: 'PATCH', href: editPath(other), body: { note: 'n' } }]);
      return at(await edda.read(made), '/data/note') === 'kept';
    },
  },

  'batch.one-parameter': {
    source: 'core: Batch operation, href',
    breaks: 'An href is a whole URI, with every parameter of its query.',
    kind: 'combination',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) =>
      right(areas, batch, href)?.replace(/&.*$/, ''),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', category: 'c' }] });
      const href = `${made.path}?softTypeFilterId=byCategory&fileGroup.category=c`;
      return (await edda.batch([{ method: 'GET', href }])).status !== 200;
    },
  },

  'operations.administrators-add-over': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'An add on a member that has a value fails, whoever asks for it.',
    kind: 'role',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      const { user, space } = run.call;
      const isOver = target.kind === 'member' && areas.auth.rolesOf(user, space).includes('administrator');
      return right(areas, run, isOver ? { ...target, value: undefined } : target, value, place);
    }),
    async shows({ alma }) {
      const made = await alma.make('Document', { title: 't', note: 'n' });
      return (await alma.operate(made, 1, [{ op: 'add', path: '/note', value: 'v' }])).status === 204;
    },
  },

  'operations.value-of-a-later-remove': {
    source: 'core: Patch operation, value',
    breaks: 'A remove has no value, wherever in the list it stands.',
    kind: 'place',
    variant: replaces('operations', 'operationOf', (right, areas, item, place) => {
      if (place === '/0' || at(item, '/op') !== 'remove') return right(areas, item, place);
      const { value: _passedOver, ...rest } = item as { readonly value?: unknown };
      return right(areas, rest, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', note: 'n' });
      const operations = [
        { op: 'replace', path: '/title', value: 'u' },
        { op: 'remove', path: '/note', value: 'n' },
      ];
      return (await edda.operate(made, 1, operations)).status === 204;
    },
  },

  'operations.once-not-compliant': {
    source: 'core: Operations-based PATCH rules 8',
    breaks: 'A parent goes when it no longer complies itself, not because one before it in the list did not.',
    kind: 'copy',
    variant: onceNotCompliant(),
    async shows({ edda }) {
      const files = [
        { name: 'a', comment: 'a' },
        { name: 'b', comment: 'b' },
      ];
      const made = await edda.make('Document', { title: 't', files });
      const ids = listAt(await edda.read(made), '/data/files').map((file) => String(at(file, '/$entryId')));
      await edda.operate(made, 1, [
        { op: 'remove', path: `/files/${ids[0]}/name` },
        { op: 'remove', path: `/files/${ids[1]}/comment` },
      ]);
      return listAt(await edda.read(made), '/data/files').length === 0;
    },
  },
};

function onceNotCompliant(): Variant {
  return (classes) => {
    let found = new Set<unknown>();
    return together(
      replaces('operations', 'applyOperations', (right, areas, run, operations) => {
        found = new Set();
        return right(areas, run, operations);
      }),
      replaces('operations', 'complies', (right, areas, members, content) => {
        const complies = !found.has(members) && right(areas, members, content);
        if (!complies) found.add(members);
        return complies;
      }),
    )(classes);
  };
}
