import { setTimeout as sleep } from 'node:timers/promises';
import type { Profile } from '../../contract/profile.ts';
import { dataOf, plainTextOf } from '../../judge/answers.ts';
import {
  assumeFailed,
  assumePassed,
  bodyOfResult,
  editRequest,
  expectNothingBehind,
  type Operation,
  operationsOf,
  resultsOf,
  sendBatch,
  staleEditRequest,
} from '../../judge/batch.ts';
import { type CaseContext, race, scenario } from '../../judge/case.ts';
import { watchDuring } from '../../judge/races.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/things.ts';
import { pointer, valueAt } from '../../judge/json.ts';
import { isListed } from '../../judge/queries.ts';
import { readState, stateIn } from '../../judge/maturity.ts';
import { type MultiCreateItem, namesIn, readCreated } from '../../judge/multi-create.ts';
import { absoluteUrl, fillTemplate } from '../../judge/requests.ts';
import { rules } from '../../judge/rule.ts';
import { makeEditable } from '../../judge/writes.ts';
import { linkedPair } from './multi-create.ts';
import { entriesIn, isWithoutValue } from './operation-steps.ts';

type LockRoute = NonNullable<NonNullable<Profile['routes']>['lockTake']>;

const rounds = 12;

const guidelineMs = 30_000;

const pollMs = 50;

const patienceMs = 10_000;

