import {
  dataOf,
  entriesOf,
  entriesOfPage,
  idsOf,
  plainTextOf,
  textsOf,
  versionOf,
} from '../../judge/service/answers.ts';
import type { IdentityName } from '../../contract/profile.ts';
import { sendBatch } from '../../judge/service/batch.ts';
import { type CaseContext, onEveryType, onEverySpace, scenario } from '../../judge/case.ts';
import { headerNames } from '../../contract/names.ts';
import type { RuleId } from '../../contract/rule.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import { isListed, withQuery } from '../../judge/service/queries.ts';
import type { BoundProfile } from '../../judge/profile.ts';
import type { Owner, Thing } from '../../judge/things.ts';
import { urlInSpace } from '../../judge/every-answer/openapi.ts';
import { roundsAmongOthers } from '../../judge/service/races.ts';
import { rules } from '../../judge/rule.ts';
import {
  anyEdit,
  editRoutes,
  findWorking,
  leadsToObject,
  lockRequest,
  makeEditable,
  otherWrites,
  removeThing,
  type WriteRoute,
} from '../../judge/service/writes.ts';
import { makeFilteredReads, makeWrites } from './checks/each-route.ts';
import { expectOpenByMethod } from './checks/open-routes.ts';
import { lookAfterEachChange } from './checks/each-change.ts';
import { expectSameContent, makeTelling } from './checks/telling-object.ts';

/** Headers by which a request asks to be taken for another one. */
const methodsOverridden = { 'X-HTTP-Method-Override': 'GET', 'X-HTTP-Method': 'GET', 'X-Method-Override': 'GET' };

/** What a proxy says of a user that it knows, a name in any letters as the bytes of it: of a client that says so itself it proves nothing. */
function namedByAProxy(user: string): Readonly<Record<string, string>> {
  const name = Buffer.from(user, 'utf8').toString('latin1');
  return { 'X-Forwarded-User': name, 'X-Remote-User': name, 'Remote-User': name };
}

const mayRead: readonly RuleId[] = ['auth.role.reader-may-read'];

