import type { LinkRead } from '../../contract/judge-read.ts';
import { headerNames } from '../../contract/names.ts';
import {
  dataOf,
  entriesOf,
  entriesOfPage,
  linksOf,
  memberOf,
  textsOf,
  versionOf,
} from '../../judge/service/answers.ts';
import { bodyOfResult, resultsOf, sendBatch, staleEditRequest } from '../../judge/service/batch.ts';
import { type CaseContext, onEverySpace, onEveryType, scenario, unlessKept } from '../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import { makePromoted } from '../../judge/service/maturity.ts';
import { isOfService } from '../../judge/service/requests.ts';
import type { Thing } from '../../judge/things.ts';
import { pointer } from '../../judge/json.ts';
import { rules } from '../../judge/rule.ts';
import { anyEdit, byAnotherSchema, editRoutes, makeEditable, takesOtherSchema } from '../../judge/service/writes.ts';
import { allThereIs, type Members } from './checks/member-kinds.ts';
import { replace } from './checks/operation-steps.ts';
import { expectEditedVersionTold, expectNewObjectTold } from './checks/referring-writes.ts';
import { readersOf } from './checks/readers.ts';
import { leadsAside, linksIn, readEveryWay } from './checks/ways-to-read.ts';
import { readWhole } from '../../judge/service/multi-create.ts';
import { unlessRefused } from '../../judge/violation.ts';