export const batchRules = rules('batch', {
  'batch.commit.visible-together': {
    level: 'must',
    source: 'core: Batch rules 1 (one change set)',
    statement: 'The writes of a batch become visible at one moment; no reader sees some of them without the others.',
    fault: 'operations commit one by one and are compensated on failure',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
    test: race(
      async (context) => {
        const { given, expect, profile } = context;
        const [member] = profile.scalars;
        const [first, second] = [await given.object({ [member]: '0' }), await given.object({ [member]: '0' })];
        const observed = await watchDuring(
          (isOver) => Promise.all([watch(context, first, second, isOver), watch(context, first, second, isOver)]),
          () => writeBoth(context, first, second),
        );
        for (const { later, earlier } of observed.flat()) {
          expect(
            later >= earlier,
            `a reader that saw ${earlier} in the second object sees at least that in the first, which says ${later}`,
          ).toEqual(true);
          expect(later >= 0 && earlier >= 0, 'a reader sees no value of a batch that failed').toEqual(true);
        }
        expect(observed.flat().length, 'pairs of reads while batches were under way').toSatisfy(
          'some',
          (count) => count > 0,
        );
      },
      { rounds: 1 },
    ),
  },
  'batch.headers.authorization-inherited': {
    level: 'must',
    source: 'core: Batch operation, headers',
    statement: 'Operations run as the identity of the batch request and need no Authorization of their own.',
    fault: 'takes Authorization from the operation when the request has none',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { service, expect } = context;
      const thing = await makeEditable(context);
      const before = await service.snapshot(thing);
      const token = `Bearer ${await service.token('editor')}`;
      const [operation] = await operationsOf(context, [editRequest(context, thing)]);
      for (const one of [operation ?? {}, withHeader(operation, 'Authorization', token)])
        expect(await service.batch([one], { as: null })).toAnswer(401);
      expect.unchanged(before, await service.snapshot(thing));
      expect(await service.batch([operation ?? {}])).toAnswer(200);
    }),
  },
  'batch.headers.authorization-not-replaced': {
    level: 'must',
    source: 'core: Batch operation, headers',
    statement: 'An Authorization given inside an operation does not change the identity it runs as.',
    fault: 'an Authorization header inside an operation wins',
    needs: ['soft-type', 'scalar-members', 'reader-identity'],
    after: ['batch.auth.forbidden-operation'],
    test: scenario(async (context) => {
      const { service, expect, notes } = context;
      const thing = await makeEditable(context);
      const before = await service.snapshot(thing);
      const [operation] = await operationsOf(context, [editRequest(context, thing)]);
      const asEditor = withHeader(operation, 'Authorization', `Bearer ${await service.token('editor')}`);
      const reply = await service.batch([asEditor], { as: 'reader' });
      expect(reply.status, 'status of a batch of the reader with the token of the editor inside', reply).notToEqual(
        200,
      );
      expect.unchanged(before, await service.snapshot(thing));
      const asReader = withHeader(operation, 'Authorization', `Bearer ${await service.token('reader')}`);
      notes.observe(
        'a batch of the editor with the token of the reader inside',
        (await service.batch([asReader])).status,
      );
    }),
  },
  'batch.headers.filter-inherited': {
    level: 'must',
    source: 'core: Batch operation, headers; Common request headers, Svc-InformationFilter',
    statement: 'Operations use the information filter of the batch request and need none of their own.',
    fault: 'operations use an empty information filter',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const thing = await makeEditable(context);
      expect(await sendBatch(context, [editRequest(context, thing)], { filter: null })).notToSucceed();
      expect(await sendBatch(context, [editRequest(context, thing), service.requests.read(thing)])).toAnswer(200);
      const { dated } = profile.primary;
      const dateMember = profile.all.informationFilter?.dateMember;
      if (dated === undefined || dateMember === undefined) return;
      const date = '2020-02-29T00:00:00Z';
      const filter = { ...profile.all.informationFilter?.default, [dateMember]: date };
      const target = await given.object(dated.value);
      const value: unknown = JSON.parse(JSON.stringify(dated.replaceWith).replaceAll('{{unique}}', given.unique()));
      const reply = await sendBatch(
        context,
        [service.requests.operations(target, [{ op: 'replace', path: dated.path, value }])],
        { filter },
      );
      given.assume(reply.status === 200, 'a batch that replaces a dated element');
      const read = await service.readLong(target, { filter });
      const seen = valueAt(dataOf(read), dated.datePath);
      expect(
        typeof seen === 'string' ? Date.parse(seen) : seen,
        'effectivity date of an element replaced in a batch',
        read,
      ).toEqual(Date.parse(date));
    }),
  },
  'batch.route.create-and-edit': {
    level: 'must',
    source: 'core: Batch rules 2 and 5',
    statement:
      'POST creates and PATCH edits in a batch as on the single routes, merge and operations form alike, chosen by the `Content-Type` in the operation.',
    fault: 'the Content-Type of an operation is ignored, so operations are merged as content',
    needs: ['soft-type', 'scalar-members', 'array-port'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const [member] = profile.scalars;
      const texts = [
        given.unique('created'),
        given.unique('merged'),
        given.unique('operated'),
        given.unique('appended'),
      ] as const;
      const [merged, operated] = [
        await makeEditable(context),
        await given.objectWithEntries(2, { body: { [member]: given.unique() } }),
      ];
      const operations = [
        { op: 'replace', path: pointer(member), value: texts[2] },
        { op: 'add', path: pointer(operated.port.member), value: given.entry(texts[3], {}, operated.port) },
      ];
      const reply = await sendBatch(context, [
        service.requests.create(given.body({ [member]: texts[0] })),
        editRequest(context, merged, texts[1]),
        service.requests.operations(operated, operations),
      ]);
      expect(reply).toAnswer(200);
      const created = await service.get(String(bodyOfResult(resultsOf(reply)[0])['href']), { base: reply });
      expect(plainTextOf(created).includes(texts[0]), 'the created object holds its content', created).toEqual(true);
      expect((await service.snapshot(merged)).members[member], `${member} after a merge in a batch`, reply).toEqual(
        texts[1],
      );
      const after = await service.snapshot(operated);
      expect(after.members[member], `${member} after operations in a batch`, after.reply).toEqual(texts[2]);
      expect(
        entriesIn(after, operated.port).map((entry) => entry.members[operated.port.text]),
        'entries after operations in a batch',
        after.reply,
      ).toEqual([...operated.texts, texts[3]]);
    }),
  },
  'batch.route.put': {
    level: 'must',
    source: 'core: Batch rules 2 and 5',
    statement: 'A PUT operation replaces all content of its target.',
    fault: 'PUT inside a batch merges',
    needs: ['soft-type', 'scalar-members', 'put-route'],
    after: ['batch.success.status-200', 'patch.put.drops-absent-members'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const [first, second] = profile.scalars;
      const content = { [first]: given.unique(), [second]: given.unique() };
      const [replaced, merged] = [await given.object(content), await given.object(content)];
      const body = { [first]: given.unique() };
      const reply = await sendBatch(context, [
        service.requests.put(replaced, given.body(body)),
        service.requests.merge(merged, body),
      ]);
      expect(reply).toAnswer(200);
      const [afterPut, afterMerge] = [await service.snapshot(replaced), await service.snapshot(merged)];
      expect(afterPut.members[first], `${first} after PUT in a batch`, afterPut.reply).toEqual(body[first]);
      expect(
        isWithoutValue(afterPut.members[second]),
        `${second}, left out of the PUT, has no value`,
        afterPut.reply,
      ).toEqual(true);
      expect(afterMerge.members[second], `${second} after a merge in a batch`, afterMerge.reply).toEqual(
        content[second],
      );
    }),
  },
  'batch.route.maturity-actions': {
    level: 'must',
    source: 'core: Batch rules 2',
    statement: 'Promote and demote run inside a batch with the effect of the single routes.',
    fault: 'maturity routes are unknown to the batch',
    needs: ['soft-type', 'scalar-members', 'maturity'],
    after: ['batch.success.status-200', 'maturity.promote.moves-state'],
    test: scenario(async (context) => {
      const { service, expect, profile } = context;
      const [promoted, edited] = [await makeEditable(context), await makeEditable(context)];
      const before = stateIn(context, await readState(context, promoted));
      const reply = await sendBatch(context, [service.requests.promote(promoted), editRequest(context, edited)]);
      expect(reply).toAnswer(200);
      expect(bodyOfResult(resultsOf(reply)[0])['version'], 'version in the result of a promote', reply).toEqual(
        promoted.version + 1,
      );
      const after = await readState(context, promoted);
      expect(stateIn(context, after) ?? null, 'state after a promote in a batch', after).notToEqual(before ?? null);
      if (profile.all.routes?.demote === undefined) return;
      const demote = await sendBatch(context, [
        service.requests.demote({ ...promoted, version: promoted.version + 1 }),
      ]);
      expect(demote).toAnswer(200);
    }),
  },
  'batch.route.lock-objects': {
    level: 'must',
    source: 'core: Batch rules 2; Endpoints, lock-object routes not shown',
    statement: 'The lock object routes are accepted as batch operations.',
    fault: 'lock routes are unknown to the batch',
    needs: ['soft-type', 'lock-route'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, expect, notes, profile } = context;
      const thing = await makeEditable(context);
      const { lockTake, lockFree } = profile.all.routes ?? {};
      const taken = await sendBatch(context, [lockRequest(context, lockTake, thing)]);
      expect(taken).toAnswer(200);
      if (profile.all.identities.secondEditor !== undefined) {
        const other = await context.service.send(editRequest(context, await given.current(thing)), {
          as: 'secondEditor',
        });
        notes.observe('an edit by another editor while locked', other.status, other);
      }
      expect(await sendBatch(context, [lockRequest(context, lockFree, await given.current(thing))])).toAnswer(200);
      given.succeeded(
        await context.service.send(editRequest(context, await given.current(thing))),
        'an edit after the lock was freed',
      );
    }),
  },
  'batch.route.multi-create': {
    level: 'must',
    source: 'core: Batch rules 4',
    statement: 'A multi-create may be one operation of a batch and takes part in its change set.',
    fault: 'a multi-create inside a batch commits on its own',
    needs: ['soft-type', 'scalar-members', 'second-soft-type', 'reference-port', 'multi-create-result'],
    after: ['batch.success.status-200', 'multi-create.reference.forward'],
    test: scenario(async (context) => {
      const { service, given, expect, profile } = context;
      const thing = await makeEditable(context);
      const shown = given.unique('together');
      const pair = linkedPair(context, { [profile.scalars[0]]: shown });
      const reply = await sendBatch(context, [service.requests.multiCreate(pair.items), editRequest(context, thing)]);
      expect(reply).toAnswer(200);
      await isCreated(context, reply, pair.items, shown);
      expect((await service.snapshot(thing)).version, 'version of the edited object').toEqual(thing.version + 1);

      const text = given.unique('undone');
      const undone = linkedPair(context, { [profile.scalars[0]]: text });
      const requests = [service.requests.multiCreate(undone.items), staleEditRequest(context, thing)];
      const failed = await sendBatch(context, requests);
      expect(failed).toAnswer(500);
      await expectNothingBehind(context, failed, resultsOf(failed).slice(0, 1), requests);
      if (profile.all.routes?.instanceListing !== undefined)
        expect(await isListed(context, text), 'an object of a batch that failed is listed', failed).toEqual(false);
    }),
  },
  'batch.relation.across-operations-impossible': {
    level: 'must',
    source: 'core: Batch rules 4',
    statement: 'Two separate create operations of a batch cannot refer to each other.',
    fault: 'temporary ids are shared by all operations of a batch',
    needs: ['soft-type', 'second-soft-type', 'reference-port', 'multi-create-result'],
    after: ['batch.route.multi-create'],
    test: scenario(async (context) => {
      const { service, given, expect } = context;
      const pair = linkedPair(context);
      const [target, referrer] = pair.items;
      const withId = { ...createOf(context, target), body: { ...target.data, $id: target.$id } };
      const reply = await sendBatch(context, [withId, createOf(context, referrer)]);
      const hrefs =
        reply.status === 200 ? assumePassed(context, reply).map((result) => bodyOfResult(result)['href']) : [];
      const stored = typeof hrefs[1] === 'string' ? await service.get(hrefs[1], { base: reply }) : undefined;
      const targetOid = typeof hrefs[0] === 'string' ? decodeURIComponent(hrefs[0].split('/').at(-1) ?? '') : undefined;
      const linked = stored?.status === 200 && targetOid !== undefined && plainTextOf(stored).includes(targetOid);
      expect(linked, 'an object refers to one that another operation of the batch created', stored ?? reply).toEqual(
        false,
      );
      const together = await service.multiCreate(pair.items);
      given.succeeded(together, 'the same two items in one multi-create', ['multi-create.reference.backward']);
    }),
  },
  'batch.size.hundred-operations': {
    level: 'should',
    source: 'core: Limits (operations per batch, duration of a batch)',
    statement: 'A batch of about 100 operations is within the guideline and completes within about 30 seconds.',
    fault: 'refuses more than 50 operations',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const things = await Promise.all(Array.from({ length: 10 }, () => makeEditable(context)));
      const creates = Array.from({ length: 90 }, () => service.requests.create(given.body()));
      const reply = await sendBatch(context, [...things.map((thing) => editRequest(context, thing)), ...creates]);
      expect(reply).toAnswer(200);
      expect(resultsOf(reply).length, 'results of 100 operations', reply).toEqual(100);
      expect(reply.exchange.durationMs, 'duration of 100 operations in ms', reply).toSatisfy(
        `at most ${guidelineMs}`,
        (ms) => ms <= guidelineMs,
      );
    }),
  },
  'batch.size.no-hard-limit': {
    level: 'must',
    source: 'core: Limits (text under the table)',
    statement: 'The number of operations alone is no reason to refuse a batch.',
    fault: 'refuses more than 100 operations',
    needs: ['soft-type'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const thing = await given.object();
      assumePassed(context, await sendBatch(context, [service.requests.read(thing)]));
      for (const count of [101, 150]) {
        const reply = await sendBatch(
          context,
          Array.from({ length: count }, () => service.requests.read(thing)),
        );
        expect(reply).toAnswer(200);
        expect(resultsOf(reply).length, `results of ${count} operations`, reply).toEqual(count);
      }
    }),
  },
  'batch.size.finishes-without-client': {
    level: 'should',
    source: 'core: Limits (text under the table)',
    statement: 'A batch whose connection ends before the response still runs to its end.',
    fault: 'a closed connection aborts the batch',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.commit.visible-together'],
    test: race(
      async (context) => {
        const { service, expect } = context;
        const things = await Promise.all(Array.from({ length: 20 }, () => makeEditable(context)));
        assumePassed(
          context,
          await sendBatch(
            context,
            things.map((thing) => service.requests.read(thing)),
          ),
        );
        const versions = things.map((thing) => thing.version);
        const operations = await operationsOf(
          context,
          things.map((thing) => editRequest(context, thing)),
        );
        await service.abandon(service.requests.batch(operations));
        const arrived = await until(async () => {
          const now = await Promise.all(things.map(async (thing) => (await service.snapshot(thing)).version));
          return now.filter((version, index) => version > (versions[index] ?? 0)).length;
        }, things.length);
        expect(arrived, `edits of ${things.length} that arrived after the connection was cut`).toEqual(things.length);
      },
      { rounds: 1 },
    ),
  },
});

