import { headerNames } from '../../contract/names.ts';
import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { dataOf, linksOf, memberOf, versionOf } from '../../judge/answer.ts';

export const locationCases = {
  'headers.location.on-create': scenario(async ({ given, service, expect }) => {
    const body = given.body();
    const [first, second] = [await service.create(body), await service.create(body)];
    for (const reply of [first, second]) given.succeeded(reply, 'an object is created', ['reading.create.status-201']);
    const locations = [expect(first).toCarry('location'), expect(second).toCarry('location')];
    expect(locations[0], 'Location of two creates with equal content').notToEqual(locations[1]);
  }),

  'headers.location.leads-to-object': scenario(async ({ given, service, expect, profile }) => {
    const [member] = profile.scalars;
    const bodies = Array.from({ length: 5 }, () => given.body({ [member]: given.unique() }));
    const replies = await Promise.all(bodies.map((body) => service.create(body)));
    for (const [index, created] of replies.entries()) {
      const location = given.present(created.headers['location'], 'a Location', ['headers.location.on-create']);
      const read = await service.get(location, { base: created });
      expect(read).toAnswer(200);
      expect(memberOf(read, 'data'), 'data behind the Location', read).toBeAnObject();
      expect(dataOf(read)[member], `${member} behind the Location`, read).toEqual(bodies[index]?.[member]);
      const header = created.headers[headerNames.version.toLowerCase()];
      if (header !== undefined) expect(String(versionOf(read)), 'version behind the Location', read).toEqual(header);
    }
  }),

  'headers.uris.stay-on-gateway': scenario(async ({ given, service, expect, notes, profile }) => {
    const body = given.body();
    const created = await service.create(body);
    const owner = await given.objectWithEntries(11);
    const [read, page] = [await service.read(owner), await service.page(owner, 1)];
    const uris = {
      Location: [created.headers['location']],
      'href of an instance': [memberOf(read, 'href')],
      'href of a link': linksOf(read).map((link) => link['href']),
      'href of a page': [memberOf(page, 'href')],
    };
    const gateway = new URL(profile.all.baseUrl).origin;
    for (const [what, values] of Object.entries(uris))
      for (const value of values) {
        if (typeof value !== 'string') continue;
        notes.bound('uriForm', `form of ${what}`, /^[a-z]+:\/\//i.test(value) ? 'absolute' : 'path', read);
        expect(originOf(value, gateway), `origin of ${what}`, read).toEqual(gateway);
      }
  }),
} satisfies SomeCasesOf<'headers'>;

function originOf(uri: string, base: string): string {
  const expanded = uri.replace('{pageNumber}', '0');
  return URL.canParse(expanded, base) ? new URL(expanded, base).origin : `no URI: ${uri}`;
}
