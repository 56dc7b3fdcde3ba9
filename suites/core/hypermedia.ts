import { pageNumberTemplate } from '../../contract/names.ts';
import type { IdentityName } from '../../contract/profile.ts';
import type { LinkRead } from '../../contract/judge-read.ts';
import { dataOf, expandLink, linksOf, pageLinksOf } from '../../judge/service/answers.ts';
import { bodyOfResult, readerMayBatch, resultsOf, sendBatch } from '../../judge/service/batch.ts';
import { withFilter, withValue } from '../../judge/service/queries.ts';
import { softTypesOf } from '../../judge/service/soft-types.ts';
import { isObject, objectsIn } from '../../judge/json.ts';
import { type CaseContext, scenario, unlessKept } from '../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import { decodeSegment } from '../../judge/service/requests.ts';
import type { Thing } from '../../judge/things.ts';
import { rules } from '../../judge/rule.ts';
import { demoteOn, demotesByLevel, makePromoted, promoteOn } from '../../judge/service/maturity.ts';
import { withBearer } from '../../judge/service/token.ts';
import { createdOtherwise } from './checks/created-otherwise.ts';
import { lookAfterEachChange } from './checks/each-change.ts';
import { makeLong } from './checks/long-arrays.ts';
import { theLinkOf } from './paging.ts';
import { readersOf } from './checks/readers.ts';
import { expectOwnLinksAtOnce } from './checks/reads-at-once.ts';
import { makePromotedOnAll } from './checks/second-level.ts';
import { editRoutes } from '../../judge/service/writes.ts';
import { leadsAside, linksIn, pageLinksIn, readEveryWay } from './checks/ways-to-read.ts';

const writingMethods = ['POST', 'PUT', 'PATCH', 'DELETE'];

const methods = ['GET', 'HEAD', 'OPTIONS', ...writingMethods];