/** The objects of a multi-create in a batch exist: by the URIs in its result, which need not be there, or by the text that the listing shows. */
async function isCreated(
  context: CaseContext,
  reply: Reply,
  items: readonly MultiCreateItem[],
  text: string,
): Promise<void> {
  const { given, expect, profile } = context;
  const answer = valueAt(resultsOf(reply)[0], profile.all.multiCreate?.resultInBatch ?? '/body');
  if (namesIn(context, answer, items) !== undefined) {
    for (const read of await readCreated(context, reply, items, answer)) expect(read).toAnswer(200);
    return;
  }
  if (profile.all.routes?.instanceListing === undefined)
    given.inconclusive(
      'what a multi-create in a batch created cannot be found: bind multiCreate.resultInBatch or routes.instanceListing in the profile',
    );
  expect(await isListed(context, text), 'an object of a multi-create in a batch is listed', reply).toEqual(true);
}

/** With the version where the method is one that needs it. */
function lockRequest({ profile }: CaseContext, route: LockRoute | undefined, { oid, version }: Thing): RequestSpec {
  const { method = 'POST', path = '', body } = route ?? {};
  const url = absoluteUrl(profile.all, fillTemplate(path, { spaceId: profile.all.space, objectId: oid }));
  const filledIn: unknown =
    body && JSON.parse(JSON.stringify(body).replaceAll('{objectId}', JSON.stringify(oid).slice(1, -1)));
  return {
    method,
    url,
    as: 'editor',
    ...(body && { body: filledIn }),
    ...((method === 'PUT' || method === 'PATCH') && { version }),
  };
}

