import { scenario, type SomeCasesOf } from '../../judge/case.ts';
import { dataOf } from '../../judge/answer.ts';
import { valueAt } from '../../judge/json-pointer.ts';
import { editable } from '../../judge/writes.ts';
import { edit, operationsOf, sendBatch, type Operation } from './words.ts';

export const headersCases = {
  'batch.headers.authorization-inherited': scenario(async (context) => {
    const { service, expect } = context;
    const thing = await editable(context);
    const before = await service.snapshot(thing);
    const token = `Bearer ${await service.token('editor')}`;
    const [operation] = await operationsOf(context, [edit(context, thing)]);
    for (const one of [operation ?? {}, withHeader(operation, 'Authorization', token)])
      expect(await service.batch([one], { as: null })).toAnswer(401);
    expect.unchanged(before, await service.snapshot(thing));
    expect(await service.batch([operation ?? {}])).toAnswer(200);
  }),

  'batch.headers.authorization-not-replaced': scenario(async (context) => {
    const { service, expect, notes } = context;
    const thing = await editable(context);
    const before = await service.snapshot(thing);
    const [operation] = await operationsOf(context, [edit(context, thing)]);
    const asEditor = withHeader(operation, 'Authorization', `Bearer ${await service.token('editor')}`);
    const reply = await service.batch([asEditor], { as: 'reader' });
    expect(reply.status, 'status of a batch of the reader with the token of the editor inside', reply).notToEqual(200);
    expect.unchanged(before, await service.snapshot(thing));
    const asReader = withHeader(operation, 'Authorization', `Bearer ${await service.token('reader')}`);
    notes.observe(
      'a batch of the editor with the token of the reader inside',
      (await service.batch([asReader])).status,
    );
  }),

  'batch.headers.filter-inherited': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const thing = await editable(context);
    expect(await sendBatch(context, [edit(context, thing)], { filter: null })).notToSucceed();
    expect(await sendBatch(context, [edit(context, thing), service.requests.read(thing)])).toAnswer(200);
    const { dated } = profile.primary;
    const dateMember = profile.all.informationFilter?.dateMember;
    if (dated === undefined || dateMember === undefined) return;
    const date = '2020-02-29T00:00:00Z';
    const filter = { ...profile.all.informationFilter?.default, [dateMember]: date };
    const target = await given.object(dated.value);
    const value: unknown = JSON.parse(JSON.stringify(dated.replaceWith).replaceAll('{{unique}}', given.unique()));
    const reply = await sendBatch(
      context,
      [service.requests.operations(target, [{ op: 'replace', path: dated.path, value }])],
      { filter },
    );
    given.assume(reply.status === 200, 'a batch that replaces a dated element');
    const read = await service.readLong(target, { filter });
    const seen = valueAt(dataOf(read), dated.datePath);
    expect(
      typeof seen === 'string' ? Date.parse(seen) : seen,
      'effectivity date of an element replaced in a batch',
      read,
    ).toEqual(Date.parse(date));
  }),
} satisfies SomeCasesOf<'batch'>;

function withHeader(operation: Operation | undefined, name: string, value: string): Operation {
  const headers = operation?.['headers'];
  return { ...operation, headers: { ...(typeof headers === 'object' ? headers : {}), [name]: value } };
}
