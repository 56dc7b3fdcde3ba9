import { isDeepStrictEqual } from 'node:util';
import type { IdentityName } from '../../contract/profile.ts';
import { plainTextOf, statedVersion } from '../../judge/service/answers.ts';
import { type Case, rules } from '../../judge/rule.ts';
import { type CaseContext, schedule, scenario, undisturbed } from '../../judge/case.ts';
import { isSuccess, type Reply, type RequestSpec } from '../../judge/exchange.ts';
import { inOtherCase } from '../../judge/service/signature.ts';
import { runAlone } from '../../judge/service/races.ts';
import { restart } from '../../judge/service/restart.ts';
import { sleep } from '../../judge/time/real-time.ts';
import { withBearer } from '../../judge/service/token.ts';
import { expectListedChangeSeen } from './checks/listed-endpoints.ts';
import { expectUploadSeen, replacesFileLater } from './checks/listed-files.ts';
import {
  changedResource,
  changesIn,
  expectEachPlaceSeen,
  makeChange,
  readResource,
  readUnless,
  type Resource,
  resourcesOf,
  expectChangedByToken,
  sendChange,
  tagIn,
  tagOf,
} from './checks/resource-changes.ts';

/** What cases that change resources share. */
const sharedResources = 'resources that are no SoftTypes';

/** Changes one after the other, so that some tags are older than the last but one. */
const changesSeen = 3;
const cacheLooks = 4;

/** How long data may stay as they are. */
const hoursSeconds = 3 * 3600;

/** For two reads between which no other case changed the data. */
const attempts = 10;

