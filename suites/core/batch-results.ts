import { isOfService } from '../../judge/service/requests.ts';
import { array, constantFrom, nat, record } from 'fast-check';
import { dataOf, linksOf, memberOf, plainTextOf, versionOf } from '../../judge/service/answers.ts';
import { isObject, memberIn, objectsIn } from '../../judge/json.ts';
import { entriesPerPage } from '../../contract/limits.ts';
import { unlessRefused } from '../../judge/violation.ts';
import {
  assumePassed,
  bodyOfResult,
  editRequest,
  failingOperations,
  isRefusal,
  isRefusedAlone,
  resultsOf,
  sendBatch,
  staleEditRequest,
  statusesOf,
} from '../../judge/service/batch.ts';
import { type CaseContext, property, onEverySpace, scenario } from '../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/things.ts';
import { expectNewObjectToldInBatch } from './checks/referring-writes.ts';
import { rules } from '../../judge/rule.ts';
import { editRoutes, makeEditable, otherWrites } from '../../judge/service/writes.ts';
import {
  expectCurrentInBatch,
  expectFilteredRead,
  expectReadEachWay,
  expectSamePages,
  tellTagTaken,
  expectWholeBehindWrites,
  linesOf,
  tellingOf,
  withoutHrefs,
} from './checks/batch-reads.ts';
import { makeTelling } from './checks/telling-object.ts';
import { enterSecondSpace } from '../../judge/service/second-space.ts';
import { readWhole } from '../../judge/service/multi-create.ts';
import { thingOf } from '../../judge/service/referrers.ts';
import { expectOtherLeft } from './checks/each-change.ts';
import {
  expectLastVersionTold,
  expectVersionByEveryRoute,
  makeFilled,
  newScalars,
} from './checks/versions-in-batch.ts';

type Kind = 'read' | 'create' | 'edit';

/** Of each kind now and then: what sorts a few may sort many in another way. */
const moreThanTen: Kind[] = [
  'create',
  'edit',
  'read',
  'read',
  'create',
  'edit',
  'create',
  'read',
  'edit',
  'create',
  'read',
  'create',
];