export const hypermediaRules = rules('hypermedia', {
  'hypermedia.link.basic-members': {
    source: 'core: Link object, rel, href, method',
    statement: 'Every link has `rel`, `href` and `method` as non-empty strings, and `method` is an HTTP method.',
    fault: 'links other than page links lack method',
    needs: ['soft-type', 'array-port'],
    test: scenario(async (context) => {
      const { given, service, expect, profile } = context;
      for (const answer of await readEveryWay(context, await makeLong(context)))
        for (const link of linksIn(answer)) expectBasics(context, link, answer.by, answer.reply);
      const things = [
        await given.objectWithEntries(0),
        await given.objectWithEntries(11),
        ...(profile.all.maturity === undefined ? [] : [await makePromoted(context)]),
        ...(await ofTheSecondType(context)),
      ];
      for (const thing of things)
        for (const as of everyReader(context)) {
          const read = await service.read(thing, { as });
          for (const link of linksOf(read)) expectBasics(context, link, `a read for the ${as}`, read);
          expect(linksOf(read).length, `links seen by the ${as}`, read).toBeAnInteger();
        }
    }),
  },
  'hypermedia.link.paging-members': {
    source: 'core: Link object, sectionPath, pages, totalNumber',
    statement:
      '`sectionPath` is a string and `pages` and `totalNumber` are integers wherever they occur; a page link has all three.',
    fault: 'the self link carries pages as a string',
    needs: ['soft-type', 'array-port'],
    after: ['paging.link.present-above-ten'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      for (const answer of await readEveryWay(context, await makeLong(context)))
        for (const link of pageLinksIn(answer)) {
          const { by, reply } = answer;
          expect(link['sectionPath'], `sectionPath of a page link by ${by}`, reply).toBeAString();
          for (const member of ['pages', 'totalNumber'])
            expect(link[member], `${member} of a page link by ${by}`, reply).toBeAnInteger();
        }
      const owner = await given.objectWithEntries(11);
      const read = await service.read(owner);
      const page = theLinkOf(read, owner.port);
      expect(page['sectionPath'], 'sectionPath of the page link', read).toBeAString();
      for (const member of ['pages', 'totalNumber'])
        expect(page[member], `${member} of the page link`, read).toBeAnInteger();
      for (const link of linksOf(read)) {
        if (isGiven(link['sectionPath'])) expect(link['sectionPath'], 'sectionPath of a link', read).toBeAString();
        for (const member of ['pages', 'totalNumber'])
          if (isGiven(link[member])) expect(link[member], `${member} of a link`, read).toBeAnInteger();
      }
    }),
  },
  'hypermedia.editor.sees-write-links': {
    level: 'should',
    source: 'core: What the service does (hypermedia conventions)',
    statement:
      'An identity that may edit the instance finds at least one link with a writing method (POST, PUT, PATCH, DELETE) in its read response.',
    fault: 'links are emitted for paging only',
    needs: ['soft-type', 'text-member'],
    after: ['hypermedia.link.basic-members'],
    test: scenario(async (context) => {
      const { given, service, expect, notes } = context;
      const thing = await given.edited(await given.object());
      await expectOfferedToOthers(context);
      const read = await service.read(thing);
      const writing = linksOf(read).filter(isWriting);
      expect(writing.length, 'links with a writing method', read).toSatisfy('at least one', (count) => count > 0);
      notes.observe(
        'rels of writing links',
        [...new Set(writing.map((link) => `${String(link['rel'])} ${String(link['method'])}`))].sort().join(', '),
        read,
      );
    }),
  },
  'hypermedia.reader.sees-no-write-links': {
    source: 'core: What the service does (operations the current user may perform)',
    statement: 'An identity whose role allows GET only finds no link with a writing method; page links stay.',
    fault: 'links are computed once per object, not per user',
    needs: ['soft-type', 'array-port', 'reader-identity'],
    after: ['hypermedia.editor.sees-write-links'],
    test: scenario(async (context) => {
      const { given, service, expect } = context;
      for (const order of [
        ['editor', 'reader'],
        ['reader', 'editor'],
      ] as const) {
        const owner = await given.objectWithEntries(11);
        const reads = new Map<IdentityName, Reply>();
        for (const as of order) reads.set(as, await service.read(owner, { as }));
        const [editor, reader] = [
          given.present(reads.get('editor'), 'a read'),
          given.present(reads.get('reader'), 'a read'),
        ];
        given.assume(linksOf(editor).some(isWriting), 'the editor sees writing links');
        expect(
          linksOf(reader).filter(isWriting),
          `writing links that the reader sees when the ${order[0]} reads first`,
          reader,
        ).toEqual([]);
        const seen = pageLinksOf(reader, owner.port).length;
        expect(seen, 'page links of the long array that the reader sees', reader).toEqual(
          pageLinksOf(editor, owner.port).length,
        );
        for (const outputSchemaId of [owner.type.outputSchemaId, owner.type.secondOutputSchema?.id]) {
          if (outputSchemaId === undefined) continue;
          const long = await service.readLong(owner, { outputSchemaId, as: 'reader' });
          const shown = linksOf(long).filter(isWriting);
          expect(shown, `writing links that the reader sees through ${outputSchemaId}`, long).toEqual([]);
        }
      }
      await expectOwnLinksAtOnce(context, isWriting);
      await expectNoneByOtherReads(context);
      await expectNoneOfOtherObjects(context);
      await expectNoneAfterEachChange(context);
    }),
  },
  'hypermedia.link.offered-is-permitted': {
    source: 'core: What the service does (operations the current user may perform)',
    statement:
      'An operation offered by a link, whichever way the object was read, is not answered with 401, 403, 405 or 501 when the same user performs it, one with the form of a documented read, edit or move of the object not with 404 either, a promote or a demote accepted by the method of the link where it is by PUT, and none that writes leads to another object than the one that was read; POST is left out but at the address of an edit or a move, and so is it there, and DELETE, where the profile forbids to try it.',
    fault: 'offers a GET link to a collection route, which the role may not follow',
    needs: ['soft-type', 'array-port'],
    after: ['hypermedia.link.basic-members'],
    test: scenario(async (context) => {
      // before what links offer is done, of which other objects may go
      await expectOwnLinks(context);
      for (const as of everyReader(context)) {
        const owner = await context.given.objectWithEntries(11);
        const read = await context.service.read(owner, { as });
        for (const link of linksOf(read)) await follow(context, owner, read, link, as);
        context.expect(linksOf(read).length, `links seen by the ${as}`, read).toBeAnInteger();
      }
      await followEveryWay(context);
      if (context.profile.all.maturity !== undefined) await expectMovedByLinks(context);
      const others = [
        ...(context.profile.all.maturity === undefined ? [] : [await makePromoted(context)]),
        ...(await ofOtherTypes(context)),
      ];
      for (const as of readersOf(context.profile)) for (const other of others) await followLinks(context, other, as);
      const there = context.elsewhere();
      if (there !== undefined)
        await unlessKept(async () => followLinks(there, await there.given.object(), 'editor'), context);
    }),
  },
  'hypermedia.vocabulary.recorded': {
    level: 'observe',
    source: 'core: Link object, rel; Page response',
    statement:
      'Not described: rel values other than page, whether hrefs are absolute, links in page, create and batch results, links of maturity actions and how they depend on the state.',
    needs: ['soft-type'],
    test: scenario(async (context) => {
      const { given, service, notes, profile } = context;
      const owner = profile.primary.arrayPort === undefined ? undefined : await given.objectWithEntries(11);
      const thing = owner ?? (await given.object());
      for (const as of everyReader(context)) {
        const read = await service.read(thing, { as });
        notes.observe(`links of a read by the ${as}`, kindsOf(read), read);
      }
      const created = await service.create(given.body());
      notes.observe('members of the answer to a create', namesOf(created.json), created);
      if (profile.offers('batch')) {
        const batch = await service.batch([{ method: 'GET', href: service.requests.read(thing).url }]);
        const [result]: unknown[] = Array.isArray(batch.json) ? batch.json : [];
        notes.observe('members of a batch result', namesOf(result), batch);
      }
      if (profile.all.maturity !== undefined) await promotedLinks(context);
      if (owner === undefined) return;
      const page = await service.page(owner, 1);
      notes.observe('members of a page response', namesOf(page.json), page);
    }),
  },
});

