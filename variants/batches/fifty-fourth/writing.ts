import { AsyncLocalStorage } from 'node:async_hooks';
import { referenceMembers } from '../../../reference-server/areas/content.ts';
import { statesMember } from '../../../reference-server/areas/soft-type.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { Step, type Variant, replaces, together } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { always, reached } from '../proofs.ts';
import { at, encoded, listAt, many, operationsPath, versionHeader } from '../service.ts';

/** A server that looks whether the version is right when a request arrives, and not again when it is its turn. */
function comparedAtArrival(): Variant {
  const arrived = new AsyncLocalStorage<number | undefined>();
  return together(
    replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
      const { spaceId = '', objectId = '' } = call.params;
      const isEdit = call.method === 'PUT' || call.method === 'PATCH';
      if (!isEdit || objectId === '') return right(areas, route, call);
      const object = await areas.store.read((reading) => reading.object(spaceId, objectId));
      return arrived.run(object?.version, () => right(areas, route, call));
    }),
    replaces('versioning', 'assertVersion', (right, areas, call, object) => {
      right(areas, call, { ...object, version: arrived.getStore() ?? object.version });
      return object.version;
    }),
  );
}

/** A server that counts the instances of a multi-create where its request comes in. */
function unlimitedInBatches(): Variant {
  const batch = new Step();
  return together(
    replaces('batch', 'runBatch', (right, areas, ...asked) => batch.run(() => right(areas, ...asked))),
    replaces('multiCreate', 'withinLimit', (right, areas, items) =>
      batch.isOn() && items.length > 0 ? items : right(areas, items),
    ),
  );
}