export const batchResultRules = rules('batch', {
  'batch.result.one-per-operation': {
    source: 'core: Batch rules 3',
    statement:
      'The response body is a JSON array with as many results as the request has operations, for 200 and for 500 alike, whatever fails in it, and where operations are alike.',
    fault: 'the array ends after the first failing operation',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.success.status-200'],
    test: property(
      record({
        length: constantFrom(1, 2, 10),
        failing: constantFrom('none', 'first', 'middle', 'last'),
        how: nat({ max: 59 }),
      }),
      async (context, { length, failing, how }) => {
        const { expect } = context;
        const things = await Promise.all(Array.from({ length }, () => makeEditable(context)));
        const at = { none: -1, first: 0, middle: Math.floor(length / 2), last: length - 1 }[failing];
        const requests = things.map((thing) => editRequest(context, thing));
        const ways = failingOperations(context);
        const way = at === -1 ? undefined : ways[how % ways.length];
        if (way !== undefined) requests[at] = await way.make();
        const reply = await sendBatch(context, requests);
        expect(reply.json, `body of a batch of ${length}`, reply).toBeAnArray();
        expect(
          Array.isArray(reply.json) ? reply.json.length : -1,
          `results of a batch of ${length} with ${failing} failing`,
          reply,
        ).toEqual(length);
        if (failing !== 'none') return;
        const read = context.service.requests.read(context.given.present(things[0], 'an object'));
        const alike = await sendBatch(context, [read, read, read]);
        expect(resultsOf(alike).length, 'results of a batch of three reads of one object', alike).toEqual(3);
      },
      {
        always: [
          { length: 2, failing: 'none', how: 0 },
          { length: 10, failing: 'first', how: 0 },
          { length: 10, failing: 'middle', how: 1 },
        ],
        share: 0.2,
      },
    ),
  },
  'batch.result.keeps-order': {
    source: 'core: Batch rules 3 (one result per operation, nothing else ties them together)',
    statement: 'The result at position i belongs to the operation at position i.',
    fault: 'results are grouped by method',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.result.one-per-operation'],
    test: property(
      array(constantFrom<Kind>('read', 'create', 'edit'), { minLength: 2, maxLength: 6 }),
      async (context, kinds) => {
        // edits of objects at versions of their own, so that their results cannot change places unseen
        const things = await Promise.all(
          kinds.map(async (kind, index) =>
            context.given.edited(await makeEditable(context), kind === 'edit' ? index : 0),
          ),
        );
        const requests = kinds.map((kind, index) =>
          requestOf(context, kind, context.given.present(things[index], 'an object')),
        );
        const reply = await sendBatch(context, requests);
        for (const [index, result] of assumePassed(context, reply).entries()) {
          const thing = context.given.present(things[index], 'an object');
          const body = bodyOfResult(result);
          // each kind shows something that the results of the others do not
          const { data } = body;
          const told = {
            read: [isObject(data) ? data['$oid'] : undefined, thing.oid],
            create: [result['statusCode'], 201],
            edit: [body['version'], thing.version + 1],
          } as const;
          const kind = context.given.present(kinds[index], 'a kind of operation');
          const [seen, right] = told[kind];
          context
            .expect(seen, `$oid, statusCode or version that tells of the ${kind} at place ${index}`, reply)
            .toEqual(right);
        }
        const read = context.service.requests.read(await makeEditable(context));
        const passing = [editRequest(context, await makeEditable(context)), ...kinds.slice(2).map(() => read)];
        const stale = staleEditRequest(context, await makeEditable(context));
        const failing = await sendBatch(context, [...passing, stale, read]);
        context
          .expect(
            statusesOf(failing)[passing.length],
            `statusCode at place ${passing.length}, of the failing operation`,
            failing,
          )
          .toEqual(409);
      },
      { always: [['edit', 'read', 'create', 'read', 'edit'], moreThanTen], share: 0.2 },
    ),
  },
  'batch.result.status-code-is-integer': {
    source: 'core: Batch result, statusCode',
    statement:
      'Each result has `statusCode` as an integer holding the status that the route would have answered alone: 200 for a read, 201 for a create, 204 for a merge edit, and 404, 409 or 412 for what fails so.',
    fault: 'statusCode is 200 for every passing operation',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const requests = [
        service.requests.read(await makeEditable(context)),
        service.requests.create(given.body()),
        editRequest(context, await makeEditable(context)),
      ];
      const reply = await sendBatch(context, requests);
      assumePassed(context, reply);
      // what a list of operations is answered, by which is edited where there is no merge, is not said
      for (const [index, code] of [200, 201, profile.offers('merge') ? 204 : undefined].entries()) {
        expect(statusesOf(reply)[index], `statusCode at place ${index}`, reply).toBeAnInteger();
        if (code !== undefined) expect(statusesOf(reply)[index], `statusCode at place ${index}`, reply).toEqual(code);
      }
      await expectStatusesAsAlone(context);
      const [behind] = requests;
      for (const failing of failingOperations(context)) {
        const { what, status, make } = failing;
        const failed = await sendBatch(context, [await make(), ...(behind === undefined ? [] : [behind])]);
        const [code, ...others] = statusesOf(failed);
        // what the others have is not said, nor that they have any
        for (const other of others)
          expect(Number.isInteger(other ?? 0), 'statusCode beside a failure', failed).toEqual(true);
        if (!isRefusal(failing, Number(code)) && !(await isRefusedAlone(context, failing))) continue;
        if (status === undefined)
          expect(Number(code), `statusCode of ${what}`, failed).toSatisfy('400 or above', (number) => number >= 400);
        else expect(code, `statusCode of ${what}`, failed).toEqual(status);
      }
    }),
  },
  'batch.result.create-href': {
    source: 'core: Batch result, body.href',
    statement:
      'The result of a create has `body.href`, a string that takes the place of Location and leads to the new object, under whichever input schema it was created and whatever other object its content refers to; where that of an edit or a promote has one, it leads to no other host.',
    fault: 'href of every create in a batch names the last one',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.success.status-200'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, profile } = context;
        const member = profile.textMember;
        const bodies = Array.from({ length: 3 }, () => given.body({ [member]: given.unique() }));
        const reply = await sendBatch(
          context,
          bodies.map((body) => service.requests.create(body)),
        );
        const hrefs = assumePassed(context, reply).map((result) => bodyOfResult(result)['href']);
        expect(new Set(hrefs).size, 'different href values of three creates', reply).toEqual(3);
        for (const [index, href] of hrefs.entries()) {
          expect(href, `href at place ${index}`, reply).toBeAString();
          const read = await readWhole(context, await service.get(String(href), { base: reply }));
          expect(read).toAnswer(200);
          expect(dataOf(read)[member], `${member} behind the href at place ${index}`, read).toEqual(
            bodies[index]?.[member],
          );
        }
        await expectLongArrayCreated(context);
        await expectTypesInTurn(context);
        await expectHrefsInEachSpace(context);
        await expectNoOtherHost(context);
        await expectNewObjectToldInBatch(context);
        await expectEqualsCreated(context);
        await expectHrefUnderEachSchema(context);
      }),
    ),
  },
  'batch.result.version-in-body': {
    source: 'core: Batch result, body.version',
    statement:
      'The result of a create or an edit, the second one of an object included, has `body.version`, an integer that takes the place of the version response header.',
    fault: 'body.version is the version before the edit',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.success.status-200'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect } = context;
        const things = [await makeFilled(context), await given.edited(await makeFilled(context), 3)];
        const reply = await sendBatch(context, [
          service.requests.create(given.body()),
          ...things.map((thing) => service.requests.edit(thing, newScalars(context))),
        ]);
        const [created, ...edited] = assumePassed(context, reply).map(bodyOfResult);
        expect(created?.['version'], 'version of the create', reply).toBeAnInteger();
        const read = await service.get(String(created?.['href']), { base: reply });
        if (read.status === 200) expect(created?.['version'], 'version of the create', reply).toEqual(versionOf(read));
        for (const [index, thing] of things.entries()) {
          expect(edited[index]?.['version'], `version of an edit at ${thing.version}`, reply).toEqual(
            thing.version + 1,
          );
          expect(versionOf(await service.read(thing)), 'version that reads afterwards', reply).toEqual(
            thing.version + 1,
          );
        }
        await expectLastVersionTold(context);
        await expectVersionByEveryRoute(context);
      }),
    ),
  },
  'batch.result.create-carries-no-data': {
    source: 'core: Batch rules 6',
    statement:
      'The result of a create contains neither the created content nor links, whatever other operations the batch has.',
    fault: 'returns the read response as body of a create result',
    needs: ['soft-type', 'text-member', 'batch'],
    after: ['batch.result.create-href'],
    test: scenario(async (context) => {
      const { service } = context;
      const read = service.requests.read(await makeEditable(context));
      const edit = editRequest(context, await makeEditable(context));
      // what stands beside a create changes nothing about it
      await expectNoDataTold(context, (create) => [create]);
      await expectNoDataTold(context, (create) => [read, create, edit]);
      await expectNoDataTold(context, (create) => [create, read]);
    }),
  },
  'batch.result.sibling-statuses': {
    level: 'observe',
    source: 'core: Batch rules 1 and 3',
    statement:
      'Which statusCode and body the operations get that were fine but rolled back, or never tried, is not described.',
    needs: ['soft-type', 'text-member', 'batch'],
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
  'batch.get.returns-read-response': {
    source: 'core: Batch rules 2, 5 and 6',
    statement:
      'A GET operation has statusCode 200 and as body the full read response of the instance, of one version of it behind a write of the batch as well.',
    fault: 'a GET inside a batch returns href and version only',
    needs: ['soft-type', 'array-port', 'batch'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const owner = await makeTelling(context, 11);
      const alone = await service.read(owner);
      const reply = await sendBatch(context, [service.requests.read(owner)]);
      const [result] = assumePassed(context, reply);
      const body = bodyOfResult(result);
      expect(result?.['statusCode'], 'statusCode of a read', reply).toEqual(200);
      expect(body['href'], 'href of a read in a batch', reply).toBeAString();
      expect(body['version'], 'version of a read in a batch', reply).toEqual(versionOf(alone));
      expect(body['schema'], 'schema of a read in a batch', reply).toBeAnObject();
      expect(body['links'], 'links of a read in a batch', reply).toBeAnArray();
      expect(linesOf(body['links']), 'links of a read in a batch', reply).toEqual(linesOf(linksOf(alone)));
      expect(body['data'], 'data of a read in a batch', reply).toBeAnObject();
      const seen = isObject(body['data']) ? body['data'] : {};
      const shown = dataOf(alone);
      for (const member of ['$oid', '$softType', '$version'])
        expect(seen[member], `${member} of a read in a batch`, reply).toEqual(shown[member]);
      expect(tellingOf(seen[owner.port.member], owner.port), 'entries of a read in a batch', reply).toEqual(
        tellingOf(shown[owner.port.member], owner.port),
      );
      await expectLeading(context, owner, { alone, reply, href: String(body['href']) });
      await expectInnerAlike(context);
      await tellTagTaken(context, owner);
      await expectFilteredRead(context);
      await expectReadEachWay(context, owner);
      await expectSamePages(context, owner);
      await expectCurrentInBatch(context);
      await expectWholeBehindWrites(context);
      const missing = await sendBatch(context, [service.requests.read({ ...owner, oid: given.unknownOid(owner) })]);
      expect(statusesOf(missing)[0], 'statusCode of a read of an unknown id', missing).toEqual(404);
    }),
  },
});

