import { integer } from 'fast-check';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import { dataOf, versionOf } from '../../judge/answer.ts';
import { pointer } from '../../judge/json-pointer.ts';
import { editable } from '../../judge/writes.ts';
import { answers409, at } from './words.ts';

export const mismatchCases = {
  'versioning.mismatch.lower-409': scenario(async (context) => {
    const { given, service, profile } = context;
    const thing = await at(context, 2);
    const lower = [thing.version - 1, thing.version - 2, 0, -1];
    await answers409(
      context,
      thing,
      (current) => service.requests.merge(current, { [profile.scalars[0]]: given.unique() }),
      lower,
    );
  }),

  'versioning.mismatch.higher-409': scenario(async (context) => {
    const { given, service, profile } = context;
    const thing = await at(context, 2);
    const higher = [thing.version + 1, thing.version + 2, 2147483647];
    await answers409(
      context,
      thing,
      (current) => service.requests.merge(current, { [profile.scalars[0]]: given.unique() }),
      higher,
    );
  }),

  'versioning.mismatch.operations-409': property(
    integer({ min: -3, max: 4 }).filter((distance) => distance !== 0),
    async (context, distance) => {
      const { given, service, profile } = context;
      const thing = await at(context, 2);
      const replace = () => [{ op: 'replace', path: pointer(profile.scalars[0]), value: given.unique() }];
      await answers409(context, thing, (current) => service.requests.operations(current, replace()), [
        thing.version + distance,
      ]);
    },
    { always: [-1, 1], share: 0.5 },
  ),

  'versioning.mismatch.put-409': scenario(async (context) => {
    const { given, service } = context;
    const thing = await at(context, 2);
    await answers409(context, thing, (current) => service.requests.put(current, given.body()), [
      thing.version - 1,
      thing.version + 1,
    ]);
  }),

  'versioning.mismatch.across-users-409': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const [member] = profile.scalars;
    const thing = await editable(context);
    const text = given.unique('second');
    given.succeeded(await service.merge(thing, { [member]: text }, { as: 'secondEditor' }), 'the second editor edits');
    expect(await service.merge(thing, { [member]: given.unique('first') })).toAnswer(409);
    const seen = await service.read(thing, { as: 'secondEditor' });
    expect(dataOf(seen)[member], `${member} after a refused edit`, seen).toEqual(text);
    const version = Number(versionOf(seen));
    expect(await service.merge(thing, { [member]: given.unique('first') }, { version })).toSucceed();
  }),
} satisfies SomeCasesOf<'versioning'>;