export const authRules = rules('auth', {
  'auth.missing-token.answers-401': {
    source: 'core: Authentication 6; Errors 401',
    statement:
      'Every route that reads or writes objects of a space answers 401 when the request has no Authorization header, whatever it shares with one that had, whomever another header names, and however little it is about.',
    fault: 'the page route is served without a token',
    needs: ['soft-type', 'array-port'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      const owner = await given.objectWithEntries(11);
      const reads = [
        service.requests.readShort(owner),
        service.requests.readLong(owner),
        service.requests.page(owner, 1),
      ];
      for (const request of reads)
        given.succeeded(await service.send(request), 'a read with a token', ['reading.instance.short-route-served']);
      for (const request of [...reads, ...(await makeFilteredReads(context))])
        expect(await service.send(request, { as: null })).toAnswer(401);
      for (const request of reads.slice(0, 1)) await expectNobodyRemembered(context, request);
      for (const request of await makeWrites(context, await makeEditable(context)))
        expect(await service.send(request, { as: null })).toAnswer(401);
    }),
  },
  'auth.missing-token.write-has-no-effect': {
    source: 'core: Authentication 6',
    statement: 'A write to an object without a token leaves the object as it was.',
    fault: 'the token is checked after the write',
    needs: ['soft-type', 'text-member'],
    after: ['reading.instance.short-route-served'],
    test: onEveryType(
      scenario(async (context) => {
        const { service, expect } = context;
        const routes = [...editRoutes(context), ...otherWrites(context).filter(({ name }) => name === 'batch')];
        const thing = await makeEditable(context);
        const before = await service.snapshot(thing);
        for (const route of routes) expect(await service.send(route.request(thing), { as: null })).notToSucceed();
        await expectNothingDeleted(context, before.oid);
        expect.unchanged(before, await service.snapshot(thing));
      }),
    ),
  },
  'auth.role.no-role-403': {
    source: 'core: Authentication 6 and 7; What the service does, space level',
    statement:
      'A valid identity without a role on any participant gets 403 from space routes, reads and writes alike, however often it asks.',
    fault: 'any valid token may read',
    needs: ['soft-type', 'array-port', 'no-role-identity'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      given.present(await service.token('noRole'), 'a token of the identity without a role');
      const marker = given.unique('marker');
      const owner = await given.objectWithEntries(11, { text: () => `${marker} ${given.unique()}` });
      const before = await service.snapshot(owner);
      const writes = await findWorking(
        context,
        [...editRoutes(context), ...otherWrites(context)].filter(not('multi-create', 'promote')),
      );
      const filtered = await makeFilteredReads(context);
      const requests = [
        service.requests.read(owner),
        service.requests.readLong(owner),
        service.requests.page(owner, 1),
        ...filtered,
        ...writes.map((route) => route.request(owner)),
      ];
      for (const request of [...requests, ...requests]) {
        const reply = await service.send(request, { as: 'noRole' });
        expect(reply).toAnswer(403);
        expect(plainTextOf(reply).includes(marker), 'the answer discloses content of the object', reply).toEqual(false);
      }
      await expectNothingToldByBatch(context, owner, marker, 'noRole');
      await expectSecondTypeClosed(context, 'noRole');
      if (profile.all.routes?.softTypeDelete !== undefined) {
        expect(await service.remove(owner, { as: 'noRole', version: owner.version })).toAnswer(403);
        expect(await service.read(owner)).toAnswer(200);
      }
      await expectAdministratorOutside(context, owner, marker, filtered);
      expect.unchanged(before, await service.snapshot(owner));
    }),
  },
  'auth.role.outsider-403': {
    source: 'core: Authentication 6 and 7 (a participant of the space)',
    statement:
      'A role in another space gives no access to this one, be it an object or a page of its arrays, nor does having been let in there just before: 403; nor does the id of that space in the query, nor does its path lead anybody to an object of this one.',
    fault: 'a role in any space counts for all spaces',
    needs: ['soft-type', 'text-member', 'outsider-identity', 'second-space'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      const home = given.present(profile.all.secondSpace, 'secondSpace in the profile');
      const own = await ownOfOutsider(context, home);
      const here = await makeEditable(context);
      const before = await service.snapshot(here);
      const edit = { [profile.textMember]: given.unique() };
      for (const request of [service.requests.read(here), service.requests.merge(here, edit)]) {
        expect(await service.send(request, { as: 'outsider' })).toAnswer(403);
        // what the query says under the name of a part of the path is no part of it
        const named = { ...request, url: withQuery(request.url, { spaceId: home.space }) };
        expect(await service.send(named, { as: 'outsider' })).notToSucceed();
        if (own === undefined) continue;
        // having been let in there changes nothing here, at the same moment neither: what comes in between may hide it
        for (let round = 0; round < roundsAmongOthers; round += 1) {
          const there = service.read(own, { as: 'outsider' });
          if (round === 0) await there;
          const [reply] = await Promise.all([service.send(request, { as: 'outsider' }), there]);
          expect(reply).toAnswer(403);
        }
      }
      const elsewhere = { ...here, space: home.space };
      expect(await service.read(elsewhere, { as: 'outsider' })).notToSucceed();
      for (const route of (await findWorking(context, editRoutes(context))).filter(not('promote'))) {
        expect(await service.send(route.request(here), { as: 'outsider' })).toAnswer(403);
        const inHome = await service.send(route.request(elsewhere), { as: 'outsider' });
        // where nothing is a PUT may create, which leaves what is here as it is
        if (route.name !== 'PUT') expect(inHome).notToSucceed();
      }
      if (profile.primary.arrayPort !== undefined) {
        const owner = await given.objectWithEntries(11);
        for (const request of [service.requests.readLong(owner), service.requests.page(owner, 1)]) {
          given.succeeded(await service.send(request), 'the editor reads', ['reading.instance.short-route-served']);
          expect(await service.send(request, { as: 'outsider' })).toAnswer(403);
          const asOfHome = { ...request, url: urlInSpace(request.url, home.space) };
          expect(await service.send(asOfHome, { as: 'outsider' })).notToSucceed();
        }
      }
      if (own !== undefined) await expectClosedToBatches(context, own, home.space);
      await expectSecondTypeClosed(context, 'outsider');
      if (profile.all.routes?.softTypeDelete !== undefined) {
        // what a DELETE of nothing answers is not said
        for (const thing of [here, elsewhere]) await service.remove(thing, { as: 'outsider', version: here.version });
        expect(await service.get(here.location)).toAnswer(200);
        // nor does it lead there for somebody who may remove it by its own path
        await service.remove(elsewhere, { version: here.version });
        expect(await service.get(here.location)).toAnswer(200);
      }
      // where nothing is a PUT may create: what was there stays as it is
      for (const route of editRoutes(context)) await service.send(route.request(elsewhere));
      expect.unchanged(before, await service.snapshot(here));
    }),
  },
  'auth.role.reader-may-read': {
    source: 'core: What the service does, space level (role decides on methods)',
    statement:
      'A role that allows GET can read instances and pages: 200 with the same content as the editor sees. Whoever is let in by a method on one route is let in by it on the others.',
    fault: 'a reader sees no array entries',
    needs: ['soft-type', 'array-port', 'reader-identity'],
    after: ['reading.instance.short-route-served'],
    test: onEverySpace(
      scenario(async (context) => {
        const { service, expect } = context;
        const owner = await makeTelling(context, 11);
        const [first, page] = [await service.read(owner), await service.page(owner, 1)];
        const [readerFirst, readerPage] = [
          await service.read(owner, { as: 'reader' }),
          await service.page(owner, 1, { as: 'reader' }),
        ];
        for (const reply of [readerFirst, readerPage]) expect(reply).toAnswer(200);
        for (const request of [service.requests.readShort(owner), service.requests.readLong(owner)])
          if (isSuccess((await service.send(request)).status))
            expect(await service.send(request, { as: 'reader' })).toAnswer(200);
        expect(versionOf(readerFirst), 'version that the reader sees', readerFirst).toEqual(versionOf(first));
        expectSameContent(context, readerFirst, first, 'the reader');
        for (const [seen, shown, reply] of [
          [entriesOf(readerFirst, owner.port), entriesOf(first, owner.port), readerFirst],
          [entriesOfPage(readerPage), entriesOfPage(page), readerPage],
        ] as const) {
          expect(idsOf(seen), 'entry ids that the reader sees', reply).toEqual(idsOf(shown));
          expect(textsOf(seen, owner.port), 'entries that the reader sees', reply).toEqual(textsOf(shown, owner.port));
        }
        await expectCurrentForReader(context);
        await expectOpenByMethod(context);
      }),
    ),
  },
  'auth.role.reader-create-403': {
    source: 'core: What the service does, space level; Errors 403',
    statement:
      'A role without POST, and no role in the space, gets 403 for a create and for a multi-create, without Location, and where instances can be listed nothing new is among them.',
    fault: 'the role is checked for PUT and PATCH only',
    needs: ['soft-type', 'reader-identity'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect, profile } = context;
        // before it is refused anything here
        await expectRoleOfTheSpace(context);
        const [scalar] = profile.primary.scalars ?? [];
        // no two objects may have one text
        const texts = [given.unique('refused'), given.unique('refused')];
        const [body, data] = texts.map((text) => given.body(scalar === undefined ? {} : { [scalar]: text }));
        const items = [{ $id: 'one', $softType: profile.primary.definitionId, data: data ?? {} }];
        const requests = new Map([
          ['create', service.requests.create(body ?? {})],
          ['multi-create', service.requests.multiCreate(items)],
        ]);
        const routes = await findWorking(context, otherWrites(context).filter(not('batch')));
        for (const { name } of routes) {
          const request = given.present(requests.get(name), `a request that makes objects by ${name}`);
          for (const as of (['reader', 'noRole', 'outsider'] as const).filter((who) => profile.all.identities[who])) {
            const reply = await service.send(request, { as });
            expect(reply).toAnswer(403);
            const leads = await leadsToObject(context, reply);
            expect(leads, `Location of a create refused to the ${as} leads to an object`, reply).toEqual(false);
          }
        }
        if (scalar !== undefined && profile.all.routes?.instanceListing !== undefined)
          for (const text of texts)
            expect(await isListed(context, text), 'an object of a refused create is listed').toEqual(false);
        for (const { name } of routes) expect(await service.send(given.present(requests.get(name), name))).toSucceed();
      }),
    ),
  },
  'auth.role.reader-edit-403': {
    source: 'core: What the service does, space level; Errors 403',
    statement:
      'A role that allows GET only gets 403 for merge PATCH, operations PATCH and PUT with the right version, before and after which it reads, and for a lock that it takes or frees, and edits nothing where a header names GET as the method either.',
    fault: 'operations PATCH skips the role check',
    needs: ['soft-type', 'text-member', 'reader-identity'],
    test: onEverySpace(
      onEveryType(
        scenario(async (context) => {
          const { given, service, expect, notes, profile } = context;
          for (const route of (await findWorking(context, editRoutes(context))).filter(not('promote'))) {
            const thing = await makeEditable(context);
            const before = await service.snapshot(thing);
            const read = () => service.readLong(thing, { as: 'reader' });
            given.succeeded(await read(), 'the reader reads the object', mayRead);
            expect(await service.send(route.request(thing), { as: 'reader' })).toAnswer(403);
            expect(await read()).toAnswer(200);
            // what it is answered with is left to services that know such headers
            await service.send(route.request(thing), { as: 'reader', headers: methodsOverridden });
            expect.unchanged(before, await service.snapshot(thing));
            expect(await service.send(route.request(thing))).toSucceed();
          }
          const thing = await makeEditable(context);
          const stale = await service.merge(
            thing,
            { [profile.textMember]: given.unique() },
            { as: 'reader', version: thing.version + 5 },
          );
          notes.observe('a reader edits with a wrong version', stale.status, stale);
          await expectLocksRefused(context);
        }),
      ),
    ),
  },
  'auth.role.reader-delete-403': {
    source: 'core: What the service does, space level; Errors 403',
    statement: 'A role without DELETE gets 403 for a DELETE, also of an object that it has read, and the object stays.',
    fault: 'DELETE skips the role check',
    needs: ['soft-type', 'reader-identity', 'delete-route'],
    after: ['patch.delete.object-gone', 'reading.instance.short-route-served'],
    test: onEverySpace(
      scenario(async (context) => {
        const { given, service, expect } = context;
        const thing = await given.object();
        // whoever was let in to read is asked again
        given.succeeded(await service.get(thing.location, { as: 'reader' }), 'the reader reads the object', mayRead);
        // what a request lacks may be told before who sends it
        expect(await service.remove(thing, { as: 'reader', version: thing.version })).toAnswer(403);
        expect(await service.read(thing)).toAnswer(200);
        given.succeeded(await removeThing(context, thing), 'the editor deletes the object', [
          'patch.delete.object-gone',
        ]);
      }),
    ),
  },
  'auth.order.of-checks': {
    level: 'observe',
    source: 'core: Authentication 6; Errors',
    statement: 'The order of 401, 403, 404, 409 and 412 is not described.',
    needs: ['soft-type', 'reader-identity', 'no-role-identity'],
    test: scenario(async (context) => {
      const { given, service, notes } = context;
      const thing = await given.object();
      const unknown = { ...thing, oid: given.unknownOid(thing) };
      const edit = anyEdit(context);
      const replies: Record<string, Reply> = {
        'no token, unknown object': await service.read(unknown, { as: null }),
        'no token, unknown space': await service.read({ ...thing, space: given.unique('no-space') }, { as: null }),
        'no role, known object': await service.read(thing, { as: 'noRole' }),
        'no role, unknown object': await service.read(unknown, { as: 'noRole' }),
        'no role, unknown space': await service.read({ ...thing, space: given.unique('no-space') }, { as: 'noRole' }),
        'reader, wrong version': await service.merge(thing, edit, { as: 'reader', version: thing.version + 5 }),
        'reader, no version': await service.merge(thing, edit, { as: 'reader', version: null }),
        'no token, wrong version': await service.merge(thing, edit, { as: null, version: thing.version + 5 }),
        'editor, wrong version, unknown object': await service.merge(unknown, edit, { version: thing.version + 5 }),
      };
      for (const [what, reply] of Object.entries(replies)) notes.observe(what, reply.status, reply);
      const tells = replies['no role, known object']?.status !== replies['no role, unknown object']?.status;
      notes.observe('403 and 404 tell strangers which ids exist', tells);
    }),
  },
});

