import { constantFrom, integer, nat, record } from 'fast-check';
import { headerNames } from '../../contract/names.ts';
import {
  assumePassed,
  bodyOfResult,
  canReadMany,
  editRequest,
  isTooLong,
  operationsOf,
  givenReaderMayBatch,
  readerMayBatch,
  resultsOf,
  sendBatch,
  staleEditRequest,
  statusesOf,
  withHeader,
  withoutVersion,
} from '../../judge/service/batch.ts';
import { expectResultsOfTheirOwn } from './batch-results.ts';
import { type CaseContext, property, race, onEverySpace, scenario } from '../../judge/case.ts';
import { unlessCut } from '../../judge/client/failure.ts';
import { type Changes, isSuccess, type RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/things.ts';
import { rules } from '../../judge/rule.ts';
import { editRoutes, lockRequest, makeEditable, type WriteRoute } from '../../judge/service/writes.ts';
import { expectLinksOfSender } from './checks/batch-reads.ts';
import { expectFilterOfBatchUsed } from './checks/batch-filter.ts';
import {
  expectManyOperationsOfOthers,
  expectTakenFromOthers,
  expectWritesOfReaderRefused,
} from './checks/batch-of-others.ts';
import { expectEveryFailureTold } from './checks/failures-in-batch.ts';
import { expectEachVersionedInBatch } from './checks/guarded-moves.ts';
import { countUntil, expectFinishedBehindValidation } from './checks/left-batches.ts';
import { without } from './checks/operation-steps.ts';
import { expectStaleBehindEdits } from './checks/stale-behind-edits.ts';

type Failing = 'stale version' | 'unknown object' | 'forbidden';

const guidelineMs = 30_000;

export const batchRules = rules('batch', {
  'batch.success.status-200': {
    source: 'core: Batch rules 3; Endpoint table, POST batch',
    statement:
      'POST `/api/space/{spaceId}/batch` answers 200 when every operation passed, also to others who may carry them out one by one.',
    fault: 'answers 201 when the batch contains a create',
    needs: ['soft-type', 'batch'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const [first] = profile.primary.scalars ?? [];
      const thing = await given.object();
      const things = first === undefined ? [] : [await makeEditable(context), await makeEditable(context)];
      const texts = [given.unique(), given.unique()];
      const edits = things.map((thing, index) => editRequest(context, thing, texts[index]));
      const create = () => service.requests.create(given.body(first === undefined ? {} : { [first]: given.unique() }));
      for (const requests of [[service.requests.read(thing)], [create()], [create(), create(), ...edits]]) {
        const reply = await sendBatch(context, requests);
        expect(reply).toAnswer(200);
        for (const status of statusesOf(reply))
          expect(Number(status), 'statusCode of an operation', reply).toSatisfy('below 400', (code) => code < 400);
        const created = resultsOf(reply).filter((result) => result['statusCode'] === 201);
        for (const href of created.map((result) => bodyOfResult(result)['href'])) {
          if (typeof href === 'string') expect(await service.get(href, { base: reply })).toAnswer(200);
        }
      }
      await expectTakenFromOthers(context);
      if (first === undefined) return;
      for (const [index, edited] of things.entries()) {
        const after = await service.snapshot(edited);
        expect(after.members[first], `${first} after the batch`, after.reply).toEqual(texts[index]);
      }
    }),
  },
  'batch.failure.status-500': {
    source: 'core: Batch rules 3; Errors 500',
    statement:
      'The batch answers 500 when at least one operation failed, wherever it stands in the list and whatever its own status is.',
    fault: 'answers with the status of the first failing operation',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.success.status-200'],
    test: property(
      record({
        length: integer({ min: 1, max: 8 }),
        place: nat({ max: 7 }),
        failing: constantFrom<Failing>('stale version', 'unknown object', 'forbidden'),
      }),
      async (context, { length, place, failing }) => {
        const { expect } = context;
        const things = await Promise.all(Array.from({ length }, () => makeEditable(context)));
        const at = place % length;
        const as = failing === 'forbidden' ? await forbiddenFor(context) : 'editor';
        const requests = things.map((thing, index) =>
          index === at && as === 'editor' ? failingRequest(context, thing, failing) : editRequest(context, thing),
        );
        const reply = await sendBatch(context, requests, { as });
        expect(reply).toAnswer(500);
        // on objects of their own: what a failed batch leaves of its objects is for others to judge
        const sound = await Promise.all(Array.from({ length: length - 1 }, () => makeEditable(context)));
        const edits = sound.map((thing) => editRequest(context, thing));
        if (edits.length > 0) expect(await sendBatch(context, edits)).toAnswer(200);
        if (length === 1) await expectFailedFarBehind(context);
        if (length === 1) await expectEveryFailureTold(context);
      },
      {
        always: [
          { length: 1, place: 0, failing: 'stale version' },
          { length: 3, place: 1, failing: 'unknown object' },
          { length: 2, place: 0, failing: 'forbidden' },
        ],
        share: 0.3,
      },
    ),
  },
  'batch.headers.authorization-inherited': {
    source: 'core: Batch operation, headers',
    statement: 'Operations run as the identity of the batch request and need no Authorization of their own.',
    fault: 'takes Authorization from the operation when the request has none',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.success.status-200'],
    test: onEverySpace(
      scenario(async (context) => {
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
    ),
  },
  'batch.headers.authorization-not-replaced': {
    source: 'core: Batch operation, headers',
    statement: 'An Authorization given inside an operation does not change the identity it runs as.',
    fault: 'an Authorization header inside an operation wins',
    needs: ['soft-type', 'text-member', 'reader-identity', 'batch'],
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
      await expectLinksOfSender(context, thing);
      await expectBarredWithTokenOfHolder(context);
    }),
  },
  'batch.headers.filter-inherited': {
    source: 'core: Batch operation, headers; Common request headers, Svc-InformationFilter',
    statement:
      'Operations use the information filter of the batch request and need none of their own; one that they bring is not used.',
    fault: 'operations use an empty information filter',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { service, expect } = context;
      const thing = await makeEditable(context);
      expect(await sendBatch(context, [editRequest(context, thing)], { filter: null })).notToSucceed();
      expect(await sendBatch(context, [editRequest(context, thing), service.requests.read(thing)])).toAnswer(200);
      await expectFilterOfBatchUsed(context);
    }),
  },
  'batch.version.mismatch-409': {
    source: 'core: Batch operation, headers; Errors rule 1',
    statement:
      'The version header is read from the `headers` of each operation; a wrong number gives that operation statusCode 409 and the batch 500. Behind an edit of the same object, by each route, a version that this object neither had when the batch came nor has by then fails the batch, and so does none.',
    fault: 'compares every operation with the version header of the batch request',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.failure.status-500'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const [one, two] = [await makeEditable(context), await given.edited(await makeEditable(context), 2)];
      const before = [await service.snapshot(one), await service.snapshot(two)];
      const stale = [editRequest(context, one), { ...editRequest(context, two), version: two.version - 1 }];
      // a version of two digits begins like one before it
      const often = await given.edited(await makeEditable(context), 10);
      const begun = { ...editRequest(context, often), version: Number(String(often.version).slice(0, 1)) };
      expect(
        statusesOf(await sendBatch(context, [begun]))[0],
        'statusCode of an edit with a tenth of the version',
      ).toEqual(409);
      for (const changes of [{}, ...(await versionsOfRequest(context, two))]) {
        const reply = await sendBatch(context, stale, changes);
        expect(reply).toAnswer(500);
        expect(statusesOf(reply)[1], 'statusCode of the edit with a wrong version', reply).toEqual(409);
      }
      for (const [index, thing] of [one, two].entries())
        expect.unchanged(given.present(before[index], 'a snapshot'), await service.snapshot(thing));
      expect(await sendBatch(context, [editRequest(context, one), editRequest(context, two)])).toAnswer(200);
      await expectStaleRefusedByEveryRoute(context);
      await expectStaleBehindEdits(context);
      await expectEmptyRefusedInBatch(context);
    }),
  },
  'batch.version.absent-412': {
    source: 'core: Batch operation, headers; Errors rule 2',
    statement:
      'A PUT or PATCH operation without version header in its own `headers` gets statusCode 412 and the batch 500, by each route, a promote and a demote on any level too. One with another version gets 409 there.',
    fault: 'edits inside a batch need no version',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.failure.status-500'],
    test: scenario(async (context) => {
      const { service, expect, profile } = context;
      const thing = await makeEditable(context);
      const before = await service.snapshot(thing);
      const [bare] = await operationsOf(context, [withoutVersion(editRequest(context, thing))]);
      const put =
        profile.all.routes?.softTypePut === undefined
          ? []
          : [withoutVersion(service.requests.put(thing, context.given.body()))];
      const puts = await operationsOf(context, put);
      const onRequest = await versionsOfRequest(context, thing);
      for (const [operation, changes] of [
        [bare, {}],
        ...onRequest.map((changes) => [bare, changes] as const),
        ...puts.map((operation) => [operation, {}] as const),
      ] as const) {
        const reply = await service.batch([operation ?? {}], changes);
        expect(reply).toAnswer(500);
        expect(statusesOf(reply)[0], 'statusCode of an edit without version', reply).toEqual(412);
      }
      for (const headers of [undefined, {}]) {
        const reply = await service.batch([{ ...bare, headers }]);
        expect(reply).toAnswer(500);
        expect(statusesOf(reply)[0], 'statusCode of an edit without headers', reply).toSatisfy(
          '412, or 400 or 415 for the missing content type',
          (status) => [412, 400, 415].includes(Number(status)),
        );
      }
      expect.unchanged(before, await service.snapshot(thing));
      expect(await sendBatch(context, [editRequest(context, thing)])).toAnswer(200);
      await expectEachVersionedInBatch(context);
    }),
  },
  'batch.auth.forbidden-operation': {
    source: 'core: Authentication 6 and 7; Batch rules 3',
    statement:
      'Access is judged per operation: a write by a reader has statusCode 403 and the batch answers 500, also behind a read of the same path that passes, while a batch of reads passes.',
    fault: 'the role is checked for the batch route only',
    needs: ['soft-type', 'text-member', 'reader-identity', 'batch'],
    after: ['batch.failure.status-500'],
    test: scenario(async (context) => {
      const { service, expect } = context;
      const [thing, other] = [await makeEditable(context), await makeEditable(context)];
      await givenReaderMayBatch(context);
      const reads = [service.requests.read(thing), service.requests.read(other)];
      expect(await sendBatch(context, reads, { as: 'reader' })).toAnswer(200);
      const before = await service.snapshot(thing);
      const reply = await sendBatch(context, [service.requests.read(other), editRequest(context, thing)], {
        as: 'reader',
      });
      expect(reply).toAnswer(500);
      expect(statusesOf(reply)[1], 'statusCode of the write', reply).toEqual(403);
      expect.unchanged(before, await service.snapshot(thing));
      await expectWritesOfReaderRefused(context);
    }),
  },
  'batch.operation.required-members': {
    source: 'core: Batch operation, method and href',
    statement:
      'An operation needs `method` (one of GET, POST, PUT, PATCH, DELETE) and `href`; without them, or with another method, it does not pass.',
    fault: 'a missing method is taken as GET',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.failure.status-500'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      const thing = await makeEditable(context);
      const other = await makeEditable(context);
      const before = await service.snapshot(thing);
      const [sound, read] = await operationsOf(context, [editRequest(context, thing), service.requests.read(other)]);
      const complete = given.present(read, 'an operation');
      const incomplete = [
        without(complete, 'method'),
        without(complete, 'href'),
        ...['HEAD', 'LINK', 7].map((method) => ({ ...complete, method })),
      ];
      for (const operation of incomplete) {
        const reply = await service.batch([given.present(sound, 'an operation'), operation]);
        expect(reply.status, `status of a batch with ${JSON.stringify(operation)}`, reply).notToEqual(200);
        expect.unchanged(before, await service.snapshot(thing));
      }
      notes.observe('the method in lower case', (await service.batch([{ ...complete, method: 'get' }])).status);
      expect(await service.batch([given.present(sound, 'an operation'), complete])).toAnswer(200);
      const [edit] = await operationsOf(context, [editRequest(context, other)]);
      const headers = Object.entries(edit?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
      const lowered = await service.batch([{ ...edit, headers: Object.fromEntries(headers) }]);
      notes.observe('names of headers in lower case', lowered.status, lowered);
    }),
  },
  'batch.operation.open-questions': {
    level: 'observe',
    source: 'core: Batch operation; Batch rules 2, 5 and 6',
    statement:
      'Not described: an empty list, a body that is no array, absolute and relative href, href into another space, unsupported routes (a batch inside a batch, collection routes), DELETE, two edits of one object, a GET after a write in one batch, If-None-Match in an operation.',
    needs: ['soft-type', 'text-member', 'batch'],
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
  'batch.size.hundred-operations': {
    level: 'should',
    source: 'core: Limits (operations per batch, duration of a batch)',
    statement:
      'A batch of about 100 operations, long texts in them included, is within the guideline and completes within about 30 seconds.',
    fault: 'refuses more than 50 operations',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const things = await Promise.all(Array.from({ length: 10 }, () => makeEditable(context)));
      // together more than a mebibyte, where one of them is taken by itself
      const content = () => ({ [profile.textMember]: given.unique('long').padEnd(12_000, '.') });
      const alone = await service.create(given.body(content()));
      notes.observe('status of a create with a text of 12000 characters', alone.status, alone);
      const nothing = () => ({});
      const more = isSuccess(alone.status) ? content : nothing;
      const requestsWith = (members: typeof content | typeof nothing): readonly RequestSpec[] => [
        ...things.map((thing) => editRequest(context, thing)),
        ...Array.from({ length: 90 }, () => service.requests.create(given.body(members()))),
      ];
      const operations = await operationsOf(context, requestsWith(more));
      const long = await unlessCut(() => service.batch(operations));
      notes.observe('status of a batch of more than a mebibyte', long?.status ?? 'ends the connection', long);
      // how many bytes a request may have is not said, nor how one with more is refused
      const isShortened = (long === undefined || long.status >= 400) && (await isTooLong(context, operations));
      const shorter = isShortened ? await operationsOf(context, requestsWith(nothing)) : operations;
      const reply = isShortened || long === undefined ? await service.batch(shorter) : long;
      expect(reply).toAnswer(200);
      expect(resultsOf(reply).length, 'results of 100 operations', reply).toEqual(100);
      expect(reply.exchange.durationMs, 'duration of 100 operations in ms', reply).toSatisfy(
        `at most ${guidelineMs}`,
        (ms) => ms <= guidelineMs,
      );
    }),
  },
  'batch.size.no-hard-limit': {
    source: 'core: Limits (text under the table)',
    statement:
      'The number of operations alone is no reason to refuse a batch, be it ten times that of the guideline; each has a result of its own.',
    fault: 'refuses more than 100 operations',
    needs: ['soft-type', 'batch'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      const thing = await given.object();
      const one = await sendBatch(context, [service.requests.read(thing)]);
      assumePassed(context, one);
      let eachMs = 0;
      for (const count of [101, 150, 1001]) {
        // one that takes too long may rightly end without an answer
        if (count * eachMs > guidelineMs / 3 || !canReadMany(one, count)) {
          notes.observe(`a batch of ${count} operations`, 'would take too long, or be answered at too great length');
          continue;
        }
        const operations = await operationsOf(
          context,
          Array.from({ length: count }, () => service.requests.read(thing)),
        );
        const reply = await service.batch(operations);
        if (reply.status >= 400 && (await isTooLong(context, operations))) {
          notes.observe(`a batch of ${count} operations`, 'has too many bytes');
          continue;
        }
        expect(reply).toAnswer(200);
        expect(resultsOf(reply).length, `results of ${count} operations`, reply).toEqual(count);
        eachMs = reply.exchange.durationMs / count;
      }
      await expectManyOperationsOfOthers(context, thing);
      await expectResultsOfTheirOwn(context);
    }),
  },
  'batch.size.finishes-without-client': {
    level: 'should',
    source: 'core: Limits (text under the table)',
    statement:
      'A batch whose connection ends before the response still runs to its end, also where it waits for a validation by then.',
    fault: 'a closed connection aborts the batch',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.commit.visible-together'],
    test: race(
      async (context) => {
        const { service, expect } = context;
        const things = await Promise.all(Array.from({ length: 20 }, () => makeEditable(context)));
        const reads = await sendBatch(
          context,
          things.map((thing) => service.requests.read(thing)),
        );
        assumePassed(context, reads);
        const versions = things.map((thing) => thing.version);
        const operations = await operationsOf(
          context,
          things.map((thing) => editRequest(context, thing)),
        );
        let arrived = 0;
        // it may have been refused as a whole, with 429 or for a token that had ended: nobody saw the answer;
        // and what nobody has begun with by then is dropped by some, as by Puma: to write takes longer than to read
        for (let left = 3; arrived === 0 && left > 0; left -= 1) {
          const stayMs = ((3 - left) / 4) * reads.exchange.durationMs;
          await service.abandon(service.requests.batch(operations), { stayMs });
          arrived = await countUntil(
            context,
            async () => {
              const now = await Promise.all(things.map(async (thing) => (await service.snapshot(thing)).version));
              return now.filter((version, index) => version > (versions[index] ?? 0)).length;
            },
            things.length,
          );
        }
        expect(arrived, `edits of ${things.length} that arrived after the connection was cut`).toEqual(things.length);
        await expectFinishedBehindValidation(context);
      },
      { rounds: 1 },
    ),
  },
});

