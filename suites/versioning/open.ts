import { scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { editable } from '../../judge/writes.ts';
import { headerVersion, versionNow } from './words.ts';

export const openCases = {
  'versioning.no-op.edits': scenario(async (context) => {
    const { service, notes, profile } = context;
    const [member] = profile.scalars;
    const thing = await editable(context);
    const value = thing.body[member];
    const edits: Record<string, (version: number) => RequestSpec> = {
      'the same value': (version) => service.requests.merge(thing, { [member]: value }, version),
      'an empty merge body': (version) => service.requests.merge(thing, {}, version),
      'an empty operation list': (version) => service.requests.operations(thing, [], version),
      'a replace by the same value': (version) =>
        service.requests.operations(thing, [{ op: 'replace', path: pointer(member), value }], version),
      ...(profile.all.routes?.softTypePut !== undefined && {
        'an identical PUT': (version: number) => service.requests.put(thing, thing.body, version),
      }),
    };
    for (const [what, edit] of Object.entries(edits)) {
      const before = await versionNow(context, thing);
      const reply = await service.send(edit(before));
      const after = await versionNow(context, thing);
      notes.observe(`status of ${what}`, reply.status, reply);
      notes.observe(
        `version header of ${what} minus the version before`,
        (headerVersion(reply.headers) ?? Number.NaN) - before,
        reply,
      );
      if (reply.status < 300) notes.bound('noOpRaisesVersion', `${what} raises the version`, after > before, reply);
    }
  }),

  'versioning.precedence.with-other-errors': scenario(async (context: CaseContext) => {
    const { given, service, notes, profile } = context;
    const thing = await editable(context);
    const unknown = { ...thing, oid: given.unknownOid(thing) };
    const [member] = profile.scalars;
    const failing = [{ op: 'add', path: pointer(member), value: given.unique() }];
    const replies = {
      'no version, unknown object': await service.merge(unknown, {}, { version: null }),
      'wrong version, malformed body': await service.merge(thing, '{"', { version: thing.version + 5 }),
      'wrong version, failing operation': await service.operations(thing, failing, { version: thing.version + 5 }),
      'no version, malformed body': await service.merge(thing, '{"', { version: null }),
    };
    for (const [what, reply] of Object.entries(replies)) notes.observe(what, reply.status, reply);
  }),
} satisfies SomeCasesOf<'versioning'>;
