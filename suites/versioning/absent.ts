import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { editable } from '../../judge/writes.ts';
import { answers412 } from './words.ts';

export const absentCases = {
  'versioning.absent.merge-412': scenario(async (context) => {
    const { given, service, profile } = context;
    await answers412(context, (thing) => service.requests.merge(thing, { [profile.scalars[0]]: given.unique() }));
  }),

  'versioning.absent.operations-412': scenario(async (context) => {
    const { given, service, profile } = context;
    await answers412(context, (thing) =>
      service.requests.operations(thing, [{ op: 'replace', path: pointer(profile.scalars[0]), value: given.unique() }]),
    );
  }),

  'versioning.absent.put-412': scenario(async (context) => {
    await answers412(context, (thing) => context.service.requests.put(thing, context.given.body()));
  }),

  'versioning.value.text-refused': scenario(async (context) => {
    const { given, service, expect, notes, profile } = context;
    const thing = await editable(context);
    const before = await service.snapshot(thing);
    const body = { [profile.scalars[0]]: given.unique() };
    for (const version of ['abc', 'NaN', '1.5', 'null', '*']) {
      const reply = await service.merge(thing, body, { version });
      expect(reply).toBeRefused();
      notes.bound('invalidVersionHeader', `version header ${version}`, reply.status, reply);
    }
    expect.unchanged(before, await service.snapshot(thing));
    given.succeeded(await service.merge(thing, body), 'the same edit with the current version is accepted');
    for (const spell of [
      (n: number) => `0${n}`,
      (n: number) => `+${n}`,
      (n: number) => `${n}.0`,
      (n: number) => `"${n}"`,
      () => '',
    ]) {
      const other = await editable(context);
      const reply = await service.merge(other, body, { version: spell(other.version) });
      notes.observe(`version header spelled ${spell(other.version) || 'empty'}`, reply.status, reply);
    }
  }),

  'versioning.header.only-for-put-and-patch': scenario(async (context) => {
    const { given, service, expect, notes, profile } = context;
    const owner = await given.objectWithEntries(11);
    const requests = [
      service.requests.read(owner),
      service.requests.readLong(owner),
      service.requests.page(owner, 1),
      service.requests.openApi(),
      service.requests.create(given.body()),
      service.requests.batch([{ method: 'GET', href: service.requests.read(owner).url }]),
      service.requests.multiCreate([{ $id: 'one', $softType: profile.primary.definitionId, data: given.body() }]),
    ];
    for (const request of requests) {
      const reply = await service.send(request, { version: null });
      expect(reply.status, `status of a ${request.method} without version header`, reply).notToEqual(412);
    }
    if (profile.all.routes?.softTypeDelete === undefined) return;
    const reply = await service.remove(await given.object(), { version: null });
    notes.bound(
      'deleteVersionHeader',
      'DELETE without version header',
      reply.status === 412 ? 'needed' : (profile.all.expect?.deleteVersionHeader ?? 'ignored'),
      reply,
    );
  }),
} satisfies SomeCasesOf<'versioning'>;