export const responseHeaderRules = rules('headers', {
  'headers.uoi-version.on-create': {
    source: 'core: Common request headers (response headers); Endpoint table, POST softtype; Errors 201',
    statement:
      'The answer to a create carries `Svc-UOIVersion`: in decimal digits, the version at which the new object reads, also where the request named one.',
    fault: 'the create response lacks the version header',
    needs: ['soft-type'],
    test: scenario(async ({ given, service, expect, notes, profile }) => {
      const { arrayPort, scalars } = profile.primary;
      const filled = Object.fromEntries((scalars ?? []).map((member) => [member, given.unique()]));
      const entries = Array.from({ length: 11 }, () => given.unique());
      const array = arrayPort && { [arrayPort.member]: entries.map((text) => given.entry(text)) };
      const { space } = profile.all;
      const { inputSchemaId, secondInputSchema = inputSchemaId } = profile.primary;
      const brief = { type: { ...profile.primary, inputSchemaId: secondInputSchema }, space };
      const { second } = profile.all.softTypes ?? {};
      const bodies = [
        [given.body(), undefined],
        [given.body({ ...filled, ...array }), undefined],
        ...(secondInputSchema === inputSchemaId ? [] : [[given.body(), brief] as const]),
        ...(second === undefined ? [] : [[given.body({}, second), { type: second, space }] as const]),
      ] as const;
      for (const [index, [body, of]] of bodies.entries()) {
        const own = of === undefined ? {} : { of };
        // a create has no need of it, and a client that sends it with every write learns nothing else
        const ahead = index === 0 ? undefined : await service.create(body, { ...own, version: 4 });
        if (ahead !== undefined) notes.observe('status of a create that names a version', ahead.status, ahead);
        const created = ahead !== undefined && isSuccess(ahead.status) ? ahead : await service.create(body, own);
        given.succeeded(created, 'an object is created', ['reading.create.status-201']);
        const header = expect(created).toCarry(headerNames.version);
        expect(header, 'version header of a create', created).toSatisfy('decimal digits', (text) => /^\d+$/.test(text));
        const read = await service.read(await given.found(created, body, of));
        expect(Number(header), 'version header of a create', created).toEqual(versionOf(read));
        notes.observe('version header of a create', header, created);
      }
    }),
  },
  'headers.uoi-version.on-merge': {
    source: 'core: Common request headers (response headers); Endpoint table, PATCH (merge)',
    statement:
      'The response of a merge PATCH carries `Svc-UOIVersion` with the new version, not the one sent, whatever it gives and takes; where an edit that changes nothing is told a version or makes one, it is told the one that the object has then.',
    fault: 'echoes the version of the request',
    needs: ['soft-type', 'text-member', 'merge'],
    test: onEveryType(
      scenario(async (context) => {
        const { given, service, profile } = context;
        for (const edits of [0, 6])
          await expectNewVersion(context, await given.edited(await makeEditable(context), edits), (thing) =>
            service.requests.merge(thing, { [profile.textMember]: given.unique() }),
          );
        if (await takesOtherSchema(context))
          await expectNewVersion(context, await makeEditable(context), (thing) =>
            service.requests.merge(byAnotherSchema(thing), { [profile.textMember]: given.unique() }),
          );
        await expectVersionOfNoEdit(context);
        await expectVersionOfEveryEdit(context);
        await expectEditedVersionTold(context, 'merge');
      }),
    ),
  },
  'headers.uoi-version.on-operations': {
    source: 'core: Common request headers (response headers); Endpoint table, PATCH (operations)',
    statement: 'The response of an operations PATCH carries `Svc-UOIVersion` with the new version.',
    fault: 'the operations response lacks the version header',
    needs: ['soft-type', 'scalar-members', 'operations'],
    after: ['patch.content-type.selects-operations'],
    test: onEveryType(
      scenario(async (context) => {
        const { given, service, profile } = context;
        const [first, second] = profile.scalars;
        for (const members of [[first], [first, second]])
          await expectNewVersion(
            context,
            await given.object({ [first]: given.unique(), [second]: given.unique() }),
            (thing) =>
              service.requests.operations(
                thing,
                members.map((member) => replace(pointer(member), given.unique())),
              ),
          );
        await expectEditedVersionTold(context, 'list of operations');
      }),
    ),
  },
  'headers.uoi-version.on-put': {
    source: 'core: Common request headers (response headers); Endpoint table, PUT',
    statement: 'The response of a PUT carries `Svc-UOIVersion` with the new version.',
    fault: 'the PUT response lacks the version header',
    needs: ['soft-type', 'text-member', 'put-route'],
    test: onEveryType(
      scenario(async (context) => {
        const { given, service } = context;
        for (const edits of [0, 6])
          await expectNewVersion(context, await given.edited(await makeEditable(context), edits), (thing) =>
            service.requests.put(thing, given.body()),
          );
        await expectVersionOfPutByAnotherSchema(context);
        await expectEditedVersionTold(context, 'PUT');
        await expectVersionOfDemote(context);
      }),
    ),
  },
  'headers.uoi-version.elsewhere': {
    level: 'observe',
    source: 'core: Common request headers (response headers: every POST, PUT and PATCH)',
    statement:
      'Not described: the version header on GET, on refused writes, on the batch POST as a whole and on a multi-create of several objects.',
    needs: ['soft-type', 'text-member'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const thing = await makeEditable(context);
      const body = { [profile.textMember]: given.unique() };
      const replies = {
        'a GET': await service.read(thing),
        'a 409': await service.merge(thing, body, { version: thing.version + 7 }),
        'a 412': await service.merge(thing, body, { version: null }),
        ...(profile.offers('batch') && {
          'a batch': await service.batch([{ method: 'GET', href: service.requests.read(thing).url }]),
        }),
        ...(profile.offers('multi-create') && {
          'a multi-create': await service.multiCreate([
            { $id: 'one', $softType: profile.primary.definitionId, data: given.body() },
            { $id: 'other', $softType: profile.primary.definitionId, data: given.body() },
          ]),
        }),
      };
      for (const [what, reply] of Object.entries(replies))
        notes.observe(`version header on ${what} (${reply.status})`, versionHeader(reply) ?? 'none', reply);
    }),
  },
  'headers.location.on-create': {
    source: 'core: Common request headers (response headers); Errors 201',
    statement: 'A 201 carries a `Location` header: a URI, and another one for each object.',
    fault: 'the create response lacks Location',
    needs: ['soft-type'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      const body = given.body();
      const [first, equal] = [await service.create(body), await service.create(body)];
      notes.observe('status of a create of an equal object', equal.status, equal);
      // where no two may be equal, another one has a Location too
      const second = equal.status >= 400 && equal.status < 500 ? await service.create(given.body()) : equal;
      const uris = [];
      for (const reply of [first, second]) {
        given.succeeded(reply, 'an object is created', ['reading.create.status-201']);
        const location = expect(reply).toCarry('location');
        expect(location, 'Location of a create', reply).toSatisfy(
          'a URI, absolute or relative',
          (text) => text.trim() !== '' && URL.canParse(text, reply.url),
        );
        uris.push(new URL(location, reply.url).href);
      }
      expect(uris[0], 'Location of two creates').notToEqual(uris[1]);
      const thing = await given.object();
      for (const reply of [await service.read(thing), await service.merge(thing, anyEdit(context))])
        notes.observe(`Location on a ${reply.status}`, reply.headers['location'] ?? 'none', reply);
    }),
  },
  'headers.location.leads-to-object': {
    source: 'core: Errors 201',
    statement:
      'GET of the Location of a create answers 200 with the object created, at once, in whichever space and under whichever input schema it was created, and whatever other object its content refers to.',
    fault: 'Location names the route without the object id',
    needs: ['soft-type', 'text-member'],
    after: ['headers.location.on-create'],
    test: onEveryType(
      onEverySpace(
        scenario(async (context) => {
          const { given, service, expect, profile } = context;
          const member = profile.textMember;
          const bodies = Array.from({ length: 5 }, () => given.body({ [member]: given.unique() }));
          // every second one under the other input schema, where there is one
          const { secondInputSchema = profile.primary.inputSchemaId } = profile.primary;
          const other = { type: { ...profile.primary, inputSchemaId: secondInputSchema }, space: profile.all.space };
          const replies = await Promise.all(
            bodies.map((body, index) => service.create(body, index % 2 === 0 ? {} : { of: other })),
          );
          for (const [index, created] of replies.entries()) {
            given.succeeded(created, 'an object is created', ['reading.create.status-201']);
            const read = await service.get(expect(created).toCarry('location'), { base: created });
            expect(read).toAnswer(200);
            expect(memberOf(read, 'data'), 'data behind the Location', read).toBeAnObject();
            const whole = await readWhole(context, read);
            expect(dataOf(whole)[member], `${member} behind the Location`, whole).toEqual(bodies[index]?.[member]);
            const header = created.headers[headerNames.version.toLowerCase()];
            if (header !== undefined)
              expect(String(versionOf(read)), 'version behind the Location', read).toEqual(header);
          }
          await expectNewObjectTold(context);
          await expectFurtherLocated(context);
        }),
      ),
    ),
  },
  'headers.uris.stay-on-gateway': {
    level: 'should',
    source: 'core: What the service does (clients talk only to the gateway)',
    statement:
      'Location and the href of instances, links, pages and batch results lead to the base address that the client uses, not to a host behind it.',
    fault: 'href names the internal host and port',
    needs: ['soft-type', 'array-port'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      const owner = await given.objectWithEntries(11);
      const created = await service.create(given.body());
      const [read, long, page] = [
        await service.read(owner),
        await service.readLong(owner),
        await service.page(owner, 1),
      ];
      const batch = profile.offers('batch')
        ? await sendBatch(context, [service.requests.create(given.body()), service.requests.read(owner)])
        : undefined;
      const results = batch !== undefined && Array.isArray(batch.json) ? resultsOf(batch).map(bodyOfResult) : [];
      const hrefsIn = (links: readonly LinkRead[]) =>
        links.filter((link) => !leadsAside(link, context)).map(({ href }) => href);
      const uris: (readonly [what: string, values: readonly unknown[], seenIn: Reply])[] = [
        ['Location', [created.headers['location']], created],
        ['href of an instance', [memberOf(read, 'href')], read],
        ['href of an instance', [memberOf(long, 'href')], long],
        ['href of a link', hrefsIn(linksOf(read)), read],
        ['href of a page', [memberOf(page, 'href')], page],
        ['href of a batch result', results.map(({ href }) => href), batch ?? read],
        ...(await readEveryWay(context, owner)).map((answer) => {
          const what = answer.isInBatch ? 'href of a read in a batch' : 'href of a read';
          return [what, [answer.body['href'], ...hrefsIn(linksIn(answer))], answer.reply] as const;
        }),
      ];
      const gateway = new URL(profile.all.baseUrl).origin;
      for (const [what, values, seenIn] of uris)
        for (const value of values) {
          if (typeof value !== 'string') continue;
          notes.bound('uriForm', `form of ${what}`, /^[a-z]+:\/\//i.test(value) ? 'absolute' : 'path', seenIn);
          const origin = originOf(value, gateway);
          const isHome = URL.canParse(origin) && isOfService(origin, profile.all);
          expect(isHome ? gateway : origin, `origin of ${what}`, seenIn).toEqual(gateway);
        }
    }),
  },
  'headers.no-content.empty-body': {
    source: 'core: Errors 204',
    statement: 'A 204 carries no content.',
    fault: 'sends the JSON text null with 204',
    needs: ['soft-type', 'text-member'],
    test: scenario(async (context) => {
      const { service, given, expect } = context;
      let seen = 0;
      for (const route of editRoutes(context)) {
        const raw = await service.raw(route.request(await makeEditable(context)));
        if (raw.status !== 204) continue;
        seen += 1;
        expect(raw.body.length, `bytes after the head of a 204 (${route.name})`, raw.reply).toEqual(0);
        expect(raw.headers['content-length'] ?? '0', `Content-Length of a 204 (${route.name})`, raw.reply).toEqual('0');
      }
      for (const request of await furtherWrites(context)) {
        const raw = await service.raw(request);
        if (raw.status === 204)
          expect(raw.body.length, `bytes after the head of a 204 (${request.method})`, raw.reply).toEqual(0);
      }
      given.assume(seen > 0, 'a write that answers 204');
    }),
  },
  'headers.content-type.json-bodies': {
    source: 'core: What the service does (JSON payloads)',
    statement:
      'Bodies of instance GET, page GET and batch, also of one that failed, are JSON in UTF-8, declared by a JSON media type, for whom and whichever way they are read.',
    fault: 'serves JSON as text/plain',
    needs: ['soft-type', 'array-port'],
    test: scenario(async (context) => {
      const { given, service, expect, notes, profile } = context;
      // entries of one array may have to differ
      const make = (text: string) => given.objectWithEntries(11, { text: () => `${text} ${given.unique()}` });
      // some databases have no room for the last of them, or for what is not western
      const [first = 'naive', ...others] = ['naïve – 文字 – 😀', 'naïve – 文字', 'naïve', 'naive'];
      let made = await unlessRefused(() => make(first));
      for (const text of others) made ??= await unlessRefused(() => make(text));
      const owner = made ?? (await given.objectWithEntries(11));
      const replies = [await service.readShort(owner), await service.readLong(owner), await service.page(owner, 1)];
      const batch = profile.offers('batch')
        ? await service.batch([{ method: 'GET', href: service.requests.read(owner).url }])
        : undefined;
      if (batch?.status === 200) replies.push(batch);
      const failed = batch?.status === 200 ? await sendBatch(context, [staleEditRequest(context, owner)]) : undefined;
      if (failed?.status === 500) replies.push(failed);
      for (const { reply, isInBatch } of await readEveryWay(context, owner)) if (!isInBatch) replies.push(reply);
      for (const as of readersOf(profile)) {
        const page = await service.page(owner, 1, { as });
        if (page.status === 200) replies.push(page);
      }
      for (const reply of replies) {
        expect(reply.headers['content-type'], 'Content-Type', reply).toSatisfy('a JSON media type', (type) =>
          /^((application|text)\/json|[^;\s]+\/[^;\s]+\+json)\s*(;|$)/i.test(type ?? ''),
        );
        expect(reply.json, 'body', reply).toSatisfy('JSON', (body) => body !== undefined);
        notes.observe(
          'charset parameter',
          /charset=([^;]+)/i.exec(reply.headers['content-type'] ?? '')?.[1] ?? 'none',
          reply,
        );
      }
      const [read, page] = [await service.read(owner), await service.page(owner, 1)];
      for (const [entries, reply] of [
        [entriesOf(read, owner.port), read],
        [entriesOfPage(page), page],
      ] as const)
        // a page that lacks entries is another rule's
        if (entries.length > 0)
          expect(textsOf(entries, owner.port)[0], 'text beyond ASCII', reply).toBeOneOf(owner.texts);
    }),
  },
  'headers.limits.rate': {
    level: 'observe',
    source: 'core: Limits (rate limits not shown)',
    statement: 'Rate limits of core routes and their signs are not described.',
    needs: ['soft-type'],
    test: scenario(async ({ given, service, notes }) => {
      const thing = await given.object();
      const replies = await Promise.all(Array.from({ length: 20 }, () => service.read(thing)));
      const limited = replies.filter(({ status }) => status === 503);
      notes.observe('answers 503 to 20 reads at once', limited.length, limited[0]);
      const waits = service.patience();
      notes.observe(
        'Retry-After of an answer 429 or 503',
        waits.at(-1)?.retryAfter ?? limited[0]?.headers['retry-after'] ?? 'none',
        limited[0],
      );
      notes.observe('waits that the run was asked for so far', waits.length);
    }),
  },
});