/** Members that every link has. */
function expectBasics({ expect }: CaseContext, link: LinkRead, by: string, seenIn: Reply): void {
  for (const member of ['rel', 'href', 'method'])
    expect(link[member], `${member} of a link by ${by}`, seenIn).toSatisfy(
      'a non-empty string',
      (text) => typeof text === 'string' && text !== '',
    );
  expect(link['method'], `method of a link by ${by}`, seenIn).toBeOneOf(methods);
}

/** So does another editor, and an editor of an object of any other SoftType, who may edit each. */
async function expectOfferedToOthers(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const { secondEditor } = profile.all.identities;
  const cases: (readonly [Thing, IdentityName])[] =
    secondEditor === undefined ? [] : [[await given.object(), 'secondEditor']];
  for (const type of softTypesOf(profile.all))
    if (type.definitionId !== profile.primary.definitionId) cases.push([await given.object({}, { type }), 'editor']);
  for (const [thing, as] of cases) {
    const edit = await service.merge(thing, given.body({}, thing.type), { as });
    if (!isSuccess(edit.status)) continue;
    const read = await service.read(thing, { as });
    const what = `links of ${thing.type.definitionId} with a writing method for the ${as}`;
    expect(linksOf(read).filter(isWriting).length, what, read).toSatisfy('at least one', (count) => count > 0);
  }
}

/** Nor of a promoted object, nor of one of the second SoftType, nor when the reader comes with a personal access token. */
async function expectNoneOfOtherObjects(context: CaseContext): Promise<void> {
  const { given, service, expect, profile } = context;
  const things = [
    await given.object(),
    ...(profile.all.maturity === undefined ? [] : [await makePromoted(context)]),
    ...(await ofTheSecondType(context)),
  ];
  const { pat } = profile.all.identities.reader ?? {};
  for (const thing of things) {
    // the editor first: what was made for one is not shown to another
    await service.read(thing);
    const reads = [
      await service.read(thing, { as: 'reader' }),
      ...(pat === undefined ? [] : [await service.read(thing, withBearer(pat))]),
    ];
    for (const read of reads)
      if (read.status === 200)
        expect(
          linksOf(read).filter(isWriting),
          `writing links of ${thing.type.definitionId} that the reader sees`,
          read,
        ).toEqual([]);
  }
}

