import { headerNames } from '../../contract/names.ts';
import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { editable } from '../../judge/writes.ts';
import { edit, operationsOf, sendBatch, statusesOf, withoutVersion } from './words.ts';

export const versionCases = {
  'batch.version.mismatch-409': scenario(async (context) => {
    const { given, service, expect } = context;
    const [one, two] = [await editable(context), await given.edited(await editable(context), 2)];
    const before = [await service.snapshot(one), await service.snapshot(two)];
    const stale = [edit(context, one), { ...edit(context, two), version: two.version - 1 }];
    for (const changes of [{}, { headers: { [headerNames.version]: String(two.version) } }]) {
      const reply = await sendBatch(context, stale, changes);
      expect(reply).toAnswer(500);
      expect(statusesOf(reply)[1], 'statusCode of the edit with a wrong version', reply).toEqual(409);
    }
    for (const [index, thing] of [one, two].entries())
      expect.unchanged(given.present(before[index], 'a snapshot'), await service.snapshot(thing));
    expect(await sendBatch(context, [edit(context, one), edit(context, two)])).toAnswer(200);
  }),

  'batch.version.absent-412': scenario(async (context) => {
    const { service, expect, profile } = context;
    const thing = await editable(context);
    const before = await service.snapshot(thing);
    const [bare] = await operationsOf(context, [withoutVersion(edit(context, thing))]);
    const put =
      profile.all.routes?.softTypePut === undefined
        ? []
        : [withoutVersion(service.requests.put(thing, context.given.body()))];
    const puts = await operationsOf(context, put);
    const onRequest = { headers: { [headerNames.version]: String(thing.version) } };
    for (const [operation, changes] of [
      [bare, {}],
      [bare, onRequest],
      ...puts.map((operation) => [operation, {}] as const),
    ] as const) {
      const reply = await service.batch([operation ?? {}], changes);
      expect(reply).toAnswer(500);
      expect(statusesOf(reply)[0], 'statusCode of an edit without version', reply).toEqual(412);
    }
    for (const headers of [undefined, {}]) {
      const reply = await service.batch([{ ...bare, headers }]);
      expect(reply).toAnswer(500);
      expect(statusesOf(reply)[0], 'statusCode of an edit without headers', reply).toSatisfy(
        '412, or 400 or 415 for the missing content type',
        (status) => [412, 400, 415].includes(Number(status)),
      );
    }
    expect.unchanged(before, await service.snapshot(thing));
    expect(await sendBatch(context, [edit(context, thing)])).toAnswer(200);
  }),
} satisfies SomeCasesOf<'batch'>;