/** A batch fails with one operation, however many reads stand before it or behind. */
async function expectFailedFarBehind(context: CaseContext): Promise<void> {
  const { service, expect, notes } = context;
  const read = service.requests.read(await makeEditable(context));
  const failing = failingRequest(context, await makeEditable(context), 'stale version');
  for (const place of [10, 50, 100]) {
    const reads = Array.from({ length: place }, () => read);
    for (const requests of [
      [...reads, failing],
      [failing, ...reads],
    ]) {
      const reply = await sendBatch(context, requests);
      // how many are refused without any that fails is judged by a rule of its own
      if (reply.status !== 500 && (await sendBatch(context, reads)).status !== 200)
        return notes.observe('a batch of reads alone that is refused', reads.length, reply);
      expect(reply).toAnswer(500);
    }
  }
}

/** The version of the object on the batch request itself, unless that is refused in a header where the documents do not show it. */
async function versionsOfRequest(context: CaseContext, thing: Thing): Promise<readonly Changes[]> {
  const changes = { headers: { [headerNames.version]: String(thing.version) } };
  const { status } = await sendBatch(context, [context.service.requests.read(thing)], changes);
  return status >= 400 && status < 500 ? [] : [changes];
}

/** The ways to edit beside a merge. What a batch does not carry out at all is judged by the rules about its routes. */
function furtherRoutes(context: CaseContext): readonly WriteRoute[] {
  return editRoutes(context).filter(({ name }) => name !== 'merge PATCH');
}

