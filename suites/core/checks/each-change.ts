import { bodyOfResult, resultsOf, sendBatch } from '../../../judge/service/batch.ts';
import type { CaseContext } from '../../../judge/case.ts';
import { isSuccess, type Reply } from '../../../judge/exchange.ts';
import type { Thing } from '../../../judge/things.ts';
import { pointer } from '../../../judge/json.ts';
import { expectStands, readStanding } from '../../../judge/service/maturity.ts';
import { anyEdit, editRoutes, headerVersion, removeThing } from '../../../judge/service/writes.ts';
import { add } from './operation-steps.ts';

interface Change {
  readonly name: string;
  readonly send: (thing: Thing) => Promise<Reply>;
}

/**
 * Looks at the thing when it is made and after each way in which an object changes, one after the other. A look may not stand on the version in
 * the thing: how the answer to a write tells it is judged elsewhere. What the target refuses is left out.
 */
export async function lookAfterEachChange<T extends Thing>(
  context: CaseContext,
  thing: T,
  look: (when: string) => Promise<void>,
): Promise<void> {
  let { version } = thing;
  await look('when created');
  for (const { name, send } of changesOf(context, 'port' in thing)) {
    const reply = await send({ ...thing, version });
    if (!isSuccess(reply.status)) {
      context.notes.observe(`an object takes a ${name} after what was before it`, reply.status, reply);
      continue;
    }
    version = versionTold(reply) ?? version + 1;
    await look(`after a ${name}`);
  }
}

/** Whatever changes one of two objects, its end included, leaves the other one as it is now. */
export async function expectOtherLeft(context: CaseContext, changed: Thing, other: Thing): Promise<void> {
  const { given, service, expect, profile } = context;
  const before = await readStanding(context, other);
  const expectLeft = async (): Promise<void> => {
    expect(await service.read(other)).toAnswer(200);
    expectStands(context, before, await readStanding(context, other));
  };
  if (profile.primary.arrayPort !== undefined && profile.offers('operations')) {
    const appended = add(pointer(profile.port.member), given.entry(given.unique()));
    const { status } = await service.operations(changed, [appended]);
    if (isSuccess(status)) await expectLeft();
  }
  await lookAfterEachChange(context, await given.current(changed), expectLeft);
  if (profile.all.routes?.softTypeDelete === undefined) return;
  const { status } = await removeThing(context, await given.current(changed));
  if (isSuccess(status)) await expectLeft();
}

/** Edits first: a promote may lead to a state that is closed to them. @param isOwner whether what is looked at is an array, which another schema may not have */
function changesOf(context: CaseContext, isOwner: boolean): readonly Change[] {
  const { service, given, profile } = context;
  const [first] = profile.primary.scalars ?? [];
  const routes = editRoutes(context).map(({ name, request }) => ({
    name,
    send: (thing: Thing) => service.send(request(thing)),
  }));
  const merge: Change = { name: 'merge PATCH', send: (thing) => service.merge(thing, anyEdit(context)) };
  // restates the arrays, so that what is seen of them stays
  const put = (thing: Thing): Promise<Reply> =>
    service.put(thing, { ...thing.body, ...(first !== undefined && { [first]: given.unique('put') }) });
  const { secondInputSchema } = profile.primary;
  // what its schema does not name may go; the PUT behind it restates it
  const putsByOther: readonly Change[] =
    secondInputSchema === undefined || isOwner
      ? []
      : [
          {
            name: 'PUT by another schema',
            send: (thing) => put({ ...thing, type: { ...thing.type, inputSchemaId: secondInputSchema } }),
          },
        ];
  const byAnother: readonly Change[] = editRoutes(context)
    .filter(({ name }) => name === 'merge PATCH' && profile.all.identities.secondEditor !== undefined)
    .map(({ name, request }) => ({
      name: `${name} by another editor`,
      send: (thing) => service.send(request(thing), { as: 'secondEditor' }),
    }));
  const inBatch = (name: 'merge' | 'promote'): readonly Change[] =>
    profile.offers('batch')
      ? [
          {
            name: `${name} in a batch`,
            send: (thing) =>
              sendBatch(context, [
                name === 'merge' ? service.requests.merge(thing, anyEdit(context)) : service.requests.promote(thing),
              ]),
          },
        ]
      : [];
  const maturity: readonly Change[] =
    profile.all.maturity === undefined
      ? []
      : [
          ...routes.filter(({ name }) => name === 'promote'),
          merge,
          ...(profile.all.routes?.demote === undefined
            ? []
            : [{ name: 'demote', send: (thing: Thing) => service.demote(thing) }]),
          ...inBatch('promote'),
        ];
  return [
    ...routes
      .filter(({ name }) => name !== 'promote')
      .flatMap((route) => (route.name === 'PUT' ? [...putsByOther, ...twice({ ...route, send: put })] : twice(route))),
    ...byAnother,
    ...inBatch('merge'),
    ...maturity,
  ];
}

/** What is kept of the first of a kind may stay at the second. */
function twice(change: Change): readonly Change[] {
  return [change, { ...change, name: `${change.name} once more` }];
}

/** The version that the answer to an edit tells, or to a batch of one. */
export function versionTold(reply: Reply): number | undefined {
  if (!Array.isArray(reply.json)) return headerVersion(reply.headers);
  const version = bodyOfResult(resultsOf(reply)[0])['version'];
  return typeof version === 'number' ? version : undefined;
}
