import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { editRoutes, editable, otherWrites, working } from '../../judge/writes.ts';

export const informationFilterCases = {
  'headers.information-filter.required-on-reads': scenario(async ({ given, service, expect, notes }) => {
    const owner = await given.objectWithEntries(11);
    for (const request of [
      service.requests.read(owner),
      service.requests.readLong(owner),
      service.requests.page(owner, 1),
    ]) {
      const refused = await service.send(request, { filter: null });
      expect(refused).notToSucceed();
      notes.bound('informationFilterMissing', 'status without information filter', refused.status, refused);
      expect(await service.send(request)).toAnswer(200);
    }
  }),

  'headers.information-filter.required-on-writes': scenario(async (context) => {
    const { service, expect, notes } = context;
    for (const route of await working(context, [...editRoutes(context), ...otherWrites(context)])) {
      const thing = await editable(context);
      const before = await service.snapshot(thing);
      const refused = await service.send(route.request(thing), { filter: null });
      expect(refused).notToSucceed();
      expect(refused.headers['location'], `Location of a refused ${route.name}`, refused).toBeAbsent();
      notes.bound(
        'informationFilterMissing',
        `status of a ${route.name} without information filter`,
        refused.status,
        refused,
      );
      expect.unchanged(before, await service.snapshot(thing));
      expect(await service.send(route.request(thing))).toSucceed();
    }
  }),

  'headers.information-filter.malformed': scenario(async (context) => {
    const { service, given, notes, profile } = context;
    const base64 = (value: unknown) =>
      Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
    const forms = {
      'no Base64': '%%%',
      'no JSON': base64('{no'),
      'a JSON array': base64([]),
      'a JSON text': base64('"text"'),
      'JSON null': base64('null'),
      'unpadded Base64': base64({ note: 'x' }).replace(/=+$/, ''),
      'URL-safe Base64': base64({ note: '???>>>' }).replaceAll('+', '-').replaceAll('/', '_'),
      'an unknown field': base64({ ...profile.all.informationFilter?.default, unknownToAll: 1 }),
      'an empty object': base64({}),
    };
    for (const [form, filter] of Object.entries(forms)) {
      const thing = await editable(context);
      const read = await service.read(thing, { filter });
      const merge = await service.merge(thing, { [profile.scalars[0]]: given.unique() }, { filter });
      for (const [what, reply] of [
        ['read', read],
        ['merge', merge],
      ] as const) {
        const unreadable = form.startsWith('no ') || form.startsWith('a JSON') || form === 'JSON null';
        if (unreadable) notes.bound('informationFilterMalformed', `${what} with ${form}`, reply.status, reply);
        else notes.observe(`${what} with ${form}`, reply.status, reply);
        notes.remarkServerError(reply);
      }
    }
  }),
} satisfies SomeCasesOf<'headers'>;