/** Who asks is told by the token alone, not by the correlation id of an earlier request: where an id may come twice at all. */
async function expectNobodyRemembered(context: CaseContext, request: RequestSpec): Promise<void> {
  const { given, service, expect, profile } = context;
  const headers = { [headerNames.correlationId]: given.unique('correlation') };
  const twice = [await service.send(request, { headers }), await service.send(request, { headers })];
  if (twice.some(({ status }) => status !== 200)) return;
  const named = namedByAProxy(profile.all.identities.editor.username ?? 'editor');
  expect(await service.send(request, { as: null, headers: { ...headers, ...named } })).toAnswer(401);
  if (profile.all.identities.noRole !== undefined)
    expect(await service.send(request, { as: 'noRole', headers })).toAnswer(403);
}

/** A role that the reader has in another space, and that allows more, opens nothing in this one, and what this one refuses takes nothing from it. */
async function expectRoleOfTheSpace({ given, service, expect, notes, profile }: CaseContext): Promise<void> {
  const { secondSpace } = profile.all;
  if (secondSpace === undefined) return;
  const { space, softType: type } = secondSpace;
  const there = await service.create(given.body({}, type), { of: { type, space }, as: 'reader' });
  notes.observe('status of a create by the reader in the second space', there.status, there);
  if (!isSuccess(there.status)) return;
  expect(await service.create(given.body(), { as: 'reader' })).toAnswer(403);
  const again = await service.create(given.body({}, type), { of: { type, space }, as: 'reader' });
  expect(
    isSuccess(again.status),
    'a create by the reader in the second space is taken as the one before',
    again,
  ).toEqual(true);
}

