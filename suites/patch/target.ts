import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { removal } from '../../judge/writes.ts';

export const targetCases = {
  'patch.delete.object-gone': scenario(async (context) => {
    const { given, service, expect, notes } = context;
    const [gone, stays] = [await given.object(), await given.object()];
    const reply = await removal(context, gone);
    given.succeeded(reply, 'a DELETE is accepted');
    notes.bound('deleteSuccess', 'success status of DELETE', reply.status, reply);
    expect(await service.get(gone.location)).toAnswer(404);
    expect(await service.readLong(gone)).toAnswer(404);
    expect(await service.get(stays.location)).toAnswer(200);
    notes.observe('a second DELETE', (await service.remove(gone, { version: gone.version })).status);
  }),

  'patch.target.unknown-object-404': scenario(async ({ given, service, expect, profile }) => {
    const [member] = profile.scalars;
    const thing = await given.object({ [member]: given.unique() });
    const unknown = { ...thing, oid: given.unknownOid(thing), version: 1 };
    given.assume((await service.read(unknown)).status === 404, 'an id that names nothing');
    expect(await service.merge(unknown, { [member]: given.unique() })).toAnswer(404);
    expect(
      await service.operations(unknown, [{ op: 'replace', path: pointer(member), value: given.unique() }]),
    ).toAnswer(404);
    if (profile.all.routes?.softTypePut !== undefined) expect(await service.put(unknown, given.body())).toAnswer(404);
    expect(await service.read(unknown)).toAnswer(404);
  }),
} satisfies SomeCasesOf<'patch'>;
