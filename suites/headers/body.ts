import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { entriesOf, textsOf } from '../../judge/answer.ts';
import { editRoutes, editable } from '../../judge/writes.ts';

export const bodyCases = {
  'headers.no-content.empty-body': scenario(async (context) => {
    const { service, given, expect } = context;
    let seen = 0;
    for (const route of editRoutes(context)) {
      const raw = await service.raw(route.request(await editable(context)));
      if (raw.status !== 204) continue;
      seen += 1;
      expect(raw.body.length, `bytes after the head of a 204 (${route.name})`, raw.reply).toEqual(0);
      expect(raw.headers['content-length'] ?? '0', `Content-Length of a 204 (${route.name})`, raw.reply).toEqual('0');
    }
    given.assume(seen > 0, 'a write that answers 204');
  }),

  'headers.content-type.json-bodies': scenario(async ({ given, service, expect, notes, profile }) => {
    const text = 'naïve – 文字 – 😀';
    const owner = await given.objectWithEntries(11, { members: () => ({ [profile.port.text]: text }) });
    const replies = [await service.read(owner), await service.readLong(owner), await service.page(owner, 1)];
    const batch = await service.batch([{ method: 'GET', href: service.requests.read(owner).url }]);
    if (batch.status === 200) replies.push(batch);
    for (const reply of replies) {
      expect(reply.headers['content-type'], 'Content-Type', reply).toSatisfy('a JSON media type', (type) =>
        /^application\/(json|[^;\s]+\+json)\s*(;|$)/i.test(type ?? ''),
      );
      expect(reply.json, 'body', reply).toSatisfy('JSON', (body) => body !== undefined);
      notes.observe(
        'charset parameter',
        /charset=([^;]+)/i.exec(reply.headers['content-type'] ?? '')?.[1] ?? 'none',
        reply,
      );
    }
    const read = await service.read(owner);
    expect(textsOf(entriesOf(read, owner.port), owner.port)[0], 'text beyond ASCII', read).toEqual(text);
  }),
} satisfies SomeCasesOf<'headers'>;
