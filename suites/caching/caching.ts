import { scenario, type CasesOf } from '../../judge/case.ts';
import { versionOf } from '../../judge/answer.ts';
import { altered, cachingScenario, readResource, readUnless, resourcesOf, tagOf } from './words.ts';
import { changedCase } from './changed.ts';

export const cachingCases: CasesOf<'caching'> = {
  'caching.etag.present': cachingScenario(async (context) => {
    for (const resource of resourcesOf(context)) {
      const first = await readResource(context, resource);
      context.given.assume(
        first.status !== 401 && first.status !== 403,
        `a resource that the ${resource.as} may read; see caching.resources in the profile`,
      );
      context.expect(first).toAnswer(200);
      context
        .expect(first.bytes.length, `bytes of ${resource.path}`, first)
        .toSatisfy('a body', (length) => length > 0);
      const tag = context.expect(first).toCarry('etag');
      const second = await readResource(context, resource);
      context.expect(second.headers['etag'], `ETag of ${resource.path} read again`, second).toEqual(tag);
      if (!/^(W\/)?"[^"]*"$/.test(tag)) context.notes.remark('The ETag is not quoted as HTTP asks.', first);
    }
  }),

  'caching.match.status-304': cachingScenario(async (context) => {
    for (const resource of resourcesOf(context)) {
      const tag = await tagOf(context, resource);
      for (const _time of [1, 2]) context.expect(await readUnless(context, resource, tag)).toAnswer(304);
      context.expect(await readResource(context, resource)).toAnswer(200);
    }
  }),

  'caching.match.no-payload': cachingScenario(async (context) => {
    const { given, service, expect, notes } = context;
    for (const resource of resourcesOf(context)) {
      const headers = { 'If-None-Match': await tagOf(context, resource) };
      const raw = await service.raw(service.requests.get(resource.path), { as: resource.as, headers });
      given.assume(raw.status === 304, 'a 304 for the current ETag');
      expect(raw.body.length, 'bytes after the head of a 304', raw.reply).toEqual(0);
      notes.observe('a 304 repeats the ETag', raw.headers['etag'] !== undefined, raw.reply);
    }
  }),

  'caching.changed.status-200': changedCase,

  'caching.other-value.status-200': cachingScenario(async (context) => {
    for (const resource of resourcesOf(context)) {
      const tag = await tagOf(context, resource);
      for (const other of ['"no-such-tag"', altered(tag)]) {
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

  'caching.etag.is-not-object-version': cachingScenario(async (context) => {
    const { expect, notes } = context;
    for (const resource of resourcesOf(context)) {
      const read = await readResource(context, resource);
      const tag = await tagOf(context, resource);
      const version = versionOf(read);
      const text = tag.replace(/^W\//, '').replaceAll('"', '');
      if (typeof version === 'number') expect(text, 'text of the ETag', read).notToEqual(String(version));
      else if (/^\d+$/.test(text))
        notes.remark('The ETag is a plain number; whether it is a version does not show.', read);
      for (const number of typeof version === 'number' ? [version] : [1, 2, 3, 4, 5])
        for (const form of [String(number), `"${number}"`].filter((sent) => !tag.includes(sent)))
          expect(await readUnless(context, resource, form)).toAnswer(200);
    }
  }),

  'caching.match.still-needs-access': cachingScenario(async (context) => {
    for (const resource of resourcesOf(context)) {
      const tag = await tagOf(context, resource);
      let guarded = 0;
      for (const [as, status] of [
        [null, 401],
        ['noRole', 403],
      ] as const) {
        const plain = await context.service.get(resource.path, { as });
        if (plain.status !== status) continue;
        guarded += 1;
        context.expect(await readUnless(context, resource, tag, as)).toAnswer(status);
      }
      context.notes.observe(`identities that ${resource.path} refuses`, guarded);
    }
  }),

  'caching.soft-type.conditional-read': scenario(async ({ given, service, notes }) => {
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
};
