import { randomUUID } from 'node:crypto';
import { headerNames } from '../../../contract/names.ts';
import type { SpaceCall } from '../../../reference-server/http/call.ts';
import { type Variant, Step, together, replaces } from '../../breaks.ts';
import type { Batch } from '../mistake.ts';
import { at, editPath, listAt } from '../service.ts';

/** Batches, multi-creates, versions, access and what is cached. */
export const sets: Batch = {
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
};

/** The step that the operations of a batch are, beside what is wrong in it. */
function inBatches(batch: Step, wrong: Variant): Variant {
  const running = replaces('batch', 'runBatch', (right, areas, ...args) => batch.run(() => right(areas, ...args)));
  return together(running, wrong);
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