/** Nor does the reader who reads first behind a write, whoever has written. */
async function expectNoneAfterEachChange(context: CaseContext): Promise<void> {
  const { given, service, expect } = context;
  const thing = await given.object();
  await lookAfterEachChange(context, thing, async (when) => {
    const read = await service.read(thing, { as: 'reader' });
    if (read.status !== 200) return;
    expect(linksOf(read).filter(isWriting), `writing links that the reader sees ${when}`, read).toEqual([]);
  });
}

/** Nor does the reader find one in a filtered read or in a read of a batch, which the editor made before. */
async function expectNoneByOtherReads(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  const owner = await context.given.objectWithEntries(11);
  const { fixed, withValue: blank } = profile.all.filters ?? {};
  const filters = [
    ...(fixed === undefined
      ? []
      : [withFilter(context, owner), withFilter(context, owner, service.requests.readLong(owner))]),
    ...(blank === undefined ? [] : [withValue(context, owner, 'any')]),
  ];
  for (const filter of filters) {
    await service.read(owner, filter);
    const read = await service.read(owner, { ...filter, as: 'reader' });
    notes.observe('status of a filtered read by the reader', read.status, read);
    if (read.status !== 200) continue;
    expect(linksOf(read).filter(isWriting), 'writing links that the reader sees in a filtered read', read).toEqual([]);
  }
  if (!profile.offers('batch') || !(await readerMayBatch(context))) return;
  const read = service.requests.read(owner);
  const requests = [read, ...filters.slice(0, 1).map(({ url }) => ({ ...read, url }))];
  await sendBatch(context, requests);
  const reply = await sendBatch(context, requests, { as: 'reader' });
  notes.observe('status of reads in a batch of the reader', reply.status, reply);
  if (reply.status !== 200) return;
  for (const { links } of resultsOf(reply).map(bodyOfResult)) {
    const shown = objectsIn(links).filter(isWriting);
    expect(shown, 'writing links that the reader sees by a read in a batch', reply).toEqual([]);
  }
}

/** Links in each state that promotes lead to: whether those of moves depend on it is not said. */
async function promotedLinks({ given, service, notes, profile }: CaseContext): Promise<void> {
  const { states = [] } = profile.all.maturity ?? {};
  const thing = await given.object();
  const before = await service.read(thing);
  notes.observe('links in the start state', `${kindsOf(before)}; ${linksOf(before).length} in all`, before);
  for (let moves = 1; moves < Math.max(2, states.length); moves += 1) {
    const promote = await service.promote(await given.current(thing));
    const after = await service.read(thing);
    notes.observe(
      `links after ${moves === 1 ? 'a promote' : `${moves} promotes`} (${promote.status})`,
      `${kindsOf(after)}; ${linksOf(after).length} in all`,
      after,
    );
    if (!isSuccess(promote.status)) return;
  }
}

function kindsOf(read: Reply): string {
  const lines = linksOf(read).map((link) => `${String(link['rel'])} ${String(link['method'])} ${formOf(link['href'])}`);
  return [...new Set(lines)].sort().join(', ');
}

function namesOf(json: unknown): string {
  return isObject(json) ? Object.keys(json).sort().join(', ') : 'no object';
}

/** A link with the form of a route that writes to this object leads to no other one, whichever was read before. */
async function expectOwnLinks(context: CaseContext): Promise<void> {
  const { given, service, expect, notes } = context;
  const things = [
    await given.object(),
    await given.object(),
    ...(await createdOtherwise(context)).map(({ thing }) => thing),
  ];
  for (const thing of things) {
    const read = await service.read(thing);
    const paths = editRoutes(context).map(({ request }) => segmentsOf(request(thing).url, read));
    for (const link of linksOf(read).filter(isWriting)) {
      const oid = idIn(segmentsOf(link['href'], read), paths, thing);
      if (oid === undefined || oid === thing.oid) continue;
      // it may have several ids
      const led = await service.read({ ...thing, oid });
      notes.observe('an object that a link names by another id', led.status, led);
      if (led.status !== 200) continue;
      expect(dataOf(led)['$oid'], `$oid of the object that ${String(link['href'])} writes to`, read).toEqual(
        dataOf(read)['$oid'],
      );
    }
  }
}