/** Every way to edit compares the version of its own operation. */
async function expectStaleRefusedByEveryRoute(context: CaseContext): Promise<void> {
  const { given, expect, notes } = context;
  for (const route of furtherRoutes(context)) {
    const thing = await given.edited(await makeEditable(context));
    const request = route.request(thing);
    const stale = await sendBatch(context, [{ ...request, version: thing.version - 1 }]);
    const current = await sendBatch(context, [request]);
    const isJudged = current.status === 200 || stale.status === 200;
    notes.observe(`a ${route.name} in a batch with an old version is judged`, isJudged, current);
    if (!isJudged) continue;
    expect(stale).toAnswer(500);
    expect(statusesOf(stale)[0], `statusCode of a ${route.name} with an old version`, stale).toEqual(409);
    expect(current).toAnswer(200);
  }
}

/** What edits nothing needs the right version as well: a batch with it fails, as what kind of mistake is not judged. */
async function expectEmptyRefusedInBatch(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const thing = await given.edited(await makeEditable(context));
  const before = await service.snapshot(thing);
  const nothing = [
    service.requests.merge(thing, {}),
    ...(profile.offers('operations') ? [service.requests.operations(thing, [])] : []),
  ];
  for (const request of nothing)
    for (const version of [thing.version - 1, null])
      expect(await sendBatch(context, [{ ...request, version }])).toAnswer(500);
  expect.unchanged(before, await service.snapshot(thing));
}

