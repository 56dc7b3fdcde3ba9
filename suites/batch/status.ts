import { constantFrom, integer, nat, record } from 'fast-check';
import { property, scenario, type CaseContext, type SomeCasesOf } from '../../judge/case.ts';
import type { RequestSpec } from '../../judge/exchange.ts';
import type { Thing } from '../../judge/given.ts';
import { editable } from '../../judge/writes.ts';
import { bodyOf, edit, operationsOf, readerMayBatch, resultsOf, sendBatch, staleEdit, statusesOf } from './words.ts';

export const statusCases = {
  'batch.success.status-200': scenario(async (context) => {
    const { given, service, expect, profile } = context;
    const [first] = profile.primary.scalars ?? [];
    const thing = await given.object();
    const things = first === undefined ? [] : [await editable(context), await editable(context)];
    const texts = [given.unique(), given.unique()];
    const edits = things.map((thing, index) => edit(context, thing, texts[index]));
    const create = () => service.requests.create(given.body(first === undefined ? {} : { [first]: given.unique() }));
    for (const requests of [[service.requests.read(thing)], [create()], [create(), create(), ...edits]]) {
      const reply = await sendBatch(context, requests);
      expect(reply).toAnswer(200);
      for (const status of statusesOf(reply))
        expect(Number(status), 'statusCode of an operation', reply).toSatisfy('below 400', (code) => code < 400);
      const created = resultsOf(reply).filter((result) => result['statusCode'] === 201);
      for (const href of created.map((result) => bodyOf(result)['href'])) {
        if (typeof href === 'string') expect(await service.get(href, { base: reply })).toAnswer(200);
      }
    }
    if (first === undefined) return;
    for (const [index, edited] of things.entries()) {
      const after = await service.snapshot(edited);
      expect(after.members[first], `${first} after the batch`, after.reply).toEqual(texts[index]);
    }
  }),

  'batch.failure.status-500': property(
    record({
      length: integer({ min: 1, max: 8 }),
      place: nat({ max: 7 }),
      failing: constantFrom<Failing>('stale version', 'unknown object', 'forbidden'),
    }),
    async (context, { length, place, failing }) => {
      const { expect } = context;
      const things = await Promise.all(Array.from({ length }, () => editable(context)));
      const at = place % length;
      const as = failing === 'forbidden' ? await forbiddenFor(context) : 'editor';
      const requests = things.map((thing, index) =>
        index === at && as === 'editor' ? failingRequest(context, thing, failing) : edit(context, thing),
      );
      const reply = await sendBatch(context, requests, { as });
      expect(reply).toAnswer(500);
      const sound = requests.filter((_request, index) => index !== at);
      if (sound.length > 0) expect(await sendBatch(context, sound)).toAnswer(200);
    },
    {
      always: [
        { length: 1, place: 0, failing: 'stale version' },
        { length: 3, place: 1, failing: 'unknown object' },
        { length: 2, place: 0, failing: 'forbidden' },
      ],
      share: 0.3,
    },
  ),

  'batch.operation.required-members': scenario(async (context) => {
    const { given, service, expect, notes } = context;
    const thing = await editable(context);
    const other = await editable(context);
    const before = await service.snapshot(thing);
    const [sound, read] = await operationsOf(context, [edit(context, thing), service.requests.read(other)]);
    const complete = given.present(read, 'an operation');
    const incomplete = [
      without(complete, 'method'),
      without(complete, 'href'),
      ...['HEAD', 'LINK', 7].map((method) => ({ ...complete, method })),
    ];
    for (const operation of incomplete) {
      const reply = await service.batch([given.present(sound, 'an operation'), operation]);
      expect(reply.status, `status of a batch with ${JSON.stringify(operation)}`, reply).notToEqual(200);
      expect.unchanged(before, await service.snapshot(thing));
    }
    notes.observe('the method in lower case', (await service.batch([{ ...complete, method: 'get' }])).status);
    expect(await service.batch([given.present(sound, 'an operation'), complete])).toAnswer(200);
  }),

  'batch.auth.forbidden-operation': scenario(async (context) => {
    const { given, service, expect } = context;
    const [thing, other] = [await editable(context), await editable(context)];
    if (!(await readerMayBatch(context))) given.inconclusive(readerMayNotBatch);
    const reads = [service.requests.read(thing), service.requests.read(other)];
    expect(await sendBatch(context, reads, { as: 'reader' })).toAnswer(200);
    const before = await service.snapshot(thing);
    const reply = await sendBatch(context, [service.requests.read(other), edit(context, thing)], { as: 'reader' });
    expect(reply).toAnswer(500);
    expect(statusesOf(reply)[1], 'statusCode of the write', reply).toEqual(403);
    expect.unchanged(before, await service.snapshot(thing));
  }),
} satisfies SomeCasesOf<'batch'>;

const readerMayNotBatch =
  'The role of the reader does not open the batch route, so that access to single operations does not show: name the rule under notSupported in the profile.';

type Failing = 'stale version' | 'unknown object' | 'forbidden';

function failingRequest(context: CaseContext, thing: Thing, failing: Failing): RequestSpec {
  if (failing === 'stale version') return staleEdit(context, thing);
  return edit(context, { ...thing, oid: context.given.unknownOid(thing) });
}

/** An identity that may send a batch and may not write; without one the editor, who then meets an unknown object. */
async function forbiddenFor(context: CaseContext): Promise<'reader' | 'editor'> {
  const { reader } = context.profile.all.identities;
  return reader !== undefined && (await readerMayBatch(context)) ? 'reader' : 'editor';
}

function without(operation: object, member: string): object {
  return Object.fromEntries(Object.entries(operation).filter(([name]) => name !== member));
}