/** What stands in the place of the id where the path is one of these but for that. */
function idIn(path: readonly string[], paths: readonly (readonly string[])[], { oid }: Thing): string | undefined {
  const form = paths.find(
    (each) => each.length === path.length && each.every((segment, at) => segment === oid || segment === path[at]),
  );
  return form && path[form.indexOf(oid)];
}

function segmentsOf(href: unknown, { url }: Reply): readonly string[] {
  return URL.parse(String(href), url)?.pathname.split('/').map(decodeSegment) ?? [];
}

async function followLinks(context: CaseContext, thing: Thing, as: IdentityName): Promise<void> {
  // what a link does may change the object, and then others are offered
  const read = await context.service.read(thing, { as });
  for (const link of linksOf(read)) if (link['method'] !== 'DELETE') await follow(context, thing, read, link, as);
}

/** The same of what no read by the short route offers, but another one, be it an operation of a batch. */
async function followEveryWay(context: CaseContext): Promise<void> {
  const owner = await context.given.objectWithEntries(11);
  const named = ({ href, method }: LinkRead) => `${String(method)} ${String(href)}`;
  const followed = new Map<IdentityName, Set<string>>();
  for (const as of readersOf(context.profile))
    followed.set(as, new Set(linksOf(await context.service.read(owner, { as })).map(named)));
  for (const answer of await readEveryWay(context, owner))
    for (const link of linksIn(answer)) {
      const known = followed.get(answer.as);
      // to what a relative one belongs in the answer to a batch is not said
      const isClear = !answer.isInBatch || /^(https?:)?\//.test(String(link['href']));
      if (link['method'] === 'DELETE' || known?.has(named(link)) || !isClear) continue;
      known?.add(named(link));
      await follow(context, owner, answer.reply, link, answer.as);
    }
}

/** Tries what a link offers without letting it do harm: writes are sent without version header or to an object of their own. */
async function follow(
  context: CaseContext,
  owner: Thing,
  read: Reply,
  link: LinkRead,
  as: IdentityName,
): Promise<void> {
  const method = String(link['method']);
  const mayDestroy = context.profile.all.probeWriteLinks ?? true;
  const isApart = method === 'DELETE' || method === 'POST';
  if (leadsAside(link, context) || (isApart && !mayDestroy)) return;
  // elsewhere a POST may make something that nobody takes away again
  if (method === 'POST' && !isDocumented(context, owner, read, link)) return;
  const target = isApart ? await linkOfAnother(context, link, as) : { owner, link, base: read };
  if (target === undefined) return;
  const before = method === 'GET' ? undefined : await context.service.snapshot(owner);
  const body = method === 'PATCH' || method === 'PUT' ? {} : undefined;
  const reply = await context.service.get(expandLink(target.link, 0), {
    base: target.base,
    method,
    as,
    ...(body && { body }),
  });
  const refusals = isTemplate(target.link, target.base) ? [401, 403] : [401, 403, 405, 501];
  context
    .expect(reply.status, `status of the offered ${method} (${String(link['rel'])}) for the ${as}`, reply)
    .toSatisfy(`none of ${refusals.join(', ')}`, (status) => !refusals.includes(status));
  if (isDocumented(context, target.owner, target.base, target.link))
    context.expect(reply.status, `status of the offered ${String(link['href'])}`, reply).notToEqual(404);
  if (before !== undefined) context.expect.unchanged(before, await context.service.snapshot(owner));
}

/** Whether more than a page number is for the client to fill in. */
function isTemplate({ href }: LinkRead, read: Reply): boolean {
  return segmentsOf(href, read).some((segment) => /[{}]/.test(segment.replace(pageNumberTemplate, '')));
}

