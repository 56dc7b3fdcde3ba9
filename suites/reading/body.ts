import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { assertRead, dataOf, isObject, memberOf, versionOf } from '../../judge/answer.ts';

export const bodyCases = {
  'reading.body.href-leads-back': scenario(async ({ given, service, expect }) => {
    for (const thing of [await given.object(), await given.object()]) {
      const read = await service.read(thing);
      given.assume(dataOf(read)['$oid'] === thing.oid, 'a read of the object with its $oid');
      const href = memberOf(read, 'href');
      expect(href, 'href', read).toBeAString();
      const again = await service.get(String(href), { base: read });
      expect(again).toAnswer(200);
      expect(memberOf(again, 'data'), 'data behind the href', again).toBeAnObject();
      expect(dataOf(again)['$oid'], '$oid behind the href', again).toEqual(thing.oid);
      expect(versionOf(again), 'version behind the href', again).toEqual(versionOf(read));
    }
  }),

  'reading.body.data-is-object': scenario(async ({ given, service, expect, profile }) => {
    const [member] = profile.scalars;
    const text = given.unique();
    const things = [await given.object({ [member]: text })];
    if (profile.primary.arrayPort !== undefined)
      things.push(await given.objectWithEntries(1, { body: { [member]: text } }));
    for (const thing of things) {
      const read = await service.read(thing);
      assertRead(read);
      const data = memberOf(read, 'data');
      expect(data, 'data', read).toBeAnObject();
      expect(isObject(data) ? data[member] : undefined, `${member} inside data`, read).toEqual(text);
    }
  }),

  'reading.body.version-is-integer': scenario(async ({ given, service, expect }) => {
    const thing = await given.object();
    for (const at of [thing, await given.edited(thing)]) {
      const read = await service.read(at);
      expect(versionOf(read), 'version', read).toBeAnInteger();
      const members = [...read.text.matchAll(/("(?:[^"\\]|\\.)*")\s*:\s*([^,}\s]+)/g)];
      const tokens = members.filter(([, name = '""']) => JSON.parse(name) === 'version').map(([, , token]) => token);
      expect(tokens.includes(String(versionOf(read))), 'version stands in the text as plain digits', read).toEqual(
        true,
      );
    }
  }),

  'reading.body.links-is-array': scenario(async ({ given, service, expect, profile }) => {
    for (const count of [0, 11]) {
      const owner = await given.objectWithEntries(count);
      for (const as of profile.all.identities.reader === undefined
        ? (['editor'] as const)
        : (['editor', 'reader'] as const)) {
        const read = await service.read(owner, { as });
        assertRead(read);
        const links = memberOf(read, 'links');
        expect(links, `links of an array of ${count} for the ${as}`, read).toBeAnArray();
        for (const link of Array.isArray(links) ? links : []) expect(link, 'item of links', read).toBeAnObject();
      }
    }
  }),

  'reading.body.schema-is-object': scenario(async ({ given, service, expect, notes }) => {
    const thing = await given.object();
    for (const read of [await service.read(thing), await service.readLong(thing)]) {
      assertRead(read);
      const schema = memberOf(read, 'schema');
      expect(schema, 'schema', read).toBeAnObject();
      notes.observe(
        'keys of schema',
        Object.keys(schema ?? {})
          .sort()
          .join(', '),
        read,
      );
    }
  }),

  'reading.error.body-shape': scenario(async ({ given, service, notes, profile }) => {
    const thing = await given.object();
    const body = {};
    const refusals = [
      await service.read(thing, { as: null }),
      await service.read({ ...thing, oid: given.unknownOid(thing) }),
      await service.merge(thing, body, { version: thing.version + 5 }),
      await service.merge(thing, body, { version: null }),
      ...(profile.all.identities.reader === undefined ? [] : [await service.merge(thing, body, { as: 'reader' })]),
    ];
    for (const reply of refusals) {
      const type = reply.headers['content-type']?.split(';')[0] ?? 'none';
      notes.bound('errorMediaType', `media type of a ${reply.status}`, type, reply);
      const keys =
        typeof reply.json === 'object' && reply.json !== null
          ? Object.keys(reply.json).sort().join(', ')
          : typeof reply.json;
      notes.observe(`keys of the body of a ${reply.status}`, keys, reply);
    }
  }),
} satisfies SomeCasesOf<'reading'>;