/** Creates, edits and moves of objects, alone and many at once. */
export const writingMistakes: Batch = {
  'multi-create.first-id-that-begins-so': {
    source: 'core: Multi-create rules 2',
    breaks: 'A reference leads to the item whose temporary id it holds, and not to one whose id is longer.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.startsWith($id)),
    ),
    async shows({ edda }) {
      const value = { instanceRef: 'p1', softTypeId: 'Part' };
      const answer = await edda.multiCreate([
        { $id: 'p10', $softType: 'Part', data: { name: 'ten' } },
        { $id: 'p1', $softType: 'Part', data: { name: 'one' } },
        { $id: 'd', $softType: 'Document', data: { title: 't', describes: [{ id: 'x', value }] } },
      ]);
      const hrefs = listAt(answer.json, '').map((each) => String(at(each, '/href')));
      const read = await edda.get(hrefs[2] ?? '');
      const target = await edda.get(hrefs[0] ?? '');
      const oid = at(target.json, '/data/$oid');
      return oid !== undefined && at(read.json, '/data/describes/0/value/$oid') === oid;
    },
  },

  'batch.version-as-it-stood-in-the-header': {
    source: 'core: Batch result, row body',
    breaks: 'The version in a batch result is an integer.',
    kind: 'value',
    variant: replaces('batch', 'writtenBody', (right, areas, call, answer) => {
      const body = right(areas, call, answer);
      const version = at(body, '/version');
      return typeof version === 'number' ? { ...(body as object), version: String(version) } : body;
    }),
    async shows({ edda }) {
      const href = '/api/space/main/softtype/Part/partInput';
      const answer = await edda.batch([{ method: 'POST', href, body: { name: 'p' } }]);
      return typeof at(answer.json, '/0/body/version') === 'string';
    },
  },

  'operations.lists-replaced-as-a-whole': {
    source: 'core: Operations-based PATCH rules 6',
    breaks: 'An array is no value of replace, neither for a list of plain values.',
    kind: 'place',
    variant: replaces('operations', 'replaceValue', async (right, areas, run, target, value, place) => {
      if (target.kind === 'list' && Array.isArray(value)) return areas.operations.setMember(run, target, value);
      return right(areas, run, target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', keywords: ['a'] });
      return (await edda.operate(made, 1, [{ op: 'replace', path: '/keywords', value: ['b'] }])).status < 300;
    },
  },

  'operations.add-takes-the-place-inside-entries': {
    source: 'core: Operations-based PATCH rules 5',
    breaks: 'Add of a member that exists fails, also where the member is that of an entry.',
    kind: 'place',
    variant: replaces('operations', 'addValue', (right, areas, run, target, value, place) => {
      const isInEntry = target.kind === 'member' && target.row.entry !== undefined;
      return right(areas, run, isInEntry ? { ...target, value: undefined } : target, value, place);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', comment: 'c' }] });
      return (await edda.operate(made, 1, [{ op: 'add', path: '/files/1/comment', value: 'd' }])).status < 300;
    },
  },

  'maturity.state-without-its-id-behind-a-move': {
    source: 'core: States and transitions, first sentence',
    breaks: 'A current state has an object identifier, also on a level that has moved.',
    kind: 'place',
    variant: replaces('maturity', 'contentInState', (right, areas, content, level, state) => {
      const moved = right(areas, content, level, state);
      const states = moved[statesMember] as Readonly<Record<string, object>>;
      return { ...moved, [statesMember]: { ...states, [level]: { ...states[level], $oid: undefined } } };
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't' });
      await edda.move(made, 1);
      const state = at(await edda.read(made), '/data/engineering');
      return at(state, '/state') === 'reviewed' && at(state, '/$oid') === undefined;
    },
  },

  'put.what-an-entry-had-before': {
    source: 'core: Endpoint table, PUT',
    breaks: 'A field that the body leaves out is removed, also one of an entry that keeps its id.',
    kind: 'combination',
    variant: replaces('editing', 'replaceArray', async (right, areas, writing, oid, port, items) => {
      const merged: (typeof items)[number][] = [];
      for (const item of items) {
        const old = item.entryId === undefined ? undefined : await writing.entry(oid, port, item.entryId);
        merged.push(old === undefined ? item : { ...item, content: { ...old.content, ...item.content } });
      }
      return right(areas, writing, oid, port, merged);
    }),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', files: [{ name: 'n', comment: 'c' }] });
      await edda.replace(made, 1, { title: 't', files: [{ $entryId: 1, name: 'n' }] });
      return at(await edda.read(made), '/data/files/0/comment') === 'c';
    },
  },

  'operations.dated-by-the-clock-in-a-batch': {
    source: 'core: Operations-based PATCH rules 7',
    breaks: 'The date is that of the information filter, also where the filter is that of a batch.',
    kind: 'combination',
    variant: replaces('contents', 'effectivityOf', (right, areas, call) =>
      'isSibling' in call ? isoTime(areas.clock.now()) : right(areas, call),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 't', price: '12' });
      const headers = { ...versionHeader(1), 'Content-Type': 'application/json-patch+json' };
      const body = [{ op: 'replace', path: '/price/value', value: '13' }];
      const filter = { 'Svc-InformationFilter': encoded({ time: '2020-01-01T00:00:00Z' }) };
      const patch = { method: 'PATCH', href: operationsPath(made), headers, body };
      const { status } = await edda.post('/api/space/main/batch', [patch], filter);
      const price = at(await edda.read(made), '/data/price');
      return status === 200 && !String(at(price, '/effectivity')).startsWith('2020-01-01');
    },
  },

  'operations.reference-cannot-go-with-its-value': {
    source: 'core: Operations-based PATCH rules 8, example',
    breaks: 'With the value goes the entry that owns it, also where the entry is a reference.',
    kind: 'combination',
    variant: replaces('operations', 'complies', (right, areas, members, content) =>
      members === referenceMembers ? true : right(areas, members, content),
    ),
    async shows({ edda }) {
      const part = await edda.make('Part', { name: 'p' });
      const made = await edda.make('Document', { title: 't', describes: [{ value: { $oid: part.oid } }] });
      await edda.operate(made, 1, [{ op: 'remove', path: '/describes/1/value' }]);
      return listAt(await edda.read(made), '/data/describes').length === 1;
    },
  },

  'multi-create.no-limit-in-a-batch': {
    source: 'core: Limits, row instances per multi-create',
    breaks: 'A multi-create takes at most fifty instances, also as an operation of a batch.',
    kind: 'combination',
    variant: unlimitedInBatches(),
    async shows({ edda }) {
      const body = many(51, (number) => ({ $softType: 'Part', data: { name: `p${number}` } }));
      return (await edda.batch([{ method: 'POST', href: '/space/main/softtype', body }])).status === 200;
    },
  },

  'versioning.compared-before-the-turn': {
    source: 'core: Errors, row 409',
    breaks:
      'A move that was made for an older version is refused, also where the object changed while an extension was asked.',
    kind: 'moment',
    variant: comparedAtArrival(),
    async shows(service) {
      const { edda } = service;
      const host = await service.host(
        () => [
          {
            id: 'check',
            extensionType: 'ExternalValidation',
            capabilities: [{ capabilityType: 'SoftType', capabilities: ['Document'] }],
          },
        ],
        always({ status: 200, json: { isValid: true, message: '' }, delayMs: 400 }),
      );
      const made = await edda.make('Document', { title: 't' });
      const move = edda.move(made, 1);
      await reached(host, 1);
      const edit = await edda.merge(made, 1, { note: 'n' });
      return edit.status === 204 && (await move).status === 204;
    },
  },
};