/** The href of a read in a batch leads to the object; one that cannot be followed names it as far as that of a plain read does. */
async function expectLeading(
  { service, expect }: CaseContext,
  { oid }: Thing,
  { alone, reply, href }: { readonly alone: Reply; readonly reply: Reply; readonly href: string },
): Promise<void> {
  const led = await service.get(href, { base: reply });
  const names = (text: string): boolean => text.includes(oid) || text.includes(encodeURIComponent(oid));
  const isRight = led.status === 200 ? memberIn(memberIn(led.json, 'data'), '$oid') === oid : names(href);
  if (led.status === 200 || names(String(memberOf(alone, 'href'))))
    expect(href, 'href of a read in a batch', reply).toSatisfy(`that of ${oid}`, () => isRight);
}

/** Of a long array inside an entry a read in a batch shows as many entries as the same read alone. */
async function expectInnerAlike(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { nested, member } = profile.port;
  if (nested === undefined) return;
  const longFirst = (index: number): number => (index === 0 ? entriesPerPage + 2 : 1);
  // how many an array inside an entry takes is not said
  const owner = await unlessRefused(() => given.objectWithEntries(2, { nested: longFirst }));
  if (owner === undefined) return;
  const lengthsIn = (data: unknown): readonly number[] =>
    objectsIn(memberIn(data, member)).map((entry) => objectsIn(entry[nested.member]).length);
  const alone = lengthsIn(dataOf(await service.read(owner)));
  const reply = await sendBatch(context, [service.requests.read(owner)]);
  const { data } = bodyOfResult(assumePassed(context, reply)[0]);
  expect(lengthsIn(data), `lengths of ${nested.member} in a read in a batch`, reply).toEqual(alone);
}