function createOf({ service, profile }: CaseContext, item: MultiCreateItem): RequestSpec {
  const type = item.$softType === profile.second.definitionId ? profile.second : profile.primary;
  return service.requests.create(item.data, { type, space: profile.all.space });
}

/** Batches that edit both, the second object first, each after one with other values that fails. */
async function writeBoth(context: CaseContext, first: Thing, second: Thing): Promise<void> {
  const { given, service, profile } = context;
  const failing = await makeEditable(context);
  for (let round = 1; round <= rounds; round += 1) {
    const edits = (text: string) =>
      [second, first].map((thing) =>
        service.requests.merge(thing, { [profile.scalars[0]]: text }, thing.version + round - 1),
      );
    const failed = await sendBatch(context, [...edits(`-${round}`), staleEditRequest(context, failing)]);
    assumeFailed(failed);
    given.assume((await sendBatch(context, edits(String(round)))).status === 200, 'a batch of two edits that passes');
  }
}

/** Reads the second object and then the first, over and over: what is in the first can only be newer. */
async function watch(
  { service, profile }: CaseContext,
  first: Thing,
  second: Thing,
  isOver: () => boolean,
): Promise<readonly { later: number; earlier: number }[]> {
  const seen = [];
  while (!isOver()) {
    const earlier = Number(dataOf(await service.read(second))[profile.scalars[0]]);
    const later = Number(dataOf(await service.read(first))[profile.scalars[0]]);
    seen.push({ later, earlier });
  }
  return seen;
}

function withHeader(operation: Operation | undefined, name: string, value: string): Operation {
  const headers = operation?.['headers'];
  return { ...operation, headers: { ...(typeof headers === 'object' ? headers : {}), [name]: value } };
}

/** Asks until the count is there or patience ends; returns the last count. */
async function until(count: () => Promise<number>, goal: number): Promise<number> {
  const end = performance.now() + patienceMs;
  for (;;) {
    const now = await count();
    if (now === goal || performance.now() > end) return now;
    await sleep(pollMs);
  }
}
