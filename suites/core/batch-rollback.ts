import { nat } from 'fast-check';
import { entriesOf } from '../../judge/answers.ts';
import {
  assumeFailed,
  editRequest,
  expectNothingBehind,
  operationsOf,
  resultsOf,
  sendBatch,
  staleEditRequest,
  statusesOf,
} from '../../judge/batch.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/things.ts';
import { pointer } from '../../judge/json.ts';
import { isListed, listingShows } from '../../judge/queries.ts';
import { readState, stateIn } from '../../judge/maturity.ts';
import { rules } from '../../judge/rule.ts';
import { makeEditable } from '../../judge/writes.ts';

export const batchRollbackRules = rules('batch', {
  'batch.rollback.edits-undone': {
    level: 'must',
    source: 'core: Batch rules 1',
    statement: 'When one operation fails, edits of other objects in the batch are undone, in content and in version.',
    fault: 'content is rolled back but the version stays raised',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    after: ['batch.failure.status-500'],
    test: property(
      nat({ max: 2 }),
      async (context, place) => {
        const { given, service, expect, profile } = context;
        const owner = await given.objectWithEntries(11, { body: { [profile.scalars[0]]: given.unique() } });
        const [first] = entriesOf(await service.read(owner), owner.port);
        const entries = service.requests.operations(owner, [
          { op: 'add', path: pointer(owner.port.member), value: given.entry(given.unique(), {}, owner.port) },
          { op: 'remove', path: `${pointer(owner.port.member, given.present(first, 'an entry').entryId)}/` },
        ]);
        const [plain, stale] = [await makeEditable(context), await makeEditable(context)];
        const things: readonly Thing[] = [owner, plain, stale];
        const before = [await service.snapshot(owner), await service.snapshot(plain), await service.snapshot(stale)];
        const sound = [entries, editRequest(context, plain)];
        const reply = await sendBatch(context, [
          ...sound.slice(0, place),
          staleEditRequest(context, stale),
          ...sound.slice(place),
        ]);
        assumeFailed(reply);
        for (const [index, thing] of things.entries())
          expect.unchanged(given.present(before[index], 'a snapshot'), await service.snapshot(thing));
      },
      { always: [0, 1, 2], share: 0.2 },
    ),
  },
  'batch.rollback.creates-undone': {
    level: 'must',
    source: 'core: Batch rules 1',
    statement: 'When one operation fails, objects created by other operations of the batch do not exist afterwards.',
    fault: 'created objects survive the rollback',
    needs: ['soft-type', 'scalar-members', 'instance-listing'],
    after: ['batch.failure.status-500', 'reading.missing-object.status-404'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const [member] = profile.scalars;
      const stale = await makeEditable(context);
      const kept = given.unique('kept');
      await given.object({ [member]: kept });
      given.assume(await isListed(context, kept), listingShows);
      const texts = [given.unique('undone'), given.unique('undone')];
      const creates = texts.map((text) => service.requests.create(given.body({ [member]: text })));
      const requests = [...creates, staleEditRequest(context, stale)];
      const reply = await sendBatch(context, requests);
      assumeFailed(reply);
      await expectNothingBehind(context, reply, resultsOf(reply).slice(0, 2), requests);
      for (const text of texts)
        expect(await isListed(context, text), 'an object of a batch that failed is listed', reply).toEqual(false);
    }),
  },
  'batch.rollback.promotion-undone': {
    level: 'must',
    source: 'core: Batch rules 1 and 2',
    statement: 'A promote in a batch that fails is undone: state and version are those from before.',
    fault: 'maturity actions are carried out outside the change set',
    needs: ['soft-type', 'scalar-members', 'maturity'],
    after: ['batch.failure.status-500', 'maturity.promote.moves-state'],
    test: scenario(async (context) => {
      const { service, expect } = context;
      for (const promoteFirst of [true, false]) {
        const [promoted, stale] = [await makeEditable(context), await makeEditable(context)];
        const before = stateIn(context, await readState(context, promoted));
        const requests = [service.requests.promote(promoted), staleEditRequest(context, stale)];
        const reply = await sendBatch(context, promoteFirst ? requests : requests.toReversed());
        assumeFailed(reply);
        const after = await readState(context, promoted);
        expect(stateIn(context, after) ?? null, 'state after the batch that failed', after).toEqual(before ?? null);
        expect(await service.promote(promoted)).toSucceed();
      }
    }),
  },
  'batch.rollback.failed-read-aborts-writes': {
    level: 'must',
    source: 'core: Batch rules 1 (one operation fails, all are aborted)',
    statement: 'A failing GET operation is a failing operation too: the writes of the same batch are rolled back.',
    fault: 'only failing writes trigger the rollback',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.failure.status-500'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      for (const readFirst of [true, false]) {
        const thing = await makeEditable(context);
        const before = await service.snapshot(thing);
        const ordered = (read: RequestSpec) =>
          readFirst ? [read, editRequest(context, thing)] : [editRequest(context, thing), read];
        expect(
          await sendBatch(context, ordered(service.requests.read({ ...thing, oid: given.unknownOid(thing) }))),
        ).toAnswer(500);
        expect.unchanged(before, await service.snapshot(thing));
        expect(await sendBatch(context, ordered(service.requests.read(await given.object())))).toAnswer(200);
        expect((await service.snapshot(thing)).version, 'version after the batch that passed').toEqual(
          thing.version + 1,
        );
      }
    }),
  },
  'batch.rollback.objects-stay-writable': {
    level: 'must',
    source: 'core: Batch rules 1; Versioning 3',
    statement: 'After a rolled back batch the objects accept a write with the version they had before it.',
    fault: 'a failed batch leaves its objects locked',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.rollback.edits-undone'],
    test: scenario(async (context) => {
      const { service, expect } = context;
      const things = [await makeEditable(context), await makeEditable(context)];
      const sound = () => things.map((thing) => editRequest(context, thing));
      const failed = await sendBatch(context, [...sound(), staleEditRequest(context, await makeEditable(context))]);
      assumeFailed(failed);
      expect(await sendBatch(context, sound())).toAnswer(200);
      for (const thing of things)
        expect((await service.snapshot(thing)).version, 'version after the batch that passed').toEqual(
          thing.version + 1,
        );
    }),
  },
  'batch.result.sibling-statuses': {
    level: 'observe',
    source: 'core: Batch rules 1 and 3',
    statement:
      'Which statusCode and body the operations get that were fine but rolled back, or never tried, is not described.',
    needs: ['soft-type', 'scalar-members'],
    test: scenario(async (context) => {
      const { notes } = context;
      for (const [where, place] of [
        ['first', 0],
        ['middle', 1],
        ['last', 2],
      ] as const) {
        const things = [await makeEditable(context), await makeEditable(context), await makeEditable(context)];
        const reply = await sendBatch(
          context,
          things.map((thing, index) =>
            index === place ? staleEditRequest(context, thing) : editRequest(context, thing),
          ),
        );
        notes.observe(
          `statusCodes with the failing operation ${where}`,
          Array.isArray(reply.json) ? statusesOf(reply).join(', ') : 'no array',
          reply,
        );
        const body = Array.isArray(reply.json) ? resultsOf(reply)[place]?.['body'] : undefined;
        notes.observe(
          'keys of the body of a failed result',
          typeof body === 'object' && body !== null ? Object.keys(body).sort().join(', ') : typeof body,
          reply,
        );
      }
    }),
  },
  'batch.operation.open-questions': {
    level: 'observe',
    source: 'core: Batch operation; Batch rules 2, 5 and 6',
    statement:
      'Not described: an empty list, a body that is no array, absolute and relative href, href into another space, unsupported routes (a batch inside a batch, collection routes), DELETE, two edits of one object, a GET after a write in one batch, If-None-Match in an operation.',
    needs: ['soft-type', 'scalar-members'],
    test: scenario(async (context) => {
      const { given, service, notes } = context;
      const thing = await makeEditable(context);
      const [read] = await operationsOf(context, [service.requests.read(thing)]);
      const href = String(read?.['href']);
      const bodies: Record<string, unknown> = {
        'an empty list': [],
        'a body that is no array': read,
        'an absolute href': [{ ...read, href: new URL(href, context.profile.all.baseUrl).href }],
        'an href from the root on': [{ ...read, href: new URL(href, context.profile.all.baseUrl).pathname }],
        'an unknown space': [
          { ...read, href: href.replace(/\/space\/[^/]+\//, `/space/${given.unique('no-space')}/`) },
        ],
        'a batch in a batch': await operationsOf(context, [service.requests.batch([])]),
        'a collection route': [{ ...read, href: href.replace(/\/space\/.*/, '/collection/space') }],
        'If-None-Match in an operation': [{ ...read, headers: { 'If-None-Match': '"any"' } }],
      };
      for (const [what, body] of Object.entries(bodies)) {
        const reply = await service.send({ ...service.requests.batch([]), body });
        if (what === 'an empty list') notes.bound('batchEmpty', `status of a batch: ${what}`, reply.status, reply);
        else if (what === 'a body that is no array')
          notes.bound('batchNoArray', `status of a batch: ${what}`, reply.status, reply);
        else notes.observe(`status of a batch: ${what}`, reply.status, reply);
      }
      await combinations(context);
      await foreignSpace(context);
    }),
  },
});

