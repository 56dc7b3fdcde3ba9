import { randomUUID } from 'node:crypto';
import { headerNames, mediaTypes } from '../../../contract/names.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { isoTime } from '../../../reference-server/rfc3339.ts';
import { type Variant, Step, breaks, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, encoded, listAt, operationsPath } from '../service.ts';

/** Batches, multi-creates, versions, access and what is cached. */
export const sets: Batch = {
  'batch.query-of-a-full-uri': {
    source: 'core: Batch operation, href',
    breaks: 'An operation is the request of its full URI, query included, when it starts with scheme and host.',
    kind: 'combination',
    variant: replaces('batch', 'pathOfHref', (right, areas, batch, href) => {
      const path = right(areas, batch, href);
      return /^https?:/i.test(href) ? path?.split('?', 1)[0] : path;
    }),
    async shows({ edda, url }) {
      const files = [
        { name: 'one', category: 'drawing' },
        { name: 'two', category: 'letter' },
      ];
      const made = await edda.make('Document', { title: 'filtered', files });
      const href = `${url}${made.path}?softTypeFilterId=drawings`;
      return listAt((await edda.batch([{ method: 'GET', href }])).json, '/0/body/data/files').length === 2;
    },
  },
  'batch.dated-by-the-clock': {
    source: 'core: Batch operation, headers; Operations-based PATCH rules 7',
    breaks: 'Operations of a batch have its information filter: a dated element is stamped with the date in it.',
    kind: 'combination',
    variant: datedByTheClockInBatches(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'dated', price: '10' });
      const operation = {
        method: 'PATCH',
        href: operationsPath(made),
        headers: { [headerNames.version]: 1, 'Content-Type': mediaTypes.operations },
        body: [{ op: 'replace', path: '/price', value: '12' }],
      };
      const time = '2002-03-04T05:06:07Z';
      await edda.post('/api/space/main/batch', [operation], { [headerNames.informationFilter]: encoded({ time }) });
      const stored = at(await edda.read(made), '/data/price');
      return at(stored, '/value') === '12' && at(stored, '/effectivity') !== time;
    },
  },
  'batch.without-a-version': {
    source: 'core: Errors, rule 2; Batch operation, headers',
    breaks: 'A PUT or PATCH without a version fails as an operation of a batch too.',
    kind: 'combination',
    variant: versionsOptionalInBatches(),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'unversioned' });
      const body = { note: 'new' };
      return (await edda.batch([{ method: 'PATCH', href: editPath(made), body }])).status === 200;
    },
  },
  'batch.multi-create-stays': {
    source: 'core: Batch rules 1 and 4',
    breaks: 'What a multi-create inside a batch creates is rolled back when a later operation fails.',
    kind: 'combination',
    variant: multiCreatesOutliveBatches(),
    async shows({ edda }) {
      const name = `stays ${randomUUID()}`;
      const create = { method: 'POST', href: '/space/main/softtype', body: [{ $softType: 'Part', data: { name } }] };
      const missing = { method: 'GET', href: `/api/space/main/softtype/${randomUUID()}` };
      const { status } = await edda.batch([create, missing]);
      const listed = await edda.get(`/api/space/main/instances/Part?text=${encodeURIComponent(name)}`);
      return status === 500 && listAt(listed.json, '/data').length > 0;
    },
  },
  'batch.role-of-its-own-space': {
    source: 'core: Authentication 6 and 7',
    breaks: 'An operation needs a role in the space that it leads to, not in that of the batch.',
    kind: 'role',
    variant: batchesAcrossSpaces(),
    async shows({ edda, otto }) {
      const made = await edda.make('Document', { title: 'of main' });
      const results = await otto.batch([{ method: 'GET', href: made.path }], 'depot');
      return at(results.json, '/0/body/data/title') === 'of main';
    },
  },
  'batch.collection-administrator-reads': {
    source: 'core: Authentication 7',
    breaks: 'A Collection Administrator without a role in the space reads nothing there, by a batch neither.',
    kind: 'role',
    variant: batchesForCollectionAdministrators(),
    async shows({ edda, cora }) {
      const made = await edda.make('Document', { title: 'of main' });
      return (await cora.batch([{ method: 'GET', href: made.path }])).status === 200;
    },
  },
  'multi-create.two-that-refer-to-each-other': {
    source: 'core: Multi-create rules 2',
    breaks: 'Items may reference each other, two of them in both directions too.',
    kind: 'combination',
    variant: replaces('multiCreate', 'findItem', (right, areas, items, $id, referrer) => {
      const target = right(areas, items, $id, referrer);
      const back = `"instanceRef":${JSON.stringify(referrer.$id)}`;
      return target !== referrer && JSON.stringify(target?.data ?? {}).includes(back) ? undefined : target;
    }),
    async shows({ edda }) {
      const items = [
        { $id: 'd', $softType: 'Document', data: { title: 'd', describes: [referenceTo('p', 'Part')] } },
        { $id: 'p', $softType: 'Part', data: { name: 'p', describedBy: [referenceTo('d', 'Document')] } },
      ];
      return (await edda.multiCreate(items)).status !== 201;
    },
  },
  'multi-create.case-of-an-id': {
    source: 'core: Multi-create item, instanceRef',
    breaks: 'An instanceRef leads to the item with that $id, not to one that differs in the case of a letter.',
    kind: 'value',
    variant: replaces('multiCreate', 'findItem', (_right, _areas, items, $id) =>
      items.find((item) => item.$id?.toLowerCase() === $id.toLowerCase()),
    ),
    async shows({ edda }) {
      const items = [
        { $id: 'part-a', $softType: 'Part', data: { name: 'small' } },
        { $id: 'part-A', $softType: 'Part', data: { name: 'great' } },
        { $id: 'd', $softType: 'Document', data: { title: 'd', describes: [referenceTo('part-A', 'Part')] } },
      ];
      const made = (await edda.multiCreate(items)).json;
      const read = (await edda.get(String(at(made, '/2/href')))).json;
      return String(at(made, '/0/href')).endsWith(String(at(read, '/data/describes/0/value/$oid')));
    },
  },
  'multi-create.open-to-readers': {
    source: 'core: What the service does, space level',
    breaks: 'The role decides on POST, on the route without the api prefix too.',
    kind: 'role',
    variant: replaces('auth', 'authorize', (right, areas, user, access, call) => {
      const isUnderRoot = access === 'space' && call.url.startsWith('/space/');
      if (isUnderRoot && areas.auth.rolesOf(user, areas.auth.spaceOf(call)).length > 0) return;
      right(areas, user, access, call);
    }),
    async shows({ rita }) {
      return (await rita.multiCreate([{ $softType: 'Part', data: { name: 'made by a reader' } }])).status === 201;
    },
  },
  'versioning.begins-alike': {
    source: 'core: Errors, rule 1',
    breaks: 'A version that is not the one of the server is refused, though its digits are the first of it.',
    kind: 'value',
    variant: replaces('versioning', 'sameVersion', (_right, _areas, sent, current) =>
      String(current).startsWith(String(sent)),
    ),
    async shows({ edda }) {
      const made = await edda.make('Document', { title: 'ten' });
      for (let version = 1; version < 10; version += 1) await edda.merge(made, version, { note: `${version}` });
      return (await edda.merge(made, 1, { note: 'stale' })).status === 204;
    },
  },
  'caching.tags-of-one-run': {
    source: 'core: Versioning 4',
    breaks: 'A later GET of unchanged data gives 304, after a restart as well.',
    kind: 'moment',
    variant: breaks('caching', 'etagOf', (right) => {
      const run = randomUUID();
      return (areas, representation) => right(areas, `${run} ${representation.toString()}`);
    }),
    async shows({ cora, restart }) {
      const path = '/api/collection/template';
      const etag = (await cora.get(path)).headers.get('etag') ?? '';
      await restart();
      return (await cora.get(path, { 'if-none-match': etag })).status === 200;
    },
  },
  'open-api.of-the-first-space': {
    source: 'core: What the service does (dynamic definitions)',
    breaks: 'The dynamic definition is that of the template of the space asked for, whatever was asked for before.',
    kind: 'copy',
    variant: breaks('openApi', 'readDynamicOpenApi', (right) => {
      let first: SpaceCall['space'] | undefined;
      return (areas, call) => {
        first ??= call.space;
        return right(areas, { ...call, space: first });
      };
    }),
    async shows({ edda }) {
      await edda.get('/space/main/SoftType/dynamic/softtype.openApi');
      return !(await edda.get('/space/depot/SoftType/dynamic/softtype.openApi')).text.includes('Dossier');
    },
  },
};

