import { array, constantFrom } from 'fast-check';
import { anyText } from '../../fixtures/arbitraries.ts';
import { property, scenario, type SomeCasesOf } from '../../judge/case.ts';
import { dataOf, versionOf } from '../../judge/answer.ts';
import { otherForm } from '../../judge/openapi/document.ts';
import { createdBy, oidOf } from '../../judge/multi-create-result.ts';
import { created, item } from './words.ts';

export const itemCases = {
  'multi-create.route.served-without-api-prefix': scenario(async (context) => {
    const { service, expect, notes } = context;
    for (const items of [[item(context)], [item(context), item(context)]]) {
      const reply = await service.multiCreate(items);
      expect(reply).toSucceed();
      notes.observe('success status of a multi-create', reply.status, reply);
      for (const read of await createdBy(context, reply, items)) expect(read).toAnswer(200);
    }
    const request = service.requests.multiCreate([item(context)]);
    notes.observe(
      'status of the other form of the path',
      (await service.send(request, { url: otherForm(request.url) })).status,
    );
  }),

  'multi-create.items.all-created': property(
    constantFrom(1, 2, 10).chain((count) => array(anyText, { minLength: count, maxLength: count })),
    async (context, texts) => {
      const { given, service, expect, notes, profile } = context;
      const [first, second] = profile.scalars;
      const body = given.body();
      const { version } = await given.object();
      const items = texts.map((text) => ({ ...item(context), data: { ...body, [first]: text, [second]: 'equal' } }));
      const reply = await service.multiCreate(items);
      if (reply.status >= 400) return notes.observe('generated texts, or equal ones, are refused', reply.status, reply);
      const reads = await createdBy(context, reply, items);
      expect(new Set(reads.map(oidOf)).size, `objects created by ${items.length} items`, reply).toEqual(items.length);
      for (const [index, read] of reads.entries()) {
        expect(dataOf(read)[first] ?? '', `${first} of the object of item ${index}`, read).toEqual(texts[index]);
        expect(dataOf(read)['$softType'], `$softType of the object of item ${index}`, read).toEqual(
          profile.primary.definitionId,
        );
        expect(versionOf(read), `version of the object of item ${index}`, read).toEqual(version);
      }
    },
    { always: [['equal', 'equal', 'equal'], ['one']], share: 0.2 },
  ),

  'multi-create.items.different-types': scenario(async (context) => {
    const { expect, profile } = context;
    const types = [profile.primary, profile.second, profile.primary, profile.second];
    const reads = await created(
      context,
      types.map((type) => item(context, {}, type)),
    );
    for (const [index, read] of reads.entries())
      expect(dataOf(read)['$softType'], `$softType of the object of item ${index}`, read).toEqual(
        types[index]?.definitionId,
      );
  }),
} satisfies SomeCasesOf<'multi-create'>;