/** An object of a SoftType beyond the two that are judged is behind its Location as well. */
async function expectFurtherLocated(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { primary, further = [] } = profile.all.softTypes ?? {};
  if (profile.primary.definitionId !== primary?.definitionId) return;
  for (const type of further)
    await unlessKept(async () => {
      const created = await service.create(given.body({}, type), { of: { type, space: profile.all.space } });
      given.succeeded(created, 'an object is created', ['reading.create.status-201']);
      const read = await service.get(expect(created).toCarry('location'), { base: created });
      expect(read).toAnswer(200);
    }, context);
  await expectLocatedInSecondSpace(context);
}

/** An object of the second space is behind its Location as well, where the editor makes and reads one there. */
async function expectLocatedInSecondSpace(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (profile.all.secondSpace === undefined) return;
  const { space, softType: type } = profile.all.secondSpace;
  const body = given.body({}, type);
  const created = await service.create(body, { of: { type, space } });
  notes.observe('status of a create in the second space', created.status, created);
  if (!isSuccess(created.status)) return;
  const there = await unlessRefused(() => given.found(created, body, { type, space }));
  if (there === undefined || (await service.read(there)).status !== 200) return;
  const read = await service.get(expect(created).toCarry('location'), { base: created });
  // who makes objects there need not be who reads them
  if (read.status !== 403) expect(read).toAnswer(200);
}