function referenceTo(instanceRef: string, softTypeId: string): object {
  return { id: 'reference', value: { instanceRef, softTypeId } };
}

/** The step that the operations of a batch are, beside what is wrong in it. */
function inBatches(batch: Step, wrong: Variant): Variant {
  const running = replaces('batch', 'runBatch', (right, areas, ...args) => batch.run(() => right(areas, ...args)));
  return together(running, wrong);
}

function datedByTheClockInBatches(): Variant {
  const batch = new Step();
  const wrong = replaces('contents', 'effectivityOf', (right, areas, call) =>
    batch.isOn() ? isoTime(areas.clock.now()) : right(areas, call),
  );
  return inBatches(batch, wrong);
}

function versionsOptionalInBatches(): Variant {
  const batch = new Step();
  const header = headerNames.version.toLowerCase();
  const wrong = replaces('versioning', 'assertVersion', (right, areas, call, object) =>
    batch.isOn() && call.headers[header] === undefined ? object.version : right(areas, call, object),
  );
  return inBatches(batch, wrong);
}

/** A multi-create has a transaction of its own, which nobody rolls back. */
function multiCreatesOutliveBatches(): Variant {
  const batch = new Step();
  const made: (SpaceCall & { readonly json: unknown })[] = [];
  const noting = replaces('multiCreate', 'multiCreate', async (right, areas, call, writing) => {
    const answer = await right(areas, call, writing);
    if (batch.isOn()) made.push(call);
    return answer;
  });
  const keeping = replaces('dispatcher', 'carryOut', async (right, areas, route, call) => {
    const answer = await right(areas, route, call);
    if (!call.url.endsWith('/batch')) return answer;
    for (const creation of made.splice(0))
      if (answer.status === 500)
        await areas.store.change((writing) => areas.multiCreate.multiCreate(creation, writing));
    return answer;
  });
  return inBatches(batch, together(noting, keeping));
}