function requestOf(context: CaseContext, kind: Kind, thing: Thing): RequestSpec {
  if (kind === 'read') return context.service.requests.read(thing);
  return kind === 'create' ? context.service.requests.create(context.given.body()) : editRequest(context, thing);
}

/** A batch for another space tells where its objects are, and so does the next one for this space. */
async function expectHrefsInEachSpace(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const there = await enterSecondSpace(context);
  if (there === undefined) return;
  const here = { of: { type: profile.primary, space: profile.all.space }, as: 'editor' as const };
  for (const { of, as, url } of [
    { ...there, url: there.urlOf(service.requests.batch([])) },
    { ...here, url: undefined },
  ]) {
    const create = service.requests.create(given.body({}, of.type), of);
    const reply = await sendBatch(context, [create], { as, ...(url !== undefined && { url }) });
    notes.observe(`a batch with a create in ${of.space}`, reply.status, reply);
    const isMadeAlone = reply.status === 200 || (await service.send(create, { as })).status === 201;
    if (!isMadeAlone) continue;
    expect(reply).toAnswer(200);
    const read = await service.get(String(bodyOfResult(resultsOf(reply)[0])['href']), { base: reply, as });
    expect(read).toAnswer(200);
    expect(dataOf(read)['$softType'], `$softType of an object made in ${of.space}`, read).toEqual(of.type.definitionId);
  }
}

