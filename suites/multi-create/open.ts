import { headerNames } from '../../contract/names.ts';
import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { item, referring, targetType } from './words.ts';

export const openCases = {
  'multi-create.references.odd-targets': scenario(async (context) => {
    const { given, service, notes } = context;
    const target = item(context, {}, targetType(context));
    const referrer = referring(context, item(context), [target]);
    const thing = await given.object({}, { type: targetType(context) });
    const lists: Record<string, unknown> = {
      'an instanceRef that no item has': [referrer],
      'two items with one $id': [target, { ...item(context), $id: target.$id }],
      'an item without $id': [{ $softType: target.$softType, data: target.data }],
      'a softTypeId of another type': [
        target,
        referring(context, item(context), [{ ...target, $softType: given.unique('no-type') }]),
      ],
      'a reference to an object that exists': [referring(context, item(context), [{ ...target, $id: thing.oid }])],
      'an empty list': [],
      'a body that is no array': item(context),
    };
    const keys = new Map([
      ['an instanceRef that no item has', 'multiCreateUnknownReference'],
      ['two items with one $id', 'multiCreateDuplicateId'],
      ['an empty list', 'multiCreateEmpty'],
    ] as const);
    for (const [what, items] of Object.entries(lists)) {
      const reply = await service.send({ ...service.requests.multiCreate([]), body: items });
      const key = [...keys].find(([name]) => name === what)?.[1];
      if (key === undefined) notes.observe(`status of a multi-create with ${what}`, reply.status, reply);
      else notes.bound(key, `status of a multi-create with ${what}`, reply.status, reply);
      notes.remarkServerError(reply);
    }
  }),

  'multi-create.response.shape': scenario(async (context) => {
    const { service, notes } = context;
    const reply = await service.multiCreate([item(context), item(context)]);
    notes.bound('multiCreateSuccess', 'success status of a multi-create', reply.status, reply);
    notes.observe('Location of a multi-create', reply.headers['location'] !== undefined, reply);
    notes.observe(
      'version header of a multi-create',
      reply.headers[headerNames.version.toLowerCase()] ?? 'none',
      reply,
    );
    const first: unknown = Array.isArray(reply.json) ? reply.json[0] : reply.json;
    notes.observe(
      'keys of the answer',
      typeof first === 'object' && first !== null ? Object.keys(first).sort().join(', ') : typeof first,
      reply,
    );
  }),
} satisfies SomeCasesOf<'multi-create'>;