export const cachingRules = rules('caching', {
  'caching.etag.present': {
    source: 'core: Common request headers (response headers); Versioning 4',
    statement: 'GET of data other than SoftTypes answers 200 with the data and an `ETag` header.',
    fault: 'a fresh random ETag on every response',
    needs: ['etag-resource'],
    test: cachingScenario(async (context) => {
      for (const resource of resourcesOf(context)) {
        const { first, second } = await readTwice(context, resource, () => readResource(context, resource));
        context.given.assume(
          first.status !== 401 && first.status !== 403,
          `a resource that the ${resource.as} may read; see caching.resources in the profile`,
        );
        context.expect(first).toAnswer(200);
        context
          .expect(first.bytes.length, `bytes of ${resource.path}`, first)
          .toSatisfy('a body', (length) => length > 0);
        const tag = context.expect(first).toCarry('etag');
        context.expect(second.headers['etag'], `ETag of ${resource.path} read again`, second).toEqual(tag);
        if (!/^(W\/)?"[^"]*"$/.test(tag)) context.notes.remark('The ETag is not quoted as HTTP asks.', first);
      }
    }),
  },
  'caching.match.status-304': {
    source: 'core: Errors 304; Versioning 4',
    statement:
      'A GET whose If-None-Match equals the current ETag answers 304, also when an object was created elsewhere in between, where the user shows a personal access token instead, takes gzip or asks several times at once, and for every user who may read the data where it does for one, each of whom gets a tag.',
    fault: 'If-None-Match is ignored',
    needs: ['etag-resource'],
    after: ['caching.etag.present'],
    test: cachingScenario(async (context) => {
      for (const resource of resourcesOf(context)) {
        const { second } = await readTwice(context, resource, async (first) => {
          const tag = tagIn(first, resource);
          const reply = await readUnless(context, resource, tag);
          return reply.status === 304 ? readUnless(context, resource, tag) : reply;
        });
        context.expect(second).toAnswer(304);
        await expectMatchBehindCreate(context, resource);
        await expectMatchByOtherToken(context, resource);
        await expectMatchCompressed(context, resource);
        await expectMatchAtOnce(context, resource);
      }
      await expectMatchForEach(context);
    }),
  },
  'caching.match.no-payload': {
    source: 'core: Errors 304; Versioning 4',
    statement: 'A 304 has no payload.',
    fault: 'answers 304 together with the full body',
    needs: ['etag-resource'],
    after: ['caching.match.status-304'],
    test: cachingScenario(async (context) => {
      const { given, service, expect, notes } = context;
      for (const resource of resourcesOf(context)) {
        const rawUnless = async (tag: string) =>
          service.raw(service.requests.get(resource.path), { as: resource.as, headers: { 'If-None-Match': tag } });
        let raw = await rawUnless(await tagOf(context, resource));
        for (let left = attempts; left > 0 && raw.status !== 304; left -= 1)
          raw = await rawUnless(await tagOf(context, resource));
        given.assume(raw.status === 304, 'a 304 for the current ETag');
        expect(raw.body.length, 'bytes after the head of a 304', raw.reply).toEqual(0);
        notes.observe('a 304 repeats the ETag', raw.headers['etag'] !== undefined, raw.reply);
      }
    }),
  },
  'caching.changed.status-200': {
    source: 'core: Versioning 4',
    statement:
      'After a change of the data a GET with an ETag of before, of the last data or of older ones, be it of a list one member of which is another by now, or of a directory with a file more, whichever of its texts and settings has changed, and by which token, answers 200 with the new data and another ETag; a change that is refused leaves the ETag as it is.',
    fault: 'the ETag is computed once at start-up',
    needs: ['etag-resource', 'etag-resource-edit'],
    after: ['caching.match.status-304'],
    test: cachingScenario(async (context) => {
      const resource = changedResource(context);
      const tags = [await tagOf(context, resource)];
      for (let change = 1; change <= changesSeen; change += 1)
        tags.push(await expectChangeSeen(context, resource, tags));
      await expectLateChangeSeen(context, resource);
      await expectChangedByToken(context, resource);
      await expectReorderSeen(context, resource);
      await expectAlikeSeen(context, resource);
      await expectShorterSeen(context, resource);
      await expectEachPlaceSeen(context, resource);
      await expectKeptByRefusedChange(context, resource);
      await expectListedChangeSeen(context);
      await expectUploadSeen(context);
      context.given.assume((await readResource(context, resource)).status === 200, 'the resource is still readable');
    }),
  },
  'caching.changed.seen-undisturbed': {
    source: 'core: Versioning 4',
    statement:
      'After a change of the data a GET with the ETag of before answers 200 with the new data and another ETag, also where nobody writes anything else.',
    fault: 'what was read is kept until something else is written',
    needs: ['etag-resource', 'etag-resource-edit'],
    after: ['caching.changed.status-200'],
    test: undisturbed(async (context) => {
      const resource = changedResource(context);
      const tag = await tagOf(context, resource);
      await readUnless(context, resource, tag);
      await expectChangeSeen(context, resource, [tag]);
    }),
  },
  'caching.other-value.status-200': {
    source: 'core: Errors 304 (equals the server ETag)',
    statement:
      'An If-None-Match that does not equal the current ETag answers 200 with the data, be it the ETag of other data.',
    fault: 'any If-None-Match answers 304',
    needs: ['etag-resource'],
    after: ['caching.etag.present'],
    test: cachingScenario(async (context) => {
      for (const resource of resourcesOf(context)) {
        const tag = await tagOf(context, resource);
        const others = [];
        for (const other of resourcesOf(context))
          if (other.path !== resource.path) others.push(await tagOf(context, other));
        for (const other of ['"no-such-tag"', ...tagsNear(tag), ...others.filter((one) => one !== tag)]) {
          const reply = await readUnless(context, resource, other);
          context.expect(reply).toAnswer(200);
          context.expect(reply.bytes.length, 'bytes of the data', reply).toSatisfy('a body', (length) => length > 0);
        }
        const forms = {
          star: '*',
          list: `"no-such-tag", ${tag}`,
          weak: tag.startsWith('W/') ? tag.slice(2) : `W/${tag}`,
          empty: '',
        };
        for (const [form, text] of Object.entries(forms))
          context.notes.observe(`If-None-Match as ${form}`, (await readUnless(context, resource, text)).status);
      }
    }),
  },
  'caching.etag.is-not-object-version': {
    source: 'core: Versioning 4 (last sentence)',
    statement:
      'The ETag is not the object version: the version as If-None-Match does not match, and the tag text is not the version number.',
    fault: 'uses the version number as ETag',
    needs: ['etag-resource'],
    after: ['caching.etag.present'],
    test: cachingScenario(async (context) => {
      const { expect, notes } = context;
      for (const resource of resourcesOf(context)) {
        const read = await readResource(context, resource);
        const tag = await tagOf(context, resource);
        const version = statedVersion(read);
        const text = tag.replace(/^W\//, '').replaceAll('"', '');
        if (version !== undefined) expect(text, 'text of the ETag', read).notToEqual(String(version));
        else if (/^\d+$/.test(text))
          notes.remark('The ETag is a plain number; whether it is a version does not show.', read);
        for (const number of version === undefined ? [1, 2, 3, 4, 5] : [version])
          for (const form of [String(number), `"${number}"`].filter((sent) => !tag.includes(sent)))
            expect(await readUnless(context, resource, form)).toAnswer(200);
      }
    }),
  },
  'caching.match.still-needs-access': {
    source: 'core: Authentication 6; Errors 401 and 403',
    statement:
      'A matching If-None-Match does not replace authentication, for the definitions of a space neither: without a token 401, without access 403, not 304.',
    fault: 'the cache check runs before authentication',
    needs: ['etag-resource', 'no-role-identity'],
    after: ['caching.match.status-304'],
    test: cachingScenario(async (context) => {
      let guarded = 0;
      for (const resource of [...resourcesOf(context), ...(await taggedDefinitions(context))]) {
        for (const [as, status] of [
          [null, 401],
          ['noRole', 403],
        ] as const) {
          const plain = await context.service.get(resource.path, { as });
          if (plain.status !== status) continue;
          guarded += 1;
          // what a cache holds may be gone with any write of others
          for (let round = 0; round < cacheLooks; round += 1)
            context.expect(await readUnless(context, resource, await tagOf(context, resource), as)).toAnswer(status);
        }
      }
      if (guarded === 0)
        context.given.inconclusive('Whoever asks, with or without a token, gets the resources of caching.resources.');
    }),
  },
  'caching.restart.same-tag': {
    source: 'core: Versioning 4; Errors 304',
    statement:
      'Data that a restart of the service has not changed answers 304 to the ETag that it had before, and 200 to the one from before a change.',
    fault: 'the ETag holds the moment at which the service was started',
    needs: ['etag-resource', 'restart-control'],
    after: ['caching.match.status-304'],
    test: cachingScenario(async (context) => {
      const { given, expect, notes, profile } = context;
      const resources = resourcesOf(context);
      const [change] = changesIn(profile.all.caching?.change);
      const changed = change && given.present(resources[change.resource ?? 0], 'the resource that the change names');
      const former = changed && (await tagOf(context, changed));
      const marker = changed && (await makeChange(context, changed));
      const before = [];
      for (const resource of resources) before.push(await readResource(context, resource));
      await restart(profile.all);
      let judged = 0;
      if (changed && plainTextOf(await readResource(context, changed)).includes(marker ?? ''))
        expect(await readUnless(context, changed, former ?? '')).toAnswer(200);
      for (const [index, resource] of resources.entries()) {
        const [first, now] = [before[index], await readResource(context, resource)];
        const tag = first?.headers['etag'];
        const isSame = first?.status === 200 && now.status === 200 && isSameData(now, first);
        notes.observe(`a restart leaves ${resource.path} as it was`, isSame, now);
        if (!isSame || tag === undefined) continue;
        const reply = await readUnless(context, resource, tag);
        if (isOfOtherData(reply, now)) continue;
        judged += 1;
        expect(reply).toAnswer(304);
      }
      if (judged === 0) given.inconclusive('Each of caching.resources in the profile is changed by a restart.');
    }),
  },
  'caching.later.same-tag': {
    source: 'core: Versioning 4; Errors 304',
    statement:
      'Data that nobody has changed answers 304 to the ETag that it had hours ago, and a file that made way for another one of its length is sent to who names its tag.',
    fault: 'the ETag is another one in each period of ten minutes',
    needs: ['etag-resource', 'clock-control'],
    after: ['caching.match.status-304'],
    test: runAlone(
      sharedResources,
      schedule(hoursSeconds, async (context) => {
        const { given, expect, clock } = context;
        const resources = resourcesOf(context);
        const before = [];
        for (const resource of resources) before.push(await readResource(context, resource));
        const replaceFile = await replacesFileLater(context);
        await clock.pass(hoursSeconds * 1000);
        await replaceFile();
        let judged = 0;
        for (const [index, resource] of resources.entries()) {
          const [first, now] = [before[index], await readResource(context, resource)];
          const tag = first?.headers['etag'];
          if (first?.status !== 200 || tag === undefined || !isSameData(now, first)) continue;
          const reply = await readUnless(context, resource, tag);
          if (isOfOtherData(reply, now)) continue;
          judged += 1;
          expect(reply).toAnswer(304);
        }
        if (judged === 0) given.inconclusive('Each of caching.resources in the profile has changed after some hours.');
      }),
    ),
  },
  'caching.soft-type.conditional-read': {
    level: 'observe',
    source: 'core: Common request headers, If-None-Match (other than SoftTypes)',
    statement: 'Whether SoftType reads carry an ETag, and what If-None-Match does on them, is only said by exclusion.',
    needs: ['soft-type', 'array-port'],
    test: scenario(async ({ given, service, notes }) => {
      const owner = await given.objectWithEntries(11);
      for (const [what, request] of [
        ['instance', service.requests.read(owner)],
        ['page', service.requests.page(owner, 1)],
      ] as const) {
        const read = await service.send(request);
        const tag = read.headers['etag'];
        notes.observe(`ETag on a SoftType ${what}`, tag !== undefined, read);
        const again = await service.send(request, { headers: { 'If-None-Match': tag ?? '"invented"' } });
        notes.observe(`If-None-Match on a SoftType ${what}`, again.status, again);
        if (what === 'page' || tag === undefined) continue;
        await given.edited(owner);
        const later = await service.send(request, { headers: { 'If-None-Match': tag } });
        if (later.status === 304) notes.remark('A SoftType read answers 304 after an edit.', later);
      }
    }),
  },
});

/** A change shows to whoever holds one of the former tags. Returns the ETag of the changed data. */
async function expectChangeSeen(
  context: CaseContext,
  resource: Resource,
  formerTags: readonly string[],
): Promise<string> {
  const { expect } = context;
  const marker = await makeChange(context, resource);
  let changed: Reply | undefined;
  for (const former of formerTags.toReversed()) {
    changed = await readUnless(context, resource, former);
    expect(changed).toAnswer(200);
    expect(plainTextOf(changed).includes(marker), 'the change shows in the data', changed).toEqual(true);
    expect(changed.headers['etag'], 'ETag after the change', changed).notToEqual(former);
  }
  const read = changed ?? (await readResource(context, resource));
  const tag = expect(read).toCarry('etag');
  const unchanged = await readUnless(context, resource, tag);
  if (!isOfOtherData(unchanged, read)) expect(unchanged).toAnswer(304);
  return tag;
}

/** A change behind much that stays as it was; how long the text of a change may be is the target's. */
async function expectLateChangeSeen(context: CaseContext, resource: Resource): Promise<void> {
  const { given, notes, expect } = context;
  for (const length of [1000, 120]) {
    const stays = given.unique('late').padEnd(length, 'x');
    if (!isSuccess((await sendChange(context, resource, `${stays}one`)).status)) continue;
    const tag = await tagOf(context, resource);
    const second = await sendChange(context, resource, `${stays}two`);
    given.succeeded(second, 'the change of the resource is accepted');
    notes.observe('length of what stays before a change', length, second);
    const changed = await readUnless(context, resource, tag);
    expect(changed).toAnswer(200);
    expect(plainTextOf(changed).includes(`${stays}two`), 'the late change shows in the data', changed).toEqual(true);
    return;
  }
  notes.observe('length of what stays before a change', 'none is taken');
}

/** A change of nothing but the order of letters, and then of words, of as many bytes as before. */
async function expectReorderSeen(context: CaseContext, resource: Resource): Promise<void> {
  const { notes, expect } = context;
  const [one, other] = [context.given.unique('one'), context.given.unique('other')];
  for (const [before, after] of [
    [`${one}ab`, `${one}ba`],
    [`${one}-${other}`, `${other}-${one}`],
  ] as const) {
    const first = await sendChange(context, resource, before);
    if (!isSuccess(first.status)) {
      notes.observe('a change to the same letters in another order', 'is not taken', first);
      continue;
    }
    const tag = await tagOf(context, resource);
    context.given.succeeded(await sendChange(context, resource, after), 'the change of the resource is accepted');
    const changed = await readUnless(context, resource, tag);
    expect(changed).toAnswer(200);
    expect(plainTextOf(changed).includes(after), 'the change of the order shows in the data', changed).toEqual(true);
  }
}

/** A text that is shorter than the one before it is the new data, without what the longer one had behind. */
async function expectShorterSeen(context: CaseContext, resource: Resource): Promise<void> {
  const { given, notes, expect } = context;
  const [shorter, longer] = [given.unique('brief'), given.unique('former').padEnd(60, '-and-so-on')];
  const first = await sendChange(context, resource, longer);
  if (!isSuccess(first.status)) return notes.observe('a change to a longer text', 'is not taken', first);
  given.succeeded(await sendChange(context, resource, shorter), 'the change of the resource is accepted');
  const read = await readResource(context, resource);
  expect(plainTextOf(read).includes(shorter), 'the shorter text shows in the data', read).toEqual(true);
  const left = shorter + longer.slice(shorter.length);
  expect(plainTextOf(read).includes(left), 'the end of the text before shows behind the new one', read).toEqual(false);
}

/** Texts that a comparison, or a sum of bytes, may take for one, where the data show that they are two. */
async function expectAlikeSeen(context: CaseContext, resource: Resource): Promise<void> {
  const { given, notes, expect } = context;
  const text = given.unique('change').toLowerCase();
  for (const [before, after] of [
    [text, text.toUpperCase()],
    [text.toUpperCase(), text],
    [`${text}e`, `${text}\u00e9`],
    // alike in their lower bytes
    [`${text}s`, `${text}\u0173`],
    [`${text} s`, `${text}  s`],
  ] as const) {
    if (!isSuccess((await sendChange(context, resource, before)).status)) continue;
    const known = await readResource(context, resource);
    const tag = tagIn(known, resource);
    const isTaken = isSuccess((await sendChange(context, resource, after)).status);
    const read = await readResource(context, resource);
    // a list may have had it before
    const isShown = isTaken && plainTextOf(read).includes(after) && !plainTextOf(known).includes(after);
    notes.observe('a change to a text that is nearly the same shows', isShown, read);
    if (isShown) expect(await readUnless(context, resource, tag)).toAnswer(200);
  }
}

/** Data that a refused change has left as they are answer 304 still, and show nothing of it: one without a token, one by somebody else, and one whose body is cut. */
async function expectKeptByRefusedChange(context: CaseContext, resource: Resource): Promise<void> {
  const { given, expect, notes, profile } = context;
  // of several requests the first may be taken
  const isOne = changesIn(profile.all.caching?.change).length === 1;
  for (const [what, spoiled] of [
    ['without a token', (request: RequestSpec) => ({ ...request, as: null })],
    ...(isOne ? [['by somebody else', byAnother] as const, ['with a cut body', cutBody] as const] : []),
  ] as const) {
    const before = await readResource(context, resource);
    const tag = tagIn(before, resource);
    const marker = given.unique('refused');
    const refused = await sendChange(context, resource, marker, spoiled);
    notes.observe(`status of a change ${what}`, refused.status, refused);
    if (refused.status < 400) continue;
    const reply = await readUnless(context, resource, tag);
    // what a server error leaves is not said
    if (refused.status < 500)
      expect(plainTextOf(reply).includes(marker), `whether a refused change ${what} shows`, reply).toEqual(false);
    if (!isOfOtherData(reply, before)) expect(reply).toAnswer(304);
  }
}

/** The request of the editor, who need not have the rights of an administrator. */
function byAnother(request: RequestSpec): RequestSpec {
  return request.as === 'editor' ? { ...request, as: null } : { ...request, as: 'editor' };
}

/** JSON that breaks off where it begins. */
function cutBody(request: RequestSpec): RequestSpec {
  return request.body === undefined ? request : { ...request, body: '{' };
}

/** An object that is created elsewhere changes no tag of data that stay as they are. */
async function expectMatchBehindCreate(context: CaseContext, resource: Resource): Promise<void> {
  const { given, service, expect, profile } = context;
  const read = await readResource(context, resource);
  expect(read).toAnswer(200);
  if (profile.all.softTypes === undefined) return;
  await service.create(given.body());
  const reply = await readUnless(context, resource, tagIn(read, resource));
  if (!isOfOtherData(reply, read)) expect(reply).toAnswer(304);
}

/** After so many ms whatever is stamped with the second has another stamp. */
const stampMs = 1050;

/** What is compressed on its way is not changed by that: the tag that came with it holds. Source: core, Versioning 4 */
async function expectMatchCompressed(context: CaseContext, resource: Resource): Promise<void> {
  const { service, expect, notes } = context;
  const compressed = { 'Accept-Encoding': 'gzip' };
  const first = await service.get(resource.path, { as: resource.as, headers: compressed });
  notes.observe('a client that takes gzip', first.headers['content-encoding'] ?? 'is answered as others are', first);
  if (first.status !== 200 || first.headers['etag'] === undefined) return;
  // what packs them may write down the second, which is no change of the data
  if (first.headers['content-encoding'] !== undefined) await sleep(stampMs);
  const headers = { ...compressed, 'If-None-Match': tagIn(first, resource) };
  const second = await service.get(resource.path, { as: resource.as, headers });
  if (!isOfOtherData(second, first)) expect(second).toAnswer(304);
}

/** Data do not change with how many ask for them at the same moment. Source: core, Versioning 4 */
async function expectMatchAtOnce(context: CaseContext, resource: Resource): Promise<void> {
  const { first, second } = await readTwice(context, resource, async (one) => {
    const tag = tagIn(one, resource);
    const replies = await Promise.all(Array.from({ length: 4 }, () => readUnless(context, resource, tag)));
    return replies.find(({ status }) => status !== 304) ?? one;
  });
  if (second !== first) context.expect(second).toAnswer(304);
}

/** Data do not change with the credential by which the same user reads them. */
async function expectMatchByOtherToken(context: CaseContext, resource: Resource): Promise<void> {
  const { service, expect, notes, profile } = context;
  const pat = profile.all.identities[resource.as]?.pat;
  if (pat === undefined) return;
  const { first, second } = await readTwice(context, resource, async (one) =>
    service.get(resource.path, {
      ...withBearer(pat),
      headers: { ...withBearer(pat).headers, 'If-None-Match': tagIn(one, resource) },
    }),
  );
  const plain = await service.get(resource.path, withBearer(pat));
  const isSame = plain.status === 200 && isSameData(plain, first);
  notes.observe(`${resource.path} is the same by a personal access token`, isSame, plain);
  if (isSame) expect(second).toAnswer(304);
}

const readers = ['editor', 'secondEditor', 'reader', 'spaceAdministrator', 'administrator'] as const;

/** Where one user gets 304 for the tag that he has just been given, everybody does, whatever the role, and whoever has asked in between. */
async function expectMatchForEach(context: CaseContext): Promise<void> {
  const { service, expect, notes, profile } = context;
  const { identities, openApi } = profile.all;
  const paths = resourcesOf(context).map(({ path }) => path);
  if (openApi?.served === true) paths.push(service.requests.openApi().url);
  for (const path of paths) {
    const held: { readonly as: IdentityName; readonly first: Reply; readonly tag: string }[] = [];
    const again: Reply[] = [];
    const untagged: Reply[] = [];
    for (const as of readers) {
      if (identities[as] === undefined) continue;
      const first = await readResource(context, { path, as });
      const tag = first.headers['etag'];
      if (first.status !== 200) continue;
      if (!tag) {
        untagged.push(first);
        continue;
      }
      held.push({ as, first, tag });
      again.push(...(await readHeld(context, path, held.slice(-1))));
    }
    const isMatched = again.some(({ status }) => status === 304);
    notes.observe(`${path} answers 304 to some user`, isMatched);
    if (!isMatched) continue;
    for (const reply of untagged) expect(reply).toCarry('etag');
    for (const reply of [...again, ...(await readHeld(context, path, held))]) expect(reply).toAnswer(304);
  }
}

/** What each is answered that sends the tag of a first read, those left out whose data are others by now. */
async function readHeld(
  context: CaseContext,
  path: string,
  held: readonly { readonly as: IdentityName; readonly first: Reply; readonly tag: string }[],
): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  for (const { as, first, tag } of held) {
    const reply = await readUnless(context, { path, as }, tag);
    if (!isOfOtherData(reply, first)) replies.push(reply);
  }
  return replies;
}