/** The result of the create among these requests holds nothing of what was created; its href leads to it. */
async function expectNoDataTold(
  context: CaseContext,
  requestsWith: (create: RequestSpec) => readonly RequestSpec[],
): Promise<void> {
  const { given, service, expect, profile } = context;
  const marker = given.unique('marker');
  const requests = requestsWith(service.requests.create(given.body({ [profile.textMember]: marker })));
  const reply = await sendBatch(context, requests);
  for (const [index, result] of assumePassed(context, reply).entries()) {
    if (requests[index]?.method !== 'POST') continue;
    // the id of an object may be made of a text in it
    const told = JSON.stringify(withoutHrefs(result));
    expect(told.includes(marker), 'the result of a create holds the created content', reply).toEqual(false);
    for (const member of ['data', 'links'])
      expect(bodyOfResult(result)[member] ?? null, `${member} of the result of a create`, reply).toEqual(null);
    const read = await readWhole(context, await service.get(String(bodyOfResult(result)['href']), { base: reply }));
    expect(plainTextOf(read).includes(marker), 'the read that follows holds the created content', read).toEqual(true);
  }
}

/** What a create in a batch makes is whole: an array of several pages, and an object of the second SoftType. */
async function expectLongArrayCreated(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { arrayPort } = profile.primary;
  const { second } = profile.all.softTypes ?? {};
  const { space } = profile.all;
  if (arrayPort === undefined && second === undefined) return;
  const texts = Array.from({ length: 21 }, () => given.unique());
  // no two objects may be equal
  const creates = (): readonly RequestSpec[] => [
    ...(arrayPort === undefined
      ? []
      : [service.requests.create(given.body({ [arrayPort.member]: texts.map((text) => given.entry(text)) }))]),
    ...(second === undefined ? [] : [service.requests.create(given.body({}, second), { type: second, space })]),
  ];
  for (const request of creates())
    given.succeeded(await service.send(request), 'such a create alone', ['reading.create.status-201']);
  const reply = await sendBatch(context, creates());
  expect(reply).toAnswer(200);
  const hrefs = resultsOf(reply).map((result) => String(bodyOfResult(result)['href']));
  const reads = [];
  for (const href of hrefs) reads.push(await service.get(href, { base: reply }));
  if (second !== undefined) {
    const read = given.present(reads.at(-1), 'a read of each object');
    expect(dataOf(read)['$softType'], '$softType of an object of the second type', read).toEqual(second.definitionId);
  }
  if (arrayPort === undefined) return;
  const read = given.present(reads[0], 'a read of each object');
  const location = given.present(hrefs[0], 'an href of each object');
  const oid = String(dataOf(read)['$oid']);
  const thing: Thing = { oid, location, type: profile.primary, space, version: Number(versionOf(read)), body: {} };
  const { arrays } = await service.snapshot(thing);
  const stored = (arrays[arrayPort.member] ?? []).map(({ members }) => members[profile.port.text]);
  expect(stored.toSorted(), 'texts of 21 entries of an object that a batch created', read).toEqual(texts.toSorted());
}

/** Creates of one SoftType before and behind one of another have their results in the order of the operations. */
async function expectTypesInTurn(context: CaseContext): Promise<void> {
  const { service, given, expect, profile } = context;
  const { primary } = profile;
  const { second } = profile.all.softTypes ?? {};
  if (second === undefined) return;
  const types = [primary, second, primary];
  const { space } = profile.all;
  const reply = await sendBatch(
    context,
    types.map((type) => service.requests.create(given.body({}, type), { type, space })),
  );
  for (const [index, result] of assumePassed(context, reply).entries()) {
    const read = await service.get(String(bodyOfResult(result)['href']), { base: reply });
    expect(dataOf(read)['$softType'], `$softType behind the href at place ${index}`, read).toEqual(
      types[index]?.definitionId,
    );
  }
}

/** Writes whose success has a status that the documents name. */
const ofNamedStatus: readonly string[] = ['create', 'merge PATCH', 'merge PATCH by another schema', 'promote'];

/** Each write has the status in a batch that it has alone, where it works there; one that is not named may hang on whether there is a body. */
async function expectStatusesAsAlone(context: CaseContext): Promise<void> {
  const { service, expect, notes } = context;
  for (const { name, request } of [
    ...editRoutes(context),
    ...otherWrites(context).filter((one) => one.name !== 'batch'),
  ]) {
    const alone = await service.send(request(await makeEditable(context)));
    const reply = await sendBatch(context, [request(await makeEditable(context))]);
    notes.observe(`status of a ${name} alone, and of a batch with one`, `${alone.status}, ${reply.status}`, reply);
    if (!isSuccess(alone.status) || reply.status !== 200) continue;
    const [code] = statusesOf(reply);
    if (ofNamedStatus.includes(name)) expect(code, `statusCode of a ${name} in a batch`, reply).toEqual(alone.status);
    else
      expect(Number(code), `statusCode of a ${name} in a batch`, reply).toSatisfy('a success', (status) =>
        isSuccess(status),
      );
  }
}