/** Nor does such a role take a lock or free that of another, by methods that it does not allow. */
async function expectLocksRefused(context: CaseContext): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  const { lockTake, lockFree } = profile.all.routes ?? {};
  if (lockTake === undefined || lockFree === undefined) return;
  // of routes that stand elsewhere it is not said that the role in the space decides
  if (![lockTake, lockFree].every(({ path }) => path.startsWith('/api/space/{spaceId}/'))) return;
  const thing = await makeEditable(context);
  const requestOf = async (route: typeof lockTake): Promise<RequestSpec> =>
    lockRequest(context, route, await given.current(thing));
  for (const route of [lockTake, lockFree]) {
    const request = await requestOf(route);
    const own = await service.send(request);
    notes.observe(`status of ${request.method} of a lock`, own.status, own);
    if (!isSuccess(own.status)) return;
  }
  for (const route of [lockTake, lockFree]) {
    if (route.method !== 'GET') {
      const before = await isOpenToOthers(context, thing);
      expect(await service.send(await requestOf(route), { as: 'reader' })).toAnswer(403);
      const after = await isOpenToOthers(context, thing);
      expect(after, 'another editor may edit behind the refusal').toEqual(before);
    }
    expect(await service.send(await requestOf(route))).toSucceed();
  }
}

/** Whether no lock keeps another editor out, as far as the profile has one. */
async function isOpenToOthers({ given, service, profile }: CaseContext, thing: Thing): Promise<boolean | undefined> {
  if (profile.all.identities.secondEditor === undefined) return undefined;
  const edit = { [profile.textMember]: given.unique() };
  return isSuccess((await service.merge(await given.current(thing), edit, { as: 'secondEditor' })).status);
}