/** Two edits of one object, a read after a write, DELETE. */
async function combinations(context: CaseContext): Promise<void> {
  const { given, service, notes, profile } = context;
  const twice = await makeEditable(context);
  for (const [version, what] of [
    [twice.version + 1, 'raised'],
    [twice.version, 'same'],
  ] as const) {
    const current = await given.current(twice);
    const shifted = { ...current, version: current.version + (version - twice.version) };
    const reply = await sendBatch(context, [editRequest(context, current), editRequest(context, shifted)]);
    notes.observe(`two edits of one object, the second with the ${what} version`, reply.status, reply);
  }
  const thing = await makeEditable(context);
  const reply = await sendBatch(context, [editRequest(context, thing), service.requests.read(thing)]);
  const body = Array.isArray(reply.json) ? resultsOf(reply)[1]?.['body'] : undefined;
  const seen =
    typeof body === 'object' && body !== null && 'version' in body ? Number(body.version) - thing.version : 'none';
  notes.observe('version that a read after a write in one batch sees, minus the one before', seen, reply);
  if (profile.all.routes?.softTypeDelete === undefined) return;
  notes.observe(
    'status of a batch: DELETE',
    (await sendBatch(context, [service.requests.remove(await given.object())])).status,
  );
}

/** Nobody may write through a batch where the single route would be forbidden. */
async function foreignSpace(context: CaseContext): Promise<void> {
  const { given, service, notes, profile } = context;
  const home = profile.all.secondSpace;
  if (home === undefined || profile.all.identities.secondEditor === undefined) return;
  const create = service.requests.create(given.body({}, home.softType), { type: home.softType, space: home.space });
  const reply = await sendBatch(context, [create], { as: 'secondEditor' });
  notes.observe('status of a batch that writes into another space', reply.status, reply);
  const single = await service.send(create, { as: 'secondEditor' });
  if (reply.status === 200 && single.status === 403)
    notes.remark('A batch writes into a space where the caller has no role.', reply);
}
