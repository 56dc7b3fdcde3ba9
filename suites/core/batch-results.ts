import { array, constantFrom, integer, nat, record } from 'fast-check';
import { headerNames } from '../../contract/names.ts';
import { dataOf, linksOf, plainTextOf, versionOf } from '../../judge/answers.ts';
import { isObject } from '../../judge/json.ts';
import {
  assumePassed,
  bodyOfResult,
  editRequest,
  operationsOf,
  readerMayBatch,
  resultsOf,
  sendBatch,
  staleEditRequest,
  statusesOf,
  withoutVersion,
} from '../../judge/batch.ts';
import { type CaseContext, property, scenario } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/things.ts';
import { rules } from '../../judge/rule.ts';
import { makeEditable } from '../../judge/writes.ts';

type Kind = 'read' | 'create' | 'edit';

const readerMayNotBatch =
  'The role of the reader does not open the batch route, so that access to single operations does not show: name the rule under notSupported in the profile.';

type Failing = 'stale version' | 'unknown object' | 'forbidden';

export const batchResultRules = rules('batch', {
  'batch.success.status-200': {
    level: 'must',
    source: 'core: Batch rules 3; Endpoint table, POST batch',
    statement: 'POST `/api/space/{spaceId}/batch` answers 200 when every operation passed.',
    fault: 'answers 201 when the batch contains a create',
    needs: ['soft-type'],
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
      if (first === undefined) return;
      for (const [index, edited] of things.entries()) {
        const after = await service.snapshot(edited);
        expect(after.members[first], `${first} after the batch`, after.reply).toEqual(texts[index]);
      }
    }),
  },
  'batch.failure.status-500': {
    level: 'must',
    source: 'core: Batch rules 3; Errors 500',
    statement:
      'The batch answers 500 when at least one operation failed, wherever it stands in the list and whatever its own status is.',
    fault: 'answers with the status of the first failing operation',
    needs: ['soft-type', 'scalar-members'],
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
        const sound = requests.filter((_request, index) => index !== at);
        if (sound.length > 0) expect(await sendBatch(context, sound)).toAnswer(200);
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
  'batch.result.one-per-operation': {
    level: 'must',
    source: 'core: Batch rules 3',
    statement:
      'The response body is a JSON array with as many results as the request has operations, for 200 and for 500 alike.',
    fault: 'the array ends after the first failing operation',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
    test: property(
      record({ length: constantFrom(1, 2, 10), failing: constantFrom('none', 'first', 'middle', 'last') }),
      async (context, { length, failing }) => {
        const { expect } = context;
        const things = await Promise.all(Array.from({ length }, () => makeEditable(context)));
        const at = { none: -1, first: 0, middle: Math.floor(length / 2), last: length - 1 }[failing];
        const reply = await sendBatch(
          context,
          things.map((thing, index) => (index === at ? staleEditRequest(context, thing) : editRequest(context, thing))),
        );
        expect(reply.json, `body of a batch of ${length}`, reply).toBeAnArray();
        expect(
          Array.isArray(reply.json) ? reply.json.length : -1,
          `results of a batch of ${length} with ${failing} failing`,
          reply,
        ).toEqual(length);
      },
      {
        always: [
          { length: 2, failing: 'none' },
          { length: 10, failing: 'first' },
          { length: 10, failing: 'middle' },
        ],
        share: 0.2,
      },
    ),
  },
  'batch.result.keeps-order': {
    level: 'must',
    source: 'core: Batch rules 3 (one result per operation, nothing else ties them together)',
    statement: 'The result at position i belongs to the operation at position i.',
    fault: 'results are grouped by method',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.result.one-per-operation'],
    test: property(
      array(constantFrom<Kind>('read', 'create', 'edit'), { minLength: 2, maxLength: 6 }),
      async (context, kinds) => {
        const things = await Promise.all(kinds.map(() => makeEditable(context)));
        const requests = kinds.map((kind, index) =>
          requestOf(context, kind, context.given.present(things[index], 'an object')),
        );
        const reply = await sendBatch(context, requests);
        for (const [index, result] of assumePassed(context, reply).entries()) {
          const thing = context.given.present(things[index], 'an object');
          const body = bodyOfResult(result);
          const kind = kinds[index];
          if (kind === 'read')
            context
              .expect(
                isObject(body['data']) ? body['data']['$oid'] : undefined,
                `$oid of the read at place ${index}`,
                reply,
              )
              .toEqual(thing.oid);
          if (kind === 'create')
            context.expect(result['statusCode'], `statusCode of the create at place ${index}`, reply).toEqual(201);
          if (kind === 'edit')
            context.expect(body['version'], `version of the edit at place ${index}`, reply).toEqual(thing.version + 1);
        }
        const failing = await sendBatch(context, [
          editRequest(context, await makeEditable(context)),
          staleEditRequest(context, await makeEditable(context)),
          context.service.requests.read(await makeEditable(context)),
        ]);
        context
          .expect(statusesOf(failing)[1], 'statusCode at the place of the failing operation', failing)
          .toEqual(409);
      },
      { always: [['edit', 'read', 'create', 'read', 'edit']], share: 0.2 },
    ),
  },
  'batch.result.status-code-is-integer': {
    level: 'must',
    source: 'core: Batch result, statusCode',
    statement:
      'Each result has `statusCode` as an integer holding the status that the route would have answered alone: 200 for a read, 201 for a create, 204 for a merge edit.',
    fault: 'statusCode is 200 for every passing operation',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const requests = [
        service.requests.read(await makeEditable(context)),
        service.requests.create(given.body()),
        editRequest(context, await makeEditable(context)),
      ];
      const reply = await sendBatch(context, requests);
      assumePassed(context, reply);
      for (const [index, code] of [200, 201, 204].entries()) {
        expect(statusesOf(reply)[index], `statusCode at place ${index}`, reply).toBeAnInteger();
        expect(statusesOf(reply)[index], `statusCode at place ${index}`, reply).toEqual(code);
      }
    }),
  },
  'batch.result.create-href': {
    level: 'must',
    source: 'core: Batch result, body.href',
    statement:
      'The result of a create has `body.href`, a string that takes the place of Location and leads to the new object.',
    fault: 'href of every create in a batch names the last one',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const [member] = profile.scalars;
      const bodies = Array.from({ length: 3 }, () => given.body({ [member]: given.unique() }));
      const reply = await sendBatch(
        context,
        bodies.map((body) => service.requests.create(body)),
      );
      const hrefs = assumePassed(context, reply).map((result) => bodyOfResult(result)['href']);
      expect(new Set(hrefs).size, 'different href values of three creates', reply).toEqual(3);
      for (const [index, href] of hrefs.entries()) {
        expect(href, `href at place ${index}`, reply).toBeAString();
        const read = await service.get(String(href), { base: reply });
        expect(read).toAnswer(200);
        expect(dataOf(read)[member], `${member} behind the href at place ${index}`, read).toEqual(
          bodies[index]?.[member],
        );
      }
    }),
  },
  'batch.result.version-in-body': {
    level: 'must',
    source: 'core: Batch result, body.version',
    statement:
      'The result of a create, edit or maturity action has `body.version`, an integer that takes the place of the version response header.',
    fault: 'body.version is the version before the edit',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const things = [await makeEditable(context), await given.edited(await makeEditable(context), 3)];
      const reply = await sendBatch(context, [
        service.requests.create(given.body()),
        ...things.map((thing) => editRequest(context, thing)),
      ]);
      const [created, ...edited] = assumePassed(context, reply).map(bodyOfResult);
      expect(created?.['version'], 'version of the create', reply).toBeAnInteger();
      const read = await service.get(String(created?.['href']), { base: reply });
      if (read.status === 200) expect(created?.['version'], 'version of the create', reply).toEqual(versionOf(read));
      for (const [index, thing] of things.entries()) {
        expect(edited[index]?.['version'], `version of an edit at ${thing.version}`, reply).toEqual(thing.version + 1);
        expect(versionOf(await service.read(thing)), 'version that reads afterwards', reply).toEqual(thing.version + 1);
      }
    }),
  },
  'batch.result.create-carries-no-data': {
    level: 'must',
    source: 'core: Batch rules 6',
    statement: 'The result of a create contains neither the created content nor links.',
    fault: 'returns the read response as body of a create result',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.result.create-href'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const marker = given.unique('marker');
      const reply = await sendBatch(context, [service.requests.create(given.body({ [profile.scalars[0]]: marker }))]);
      const [result] = assumePassed(context, reply);
      expect(
        JSON.stringify(result).includes(marker),
        'the result of a create holds the created content',
        reply,
      ).toEqual(false);
      for (const member of ['data', 'links'])
        expect(bodyOfResult(result)[member] ?? null, `${member} of the result of a create`, reply).toEqual(null);
      const read = await service.get(String(bodyOfResult(result)['href']), { base: reply });
      expect(plainTextOf(read).includes(marker), 'the read that follows holds the created content', read).toEqual(true);
    }),
  },
  'batch.get.returns-read-response': {
    level: 'must',
    source: 'core: Batch rules 2, 5 and 6',
    statement: 'A GET operation has statusCode 200 and as body the full read response of the instance.',
    fault: 'a GET inside a batch returns href and version only',
    needs: ['soft-type', 'array-port'],
    after: ['batch.success.status-200'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const owner = await given.objectWithEntries(11);
      const alone = await service.read(owner);
      const reply = await sendBatch(context, [service.requests.read(owner)]);
      const [result] = assumePassed(context, reply);
      const body = bodyOfResult(result);
      expect(result?.['statusCode'], 'statusCode of a read', reply).toEqual(200);
      expect(body['version'], 'version of a read in a batch', reply).toEqual(versionOf(alone));
      expect(body['schema'], 'schema of a read in a batch', reply).toBeAnObject();
      expect(body['links'], 'links of a read in a batch', reply).toBeAnArray();
      const rels = (links: unknown) =>
        Array.isArray(links)
          ? links
              .filter(isObject)
              .map((link) => String(link['rel']))
              .sort()
          : [];
      expect(rels(body['links']), 'rels of the links of a read in a batch', reply).toEqual(rels(linksOf(alone)));
      const entries = (data: unknown) =>
        isObject(data) && Array.isArray(data[owner.port.member]) ? data[owner.port.member] : [];
      const texts = (data: unknown) =>
        [entries(data)].flat().map((entry: unknown) => (isObject(entry) ? entry[owner.port.text] : undefined));
      expect(texts(body['data']), 'entries of a read in a batch', reply).toEqual(texts(dataOf(alone)));
      const missing = await sendBatch(context, [service.requests.read({ ...owner, oid: given.unknownOid(owner) })]);
      expect(statusesOf(missing)[0], 'statusCode of a read of an unknown id', missing).toEqual(404);
    }),
  },
  'batch.version.mismatch-409': {
    level: 'must',
    source: 'core: Batch operation, headers; Errors rule 1',
    statement:
      'The version header is read from the `headers` of each operation; a wrong number gives that operation statusCode 409 and the batch 500.',
    fault: 'compares every operation with the version header of the batch request',
    needs: ['soft-type', 'scalar-members'],
    after: ['batch.failure.status-500'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const [one, two] = [await makeEditable(context), await given.edited(await makeEditable(context), 2)];
      const before = [await service.snapshot(one), await service.snapshot(two)];
      const stale = [editRequest(context, one), { ...editRequest(context, two), version: two.version - 1 }];
      for (const changes of [{}, { headers: { [headerNames.version]: String(two.version) } }]) {
        const reply = await sendBatch(context, stale, changes);
        expect(reply).toAnswer(500);
        expect(statusesOf(reply)[1], 'statusCode of the edit with a wrong version', reply).toEqual(409);
      }
      for (const [index, thing] of [one, two].entries())
        expect.unchanged(given.present(before[index], 'a snapshot'), await service.snapshot(thing));
      expect(await sendBatch(context, [editRequest(context, one), editRequest(context, two)])).toAnswer(200);
    }),
  },
  'batch.version.absent-412': {
    level: 'must',
    source: 'core: Batch operation, headers; Errors rule 2',
    statement:
      'A PUT or PATCH operation without version header in its own `headers` gets statusCode 412 and the batch 500.',
    fault: 'edits inside a batch need no version',
    needs: ['soft-type', 'scalar-members'],
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
      const onRequest = { headers: { [headerNames.version]: String(thing.version) } };
      for (const [operation, changes] of [
        [bare, {}],
        [bare, onRequest],
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
    }),
  },
  'batch.auth.forbidden-operation': {
    level: 'must',
    source: 'core: Authentication 6 and 7; Batch rules 3',
    statement:
      'Access is judged per operation: a write by a reader has statusCode 403 and the batch answers 500, while a batch of reads passes.',
    fault: 'the role is checked for the batch route only',
    needs: ['soft-type', 'scalar-members', 'reader-identity'],
    after: ['batch.failure.status-500'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const [thing, other] = [await makeEditable(context), await makeEditable(context)];
      if (!(await readerMayBatch(context))) given.inconclusive(readerMayNotBatch);
      const reads = [service.requests.read(thing), service.requests.read(other)];
      expect(await sendBatch(context, reads, { as: 'reader' })).toAnswer(200);
      const before = await service.snapshot(thing);
      const reply = await sendBatch(context, [service.requests.read(other), editRequest(context, thing)], {
        as: 'reader',
      });
      expect(reply).toAnswer(500);
      expect(statusesOf(reply)[1], 'statusCode of the write', reply).toEqual(403);
      expect.unchanged(before, await service.snapshot(thing));
    }),
  },
  'batch.operation.required-members': {
    level: 'must',
    source: 'core: Batch operation, method and href',
    statement:
      'An operation needs `method` (one of GET, POST, PUT, PATCH, DELETE) and `href`; without them, or with another method, it does not pass.',
    fault: 'a missing method is taken as GET',
    needs: ['soft-type', 'scalar-members'],
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
    }),
  },
});

function requestOf(context: CaseContext, kind: Kind, thing: Thing): RequestSpec {
  if (kind === 'read') return context.service.requests.read(thing);
  return kind === 'create' ? context.service.requests.create(context.given.body()) : editRequest(context, thing);
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

function without(operation: object, member: string): object {
  return Object.fromEntries(Object.entries(operation).filter(([name]) => name !== member));
}