/** What the reader saw before an edit, a promote, a batch or a deletion of the editor is not shown again. */
async function expectCurrentForReader(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { scalars = [] } = profile.primary;
  const body = Object.fromEntries(scalars.map((member) => [member, given.unique()]));
  const owner = await given.objectWithEntries(11, { body });
  const told = (read: Reply): object => ({
    version: versionOf(read),
    ...Object.fromEntries(['$version', ...scalars].map((member) => [member, dataOf(read)[member] ?? null])),
  });
  const [as, { requests }] = ['reader', service] as const;
  const routes = { short: requests.readShort(owner), long: requests.readLong(owner) };
  await lookAfterEachChange(context, owner, async (when) => {
    const own = await service.read(owner);
    for (const [route, request] of Object.entries(routes)) {
      const [seen, shown] = [await service.send(request, { as }), await service.send(request)];
      if (shown.status !== 200) continue;
      expect(told(seen), `what the reader sees by the ${route} route ${when}`, seen).toEqual(told(shown));
    }
    const page = await service.page(owner, 1, { as });
    expect(versionOf(page), `version of page 1 that the reader sees ${when}`, page).toEqual(versionOf(own));
  });
  if (profile.all.routes?.softTypeDelete === undefined) return;
  const deleted = await service.remove(owner);
  if (!isSuccess(deleted.status)) return;
  for (const request of [...Object.values(routes), requests.page(owner, 1)])
    if (!isSuccess((await service.send(request)).status)) expect(await service.send(request, { as })).notToSucceed();
}

