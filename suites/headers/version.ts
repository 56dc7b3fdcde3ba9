import { headerNames } from '../../contract/names.ts';
import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { Reply, RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/given.ts';
import { dataOf, versionOf } from '../../judge/answer.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { editable } from '../../judge/writes.ts';

export const versionCases = {
  'headers.uoi-version.on-create': scenario(async ({ given, service, expect }) => {
    const body = given.body();
    const created = await service.create(body);
    given.succeeded(created, 'an object is created', ['reading.create.status-201']);
    const header = expect(created).toCarry(headerNames.version);
    expect(header, 'version header of a create', created).toSatisfy('decimal digits', (text) => /^\d+$/.test(text));
    const read = await service.read(await given.found(created, body));
    expect(Number(header), 'version header of a create', created).toEqual(versionOf(read));
  }),

  'headers.uoi-version.on-merge': scenario(async (context) => {
    const { given, service, profile } = context;
    for (const edits of [0, 6])
      await tellsNewVersion(context, await given.edited(await editable(context), edits), (thing) =>
        service.requests.merge(thing, { [profile.scalars[0]]: given.unique() }),
      );
  }),

  'headers.uoi-version.on-operations': scenario(async (context) => {
    const { given, service, profile } = context;
    const [first, second] = profile.scalars;
    for (const members of [[first], [first, second, first]])
      await tellsNewVersion(
        context,
        await given.object({ [first]: given.unique(), [second]: given.unique() }),
        (thing) =>
          service.requests.operations(
            thing,
            members.map((member) => ({ op: 'replace', path: pointer(member), value: given.unique() })),
          ),
      );
  }),

  'headers.uoi-version.on-put': scenario(async (context) => {
    const { given, service } = context;
    for (const edits of [0, 6])
      await tellsNewVersion(context, await given.edited(await editable(context), edits), (thing) =>
        service.requests.put(thing, given.body()),
      );
  }),

  'headers.uoi-version.elsewhere': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const thing = await editable(context);
    const body = { [profile.scalars[0]]: given.unique() };
    const replies = {
      'a GET': await service.read(thing),
      'a 409': await service.merge(thing, body, { version: thing.version + 7 }),
      'a 412': await service.merge(thing, body, { version: null }),
      'a batch': await service.batch([{ method: 'GET', href: service.requests.read(thing).url }]),
      'a multi-create': await service.multiCreate([
        { $id: 'one', $softType: profile.primary.definitionId, data: given.body() },
      ]),
    };
    for (const [what, reply] of Object.entries(replies))
      notes.observe(`version header on ${what} (${reply.status})`, versionHeader(reply) ?? 'none', reply);
  }),
} satisfies SomeCasesOf<'headers'>;

/** The header is the version that reads next, and the next write with it is accepted without reading. */
async function tellsNewVersion(
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

function versionHeader(reply: Reply): string | undefined {
  return reply.headers[headerNames.version.toLowerCase()];
}
