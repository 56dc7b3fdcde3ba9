import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { isListed, listingShows } from '../../judge/listing.ts';
import { createdBy, oidOf } from '../../judge/multi-create-result.ts';
import { created, item } from './words.ts';

export const sizeCases = {
  'multi-create.size.fifty-accepted': scenario(async (context) => {
    const { service, expect } = context;
    for (const count of [49, 50]) {
      const items = Array.from({ length: count }, () => item(context));
      const reply = await service.multiCreate(items);
      expect(reply).toSucceed();
      const reads = await createdBy(context, reply, items);
      expect(new Set(reads.map(oidOf)).size, `objects of ${count} items`, reply).toEqual(count);
    }
  }),

  'multi-create.size.fifty-one-refused': scenario(async (context) => {
    const { given, service, expect, notes, profile } = context;
    const text = given.unique('one-too-many');
    const items = Array.from({ length: 51 }, () =>
      item(context, profile.primary.scalars === undefined ? {} : { [profile.scalars[0]]: text }),
    );
    const reply = await service.multiCreate(items);
    expect(reply).toBeRefused();
    notes.bound('multiCreateTooMany', 'status of 51 items', reply.status, reply);
    if (profile.all.routes?.instanceListing !== undefined && profile.primary.scalars !== undefined)
      expect(await isListed(context, text), 'objects of 51 items are listed', reply).toEqual(false);
    expect(await service.multiCreate(items.slice(0, 50))).toSucceed();
  }),

  'multi-create.failure.creates-nothing': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const member =
      profile.primary.scalars === undefined ? (Object.keys(profile.primary.body)[0] ?? '') : profile.scalars[0];
    const shown = given.unique('shown');
    await created(context, [item(context, { [member]: shown })]);
    given.assume(await isListed(context, shown), listingShows);
    for (const place of [0, 1, 2]) {
      const text = given.unique('undone');
      const sound = [item(context, { [member]: text }), item(context, { [member]: text })];
      const invalid = { ...item(context), $softType: given.unique('no-type') };
      const reply = await service.multiCreate([...sound.slice(0, place), invalid, ...sound.slice(place)]);
      expect(reply).toBeRefused();
      expect(
        await isListed(context, text),
        `an object beside an invalid item at place ${place} is listed`,
        reply,
      ).toEqual(false);
      expect(await service.multiCreate(sound)).toSucceed();
    }
  }),
} satisfies SomeCasesOf<'multi-create'>;
