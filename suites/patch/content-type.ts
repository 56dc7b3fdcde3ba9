import { mediaTypes } from '../../contract/names.ts';
import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { editable } from '../../judge/writes.ts';
import { isAccepted, replace } from './words.ts';

export const contentTypeCases = {
  'patch.content-type.selects-operations': scenario(async (context) => {
    const { given, expect, profile } = context;
    const [member] = profile.scalars;
    const text = given.unique();
    const after = await isAccepted(context, await editable(context), [replace(pointer(member), text)]);
    expect(after.members[member], `${member} after the replace`, after.reply).toEqual(text);
  }),

  'patch.content-type.plain-json-is-not-operations': scenario(async (context) => {
    const { given, service, expect, notes, profile } = context;
    const [member] = profile.scalars;
    const thing = await editable(context);
    const operations = [replace(pointer(member), given.unique('operations'))];
    for (const [route, request] of [
      ['operations', service.requests.operations(thing, operations)],
      ['merge', service.requests.merge(thing, operations)],
    ] as const) {
      const current = await given.current(thing);
      const reply = await service.send(request, {
        version: current.version,
        headers: { 'Content-Type': mediaTypes.json },
      });
      notes.bound('patchRouteMismatch', `operations as plain JSON on the ${route} route`, reply.status, reply);
      const after = await service.snapshot(thing);
      expect(after.members[member], `${member} after operations sent as plain JSON`, after.reply).notToEqual(
        operations[0]?.['value'],
      );
    }
  }),

  'patch.content-type.other-types': scenario(async (context) => {
    const { given, service, notes, profile } = context;
    const [member] = profile.scalars;
    const types = {
      'a charset parameter': `${mediaTypes.operations}; charset=utf-8`,
      'upper case': mediaTypes.operations.toUpperCase(),
      'merge-patch+json': 'application/merge-patch+json',
      'text/plain': 'text/plain',
      none: null,
    };
    for (const [what, type] of Object.entries(types)) {
      const thing = await editable(context);
      const text = given.unique();
      const merge = what === 'merge-patch+json';
      const request = merge
        ? service.requests.merge(thing, { [member]: text })
        : service.requests.operations(thing, [replace(pointer(member), text)]);
      const reply = await service.send(request, { headers: { 'Content-Type': type } });
      const stored = (await service.snapshot(thing)).members[member] === text;
      if (what === 'text/plain' || type === null)
        notes.bound('unsupportedMediaType', `content type ${what}`, reply.status, reply);
      else notes.observe(`content type with ${what}`, reply.status, reply);
      notes.observe(`content type ${what} has effect`, stored, reply);
      notes.remarkServerError(reply);
    }
    const thing = await editable(context);
    const swapped = await service.merge(thing, [replace(pointer(member), given.unique())], {
      headers: { 'Content-Type': mediaTypes.operations },
    });
    notes.bound('patchRouteMismatch', 'the operations type on the merge route', swapped.status, swapped);
  }),
} satisfies SomeCasesOf<'patch'>;
