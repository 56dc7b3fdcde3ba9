import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import { dataOf, isObject, versionOf } from '../../judge/answer.ts';
import { unescaped } from '../../judge/unescaped.ts';

export const routeCases = {
  'reading.instance.short-route-served': scenario(async ({ given, service, expect }) => {
    const things = [await given.object(), await given.object()];
    for (const thing of things) {
      const read = await service.read(thing);
      expect(read).toAnswer(200);
      expect(dataOf(read)['$oid'], '$oid', read).toEqual(thing.oid);
      expect(await service.read({ ...thing, oid: given.unknownOid(thing) })).notToSucceed();
    }
  }),

  'reading.instance.long-route-served': scenario(async ({ given, service, expect }) => {
    let thing = await given.object();
    for (const when of ['when created', 'after an edit']) {
      const [short, long] = [await service.read(thing), await service.readLong(thing)];
      expect(long).toAnswer(200);
      expect(dataOf(long)['$oid'], `$oid by the long route ${when}`, long).toEqual(dataOf(short)['$oid']);
      expect(versionOf(long), `version by the long route ${when}`, long).toEqual(versionOf(short));
      thing = await given.edited(thing);
    }
  }),

  'reading.output-schema.shapes-data': scenario(async ({ given, service, expect, profile }) => {
    const other = given.present(profile.primary.secondOutputSchema, 'secondOutputSchema in the profile');
    const content = everyMember(given, [...other.shows, ...other.lacks], profile);
    const thing = await given.object(content);
    const valued = new Set(Object.keys(thing.body));
    const [first, second] = [
      await service.readLong(thing),
      await service.readLong(thing, { outputSchemaId: other.id }),
    ];
    expect(second).toAnswer(200);
    const telling = other.lacks.filter((member) => valued.has(member));
    if (telling.length === 0)
      return given.inconclusive(
        'No member of secondOutputSchema.lacks is one that the suite can fill: name a scalar, the object or the array port there.',
      );
    for (const member of telling) {
      expect(hasValue(dataOf(first)[member]), `${member} through the first schema`, first).toEqual(true);
      expect(hasValue(dataOf(second)[member]), `${member} through the second schema`, second).toEqual(false);
    }
    for (const member of other.shows.filter((name) => valued.has(name)))
      expect(hasValue(dataOf(second)[member]), `${member} through the second schema`, second).toEqual(true);
    expect(dataOf(second)['$oid'], '$oid through the second schema', second).toEqual(dataOf(first)['$oid']);
    expect(versionOf(second), 'version through the second schema', second).toEqual(versionOf(first));
  }),

  'reading.missing-object.status-404': scenario(async ({ given, service, expect }) => {
    const owner = await given.objectWithEntries(1);
    const missing = { ...owner, oid: given.unknownOid(owner) };
    expect(await service.read(missing)).toAnswer(404);
    expect(await service.readLong(missing)).toAnswer(404);
    expect(await service.page(missing, 0)).toAnswer(404);
    given.succeeded(await service.read(owner), 'the short route serves the id that exists', [
      'reading.instance.short-route-served',
    ]);
    given.succeeded(await service.readLong(owner), 'the long route serves the id that exists', [
      'reading.instance.long-route-served',
    ]);
    given.succeeded(await service.page(owner, 0), 'the page route serves the id that exists', [
      'paging.page.documented-route-served',
    ]);
  }),

  'reading.missing-neighbours.status': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const marker = given.unique('marker');
    const [scalar] = profile.primary.scalars ?? [];
    const thing = await given.object(scalar === undefined ? {} : { [scalar]: marker });
    const requests = {
      'an unknown space': service.requests.read({ ...thing, space: given.unique('no-space') }),
      'an unknown definition': service.requests.readLong({
        ...thing,
        type: { ...thing.type, definitionId: given.unique('no-type') },
      }),
      'the definition of another SoftType': service.requests.readLong({ ...thing, type: profile.second }),
      'an unknown output schema': service.requests.readLong(thing, given.unique('no-schema')),
    };
    for (const [what, request] of Object.entries(requests)) {
      const reply = await service.send(request);
      notes.bound(
        what === 'an unknown space' ? 'unknownSpace' : 'mismatchedRoute',
        `a read under ${what}`,
        reply.status,
        reply,
      );
      if (unescaped(reply).includes(marker)) notes.remark(`A read under ${what} discloses data of the object.`, reply);
      notes.remarkServerError(reply);
    }
  }),

  'reading.path.letter-case': scenario(async ({ given, service, notes }) => {
    const thing = await given.object();
    const { url } = service.requests.read(thing);
    for (const spelling of ['softtype', 'SoftType']) {
      const reply = await service.get(url.replace(/\/softtype\//i, `/${spelling}/`));
      notes.observe(`a read with ${spelling} in the path`, reply.status, reply);
    }
  }),
} satisfies SomeCasesOf<'reading'>;

/** A value for each of these members as far as the profile knows how one looks: scalars, the object, the array. */
function everyMember(
  given: CaseContext['given'],
  members: readonly string[],
  profile: CaseContext['profile'],
): Record<string, unknown> {
  const { arrayPort, object } = profile.primary;
  const value = (member: string): unknown => {
    if (member === arrayPort?.member) return [given.entry(given.unique())];
    if (member === object?.member) return Object.fromEntries(object.scalars.map((scalar) => [scalar, given.unique()]));
    return profile.primary.scalars?.includes(member) ? given.unique() : undefined;
  };
  return Object.fromEntries(
    members.map((member) => [member, value(member)]).filter(([, content]) => content !== undefined),
  );
}

function hasValue(value: unknown): boolean {
  return (
    value !== undefined &&
    value !== null &&
    !(Array.isArray(value) && value.length === 0) &&
    !(isObject(value) && Object.keys(value).length === 0)
  );
}