/** A demote and a DELETE, as far as the profile tells their paths. */
async function furtherWrites(context: CaseContext): Promise<readonly RequestSpec[]> {
  const { given, service, profile } = context;
  const { demote, softTypeDelete } = profile.all.routes ?? {};
  const removed = softTypeDelete === undefined ? undefined : await given.object();
  return [
    ...(demote === undefined || profile.all.maturity === undefined
      ? []
      : [service.requests.demote(await makePromoted(context))]),
    ...(removed === undefined ? [] : [{ ...service.requests.remove(removed), version: removed.version }]),
  ];
}

function originOf(uri: string, base: string): string {
  const expanded = uri.replaceAll('{pageNumber}', '0');
  return URL.canParse(expanded, base) ? new URL(expanded, base).origin : `no URI: ${uri}`;
}

/** The header is the version that reads next, and the next write with it is accepted without reading. */
async function expectNewVersion(
  { given, service, expect }: CaseContext,
  thing: Thing,
  edit: (thing: Thing) => RequestSpec,
): Promise<void> {
  const reply = await service.send(edit(thing));
  given.succeeded(reply, 'an edit with the current version is accepted');
  const header = expect(reply).toCarry(headerNames.version);
  const read = await service.read(thing);
  given.assume(dataOf(read)['$oid'] === thing.oid, 'the object is readable');
  expect(header, `version header of an edit at version ${thing.version}`, reply).toEqual(String(versionOf(read)));
  const next = await service.send(edit({ ...thing, version: Number(header) }));
  expect(next).toSucceed();
}