/** An administrator of the collection needs a role like anybody: one who may not read the object by itself does so by no other way. */
async function expectAdministratorOutside(
  context: CaseContext,
  owner: Owner,
  marker: string,
  filtered: readonly RequestSpec[],
): Promise<void> {
  const { service, expect, notes, profile } = context;
  if (profile.all.identities.administrator === undefined) return;
  const as = 'administrator';
  const alone = await service.read(owner, { as });
  notes.observe('status of a read by the Collection Administrator', alone.status, alone);
  if (alone.status !== 403) return;
  const reads = [service.requests.readLong(owner), service.requests.page(owner, 1), ...filtered];
  for (const request of reads) expect(await service.send(request, { as })).toAnswer(403);
  await expectNothingToldByBatch(context, owner, marker, as);
}

/** Objects of the second SoftType are as closed as those of the first. */
async function expectSecondTypeClosed(
  { given, service, expect, profile }: CaseContext,
  as: IdentityName,
): Promise<void> {
  const type = profile.all.softTypes?.second;
  if (type === undefined) return;
  const thing = await given.object({}, { type });
  const { read, readLong, merge, create } = service.requests;
  const body = given.body({}, type);
  for (const request of [read(thing), readLong(thing), merge(thing, body), create(body, thing)])
    expect(await service.send(request, { as })).toAnswer(403);
}

/** Reads of the object in a batch of somebody who may not read it. */
async function expectNothingToldByBatch(
  context: CaseContext,
  owner: Owner,
  marker: string,
  as: IdentityName,
): Promise<void> {
  const { service, expect, profile } = context;
  if (!profile.offers('batch')) return;
  for (const request of [service.requests.readShort(owner), service.requests.readLong(owner)]) {
    const reply = await sendBatch(context, [request], { as });
    expect(reply).notToSucceed();
    expect(plainTextOf(reply).includes(marker), 'a batch discloses content of the object', reply).toEqual(false);
  }
}

/** An object of the outsider in the second space; undefined where its role is in a third one, or does not create. */
async function ownOfOutsider(
  { given, service, notes }: CaseContext,
  { softType: type, space }: NonNullable<BoundProfile['all']['secondSpace']>,
): Promise<Thing | undefined> {
  const body = given.body({}, type);
  const created = await service.create(body, { of: { type, space }, as: 'outsider' });
  notes.observe('status of a create by the outsider in the second space', created.status, created);
  if (created.status === 403) return undefined;
  const own = await given.found(created, body, { type, space, as: 'outsider' });
  given.succeeded(await service.read(own, { as: 'outsider' }), 'the outsider reads in its own space');
  return own;
}

/** Operations of a batch in the space of the outsider, which passes with an object of that space, do nothing to what is in this one. */
async function expectClosedToBatches(context: CaseContext, own: Thing, home: string): Promise<void> {
  const { given, service, expect, notes, profile } = context;
  if (!profile.offers('batch')) return;
  const as = 'outsider';
  const text = given.unique('hidden');
  const here = await given.object({ [profile.textMember]: text });
  const before = await service.snapshot(here);
  const { url } = service.requests.batch([]);
  const ofHome = url.replace(
    `/space/${encodeURIComponent(profile.all.space)}/`,
    () => `/space/${encodeURIComponent(home)}/`,
  );
  const passes = await sendBatch(context, [service.requests.read(own)], { as, url: ofHome });
  notes.observe('a batch in the space of the outsider', passes.status, passes);
  const urls = passes.status === 200 && ofHome !== url ? [ofHome, url] : [url];
  const requests = [
    service.requests.read(here),
    service.requests.readLong(here),
    ...editRoutes(context).map((route) => route.request(here)),
  ];
  for (const at of urls)
    for (const request of requests) {
      const reply = await sendBatch(context, [request], { as, url: at });
      expect(plainTextOf(reply).includes(text), 'a batch of the outsider discloses content', reply).toEqual(false);
      expect(reply).notToSucceed();
    }
  expect.unchanged(before, await service.snapshot(here));
}

async function expectNothingDeleted({ given, service, expect, profile }: CaseContext, oid: string): Promise<void> {
  if (profile.all.routes?.softTypeDelete === undefined) return;
  const thing = await given.object();
  given.assume(thing.oid !== oid, 'an object of its own');
  expect(await service.remove(thing, { as: null })).notToSucceed();
  expect(await service.read(thing)).toAnswer(200);
}

function not(...names: readonly string[]): (route: WriteRoute) => boolean {
  return ({ name }) => !names.includes(name);
}