/** A scenario over resources that another case may change: one of them at a time. */
function cachingScenario(run: (context: CaseContext) => Promise<void>): Case {
  return runAlone(sharedResources, scenario(run));
}

/** The OpenAPI document of the space, where it has a tag. */
async function taggedDefinitions({ service, profile }: CaseContext): Promise<readonly Resource[]> {
  if (profile.all.openApi?.served !== true) return [];
  const resource = { path: service.requests.openApi().url, as: 'editor' } as const;
  const { status, headers } = await service.get(resource.path, { as: resource.as });
  return status === 200 && headers['etag'] ? [resource] : [];
}

/** Whether the data are not those of the read before: a listing grows with what other cases make. */
function isOfOtherData(reply: Reply, before: Reply): boolean {
  return reply.status === 200 && !isSameData(reply, before) && reply.headers['etag'] !== before.headers['etag'];
}

/** Whether both tell the same: the texts may still differ by the order of members. */
function isSameData(one: Reply, other: Reply): boolean {
  return one.json === undefined ? one.text === other.text : isDeepStrictEqual(one.json, other.json);
}

/** A read and what was asked after it, while the data stayed as they were. */
async function readTwice(
  context: CaseContext,
  resource: Resource,
  again: (first: Reply) => Promise<Reply>,
): Promise<{ readonly first: Reply; readonly second: Reply }> {
  for (let left = attempts; ; left -= 1) {
    const first = await readResource(context, resource);
    const second = await again(first);
    if (first.status !== 200 || !isOfOtherData(second, first)) return { first, second };
    context.given.assume(left > 1, `data of ${resource.path} that stay as they are for two reads`);
  }
}

/** The tag with its last or its first character inside the quotes changed, without the last one, with one more, and with its letters in the other case. */
function tagsNear(tag: string): readonly string[] {
  const end = tag.endsWith('"') ? tag.length - 1 : tag.length;
  const first = tag.indexOf('"') + 1;
  const changed = [end - 1, first].map((at) => tag.slice(0, at) + (tag[at] === 'a' ? 'b' : 'a') + tag.slice(at + 1));
  const otherwise = tag.slice(0, first) + inOtherCase(tag.slice(first, end)) + tag.slice(end);
  const near = [
    ...changed,
    tag.slice(0, end - 1) + tag.slice(end),
    `${tag.slice(0, end)}a${tag.slice(end)}`,
    otherwise,
  ];
  return near.filter((each) => each !== tag);
}