/** A demote is a PUT: its answer tells the version that reads then, whichever that is. */
async function expectVersionOfDemote(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  if (profile.all.routes?.demote === undefined || profile.all.maturity === undefined) return;
  const made = await unlessRefused(() => makePromoted(context));
  if (made === undefined) return;
  const reply = await service.demote(made);
  notes.observe('status of a demote behind a promote', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const header = expect(reply).toCarry(headerNames.version);
  const read = await service.read(made);
  expect(header, 'version header of a demote', reply).toEqual(String(versionOf(read)));
}

/** What a PUT by another schema takes is not known. */
async function expectVersionOfPutByAnotherSchema(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (profile.primary.secondInputSchema === undefined) return;
  const thing = await makeEditable(context);
  const reply = await service.send(service.requests.put(byAnotherSchema(thing), given.body()));
  notes.observe('status of a PUT by another input schema', reply.status, reply);
  if (!isSuccess(reply.status)) return;
  const header = expect(reply).toCarry(headerNames.version);
  const read = await service.read(thing);
  expect(header, 'version header of a PUT by another input schema', reply).toEqual(String(versionOf(read)));
}

/** Edits of several kinds at once tell the version that they lead to, as far as the service takes them. */
async function expectVersionOfEveryEdit(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const thing = await makeEditable(context);
  const mandatory = Object.keys(given.body());
  const optional = profile.primary.scalars?.find((name) => !mandatory.includes(name));
  const bodies: Readonly<Record<string, Members>> = {
    ...allThereIs(context),
    ...(optional !== undefined && { null: { [optional]: null } }),
  };
  for (const [what, body] of Object.entries(bodies)) {
    const reply = await service.merge(await given.current(thing), body);
    notes.observe(`status of a merge of ${what}`, reply.status, reply);
    if (!isSuccess(reply.status)) continue;
    const header = expect(reply).toCarry(headerNames.version);
    expect(header, `version header of a merge of ${what}`, reply).toEqual(String(versionOf(await service.read(thing))));
  }
}

/** Whether a write that changes nothing raises the version is not said; what its answer tells has to be the version all the same. */
async function expectVersionOfNoEdit(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const member = profile.textMember;
  const thing = await makeEditable(context);
  const value = thing.body[member];
  const edits: Readonly<Record<string, (version: number) => RequestSpec>> = {
    'an empty merge body': (version) => service.requests.merge(thing, {}, version),
    'a merge of the same value': (version) => service.requests.merge(thing, { [member]: value }, version),
    ...(profile.offers('operations') && {
      'an empty operation list': (version: number) => service.requests.operations(thing, [], version),
      'a replace by the same value': (version: number) =>
        service.requests.operations(thing, [replace(pointer(member), value)], version),
    }),
    ...(profile.all.routes?.softTypePut !== undefined && {
      'a PUT of the same content': (version: number) => service.requests.put(thing, thing.body, version),
    }),
  };
  for (const [what, edit] of Object.entries(edits)) {
    const { version } = await given.current(thing);
    const reply = await service.send(edit(version));
    const header = versionHeader(reply);
    notes.observe(`${what} is answered with a version`, header !== undefined, reply);
    if (!isSuccess(reply.status)) continue;
    const now = versionOf(await service.read(thing));
    // what makes no new version has none to tell
    if (header !== undefined || now !== version)
      expect(header, `version header of ${what}`, reply).toEqual(String(now));
  }
}

function versionHeader(reply: Reply): string | undefined {
  return reply.headers[headerNames.version.toLowerCase()];
}