function failingRequest(context: CaseContext, thing: Thing, failing: Failing): RequestSpec {
  if (failing === 'stale version') return staleEditRequest(context, thing);
  return editRequest(context, { ...thing, oid: context.given.unknownOid(thing) });
}

/** An identity that may send a batch and may not write; without one the editor, who then meets an unknown object. */
async function forbiddenFor(context: CaseContext): Promise<'reader' | 'editor'> {
  const { reader } = context.profile.all.identities;
  return reader !== undefined && (await readerMayBatch(context)) ? 'reader' : 'editor';
}

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

/** With the token of who holds a lock inside, an edit in a batch of somebody else is barred as it is without. */
async function expectBarredWithTokenOfHolder(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { lockTake, lockFree } = profile.all.routes ?? {};
  if (lockTake === undefined || lockFree === undefined || profile.all.identities.secondEditor === undefined) return;
  const as = 'secondEditor';
  const barred = await makeEditable(context);
  if (!isSuccess((await service.send(lockRequest(context, lockTake, barred), { as })).status)) return;
  const operations = await operationsOf(context, [editRequest(context, await given.current(barred))]);
  const isBarring = !isSuccess((await service.batch(operations)).status);
  const asHolder = withHeader(operations[0], 'Authorization', `Bearer ${await service.token(as)}`);
  if (isBarring) {
    const reply = await service.batch([asHolder]);
    expect(reply.status, 'status of a batch with the token of who holds the lock inside', reply).notToEqual(200);
  }
  await service.send(lockRequest(context, lockFree, await given.current(barred)), { as });
}