/** Whether a link has the form of a documented operation on the object, below whatever root: a read, an edit, or a move on whatever level. */
function isDocumented({ service, profile }: CaseContext, owner: Thing, read: Reply, link: LinkRead): boolean {
  const { href, method } = link;
  const { promote, demote, read: readOf, readLong, merge, operations } = service.requests;
  const { maturity, routes } = profile.all;
  const moves = maturity === undefined ? [] : [promote, ...(routes?.demote === undefined ? [] : [demote])];
  const edits = [(thing: Thing) => merge(thing, {}), (thing: Thing) => operations(thing, [])];
  const reads = [readOf, (thing: Thing) => readLong(thing)];
  const forms =
    new Map([
      ['GET', reads],
      ['PUT', [...moves, ...edits]],
      ['PATCH', edits],
      ['POST', [...moves, ...edits]],
    ]).get(String(method)) ?? [];
  const path = segmentsOf(href, read);
  if (path.some((segment) => /[{}]/.test(segment))) return false;
  const at = path.indexOf(owner.oid);
  const { primary: type } = profile;
  // a link may have the form for another SoftType
  return [owner, { ...owner, type }].some((thing) =>
    forms.some((request) => {
      const form = segmentsOf(request(thing).url, read);
      const place = form.indexOf(owner.oid);
      const isNamed = (...before: readonly number[]) => before.every((back) => path[at - back] === form[place - back]);
      const hasSchema = form[place - 3]?.toLowerCase() === 'softtype';
      // two names tell a route from others, whatever stands before them; a schema may be another one
      const isSame = isNamed(1, 2) || (hasSchema && isNamed(2, 3));
      return place > 1 && path.length - at === form.length - place && isSame;
    }),
  );
}

/** A link to the path of a promote or a demote, on whatever level, names a method by which that is done, where it is done by PUT. */
async function expectMovedByLinks(context: CaseContext): Promise<void> {
  const { service, expect } = context;
  for (const request of movesOf(context))
    for (const make of [makePromoted, makePromotedOnAll]) {
      const [thing, twin] = [await make(context), await make(context)];
      const read = await service.read(thing);
      const path = segmentsOf(request(thing).url, read).join('/');
      const links = linksOf(read).filter(({ href }) => segmentsOf(href, read).join('/') === path);
      const other = links.find(({ method }) => method === 'POST' || method === 'PATCH');
      // a service may offer more ways than the documented one
      if (
        other === undefined ||
        links.some(({ method }) => method === 'PUT') ||
        (await service.send(request(twin))).status >= 300
      )
        continue;
      const changes = { method: String(other['method']), version: thing.version };
      expect(await service.get(String(other['href']), { base: read, ...changes })).toSucceed();
    }
}

/** Promotes and demotes that the profile knows, by level. */
function movesOf(context: CaseContext): readonly ((thing: Thing) => RequestSpec)[] {
  const { service, profile } = context;
  const { routes, maturity } = profile.all;
  const { secondLevelId: second } = maturity ?? {};
  const mayDemote = routes?.demote !== undefined;
  return [
    (thing) => service.requests.promote(thing),
    ...(mayDemote ? [(thing: Thing) => service.requests.demote(thing)] : []),
    ...(second === undefined ? [] : [(thing: Thing) => promoteOn(context, thing, second)]),
    ...(second !== undefined && mayDemote && demotesByLevel(profile.all)
      ? [(thing: Thing) => demoteOn(context, thing, second)]
      : []),
  ];
}

/** The same link on an object that may be destroyed. */
async function linkOfAnother(
  { given, service }: CaseContext,
  link: LinkRead,
  as: IdentityName,
): Promise<{ owner: Thing; link: LinkRead; base: Reply } | undefined> {
  const owner = await given.object();
  const base = await service.read(owner, { as });
  const twin = linksOf(base).find(({ rel, method }) => rel === link['rel'] && method === link['method']);
  return twin && { owner, link: twin, base };
}

function everyReader({ profile }: CaseContext): readonly IdentityName[] {
  return [...readersOf(profile), ...(profile.all.identities.secondEditor ? (['secondEditor'] as const) : [])];
}

async function ofTheSecondType({ given, profile }: CaseContext): Promise<readonly Thing[]> {
  const type = profile.all.softTypes?.second;
  return type === undefined ? [] : [await given.object({}, { type })];
}

/** Of each SoftType of the profile but the primary one. */
async function ofOtherTypes({ given, profile }: CaseContext): Promise<readonly Thing[]> {
  const others = softTypesOf(profile.all).filter((type) => type !== profile.primary);
  return Promise.all(others.map((type) => given.object({}, { type })));
}

function isWriting(link: LinkRead): boolean {
  return writingMethods.includes(String(link['method']));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function formOf(href: unknown): string {
  return /^https?:/.test(String(href)) ? 'absolute' : 'path';
}