/** The batch route has judged the role already, so that its operations go where they want to. */
function batchesAcrossSpaces(): Variant {
  const foreign = new WeakSet<object>();
  return together(
    replaces('batch', 'prepareOperation', (right, areas, batch, table, value, index) => {
      const [, spaceId = ''] = /\/space\/([^/?]+)/.exec(String(at(value, '/href'))) ?? [];
      const space = areas.configuration.spaces.get(spaceId) ?? batch.space;
      const prepared = right(areas, { ...batch, space }, table, value, index);
      if (space !== batch.space) foreign.add(prepared.call);
      return prepared;
    }),
    replaces('batch', 'carryOutOperation', (right, areas, prepared, writing) => {
      if (!foreign.has(prepared.call)) return right(areas, prepared, writing);
      return areas.dispatcher.carryOutWrite(prepared.route, prepared.call, writing);
    }),
  );
}

function batchesForCollectionAdministrators(): Variant {
  const batch = new Step();
  const wrong = replaces('auth', 'authorize', (right, areas, user, access, call) => {
    const opensBatch = access === 'participant' && call.url.endsWith('/batch');
    const readsThere = access === 'space' && batch.isOn() && call.method === 'GET';
    if (areas.auth.mayAdministrate(user) && (opensBatch || readsThere)) return;
    right(areas, user, access, call);
  });
  return inBatches(batch, wrong);
}