/** A client knows one address: what a write that made nothing is said to have changed lies where the batch went, or what a create made. */
async function expectNoOtherHost(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  for (const { name, request } of editRoutes(context)) {
    const reply = await sendBatch(context, [
      service.requests.create(given.body()),
      request(await makeEditable(context)),
    ]);
    if (reply.status !== 200) continue;
    const [made, edited] = resultsOf(reply).map((result) => bodyOfResult(result)['href']);
    if (typeof made !== 'string' || typeof edited !== 'string') continue;
    const url = new URL(edited, reply.url);
    const isKnown = url.origin === new URL(made, reply.url).origin || isOfService(url.href, context.profile.all);
    expect(edited, `href of a ${name}`, reply).toSatisfy('an address on a known host', () => isKnown);
  }
}

/** Of more creates than the guideline names each result names another object, and the last one is there like the first. */
export async function expectResultsOfTheirOwn(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const count = 120;
  const creates = Array.from({ length: count }, () => service.requests.create(given.body()));
  const thing = await given.object();
  const reply = await sendBatch(context, [...creates, service.requests.read(thing)]);
  notes.observe(`status of a batch of ${count} creates and a read`, reply.status, reply);
  if (reply.status !== 200) return;
  const results = resultsOf(reply);
  expect(results.length, `results of ${count} creates and a read`, reply).toEqual(count + 1);
  const hrefs = results.slice(0, count).map((result) => bodyOfResult(result)['href']);
  expect(new Set(hrefs).size, `objects that the results of ${count} creates name`, reply).toEqual(count);
  const [first, last] = [hrefs[0], hrefs.at(-1)].map(String);
  const read = await service.get(given.present(first, 'an href'), { base: reply });
  given.succeeded(read, 'a read of what the first result names', ['batch.result.create-href']);
  expect(await service.get(given.present(last, 'an href'), { base: reply })).toAnswer(200);
}

/** What is created under the second input schema alone is found by its href in a batch as well. */
async function expectHrefUnderEachSchema(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { secondInputSchema } = profile.primary;
  if (secondInputSchema === undefined) return;
  const type = { ...profile.primary, inputSchemaId: secondInputSchema };
  const create = (text: string): RequestSpec =>
    service.requests.create(given.body({ [profile.textMember]: text }), { type, space: profile.all.space });
  const alone = await service.send(create(given.unique()));
  notes.observe('status of a create under the second input schema', alone.status, alone);
  if (!isSuccess(alone.status)) return;
  const texts = [given.unique(), given.unique()];
  const reply = await sendBatch(context, [service.requests.create(given.body()), ...texts.map(create)]);
  const [, ...hrefs] = assumePassed(context, reply).map((result) => bodyOfResult(result)['href']);
  for (const [index, text] of texts.entries()) {
    expect(hrefs[index], 'href of a create under the second input schema', reply).toBeAString();
    const read = await readWhole(context, await service.get(String(hrefs[index]), { base: reply }));
    expect(read).toAnswer(200);
    expect(dataOf(read)[profile.textMember], `${profile.textMember} behind that href`, read).toEqual(text);
  }
}

/** Two equal creates of one batch are two objects, each its own from then on. */
async function expectEqualsCreated(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { arrayPort } = profile.primary;
  const body = given.body(arrayPort === undefined ? {} : { [arrayPort.member]: [given.entry(given.unique())] });
  const twin = service.requests.create(body);
  const equal = await sendBatch(context, [twin, twin]);
  notes.observe('two equal creates in a batch', equal.status, equal);
  if (equal.status !== 200) return;
  const both = resultsOf(equal).map((result) => bodyOfResult(result)['href']);
  expect(new Set(both).size, 'different href values of two equal creates', equal).toEqual(2);
  const [changed, other] = await Promise.all(
    both.map(async (href) => thingOf(context, await service.get(String(href), { base: equal }), body)),
  );
  if (changed !== undefined && other !== undefined) await expectOtherLeft(context, changed, other);
}
